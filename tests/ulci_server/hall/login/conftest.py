"""Logins on a clock that stands still."""

import pytest

from ulci_server.hall.login import authenticator


@pytest.fixture(autouse=True)
def tireless(monkeypatch: pytest.MonkeyPatch) -> None:
    """After some work (by the processor's clock) the next login rests a while (by Trio's clock).
    If that clock stands still, it would rest for ever."""
    monkeypatch.setattr(authenticator, "REST_FACTOR", 0.0)
