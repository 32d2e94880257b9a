"""Who has met whom, so that colours alternate and nobody gets the same opponent at once."""

from collections import OrderedDict
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")

# Names and pairs remembered; the longest unseen are forgotten first, so that memory is bounded.
REMEMBERED = 10_000


class History:
    """By name and not by connection: who reconnects does not get the same colour again."""

    def __init__(self, remembered: int = REMEMBERED) -> None:
        self._remembered = remembered
        self._whites: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._balance: OrderedDict[str, int] = OrderedDict()
        self._last: OrderedDict[str, str] = OrderedDict()

    def met(self, white: str, black: str) -> None:
        """A game of these two begins."""
        self._keep(self._whites, _pair(white, black), white)
        self._keep(self._balance, white, self._balance.get(white, 0) + 1)
        self._keep(self._balance, black, self._balance.get(black, 0) - 1)
        self._keep(self._last, white, black)
        self._keep(self._last, black, white)

    def just_met(self, a: str, b: str) -> bool:
        """Whether each was the other's last opponent."""
        return self._last.get(a) == b and self._last.get(b) == a

    def white_of(self, a: str, b: str) -> str | None:
        """Who should have White: the one who had Black when they met last, else whoever had
        White less often; None if nothing speaks for either."""
        if (last := self._whites.get(_pair(a, b))) is not None and a != b:
            return b if last == a else a
        difference = self._balance.get(a, 0) - self._balance.get(b, 0)
        return None if difference == 0 else (b if difference > 0 else a)

    def _keep(self, book: OrderedDict[Key, Value], key: Key, value: Value) -> None:
        book[key] = value
        book.move_to_end(key)
        if len(book) > self._remembered:
            book.popitem(last=False)


def _pair(a: str, b: str) -> tuple[str, str]:
    return (a, b) if a < b else (b, a)
