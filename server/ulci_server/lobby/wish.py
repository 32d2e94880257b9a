"""What one player would play, and whether two of them agree."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ulci.protocol.messages import Against, Color
from ulci.rules.position import Rules
from ulci_server.game.control import Controls

from .player import Profile
from .pools import MAY_MEET, USUAL, HouseRules, Meeting
from .starts import Starts


@dataclass(frozen=True, slots=True)
class Offer:
    """What two players agreed to play."""

    game: Rules
    control: Controls
    start: str | None
    rated: bool
    pool: str
    house: HouseRules = USUAL


@dataclass(frozen=True, slots=True)
class Wish:
    """A seek, a challenge, or a wait in a pool.

    flexible: takes another control if the other side insists. auto: made by the pool and not by a
    word of the player.
    """

    id: int
    who: Profile
    game: Rules
    control: Controls
    starts: Sequence[str | None]
    pool: str
    color: Color = "random"
    against: Against = "any"
    rated: bool = False
    meet: Meeting = "any"
    self_play: bool = False
    flexible: bool = False
    auto: bool = False
    house: HouseRules = USUAL


def disagreement(a: Wish, b: Wish) -> str | None:
    """Why these two cannot play each other, in words; None if they can."""
    return unwilling(a, b) or incapable(a, b)


def willing(a: Wish, b: Wish, *, namesakes: bool = False) -> bool:
    """Whether `unwilling` has nothing to say, without words for it: every seek is held against many
    that wait. `namesakes`: as if both said that they play those of their own name."""
    return terms_agree(a, b) and strangers(a, b, namesakes=namesakes)


def terms_agree(a: Wish, b: Wish) -> bool:
    """Whether they are willing, whatever their names are."""
    flexible = a.flexible or b.flexible
    return (
        _colors_agree(a, b)
        and a.game is b.game
        and (a.control == b.control or flexible)
        and (a.rated == b.rated or flexible)
        and (a.pool == b.pool or not (a.auto and b.auto))
        and _kinds_agree(a, b)
    )


def strangers(a: Wish, b: Wish, *, namesakes: bool = False) -> bool:
    """Whether they are two, and their names do not keep them apart."""
    return a.who.handle != b.who.handle and (
        namesakes or a.who.name != b.who.name or (a.self_play and b.self_play)
    )


def unwilling(a: Wish, b: Wish) -> str | None:
    """Why these two would not play each other whatever their programs can."""
    if a.who.handle == b.who.handle:
        return "nobody plays against themselves"
    for holds, why in (
        (a.game is b.game, f"one wants {a.game.name}, the other {b.game.name}"),
        (
            a.pool == b.pool or not (a.auto and b.auto),
            f"one waits in the pool {a.pool}, the other in {b.pool}",
        ),
        (
            a.control == b.control or a.flexible or b.flexible,
            f"one wants the time control {a.control}, the other {b.control}",
        ),
        (a.rated == b.rated or a.flexible or b.flexible, "one wants a rated game, the other not"),
        (_colors_agree(a, b), f"both want to be {a.color}"),
        (_kinds_agree(a, b), "one of them does not want an opponent of that kind"),
        (
            a.who.name != b.who.name or (a.self_play and b.self_play),
            f"both are called {a.who.name}, and a name does not play itself here",
        ),
    ):
        if not holds:
            return why
    return None


def incapable(a: Wish, b: Wish) -> str | None:
    """Why there is no start position that both could be given; they must be willing."""
    wanted = _wanted(a, b)
    if not wanted:
        return "they want different start positions"
    if _playable(wanted, a, b):
        return None
    return _lack(a, wanted[0]) or _lack(b, wanted[0])


def impossible(wish: Wish) -> str | None:
    """Why its own player can be given none of its start positions."""
    return None if _playable(wish.starts, wish) else _lack(wish, wish.starts[0])


def pick_start(a: Wish, b: Wish, choose: Callable[[int], int]) -> str | None:
    """A start position that both want and both can play; they must agree.

    `choose(n)` picks one of n; the first pick nearly always serves.
    """
    wanted = _wanted(a, b)
    start = wanted[choose(len(wanted))]
    if _lack(a, start) is None is _lack(b, start):
        return start
    possible = _playable(wanted, a, b)
    return possible[choose(len(possible))]


def agreement(a: Wish, b: Wish, start: str | None) -> Offer:
    """What they play, given that they agree: whoever insists decides, else who came first."""
    leading = b if a.flexible and not b.flexible else a
    return Offer(leading.game, leading.control, start, leading.rated, leading.pool, leading.house)


def _colors_agree(a: Wish, b: Wish) -> bool:
    return a.color != b.color or a.color == "random"


def _kinds_agree(a: Wish, b: Wish) -> bool:
    kinds = frozenset({a.who.kind, b.who.kind})
    return (
        a.against in ("any", b.who.kind)
        and b.against in ("any", a.who.kind)
        and kinds in MAY_MEET[a.meet]
        and kinds in MAY_MEET[b.meet]
    )


def _wanted(a: Wish, b: Wish) -> Sequence[str | None]:
    if a.starts is b.starts:
        return a.starts
    if a.flexible != b.flexible:
        return b.starts if a.flexible else a.starts
    if isinstance(a.starts, Starts) and isinstance(b.starts, Starts):
        return a.starts.common(b.starts)
    few, many = sorted((a.starts, b.starts), key=len)
    return [start for start in few if start in many]


def _playable(starts: Sequence[str | None], *wishes: Wish) -> Sequence[str | None]:
    if isinstance(starts, Starts):
        return starts.playable(*(wish.who for wish in wishes))
    return [start for start in starts if not any(_lack(wish, start) for wish in wishes)]


def _lack(wish: Wish, start: str | None) -> str | None:
    return wish.who.lacks(wish.game.needs(start))
