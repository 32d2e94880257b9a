"""What engines said of the moves of running games.

The record has an analysis in part, and no other lines of an engine. The whole is kept in memory
until the game is over: of moves that an earlier run has played, only that part is left.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from ulci.protocol.messages import Info
from ulci_server.game import MovePlayed
from ulci_server.match import SearchOutput, Seat
from ulci_server.storage import MoveRecord

from .settings import MatchSettings

MOST_MATES = 500
"""Lines of a search with a mate that are kept: a trivial mate takes Stockfish 245 iterations."""


class Said(NamedTuple):
    """Of a move. info: the last analysis, whole. quoted: the last lines that match the patterns.
    mates: lines with a mate and a variation."""

    info: Info | None
    quoted: Sequence[str] = ()
    mates: Sequence[str] = ()


class Analyses:
    """Of the games of a match."""

    def __init__(self, match: MatchSettings) -> None:
        patterns = () if match.pgn is None else match.pgn.line_patterns
        self._patterns = [*map(re.compile, patterns)]
        self._mates = match.check_mate_pvs
        self._outputs: dict[Seat, SearchOutput] = {}
        self._games: dict[int, dict[int, Said]] = {}

    @property
    def wants_output(self) -> bool:
        """Whether they need what engines print."""
        return bool(self._patterns) or self._mates

    def listener(self) -> SearchOutput:
        """Of another process of an engine."""
        return SearchOutput(self._outputs)

    def played(self, move: MovePlayed) -> None:
        """A move of a running game."""
        output = self._outputs.get((move.game, move.side))
        lines = [] if output is None else output.take()
        said = Said(move.info, self._quoted(lines), self._with_mates(lines))
        self._games.setdefault(move.game, {})[move.ply] = said

    def take(self, game: int) -> Mapping[int, Said]:
        """Of that game in the record, by ply, once."""
        return self._games.pop(game, {})

    def _quoted(self, lines: Sequence[str]) -> list[str]:
        found = (
            next((line for line in reversed(lines) if pattern.search(line)), None)
            for pattern in self._patterns
        )
        return [line for line in found if line is not None]

    def _with_mates(self, lines: Sequence[str]) -> list[str]:
        if not self._mates:
            return []
        mates = [line for line in lines if " mate " in line and " pv " in line]
        return [*dict.fromkeys(mates)][-MOST_MATES:]


def completed(moves: Sequence[MoveRecord], said: Mapping[int, Said]) -> list[MoveRecord]:
    """Moves of the record with all that is known of their analysis."""
    return [replace(move, info=said[move.ply].info) if move.ply in said else move for move in moves]
