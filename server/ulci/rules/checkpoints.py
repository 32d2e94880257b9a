"""How a game goes back to an earlier ply without being played again from its start."""

from collections.abc import Callable
from typing import Generic, TypeVar

Copy = TypeVar("Copy")

INTERVAL = 32
"""Plies between two copies. To go back costs at most so many moves, a fraction of a millisecond;
a copy is a few hundred bytes, so that a ply's share of it is less than its move takes."""


class Checkpoints(Generic[Copy]):
    """Copies of a position, one every `INTERVAL` plies; the first is that of the start."""

    __slots__ = ("_copies",)

    def __init__(self, start: Copy) -> None:
        self._copies = [start]

    def passed(self, ply: int, copy: Callable[[], Copy]) -> None:
        """So many moves are made now; `copy` is called if this ply is to be kept."""
        if ply == len(self._copies) * INTERVAL:
            self._copies.append(copy())

    def before(self, ply: int) -> tuple[int, Copy]:
        """The last copy from this ply or before, and its ply; later ones are forgotten."""
        last = ply // INTERVAL
        del self._copies[last + 1 :]
        return last * INTERVAL, self._copies[last]
