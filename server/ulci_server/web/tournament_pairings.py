"""The pairings of a tournament by rounds, a page at a time."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping

from ulci_server.storage import PairingRecord, StoredTournament, TournamentGame

from .documents import Document

MOST_PAIRINGS = 500
"""Pairings in one answer: 100 kB, which take a millisecond of the loop."""


class TournamentPairings:
    """The pairings of one tournament. For a worker thread: an arena of a thousand entrants has tens
    of thousands of pairings."""

    def __init__(self, stored: StoredTournament) -> None:
        self._of_round = defaultdict[int, list[PairingRecord]](list)
        for row in stored.pairings:
            self._of_round[row.round].append(row)
        self._names = {row.number: row.name for row in stored.entrants}
        self._games = {game.number: game for game in stored.games}

    def document(self, round_: int, after: int) -> Document:
        """At most `MOST_PAIRINGS` pairings of the round, the first ones whose number is above
        `after`."""
        pairings = self._of_round.get(round_, [])
        before = bisect_right(pairings, after, key=_number)
        shown = pairings[before : before + MOST_PAIRINGS]
        games = self._games
        return {
            "round": round_,
            "paired": len(pairings),
            "before": before,
            "pairings": [_document(row, self._names, games.get(row.number)) for row in shown],
        }


def _number(row: PairingRecord) -> int:
    return row.number


def _document(
    row: PairingRecord, names: Mapping[int, str], game: TournamentGame | None
) -> Document:
    """A pairing as JSON. Its ``score`` is null until the pairing is decided."""
    played = None if game is None or game.score == "*" else game.score
    return {
        "number": row.number,
        "white": names[row.white],
        "black": None if row.black is None else names[row.black],
        "score": None if row.void else row.score or played,
        "why": row.why,
        "by": row.by,
        "void": row.void,
        "game": None if game is None else game.game,
        "running": game is not None and game.score is None,
    }
