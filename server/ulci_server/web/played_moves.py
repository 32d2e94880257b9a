"""Replays the moves of a game: each gets its name in the game's notation and the board after it.

A long game on a large board takes seconds. So all of this runs in a worker thread, which lets other
threads run after every few moves.
"""

import time
from collections.abc import Sequence
from typing import NamedTuple

from ulci.rules import Illegal, Position, Rules, Side, StartError
from ulci.rules.refereed import RefereedPosition

from .documents import UNKNOWN_BOARD, Document, board

REST_AFTER = 0.001
"""Seconds of work between two rests. Python runs one thread at a time and switches by itself only
after 5 ms; each move of a game would wait that long."""

MOST_SQUARES = 2_000_000
"""Squares of all boards that are kept of one game, the newest ones first: 31,250 plies of chess,
but 488 on 64x64 squares. Older plies have no board (``ranks`` is empty)."""


class Ply(NamedTuple):
    """A move and the board after it. san: the move in the notation of the game, or as it was played
    if the server does not know that notation."""

    side: Side
    move: str
    san: str
    board: Document

    def document(self) -> Document:
        """The ply as JSON, without its number and its record."""
        return {
            "side": self.side.word,
            "move": self.move,
            "san": self.san,
            "board": self.board,
        }


class Resting:
    """Lets other threads run after each millisecond of work: the thread rests as long as it has
    worked."""

    def __init__(self) -> None:
        self._since = time.perf_counter()

    def rest(self) -> None:
        worked = time.perf_counter() - self._since
        if worked > REST_AFTER:
            time.sleep(worked)
            self._since = time.perf_counter()


class PlayedMoves:
    """The moves of one game; `follow` brings them up to date. Not for two threads at once."""

    def __init__(self, rules: Rules | None, start: str | None, opening: Sequence[str] = ()) -> None:
        """rules: None if the server does not know the game; then moves are only text, without
        boards."""
        self.position = _position(rules, start)
        self.plies: list[Ply] = []
        turn = Side.WHITE if self.position is None else self.position.turn
        self.start_board = self._board(turn, UNKNOWN_BOARD)
        area = sum(map(len, self.start_board["ranks"]))
        self._boards_kept = MOST_SQUARES // area if area else 0
        self.extend(opening)

    @property
    def board(self) -> Document:
        """The board after the last move."""
        return self.plies[-1].board if self.plies else self.start_board

    def follow(self, moves: Sequence[str], sides: Sequence[Side] = ()) -> int:
        """Take back the plies that differ from `moves`, and play the rest of `moves`. sides: the
        side of each move, for games whose rules are not known here. Returns how many plies were
        kept."""
        kept = 0
        for ply, move in zip(self.plies, moves, strict=False):
            if ply.move != move:
                break
            kept += 1
        self._take_back(len(self.plies) - kept)
        self.extend(moves[kept:], sides[kept:])
        return kept

    def extend(self, moves: Sequence[str], sides: Sequence[Side] = ()) -> None:
        """Play these moves after the last one. sides: as in `follow`."""
        resting = Resting()
        for index, move in enumerate(moves):
            self.plies.append(self._play(move, sides[index] if index < len(sides) else None))
            if len(self.plies) > self._boards_kept:
                self._drop_board(len(self.plies) - self._boards_kept - 1)
            resting.rest()

    def _take_back(self, plies: int) -> None:
        if not plies:
            return
        del self.plies[len(self.plies) - plies :]
        if self.position is not None and not isinstance(self.position, RefereedPosition):
            self.position.take_back(plies)

    def _play(self, move: str, side: Side | None) -> Ply:
        position = self.position
        if position is None or isinstance(position, RefereedPosition):
            side = self._turn() if side is None else side
            return Ply(side, move, move, {**UNKNOWN_BOARD, "turn": side.other.word})
        side = position.turn
        try:
            san = position.san(move)
        except ValueError:
            san = move
        if isinstance(position.play_untrusted(move), Illegal):
            # The game was recorded under other rules: its further moves are only text.
            self.position = None
            return self._play(move, side)
        return Ply(side, move, san, self._board(position.turn, self.board))

    def _turn(self) -> Side:
        return Side.BLACK if self.board["turn"] == Side.BLACK.word else Side.WHITE

    def _board(self, turn: Side, before: Document) -> Document:
        if self.position is None:
            return {**UNKNOWN_BOARD, "turn": turn.word}
        return board(self.position, turn, before)

    def _drop_board(self, index: int) -> None:
        ply = self.plies[index]
        if ply.board["ranks"]:
            self.plies[index] = ply._replace(board={**ply.board, "ranks": []})


def _position(rules: Rules | None, start: str | None) -> Position | None:
    if rules is None:
        return None
    try:
        # The record says when the game ended; no claimed draw may end it earlier.
        return rules.new(start, claims=True)
    except StartError:
        return None
