"""Stretches of time."""

from collections.abc import Iterable, Iterator

Span = tuple[float, float]
"""The begin and end of a stretch, in s."""

MOST = 64
"""Stretches that are remembered: the latest ones."""


class Spans:
    """Stretches of time, of which each moment counts once, however often it is added."""

    __slots__ = ("_apart",)

    def __init__(self, spans: Iterable[Span] = ()) -> None:
        self._apart: list[Span] = []  # that do not touch, in order
        for begin, end in spans:
            self.add(begin, end)

    def __iter__(self) -> Iterator[Span]:
        return iter(self._apart)

    def missing(self, begin: float, end: float) -> float:
        """How many of the seconds from `begin` to `end` are in none of them."""
        missing = max(0.0, end - begin)
        for first, last in self._apart:
            missing -= max(0.0, min(end, last) - max(begin, first))
        return max(0.0, missing)

    def add(self, begin: float, end: float) -> None:
        """Add a stretch, if it is longer than 0 s."""
        if end <= begin:
            return
        apart = []
        for span in self._apart:
            if span[1] < begin or end < span[0]:
                apart.append(span)
            else:
                begin, end = min(begin, span[0]), max(end, span[1])
        self._apart = sorted([*apart, (begin, end)])[-MOST:]
