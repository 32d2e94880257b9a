"""The moves of a game, stored once for all plies and encoded once for all peers."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

from .text import line_of, word


class GameMoves:
    """The moves of a game, append-only: after a takeback create a new object.

    ``told()`` is the `moves` of a `Position`. The n-th ply costs the same as the first: nothing is
    copied, and the text is appended to.
    """

    __slots__ = ("_ends", "_moves", "_text")

    def __init__(self, moves: Iterable[str] = ()) -> None:
        self._moves: list[str] = []
        self._text = bytearray()  # each move after a blank
        self._ends = array("L")  # where the text of each ends
        for move in moves:
            self.append(move)

    def __len__(self) -> int:
        return len(self._moves)

    def append(self, move: str) -> int:
        """Add a move; returns how many there are then. Raises `LocalProtocolError` if it is not one
        word."""
        if not (move.isascii() and move.isalnum()):
            line_of(word(move))
        self._moves.append(move)
        self._text += b" "
        self._text += move.encode()
        self._ends.append(len(self._text))
        return len(self._moves)

    def without_last(self, plies: int) -> "GameMoves":
        """A new object without the last `plies` moves."""
        left = GameMoves()
        kept = len(self._moves) - plies
        left._moves, left._ends = self._moves[:kept], self._ends[:kept]
        left._text = self._text[: self._ends[kept - 1]] if kept else bytearray()
        return left

    @property
    def letters(self) -> int:
        """Length of the text of all moves, each with its blank."""
        return len(self._text)

    @property
    def all(self) -> Sequence[str]:
        return self._moves

    def told(self) -> "MovesSoFar":
        """The moves so far; later moves do not change the result."""
        return MovesSoFar(self, len(self._moves))

    def upto(self, plies: int) -> Sequence[str]:
        """The first `plies` moves."""
        return self._moves if plies == len(self._moves) else self._moves[:plies]

    def between(self, first: int, end: int) -> tuple[str, ...]:
        """The moves from index `first` to before `end`."""
        return tuple(self._moves[first:end])

    def text(self, plies: int) -> bytes:
        """The first `plies` moves, each after a blank."""
        return bytes(self._text[: self._ends[plies - 1]]) if plies else b""


class MovesSoFar(Sequence[str]):
    """The moves of a `GameMoves` up to a ply: equal to a tuple of them, and as immutable."""

    __slots__ = ("game", "plies")

    def __init__(self, game: GameMoves, plies: int) -> None:
        self.game = game
        self.plies = plies

    def __len__(self) -> int:
        return self.plies

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[str, ...]: ...
    def __getitem__(self, at: int | slice) -> str | tuple[str, ...]:
        moves = self.game.upto(self.plies)
        return tuple(moves[at]) if isinstance(at, slice) else moves[at]

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self.game.upto(self.plies)))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, MovesSoFar) and other.game is self.game:
            return other.plies == self.plies
        if not isinstance(other, MovesSoFar | tuple) or len(other) != self.plies:
            return False
        return tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))

    def after(self, before: Sequence[str]) -> tuple[str, ...] | None:
        """The moves after `before`; None if the game does not begin with `before`."""
        played = len(before)
        if played > self.plies:
            return None
        same = isinstance(before, MovesSoFar) and before.game is self.game
        if not same and self[:played] != tuple(before):
            return None
        return self.game.between(played, self.plies)
