"""What engines said of the moves of running games.

The record has an analysis in part, and no other lines of an engine. The whole is kept in memory
until the game is over: of moves that an earlier run has played, only that part is left. What is
kept is bounded, and read only when the game is over: the loop that plays all games waits for none.
"""

import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from ulci.protocol.messages import Info
from ulci.wire_log import split_lines
from ulci_server.game import MovePlayed
from ulci_server.match import SearchOutput, Seat
from ulci_server.storage import MoveRecord

from . import line_patterns
from .line_patterns import LinePattern, SlowPatternError
from .settings import MatchSettings

MOST_OF_GAME = 16 * 2**20
"""Bytes of what engines print that are kept of a game: 256 moves with as much as is kept of one.
Later moves have no lines then."""

MOST_MATES = 500
"""Lines of a search with a mate that are kept: a trivial mate takes Stockfish 245 iterations."""


class Said(NamedTuple):
    """Of a move. info: the last analysis, whole. quoted: the last lines that match the patterns.
    mates: lines with a mate and a variation."""

    info: Info | None
    quoted: Sequence[str] = ()
    mates: Sequence[str] = ()


class _Move(NamedTuple):
    info: Info | None
    printed: bytes


class _Game:
    """What its engines have said until now, by ply. size: in bytes, of what they have printed."""

    __slots__ = ("moves", "size")

    def __init__(self) -> None:
        self.moves: dict[int, _Move] = {}
        self.size = 0


class Analyses:
    """Of the games of a match, by their numbers in it. Only `take` and `slow` may be used in other
    threads, one at a time."""

    def __init__(self, match: MatchSettings) -> None:
        pgn = match.pgn
        patterns = () if pgn is None else pgn.line_patterns
        self._patterns = [*map(LinePattern, patterns)]
        self._mates = match.check_mate_pvs
        self._details = pgn is not None and not pgn.style.minimal and bool(pgn.style.details)
        self._outputs: dict[Seat, SearchOutput] = {}
        self._games: dict[int, _Game] = {}
        self.slow: list[str] = []
        """The patterns that are not searched for any more, as that takes too long."""

    @property
    def wants_output(self) -> bool:
        """Whether they need what engines print."""
        return bool(self._patterns) or self._mates

    @property
    def games(self) -> int:
        """Of how many games something is kept."""
        return len(self._games)

    def listener(self) -> SearchOutput:
        """Of another process of an engine."""
        return SearchOutput(self._outputs)

    def played(self, number: int, move: MovePlayed) -> None:
        """A move of a running game, whose number is that in the match."""
        output = self._outputs.get((move.game, move.side))
        printed = b"" if output is None else output.take()
        info = move.info if self._needs(move.info) else None
        if info is None and not printed:
            return
        game = self._games.setdefault(number, _Game())
        if game.size + len(printed) > MOST_OF_GAME:
            printed = b""
        game.size += len(printed)
        game.moves[move.ply] = _Move(info, printed)

    def drop(self, number: int) -> None:
        """A game has ended that nobody will read of."""
        self._games.pop(number, None)

    def take(self, number: int) -> Mapping[int, Said]:
        """Of that game, by ply, once. Takes seconds where engines have printed much."""
        game = self._games.pop(number, None) or _Game()
        lines = {ply: _lines(move.printed) for ply, move in game.moves.items()}
        quoted = self._quoted(lines)
        return {
            ply: Said(move.info, quoted[ply], self._with_mates(lines[ply]))
            for ply, move in game.moves.items()
        }

    def _needs(self, info: Info | None) -> bool:
        """Whether anybody reads more of it than is in the record: a file of games, or the check of
        its variation, of which the record may have only the beginning."""
        return info is not None and (self._details or bool(info.pv))

    def _quoted(self, lines: Mapping[int, Sequence[str]]) -> Mapping[int, Sequence[str]]:
        """The last lines of each move that match the patterns."""
        quoted: dict[int, list[str]] = {ply: [] for ply in lines}
        for pattern in [*self._patterns]:
            deadline = time.monotonic() + line_patterns.MOST_SECONDS
            try:
                for ply, printed in lines.items():
                    if (line := pattern.last(printed, deadline)) is not None:
                        quoted[ply].append(line)
            except SlowPatternError:
                self._patterns.remove(pattern)
                self.slow.append(pattern.text)
        return quoted

    def _with_mates(self, lines: Sequence[str]) -> list[str]:
        if not self._mates:
            return []
        mates = [line for line in lines if " mate " in line and " pv " in line]
        return [*dict.fromkeys(mates)][-MOST_MATES:]


def _lines(printed: bytes) -> list[str]:
    return split_lines(printed.decode(errors="replace")) if printed else []


def completed(moves: Sequence[MoveRecord], said: Mapping[int, Said]) -> list[MoveRecord]:
    """Moves of the record with all that is known of their analysis."""
    known = {ply: each.info for ply, each in said.items() if each.info is not None}
    return [replace(move, info=known.get(move.ply, move.info)) for move in moves]
