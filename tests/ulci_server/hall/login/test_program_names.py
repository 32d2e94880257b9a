"""An account's program that calls itself otherwise is noted in the log, once."""

import structlog.testing

from tests.support.journal import now
from tests.ulci_server.hall.conftest import TOKENS
from ulci_server.hall import Authenticator
from ulci_server.lobby import Profile
from ulci_server.storage import Accounts, StorageError

HERE = "192.0.2.7"
CHANGED = "the program of an account has another name"


def changes(logs: list[dict[str, object]]) -> list[tuple[object, ...]]:
    return [(e["account"], e["before"], e["now"]) for e in logs if e["event"] == CHANGED]


async def log_in(authenticator: Authenticator, *names: str, kind="engine") -> list[tuple]:
    with structlog.testing.capture_logs() as logs:
        for name in names:
            said = Profile(name, "", kind, token=TOKENS["Fish"])
            assert (await authenticator.authenticate(said, HERE)).name == "Fish"
    return changes(logs)


async def test_a_changed_name_is_logged_once(mock_clock, accounts, authenticator):
    assert await log_in(authenticator, "Cod 1", "Cod 1") == []
    assert await log_in(authenticator, "Cod 2", "Cod 2", "Cod 1", "Cod 2") == [
        ("Fish", "Cod 1", "Cod 2")
    ]
    assert await log_in(Authenticator(accounts, now=now), "Cod 2") == []
    assert await log_in(Authenticator(accounts, now=now), "Cod 3") == [("Fish", "Cod 2", "Cod 3")]


async def test_people_are_called_as_they_like(mock_clock, authenticator):
    assert await log_in(authenticator, "Cod 1", "Cod 2", kind="human") == []


async def test_a_database_that_fails_keeps_nobody_out(mock_clock, accounts, monkeypatch):
    def fail(*_: object) -> None:
        raise StorageError("gone")

    monkeypatch.setattr(Accounts, "name_program", fail)
    authenticator = Authenticator(accounts, now=now)
    assert await log_in(authenticator, "Cod 1", "Cod 2") == []
