"""What people are told of what they may do in a game."""

import pytest

from ulci.conduct import MEANINGS, conduct_in_words, permits
from ulci_server.game import Conduct


@pytest.mark.parametrize(
    ("conduct", "text"),
    [
        ("", ""),
        ("no-takeback,disconnections=3", "no takebacks, lost with disconnection 3"),
        ("no-abort,no-chat", "no aborting, no-chat"),
        ("no-chat=3,no-abort", "no-chat=3, no aborting"),
        ("{0.__class__}={},{", "{0.__class__}={}, {"),
    ],
)
def test_it_is_told_in_words(conduct: str, text: str) -> None:
    assert conduct_in_words(conduct) == text


def test_berserk_is_permitted_only_where_it_is_said() -> None:
    assert permits("no-abort,berserk", "berserk")
    assert not permits("no-abort", "berserk")


def test_every_word_of_a_server_has_a_meaning() -> None:
    words: set[str] = set()
    for strict in (False, True):
        conduct = Conduct(
            abort=not strict,
            takeback=not strict,
            givetime=not strict,
            rematch=not strict,
            claims=strict,
            forfeit=strict,
            absent_clock=strict,
            berserk=strict,
            disconnections=3 if strict else None,
            margins=(50, 100) if strict else (0, 0),
        )
        words |= {word.partition("=")[0] for word in str(conduct).split(",")}
    assert words == {*MEANINGS}


def test_a_command_is_permitted_unless_it_is_forbidden() -> None:
    assert permits("", "takeback")
    assert permits("no-abort", "takeback")
    assert not permits("no-abort,no-takeback", "takeback")
