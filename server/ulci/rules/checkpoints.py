"""Going back to an earlier ply without replaying the game from its start."""

from collections.abc import Callable
from typing import Generic, TypeVar

Copy = TypeVar("Copy")

INTERVAL = 32
"""Plies between two copies. Going back replays fewer moves than this, a fraction of a millisecond;
a copy has a few hundred bytes, less than the moves of these plies."""


class Checkpoints(Generic[Copy]):
    """Copies of a position, one every `INTERVAL` plies; the first is the start position."""

    __slots__ = ("_copies",)

    def __init__(self, start: Copy) -> None:
        self._copies = [start]

    def passed(self, ply: int, copy: Callable[[], Copy]) -> None:
        """`ply` moves have been made; `copy` is called if this ply is kept."""
        if ply == len(self._copies) * INTERVAL:
            self._copies.append(copy())

    def before(self, ply: int) -> tuple[int, Copy]:
        """The last copy at or before this ply, and its ply; later copies are dropped."""
        last = ply // INTERVAL
        del self._copies[last + 1 :]
        return last * INTERVAL, self._copies[last]
