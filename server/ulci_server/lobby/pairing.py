"""Who takes which side: when two meet, by taking another's wish as it is, and in a rematch."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from ulci.protocol.messages import Color

from .effects import Pair
from .history import History
from .player import Profile
from .pools import Pool
from .wish import Wish

OTHER_COLOR: dict[Color, Color] = {"white": "black", "black": "white", "random": "random"}


def seated(
    first: Wish, second: Wish, history: History, choose: Callable[[int], int]
) -> tuple[Profile, Profile]:
    """Who has White and who Black: as they wish, else whoever's turn it is, else by chance
    (`choose(2)`). They must agree."""
    a, b = first.who, second.who
    if first.color == second.color == "random":
        white_name = history.white_of(a.name, b.name)
        a_is_white = choose(2) == 0 if white_name is None else white_name == a.name
    else:
        a_is_white = first.color == "white" or second.color == "black"
    return (a, b) if a_is_white else (b, a)


def answer(number: int, who: Profile, wish: Wish) -> Wish:
    """The wish of somebody who takes another's as it is."""
    return replace(
        wish,
        id=number,
        who=who,
        color=OTHER_COLOR[wish.color],
        against="any",
        flexible=True,
        auto=False,
    )


def again(number: int, who: Profile, last: Pair, pool: Pool | None) -> Wish:
    """The wish of somebody who would play the last game again with the other colour and by the same
    house rules: from another start of its pool, if the last one was drawn there, else from the
    same."""
    offer = last.offer
    starts: Sequence[str | None] = (offer.start,)
    if pool is not None and offer.start in pool.starts:
        starts = pool.starts
    return Wish(
        id=number,
        who=who,
        game=offer.game,
        control=offer.control,
        starts=starts,
        pool=offer.pool,
        color="black" if last.white == who.handle else "white",
        rated=offer.rated,
        house=offer.house,
        self_play=True,
    )
