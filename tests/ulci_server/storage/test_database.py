"""Opening what an address names."""

from pathlib import Path

import pytest

from tests.support.facts import noted, started
from ulci_server.storage import (
    Database,
    MemoryDatabase,
    SchemaError,
    SchemaStatus,
    StorageError,
    check_url,
    migrate,
    open_database,
    schema_state,
)


def test_memory_needs_nothing() -> None:
    database = open_database("memory:")
    assert isinstance(database, MemoryDatabase)
    database.close()


def test_sqlite_is_migrated_unless_told_not_to(sqlite_url: str) -> None:
    with pytest.raises(SchemaError, match="ulci-server migrate"):
        open_database(sqlite_url, migrating=False)

    database = open_database(sqlite_url)
    database.save(noted([started(1)]))
    database.close()

    again = open_database(sqlite_url, "process", migrating=False)
    assert again.games.last_id() == 1
    again.close()


def test_postgres_is_not_migrated_unless_told_to(postgres_url: str) -> None:
    with pytest.raises(SchemaError, match="ulci-server migrate"):
        open_database(postgres_url)

    database = open_database(postgres_url, migrating=True)
    database.save(noted([started(1)]))
    database.close()

    again = open_database(postgres_url)
    assert again.games.last_id() == 1
    again.close()


def test_reading_creates_and_changes_nothing(tmp_path: Path, sqlite_url: str) -> None:
    with pytest.raises(SchemaError, match=r"there is no database .*/games.db; name the right one"):
        open_database(sqlite_url, writing=False)
    assert list(tmp_path.iterdir()) == []

    migrate(sqlite_url)
    before = (tmp_path / "games.db").read_bytes()
    database = open_database(sqlite_url, writing=False)
    assert database.games.find() == []
    database.close()

    assert (tmp_path / "games.db").read_bytes() == before


def test_that_nothing_can_be_written_shows_at_once(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(sqlite_url)
    monkeypatch.setattr("ulci_server.storage.sql_engine.BUSY_TIMEOUT", 0.0)
    holder = Database(sqlite_url)

    with (
        holder.transactions.writer.begin(),
        pytest.raises(StorageError, match="another program holds it locked"),
    ):
        open_database(sqlite_url, migrating=False)
    holder.close()


def test_reading_waits_for_nobody_who_writes(sqlite_url: str) -> None:
    migrate(sqlite_url)
    holder = Database(sqlite_url)

    with holder.transactions.writer.begin():
        assert schema_state(sqlite_url).standing is SchemaStatus.CURRENT
        database = open_database(sqlite_url, writing=False)
        assert database.games.find() == []
        database.close()
    holder.close()


@pytest.mark.parametrize("url", ["memory:", "sqlite:///games.db", "postgresql://ada@host/games"])
def test_an_address_can_be_checked_without_going_there(url: str) -> None:
    check_url(url)


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(StorageError, match="not the address of a database"):
        check_url("games")
    with pytest.raises(StorageError, match="not the address of a database"):
        open_database("games")
