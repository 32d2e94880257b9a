"""Start positions of pools, as sets: membership, and what two pools have in common.

A book may have fifty thousand. All starts of a game are numbered once, when the lobby is created,
and a list of them is also a set of bits, so that no lookup reads a whole list.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import overload

from ulci.rules import Needs, Rules

from .pools import Pool
from .profile import Profile

Start = str | None

_CHUNK = 64
"""Bytes of a set that are counted at once."""


class _Numbers:
    """The numbers of a game's starts. A start that a list contains twice has two numbers, so that
    it is drawn twice as often."""

    def __init__(self, game: Rules) -> None:
        self.starts: list[Start] = []
        self.kinds: list[tuple[Needs, int]] = []
        """The needs of starts, each with the set of the starts that have them."""
        self.game = game
        self._of: dict[Start | tuple[Start, int], int] = {}

    def of(self, start: Start) -> int | None:
        """The first number of that start; None: no list has it."""
        return self._of.get(start)

    def number(self, starts: Sequence[Start]) -> int:
        """The numbers of all these starts, as a set of bits."""
        seen: dict[Start, int] = {}
        new = len(self.starts)
        numbers = []
        for start in starts:
            times = seen[start] = seen.get(start, 0) + 1
            key = start if times == 1 else (start, times)
            if (number := self._of.get(key)) is None:
                number = self._of[key] = len(self.starts)
                self.starts.append(start)
            numbers.append(number)
        self._sort(new)
        return _bits(numbers)

    def _sort(self, new: int) -> None:
        """Group the starts from number `new` on by their needs."""
        kinds: dict[object, tuple[Needs, list[int]]] = {}
        last: Needs | None = None
        numbers: list[int] = []  # that have those
        for number in range(new, len(self.starts)):
            needs = self.game.needs(self.starts[number])
            if needs is not last:
                last = needs
                key = tuple(map(frozenset, (needs.pieces, needs.features, needs.options.items())))
                _, numbers = kinds.setdefault(key, (needs, []))
            numbers.append(number)
        for needs, numbers in kinds.values():
            known = next((at for at, (n, _) in enumerate(self.kinds) if n == needs), None)
            if known is None:
                self.kinds.append((needs, _bits(numbers)))
            else:
                self.kinds[known] = (needs, self.kinds[known][1] | _bits(numbers))


class Starts(Sequence[Start]):
    """Some of the starts of a game, in the order of their numbers."""

    def __init__(self, numbers: _Numbers, bits: int) -> None:
        self._numbers = numbers
        self._bits = bits

    def __len__(self) -> int:
        return self._bits.bit_count()

    def __bool__(self) -> bool:
        return bool(self._bits)

    @overload
    def __getitem__(self, index: int) -> Start: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Start]: ...

    def __getitem__(self, index: int | slice) -> Start | Sequence[Start]:
        places = range(len(self))[index]
        if isinstance(places, range):
            return [self[place] for place in places]
        return self._numbers.starts[_nth(self._bits, places)]

    def __contains__(self, start: object) -> bool:
        number = self._numbers.of(start) if start is None or isinstance(start, str) else None
        return number is not None and bool(self._bits >> number & 1)

    def playable(self, *players: Profile) -> "Starts":
        """The starts that all these players can play."""
        bits = self._bits
        for needs, those in self._numbers.kinds:
            if bits & those and any(who.lacks(needs) for who in players):
                bits &= ~those
        return self if bits == self._bits else Starts(self._numbers, bits)

    def common(self, other: "Starts") -> "Starts":
        """The starts of both; this object if both are equal."""
        if self._numbers is not other._numbers:
            return Starts(self._numbers, 0)
        bits = self._bits & other._bits
        return self if self._bits == other._bits else Starts(self._numbers, bits)


class StartList(Starts):
    """The starts of a pool, in the order of the pool."""

    def __init__(self, numbers: _Numbers, starts: Sequence[Start]) -> None:
        super().__init__(numbers, numbers.number(starts))
        self.game = numbers.game
        self._order = starts

    def __len__(self) -> int:
        return len(self._order)

    @overload
    def __getitem__(self, index: int) -> Start: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Start]: ...

    def __getitem__(self, index: int | slice) -> Start | Sequence[Start]:
        return self._order[index]


class Library:
    """The lists of all pools, and of the games that no pool offers."""

    def __init__(self, pools: Iterable[Pool], games: Mapping[str, Rules]) -> None:
        self._numbers: dict[str, _Numbers] = {}
        self._lists: dict[tuple[str, int], StartList] = {}
        self.pools = tuple(
            replace(pool, starts=self._list(pool.game, pool.starts)) for pool in pools
        )
        control = self.pools[0].control
        self.usual = {
            name: Pool(name, rules, control, self._list(rules, rules.starts))
            for name, rules in games.items()
        }
        """For every game, a pool with its own starts."""

    @property
    def lists(self) -> Sequence[StartList]:
        """All lists, each once."""
        return tuple(self._lists.values())

    def _list(self, game: Rules, starts: Sequence[Start]) -> StartList:
        key = (game.name, id(starts))
        if key not in self._lists:
            numbers = self._numbers.setdefault(game.name, _Numbers(game))
            self._lists[key] = StartList(numbers, starts)
        return self._lists[key]


def _bits(numbers: Iterable[int]) -> int:
    """The set of these numbers."""
    numbers = [*numbers]
    data = bytearray(max(numbers, default=0) // 8 + 1)
    for number in numbers:
        data[number // 8] |= 1 << number % 8
    return int.from_bytes(data, "little")


def _nth(bits: int, place: int) -> int:
    """The number at index `place` of the set. Raises IndexError if it has fewer."""
    data = bits.to_bytes(bits.bit_length() // 8 + 1, "little")
    for at in range(0, len(data), _CHUNK):
        chunk = int.from_bytes(data[at : at + _CHUNK], "little")
        if place < (count := chunk.bit_count()):
            for _ in range(place):
                chunk &= chunk - 1
            return 8 * at + (chunk & -chunk).bit_length() - 1
        place -= count
    raise IndexError(place)
