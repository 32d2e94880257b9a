"""The open wishes: who may meet whom of those who wait, and who comes first.

Thousands may wait. A wish is filed under all that others may look for, and in each drawer those of
the same terms lie together, so that a newcomer looks at no more of them than at the first.
"""

import heapq
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Sequence

from .history import History
from .player import Profile
from .starts import StartList
from .wish import Wish, incapable, strangers, terms_agree

MOST_LOOKED_AT = 2000
"""Wishes of agreeable terms that a newcomer is held against: who waits behind so many namesakes is
met when these are gone."""

MOST_TRIED = 100
"""Those of them whose programs are looked at; finding out that two have no start in common takes a
few µs."""

Drawer = dict[Hashable, OrderedDict[int, Wish]]
"""Wishes that one may look for, by their other terms and in the order in which they are served."""


class Book:
    """Wishes in the order in which they are served. `lists`: the start positions of all pools."""

    def __init__(self, history: History, lists: Sequence[StartList] = ()) -> None:
        self._history = history
        self._lists = lists
        self._overlapping = {
            one: [other for other in lists if other is not one and one.common(other)]
            for one in lists
        }
        self._places: dict[int, int] = {}
        self._wishes: OrderedDict[int, Wish] = OrderedDict()
        self._of: dict[str, dict[int, Wish]] = {}
        self._drawers: dict[Hashable, Drawer] = {}
        self._first = self._last = 0

    def __iter__(self) -> Iterator[Wish]:
        return iter(self._wishes.values())

    def __len__(self) -> int:
        return len(self._wishes)

    def get(self, number: int) -> Wish | None:
        return self._wishes.get(number)

    def of(self, handle: str) -> list[Wish]:
        wishes = self._of.get(handle, {}).values()
        return sorted(wishes, key=lambda wish: self._places[wish.id])

    def waits(self, handle: str) -> bool:
        """Whether that player has an open wish."""
        return handle in self._of

    def add(self, wish: Wish, *, front: bool = False) -> None:
        """`front`: ahead of all who wait now: for who lost a place through no own fault."""
        if front:
            self._first -= 1
        else:
            self._last += 1
        self._places[wish.id] = self._first if front else self._last
        self._of.setdefault(wish.who.handle, {})[wish.id] = wish
        drawers = [self._drawers.setdefault(key, {}) for key in self._filed(wish)]
        for order in (self._wishes, *(d.setdefault(_terms(wish), OrderedDict()) for d in drawers)):
            order[wish.id] = wish
            if front:
                order.move_to_end(wish.id, last=False)

    def remove(self, wish: Wish) -> None:
        theirs = self._of[wish.who.handle]
        del self._wishes[wish.id], self._places[wish.id], theirs[wish.id]
        if not theirs:
            del self._of[wish.who.handle]
        terms = _terms(wish)
        for key in self._filed(wish):
            drawer = self._drawers[key]
            del drawer[terms][wish.id]
            if not drawer[terms]:
                del drawer[terms]
            if not drawer:
                del self._drawers[key]

    def match(self, wish: Wish) -> Wish | None:
        """Who of those who wait plays this one: the longest waiting; but another name goes before
        one's own, and anybody goes before the opponent of the game just played."""
        best, worst_rank = None, (True, True)
        tried = 0
        for other in self._agreeable(wish):
            rank = (
                self._history.just_met(other.who.name, wish.who.name),
                other.who.name == wish.who.name,
            )
            if best is not None and rank >= worst_rank:
                continue
            if incapable(other, wish) is None:
                best, worst_rank = other, rank
                if not any(rank):
                    break
            elif (tried := tried + 1) == MOST_TRIED:
                break
        return best

    def namesake(self, wish: Wish) -> Profile | None:
        """Who wants the same, and is not met only for having the same name."""
        tried = 0
        for other in self._agreeable(wish, namesakes=True):
            if other.who.name != wish.who.name or strangers(other, wish):
                continue
            if incapable(other, wish) is None:
                return other.who
            if (tried := tried + 1) == MOST_TRIED:
                break
        return None

    def unmatched(self, wish: Wish, most: int) -> Iterator[tuple[Wish, str]]:
        """Who would play this one and cannot, and why; so many at most."""
        tried = 0
        for other in self._agreeable(wish):
            if (why := incapable(other, wish)) is not None:
                yield other, why
                most -= 1
            if not most or (tried := tried + 1) == MOST_TRIED:
                return

    def _agreeable(self, wish: Wish, *, namesakes: bool = False) -> Iterator[Wish]:
        """Those who would play this one, the longest waiting first; see `wish.willing`."""
        waiting = [
            those.values()
            for key in self._sought(wish)
            for those in self._drawers.get(key, {}).values()
            if terms_agree(next(iter(those.values())), wish)
        ]
        ordered = heapq.merge(*waiting, key=lambda other: self._places[other.id])
        for _, other in zip(range(MOST_LOOKED_AT), ordered, strict=False):
            if strangers(other, wish, namesakes=namesakes):
                yield other

    # Where to look. Control, rating and start are open to who is flexible, and with whom.

    def _filed(self, wish: Wish) -> list[Hashable]:
        """Under what others look for such a wish."""
        game = wish.game.name
        if wish.flexible:
            return [game, (game, "flexible")]
        keys = [wish.starts, *(("in", one) for one in self._holding(wish))]
        return [game, *((game, wish.control, wish.rated, key) for key in keys)]

    def _sought(self, wish: Wish) -> list[Hashable]:
        """Where those are who may agree."""
        game, starts = wish.game.name, wish.starts
        if wish.flexible:
            return [game]
        if isinstance(starts, StartList):
            keys: list[Hashable] = [starts, *self._overlapping[starts], ("in", starts)]
        else:
            keys = [starts, *self._holding(wish)]
        return [(game, "flexible"), *((game, wish.control, wish.rated, key) for key in keys)]

    def _holding(self, wish: Wish) -> list[StartList]:
        """The lists of which the wish for one start wants some."""
        if isinstance(wish.starts, StartList):
            return []
        return [one for one in self._lists if one.game is wish.game and wish.starts[0] in one]


def _terms(wish: Wish) -> Hashable:
    """Of two wishes with the same, in one drawer, anybody's terms agree with both or with none."""
    return (
        *(wish.color, wish.against, wish.who.kind, wish.meet),
        *(wish.flexible, wish.auto, wish.pool),
    )
