"""Whoever played what a referee died of is known beyond the connection."""

import pytest

from ulci_server.hall.session import suspects as module
from ulci_server.hall.session.suspects import REMEMBERED, Suspects

HERE, NEAR, THERE = "198.51.100.7", "2001:db8::1", "2001:db8:0:1::1"


@pytest.mark.parametrize(
    ("did", "asks", "known"),
    [
        ((None, HERE), (None, HERE), True),
        ((None, HERE), (None, "198.51.100.8"), False),
        ((None, NEAR), (None, "2001:db8::2"), True),
        ((None, NEAR), (None, THERE), False),
        ((3, HERE), (3, "198.51.100.8"), True),
        ((3, HERE), (None, HERE), False),
        ((None, HERE), (3, HERE), False),
        ((None, "127.0.0.1"), (None, "127.0.0.1"), False),
        ((None, ""), (None, ""), False),
    ],
)
def test_an_account_is_known_and_so_is_the_address_of_a_guest(
    did: tuple[int | None, str], asks: tuple[int | None, str], known: bool
) -> None:
    suspects = Suspects()
    suspects.add(*did, 0.0)
    assert suspects.has(*asks, 0.0) is known


def test_it_is_forgotten_after_a_while() -> None:
    suspects = Suspects()
    suspects.add(None, HERE, 10.0)
    assert suspects.has(None, HERE, 10.0 + REMEMBERED - 1)
    assert not suspects.has(None, HERE, 10.0 + REMEMBERED)


def test_only_so_many_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 2)
    suspects = Suspects()
    for account in (1, 2, 1, 3):
        suspects.add(account, "", 0.0)
    assert [suspects.has(account, "", 0.0) for account in (1, 2, 3)] == [True, False, True]
