"""Which games change ratings."""

from dataclasses import dataclass

from ulci.rules import UNDECIDED, Reason

MOST_A_DAY = 20
"""Games of the same two accounts that change ratings on one day (UTC), in all pools together: two
who only ever play each other could give each other any rating."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A game that is over. accounts: White's and Black's, None for guests. moved: whether White and
    Black have made a move that was not one of the opening."""

    rated: bool
    accounts: tuple[int | None, int | None]
    moved: tuple[bool, bool]
    reason: Reason


def why_unrated(game: Ended, before: int = 0) -> str | None:
    """Why a game changes no rating, as a sentence; None if it changes both players'. before: how
    many games of these two accounts have changed ratings on that day."""
    white, black = game.accounts
    if not game.rated:
        return "the game is not rated"
    if white is None or black is None:
        return "one of the players has no account"
    if white == black:
        return "both players are one account"
    if game.reason.scores == UNDECIDED:
        return "the game has no result"
    if not all(game.moved):
        return "one of the players has not moved"
    if before >= MOST_A_DAY:
        return f"these two have played {MOST_A_DAY} rated games today"
    return None
