"""What every module of these tests may ask for."""

import pytest

from tests.support.databases import (
    database,
    database_url,
    postgres_url,
    sql_database,
    sqlite_url,
    start,
)
from ulci_server.storage import sql_engine

__all__ = ["database", "database_url", "postgres_url", "sql_database", "sqlite_url", "start"]


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever stands still for seconds on a busy machine is waited for."""
    for name in ("BUSY_TIMEOUT", "FROZEN", "PAUSED", "MEMBER_STATEMENT_TIMEOUT"):
        monkeypatch.setattr(sql_engine, name, 60.0)
