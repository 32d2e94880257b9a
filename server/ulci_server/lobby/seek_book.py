"""The open seeks, in the order in which they are served, and an index to match them.

Thousands may be open. A seek is indexed under every key that others may look up, and in each bucket
seeks of the same terms are grouped, so that a new seek is compared with one seek a group.
"""

import heapq
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Sequence

from .nearness import Nearness, rank
from .pairing import History
from .profile import Profile
from .seeks import StandingSeek, incapable, range_clash, strangers, terms_clash
from .starts import StartList

MOST_LOOKED_AT = 2000
"""Maximum seeks of agreeing terms that a new seek is compared with: a seek behind so many of the
new player's own name waits until these are removed."""

MOST_TRIED = 100
"""Maximum of these whose programs' abilities are compared, which takes a few µs each."""

Bucket = dict[Hashable, OrderedDict[int, StandingSeek]]
"""Seeks under one key, grouped by their other terms, in the order in which they are served."""


class SeekBook:
    """The open seeks. `lists`: the start positions of all pools."""

    def __init__(self, history: History, lists: Sequence[StartList] = ()) -> None:
        self.nearness = Nearness()
        self._history = history
        self._lists = lists
        self._overlapping = {
            one: [other for other in lists if other is not one and one.common(other)]
            for one in lists
        }
        self._places: dict[int, int] = {}
        self._seeks: OrderedDict[int, StandingSeek] = OrderedDict()
        self._of: dict[str, dict[int, StandingSeek]] = {}
        self._index: dict[Hashable, Bucket] = {}
        self._first = self._last = 0

    def __iter__(self) -> Iterator[StandingSeek]:
        return iter(self._seeks.values())

    def __len__(self) -> int:
        return len(self._seeks)

    def get(self, number: int) -> StandingSeek | None:
        return self._seeks.get(number)

    def of(self, handle: str) -> list[StandingSeek]:
        seeks = self._of.get(handle, {}).values()
        return sorted(seeks, key=lambda seek: self._places[seek.id])

    def waits(self, handle: str) -> bool:
        """Whether that player has an open seek."""
        return handle in self._of

    def add(self, seek: StandingSeek, *, front: bool = False) -> None:
        """Add a seek. `front`: ahead of all open seeks, for a player who lost its place through no
        fault of its own."""
        if front:
            self._first -= 1
        else:
            self._last += 1
        self._places[seek.id] = self._first if front else self._last
        self._of.setdefault(seek.who.handle, {})[seek.id] = seek
        self.nearness.begin(seek)
        buckets = [self._index.setdefault(key, {}) for key in self._filed(seek)]
        for order in (self._seeks, *(d.setdefault(_terms(seek), OrderedDict()) for d in buckets)):
            order[seek.id] = seek
            if front:
                order.move_to_end(seek.id, last=False)

    def renew(self, seek: StandingSeek) -> None:
        """Put it in the place of the one with its number and terms: its player has changed."""
        terms = _terms(seek)
        orders = (self._index[key][terms] for key in self._filed(seek))
        for order in (self._seeks, self._of[seek.who.handle], *orders):
            order[seek.id] = seek

    def remove(self, seek: StandingSeek) -> None:
        self.nearness.end(seek.id)
        theirs = self._of[seek.who.handle]
        del self._seeks[seek.id], self._places[seek.id], theirs[seek.id]
        if not theirs:
            del self._of[seek.who.handle]
        terms = _terms(seek)
        for key in self._filed(seek):
            bucket = self._index[key]
            del bucket[terms][seek.id]
            if not bucket[terms]:
                del bucket[terms]
            if not bucket:
                del self._index[key]

    def match(self, seek: StandingSeek) -> StandingSeek | None:
        """The open seek to pair with this one: the oldest, but nearer ratings precede farther ones,
        another name precedes the same name, and any player precedes the opponent of the last
        game."""
        best: StandingSeek | None = None
        best_rank: tuple[bool, bool, int] | None = None
        tried = 0
        for other in self._agreeable(seek):
            if self.nearness.refuses(other, seek):
                continue
            its_rank = (
                self._history.just_met(other.who.name, seek.who.name),
                other.who.name == seek.who.name,
                rank(other, seek),
            )
            if best_rank is not None and its_rank >= best_rank:
                continue
            if incapable(other, seek) is None:
                best, best_rank = other, its_rank
                if not any(its_rank):
                    break
            elif (tried := tried + 1) == MOST_TRIED:
                break
        return best

    def namesake(self, seek: StandingSeek) -> Profile | None:
        """The player who would be paired except for having the same name."""
        tried = 0
        for other in self._agreeable(seek, namesakes=True):
            if other.who.name != seek.who.name or strangers(other, seek):
                continue
            if incapable(other, seek) is None:
                return other.who
            if (tried := tried + 1) == MOST_TRIED:
                break
        return None

    def unmatched(self, seek: StandingSeek, most: int) -> Iterator[tuple[StandingSeek, str]]:
        """At most `most` players who would play this one and cannot, and why."""
        tried = 0
        for other in self._agreeable(seek):
            if (why := incapable(other, seek)) is not None:
                yield other, why
                most -= 1
            if not most or (tried := tried + 1) == MOST_TRIED:
                return

    def _agreeable(self, seek: StandingSeek, *, namesakes: bool = False) -> Iterator[StandingSeek]:
        """The seeks willing to be paired with this one, the oldest first."""
        waiting = [
            those.values()
            for key in self._sought(seek)
            for those in self._index.get(key, {}).values()
            if terms_clash(next(iter(those.values())), seek) is None
        ]
        ordered = heapq.merge(*waiting, key=lambda other: self._places[other.id])
        for _, other in zip(range(MOST_LOOKED_AT), ordered, strict=False):
            if range_clash(other, seek) is None and strangers(other, seek, namesakes=namesakes):
                yield other

    # Index keys. If either seek is flexible, control, rating and start need not agree.

    def _filed(self, seek: StandingSeek) -> list[Hashable]:
        """The keys under which others look the seek up."""
        game = seek.game.name
        if seek.flexible:
            return [game, (game, "flexible")]
        keys = [seek.starts, *(("in", one) for one in self._holding(seek))]
        return [game, *((game, seek.control, seek.rated, key) for key in keys)]

    def _sought(self, seek: StandingSeek) -> list[Hashable]:
        """The keys of the seeks that may agree."""
        game, starts = seek.game.name, seek.starts
        if seek.flexible:
            return [game]
        if isinstance(starts, StartList):
            keys: list[Hashable] = [starts, *self._overlapping[starts], ("in", starts)]
        else:
            keys = [starts, *self._holding(seek)]
        return [(game, "flexible"), *((game, seek.control, seek.rated, key) for key in keys)]

    def _holding(self, seek: StandingSeek) -> list[StartList]:
        """The lists that contain the one start of a seek."""
        if isinstance(seek.starts, StartList):
            return []
        return [one for one in self._lists if one.game is seek.game and seek.starts[0] in one]


def _terms(seek: StandingSeek) -> Hashable:
    """Two seeks of one bucket with equal terms agree with the same other seeks."""
    return (
        *(seek.color, seek.against, seek.who.kind, seek.meet),
        *(seek.flexible, seek.auto, seek.pool, seek.games, seek.waits_for_color),
        *(seek.level, seek.who.levels),
    )
