"""The open wishes: who may meet whom of those who wait, and who comes first."""

from collections.abc import Iterator, Mapping

from .history import History
from .player import Profile
from .wish import Wish, incapable, willing


class Book:
    """Wishes in the order in which they are served."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._places: dict[int, int] = {}
        self._wishes: dict[int, Wish] = {}
        self._of: dict[str, dict[int, Wish]] = {}
        self._first = self._last = 0

    def __iter__(self) -> Iterator[Wish]:
        return iter(self._in_order(self._wishes))

    def __len__(self) -> int:
        return len(self._wishes)

    def get(self, number: int) -> Wish | None:
        return self._wishes.get(number)

    def of(self, handle: str) -> list[Wish]:
        return self._in_order(self._of.get(handle, {}))

    def _in_order(self, wishes: Mapping[int, Wish]) -> list[Wish]:
        return sorted(wishes.values(), key=lambda wish: self._places[wish.id])

    def willing(self, wish: Wish, *, namesakes: bool = False) -> list[Wish]:
        """Who would play this one, in no order; see `wish.willing`."""
        return [w for w in self._wishes.values() if willing(w, wish, namesakes=namesakes)]

    def add(self, wish: Wish, *, front: bool = False) -> None:
        """`front`: ahead of all who wait now: for who lost a place through no own fault."""
        if front:
            self._first -= 1
        else:
            self._last += 1
        self._places[wish.id] = self._first if front else self._last
        self._wishes[wish.id] = wish
        self._of.setdefault(wish.who.handle, {})[wish.id] = wish

    def remove(self, wish: Wish) -> None:
        theirs = self._of[wish.who.handle]
        del self._wishes[wish.id], self._places[wish.id], theirs[wish.id]
        if not theirs:
            del self._of[wish.who.handle]

    def match(self, wish: Wish) -> Wish | None:
        """Who of those who wait plays this one: the longest waiting; but another name goes before
        one's own, and anybody goes before the opponent of the game just played."""
        return min(
            (other for other in self.willing(wish) if incapable(other, wish) is None),
            key=lambda other: (
                self._history.just_met(other.who.name, wish.who.name),
                other.who.name == wish.who.name,
                self._places[other.id],
            ),
            default=None,
        )

    def namesake(self, wish: Wish) -> Profile | None:
        """Who wants the same, and is not met only for having the same name."""
        for other in self.willing(wish, namesakes=True):
            if other.who.name != wish.who.name or willing(other, wish):
                continue
            if incapable(other, wish) is None:
                return other.who
        return None
