"""Tables that depend on the board's size only: targets of steps, names of squares.

Squares are numbers on a board with a margin, wide enough that no single step leaves it: a step is
a number to add, and a step off the board ends on `EDGE`. The margin right of a rank is also the
margin left of the next rank up.
"""

import functools
import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

from .pieces import (
    BLACK,
    CAMEL,
    EDGE,
    EMPTY,
    KIND_OF,
    KINDS,
    KNIGHT,
    NIGHTRIDER,
    PAWN,
    STEPS,
    TWO_STEPS,
    ZEBRA,
    Pair,
    table,
)

MARGIN = 3  # no step is longer
SIZE_MIN, SIZE_MAX = 2, 256
_SQUARE = re.compile(r"([a-z]{1,2})([1-9][0-9]{0,2})", re.ASCII)

# Men that give check by a leap longer than one step. They are looked for only if such a man is on
# the board.
LEAPERS: tuple[tuple[str, tuple[Pair, ...]], ...] = (
    ("nacum", KNIGHT),
    ("l", CAMEL),
    ("z", ZEBRA),
    ("h", TWO_STEPS),
)
NIGHT = len(LEAPERS)  # the group of nightriders, which follows those of leapers
NO_GROUP = NIGHT + 1
GROUPS = NO_GROUP + 1


def _groups() -> list[int]:
    """By code, the group in which a man is counted; Black's groups follow White's."""
    group = {letter: number for number, (row, _) in enumerate(LEAPERS) for letter in row}
    group["i"] = NIGHT
    found = [NO_GROUP] * (EDGE + 1)
    for letter, kind in KIND_OF.items():
        found[kind] = group.get(letter, NO_GROUP)
        found[kind + BLACK] = GROUPS + found[kind]
    return found


GROUP = _groups()


class Line(NamedTuple):
    """One direction of attacks on a king: the men that attack from the first square, and those
    that attack from further along if all squares between are empty. Tables by code."""

    step: int
    near: bytes
    far: bytes


class Leap(NamedTuple):
    """The men that attack a king from these squares, if the board has any of that group."""

    group: int
    steps: tuple[int, ...]
    attackers: bytes


class Threats(NamedTuple):
    """Where to look for attackers of one side's kings."""

    lines: tuple[Line, ...]
    leaps: tuple[Leap, ...]
    night: int
    night_lines: tuple[Line, ...]


class Geometry:
    """The numbers for boards of one size."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.stride = width + MARGIN
        self.first = MARGIN * self.stride  # a1
        self.leaps = [(), *(self._steps(kind.leaps) for kind in KINDS)]
        self.rides = [(), *(self._steps(kind.rides) for kind in KINDS)]
        self.vatican = (2, -2, 2 * self.stride, -2 * self.stride)
        self.threats = tuple(self._threats(BLACK if white else 0) for white in (True, False))
        self.files = tuple(file_name(file) for file in range(width))

    def empty(self) -> bytearray:
        """A board without men."""
        margin = bytes((EDGE,)) * self.first
        rank = bytes((EMPTY,)) * self.width + bytes((EDGE,)) * MARGIN
        return bytearray(margin + rank * self.height + margin)

    def at(self, file: int, rank: int) -> int:
        """The square of a file and a rank from 0."""
        return self.first + rank * self.stride + file

    def place(self, square: int) -> tuple[int, int]:
        """File and rank from 0."""
        rank, file = divmod(square - self.first, self.stride)
        return file, rank

    def name(self, square: int) -> str:
        file, rank = self.place(square)
        return f"{self.files[file]}{rank + 1}"

    def square(self, name: str) -> int | None:
        """The square of that name, None if there is none on this board."""
        if not (match := _SQUARE.fullmatch(name)):
            return None
        file, rank = file_number(match[1]), int(match[2]) - 1
        return self.at(file, rank) if file < self.width and rank < self.height else None

    def _steps(self, pairs: Iterable[Pair]) -> tuple[int, ...]:
        return tuple(files + ranks * self.stride for files, ranks in pairs)

    def _threats(self, attacker: int) -> Threats:
        """`attacker`: what a code of the attacking side adds to the kind."""
        forward = -1 if attacker else 1
        lines = tuple(self._line(pair, attacker, forward) for pair in STEPS)
        leaps = tuple(
            Leap(
                group + (GROUPS if attacker else 0),
                self._steps(pairs),
                table(KIND_OF[letter] + attacker for letter in letters),
            )
            for group, (letters, pairs) in enumerate(LEAPERS)
        )
        night = table((NIGHTRIDER + attacker,))
        riders = tuple(Line(step, night, night) for step in self._steps(KNIGHT))
        return Threats(lines, leaps, NIGHT + (GROUPS if attacker else 0), riders)

    def _line(self, pair: Pair, attacker: int, forward: int) -> Line:
        """A pawn attacks diagonally forwards, so the king sees it against that direction."""
        near = {n for n, kind in enumerate(KINDS, 1) if pair in kind.leaps or pair in kind.rides}
        far = {n for n, kind in enumerate(KINDS, 1) if pair in kind.rides}
        if pair[0] and pair[1] == -forward:
            near.add(PAWN)
        (step,) = self._steps((pair,))
        return Line(step, _side(near, attacker), _side(far, attacker))


def _side(kinds: Collection[int], attacker: int) -> bytes:
    return table(kind + attacker for kind in kinds)


@functools.lru_cache(maxsize=64)
def geometry(width: int, height: int) -> Geometry:
    """The numbers for this size, shared by all boards of that size."""
    return Geometry(width, height)


def file_name(file: int) -> str:
    """a to z for 0 to 25, then aa, ab …, az, ba …, iv for 255."""
    if file < 26:
        return chr(ord("a") + file)
    return file_name(file // 26 - 1) + file_name(file % 26)


def file_number(name: str) -> int:
    """From 0; the inverse of `file_name`, for lower case letters."""
    number = 0
    for letter in name:
        number = number * 26 + ord(letter) - ord("a") + 1
    return number - 1
