"""Tic-tac-toe and larger m,n,k-games for the search."""

from collections.abc import Iterable

from ulci.rules import Side
from ulci.rules.mnk import Board as Stones
from ulci.rules.mnk import read_start

from .board import play_untrusted

# The value of a window that holds only one side's stones, by their number: far less than a won
# line.
_WORTH = [0, *(min(4**stones, 1024) for stones in range(26))]


class MnkBoard:
    """A `Board` of an m,n,k-game: a move is the number of a square, as `Stones` counts them."""

    def __init__(self, stones: Stones) -> None:
        """`stones` become the object's own."""
        self._stones = stones
        squares = range(stones.width * stones.height)
        self._windows: list[list[int]] = [[] for _ in squares]  # by square, those it is in
        self._counts: list[list[int]] = []  # by window, the stones of each side
        self._lines = [0, 0]
        self._score = 0  # as White sees it
        self._history: list[int] = []
        for number, window in enumerate(stones.windows()):
            self._counts.append([0, 0])
            for square in window:
                self._windows[square].append(number)
        for square, side in stones.stones.items():
            self._count(square, side, 1)

    def moves(self) -> list[int]:
        if any(self._lines):
            return []
        return sorted(self._stones.empty(), key=self._promise, reverse=True)

    def captures(self) -> list[int]:
        """There are none."""
        return []

    def gain(self, move: int) -> int:  # noqa: ARG002 - nothing is ever captured
        return 0

    def make(self, move: int) -> None:
        self._count(move, self._stones.turn, 1)
        self._stones.put(move)
        self._history.append(move)

    def unmake(self) -> None:
        move = self._history.pop()
        self._stones.take_back(move)
        self._count(move, self._stones.turn, -1)

    def in_check(self) -> bool:
        """Whether the other side has a line: the game is lost."""
        return self._lines[self._stones.turn.other] > 0

    def won(self) -> bool:
        return False

    def drawn(self) -> bool:
        return self._stones.full and not any(self._lines)

    def evaluate(self) -> int:
        return self._score if self._stones.turn is Side.WHITE else -self._score

    def white_to_move(self) -> bool:
        return self._stones.turn is Side.WHITE

    def find_untrusted(self, text: str) -> int | None:
        square = self._stones.find_untrusted(text)
        taken = square is None or square in self._stones.stones
        return None if taken or any(self._lines) else square

    def spell(self, move: int) -> str:
        return self._stones.name(move)

    def name(self) -> str:
        return self._stones.write()

    def _count(self, square: int, side: Side, change: int) -> None:
        """Add (1) or remove (-1) a stone."""
        for number in self._windows[square]:
            counts = self._counts[number]
            before = counts[side] == self._stones.length
            self._score -= _worth(counts)
            counts[side] += change
            self._score += _worth(counts)
            self._lines[side] += (counts[side] == self._stones.length) - before

    def _promise(self, square: int) -> int:
        """The square's value for both sides."""
        return sum(abs(_worth(self._counts[number])) + 1 for number in self._windows[square])


def _worth(counts: list[int]) -> int:
    """A window's value for White."""
    white, black = counts
    return 0 if white and black else _WORTH[white] - _WORTH[black]


def read_untrusted(start: str | None, moves: Iterable[str]) -> MnkBoard:
    """Parse ``position``; the default start is tic-tac-toe's.

    Raises:
        StartError, PositionError: the start or one of the moves is wrong.
    """
    board = MnkBoard(Stones() if start is None else read_start(start))
    play_untrusted(board, moves, lambda text: f"{text[:20]!r} is no empty square")
    return board
