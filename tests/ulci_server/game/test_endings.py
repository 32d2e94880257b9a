"""Every way to end: who wins, why, and the evidence."""

import pytest

from tests.support.driver import ADA, BOB, B, W
from ulci.rules import Outcome, Reason
from ulci_server.game.endings import (
    LONGEST_QUOTE,
    LONGEST_REASON,
    Ending,
    Endings,
    quote,
    quote_reason,
)

endings = Endings((ADA, BOB))
R = Reason


@pytest.mark.parametrize(
    ("ending", "outcome", "detail"),
    [
        (endings.by_rules(Outcome(W, R.CHECKMATE)), Outcome(W, R.CHECKMATE), ""),
        (endings.resigned(W), Outcome(B, R.RESIGNATION), "White (Ada) resigned"),
        (
            endings.agreed(B),
            Outcome(None, R.AGREEMENT),
            "Black (Bob) offered a draw and White (Ada) accepted",
        ),
        (
            endings.claimed(W, R.REPETITION),
            Outcome(None, R.REPETITION),
            "White (Ada) claimed the draw",
        ),
        (
            endings.flag(W, 7, (5000, 0)),
            Outcome(B, R.TIME),
            "the flag of White (Ada) fell at ply 7, after 5.000 s",
        ),
        (
            endings.flag(W, 7, (5000, 120), can_win=False),
            Outcome(None, R.TIME_INSUFFICIENT),
            "the flag of White (Ada) fell at ply 7, after 5.000 s and 0.120 s for the network,"
            " and Black (Bob) cannot win",
        ),
        (
            endings.illegal(B, "e2e5", "some fen", "no piece can go there"),
            Outcome(W, R.ILLEGAL_MOVE),
            "Black (Bob) played 'e2e5' in some fen: no piece can go there",
        ),
        (
            endings.gone(B, "left: the connection was closed"),
            Outcome(W, R.DISCONNECT),
            "Black (Bob) left: the connection was closed",
        ),
        (endings.aborted("nobody came"), Outcome(None, R.ABORTED), "nobody came"),
        (endings.server("shutting down"), Outcome(None, R.SERVER), "shutting down"),
    ],
)
def test_an_ending_says_who_won_and_why(ending: Ending, outcome: Outcome, detail: str) -> None:
    assert ending == Ending(outcome, detail)


def test_what_a_player_sent_is_quoted_on_one_short_line() -> None:
    assert quote("e2e5") == "'e2e5'"
    assert quote("e2\ne5\x1b[2J") == "'e2?e5?[2J'"
    assert quote("x" * LONGEST_QUOTE) == f"'{'x' * LONGEST_QUOTE}'"
    assert quote("x" * 8192) == f"'{'x' * LONGEST_QUOTE}…'"


def test_why_a_program_made_no_move_is_quoted_in_its_own_words() -> None:
    assert quote_reason("invalid position") == "invalid position"
    assert quote_reason("x" * LONGEST_REASON) == "x" * LONGEST_REASON
    assert quote_reason("x" * 8192) == "x" * (LONGEST_REASON - 1) + "…"


def test_an_abort_is_the_doing_of_whoever_brought_it_about() -> None:
    assert endings.aborted("White (Ada) aborted it", W).fault == {W}
    assert endings.aborted("nobody came").fault == frozenset()
