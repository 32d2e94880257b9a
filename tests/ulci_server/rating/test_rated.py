"""Which games change ratings."""

from dataclasses import replace

import pytest

from ulci.rules import Reason
from ulci_server.rating import MOST_A_DAY, Ended, why_unrated

MATE = Ended(True, (1, 2), (True, True), Reason.CHECKMATE)


def test_a_rated_game_of_two_accounts_changes_ratings() -> None:
    assert why_unrated(MATE) is None


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"rated": False}, "not rated"),
        ({"accounts": (1, None)}, "no account"),
        ({"accounts": (None, 2)}, "no account"),
        ({"accounts": (7, 7)}, "one account"),
        ({"reason": Reason.ABORTED}, "no result"),
        ({"reason": Reason.SERVER}, "no result"),
        ({"moved": (True, False)}, "not moved"),
        ({"moved": (False, False)}, "not moved"),
    ],
)
def test_others_do_not(change: dict[str, object], why: str) -> None:
    assert why in (why_unrated(replace(MATE, **change)) or "")  # type: ignore[arg-type]


@pytest.mark.parametrize("reason", [r for r in Reason if r not in (Reason.ABORTED, Reason.SERVER)])
def test_any_result_counts_whatever_the_reason(reason: Reason) -> None:
    assert why_unrated(replace(MATE, reason=reason)) is None


def test_of_the_games_of_two_on_a_day_only_the_first_count() -> None:
    assert why_unrated(MATE, MOST_A_DAY - 1) is None
    assert "today" in (why_unrated(MATE, MOST_A_DAY) or "")
