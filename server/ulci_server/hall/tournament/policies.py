"""When an entrant is out, and how what it was to play counts."""

from collections import Counter
from collections.abc import Collection, Mapping

from msgspec.structs import replace

from ulci.rules import Reason
from ulci_server.storage import EntrantRecord, TournamentGame
from ulci_server.tournament import Pairing, Tournament

ABSENT = "did not come"
"""Begins the reason of a game that was lost by absence, after the names."""


class Crashes:
    """The games in a row that each entrant has lost by its connection."""

    def __init__(self) -> None:
        self._in_a_row: Counter[int] = Counter()

    def count(self, pairing: Pairing, game: TournamentGame) -> None:
        """A game has ended."""
        losers = {"1-0": pairing.black, "0-1": pairing.white}
        loser = losers.get(game.score or "") if game.reason == Reason.DISCONNECT.value else None
        for entrant in (pairing.white, pairing.black):
            if entrant is not None:
                self._in_a_row[entrant] = self._in_a_row[entrant] + 1 if entrant == loser else 0

    def reached(self, entrant: int, most: int) -> bool:
        """Whether it has lost so many so; 0 is no limit."""
        return bool(most) and self._in_a_row[entrant] >= most


def decided_by_leaving(pairing: Pairing, rows: Mapping[int, EntrantRecord]) -> Pairing | None:
    """The pairing as it counts, if one of its entrants has left; otherwise None."""
    both = [one for one in (pairing.white, pairing.black) if one is not None]
    left = [one for one in both if rows[one].left is not None]
    if not left:
        return None
    return _lost_by(pairing, left, f"{_names(left, rows)} had left")


def lost_by_absence(
    pairing: Pairing, absent: Collection[int], rows: Mapping[int, EntrantRecord], late: float
) -> Pairing:
    """The pairing as it counts, for which these did not come within `late` s."""
    why = f"{_names(sorted(absent), rows)} {ABSENT} within {late:g} s"
    return _lost_by(pairing, absent, why)


def absences(tournament: Tournament, entrant: int) -> int:
    """How many games it has lost by absence."""
    state = tournament.state
    return sum(
        not state.halves(number, entrant) and f" {ABSENT} " in state.pairings[number].why
        for number in state.decided(entrant)
    )


def _lost_by(pairing: Pairing, losers: Collection[int], why: str) -> Pairing:
    score = "0-0" if len(losers) == 2 else ("0-1" if pairing.white in losers else "1-0")
    return replace(pairing, score=score, why=why)


def _names(entrants: Collection[int], rows: Mapping[int, EntrantRecord]) -> str:
    return " and ".join(rows[one].name for one in entrants)
