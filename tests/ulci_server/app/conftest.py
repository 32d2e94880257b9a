"""A server with a listener of each kind."""

from collections.abc import Mapping

import pytest

from tests.support.databases import database_url, postgres_url
from tests.support.hosting import config
from tests.support.wires import authority
from ulci_server.config import Config
from ulci_server.storage import Database, migrate, secret_hash

__all__ = ["database_url", "postgres_url"]

SCHEMES = ("tcp", "tls", "ws", "wss")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    issued = authority().issue_cert("127.0.0.1")
    issued.private_key_and_cert_chain_pem.write_to_path(path)
    return str(path)


@pytest.fixture
def settings(certificate: str, sqlite_url: str) -> Mapping[str, object]:
    """Of a server with a listener of each kind, on which Root looks after things."""
    migrate(sqlite_url)
    database = Database(sqlite_url)
    root = database.accounts.add_player("Root", "human")
    database.accounts.add_token(root.id, secret_hash("root-token"), "admin")
    database.close()
    listeners = [
        {"address": f"{scheme}://127.0.0.1:0", "certificate": certificate}
        if scheme in ("tls", "wss")
        else {"address": f"{scheme}://127.0.0.1:0"}
        for scheme in SCHEMES
    ]
    return {"url": sqlite_url, "grace": 0.0, "listen": listeners}


def configured(settings: Mapping[str, object], **changes: object) -> Config:
    return config(**{**settings, **changes})  # type: ignore[arg-type]
