"""Seeks and challenges: the games and opponents that players want."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ulci.protocol.messages import Against, Color
from ulci.rules import Rules
from ulci_server.game.time_control import Controls

from .pools import DEFAULT_RULES, MAY_MEET, Meeting, PoolRules
from .profile import Profile
from .starts import Starts


@dataclass(frozen=True, slots=True)
class Agreement:
    """The game that two players agreed to play. `opening`: moves from its start that are made
    before they take over, as `ulci.rules.starts.playable_opening` spells them. `level`: at which
    the program of our servers plays that is one of the two; None: at none. `encounter`: the number
    of the match or tournament that it belongs to, and its own there, from 1; None: to none."""

    game: Rules
    control: Controls
    start: str | None
    rated: bool
    pool: str
    pool_rules: PoolRules = DEFAULT_RULES
    opening: tuple[str, ...] = ()
    level: int | None = None
    encounter: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class StandingSeek:
    """A seek, a challenge, or a wait in a pool.

    flexible: accepts the other seek's control, rating, start and number of games. auto: made by
    the pool and not by a command of the player. own_start: the player asks for the one start.
    waits_for_color: also meets who says its color later. level: at which the opponent is to play.
    range: of its rating in the pool, both ends included; None: any, or none. invitation: the
    digest of the token by which one player may accept it; empty: it is no invitation.
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
    pool_rules: PoolRules = DEFAULT_RULES
    games: int = 1
    own_start: bool = False
    waits_for_color: bool = True
    level: int | None = None
    range: tuple[int, int] | None = None
    invitation: str = ""


def disagreement(a: StandingSeek, b: StandingSeek) -> str | None:
    """Why these two cannot play each other, as a sentence; None if they can."""
    return unwilling(a, b) or incapable(a, b)


def terms_clash(a: StandingSeek, b: StandingSeek) -> str | None:
    """Why these two are unwilling, apart from their names; None if they are willing."""
    flexible = a.flexible or b.flexible
    if a.game is not b.game:
        return f"one wants {a.game.name}, the other {b.game.name}"
    if a.auto and b.auto and a.pool != b.pool:
        return f"one waits in the pool {a.pool}, the other in {b.pool}"
    if a.control != b.control and not flexible:
        return f"one wants the time control {a.control}, the other {b.control}"
    if a.rated != b.rated and not flexible:
        return "one wants a rated game, the other not"
    if a.games != b.games and not flexible:
        return f"one wants {a.games}, the other {b.games} games"
    if not _colors_agree(a, b):
        return _colors_clash(a, b)
    if why := _lacks_level(a, b.who) or _lacks_level(b, a.who):
        return why
    if not _kinds_agree(a, b):
        return "one of them does not want an opponent of that kind"
    return None


def strangers(a: StandingSeek, b: StandingSeek, *, namesakes: bool = False) -> bool:
    """Whether these are two players whose names do not prevent a game. `namesakes`: as if both
    accepted an opponent of their own name."""
    return a.who.handle != b.who.handle and (
        namesakes or a.who.name != b.who.name or (a.self_play and b.self_play)
    )


def in_range(who: Profile, seek: StandingSeek) -> bool:
    """Whether the player's rating is in the range of the seek. A player without a rating in the
    pool, such as a guest or a new account, is in no range."""
    if seek.range is None:
        return True
    low, high = seek.range
    known = who.ratings.get(seek.pool)
    return known is not None and low <= known.rating <= high


def range_clash(a: StandingSeek, b: StandingSeek) -> str | None:
    """Why the rating of one is not what the other seeks; None if both are."""
    for seek, who in ((a, b.who), (b, a.who)):
        if not in_range(who, seek):
            assert seek.range is not None
            low, high = seek.range
            has = who.ratings.get(seek.pool, "no rating")
            return f"one wants a rating from {low} to {high}, and {who.handle} has {has}"
    return None


def unwilling(a: StandingSeek, b: StandingSeek) -> str | None:
    """Why these two would not play each other, whatever their programs can play; None if they
    are willing."""
    if a.who.handle == b.who.handle:
        return "nobody plays against themselves"
    if why := terms_clash(a, b) or range_clash(a, b):
        return why
    if not strangers(a, b):
        return f"both are called {a.who.name}, and a name does not play itself here"
    return None


def incapable(a: StandingSeek, b: StandingSeek) -> str | None:
    """Why there is no start position that both can play; they must be willing."""
    wanted = wanted_starts(a, b)
    if not wanted:
        return "they want different start positions"
    if _playable(wanted, a, b):
        return None
    return _lack(a, wanted[0]) or _lack(b, wanted[0])


def impossible(seek: StandingSeek) -> str | None:
    """Why its own player can play none of its start positions; None if it can."""
    return None if _playable(seek.starts, seek) else _lack(seek, seek.starts[0])


def pick_start(a: StandingSeek, b: StandingSeek, choose: Callable[[int], int]) -> str | None:
    """A start position that both want and both can play; they must agree.

    `choose(n)` picks one of n; the first pick nearly always serves.
    """
    wanted = wanted_starts(a, b)
    start = wanted[choose(len(wanted))]
    if _lack(a, start) is None is _lack(b, start):
        return start
    possible = _playable(wanted, a, b)
    return possible[choose(len(possible))]


def agreed(a: StandingSeek, b: StandingSeek, start: str | None) -> Agreement:
    """Their game, given that they agree: by the inflexible seek, otherwise by the first."""
    leading = b if a.flexible and not b.flexible else a
    return Agreement(
        *(leading.game, leading.control, start, leading.rated, leading.pool, leading.pool_rules),
        level=b.level if a.level is None else a.level,
    )


def _colors_agree(a: StandingSeek, b: StandingSeek) -> bool:
    colors = {a.color, b.color}
    if "later" in colors:  # a player who names it later may choose either
        return "random" in colors and a.waits_for_color and b.waits_for_color
    return len(colors) == 2 or "random" in colors


def _colors_clash(a: StandingSeek, b: StandingSeek) -> str:
    for seek in (a, b):
        if not seek.waits_for_color:
            return f"{seek.who.handle} was kept waiting for a color that nobody said: say yours now"
    if "later" in (a.color, b.color):
        return "one says its color later, and the other does not leave it open"
    return f"both want to be {a.color}"


def _lacks_level(seek: StandingSeek, other: Profile) -> str:
    """Why that player does not play at the level that is sought; empty if it does."""
    if seek.level is None or seek.level <= other.levels:
        return ""
    return f"{other.name} has {f'levels 1 to {other.levels}' if other.levels else 'no levels'}"


def _kinds_agree(a: StandingSeek, b: StandingSeek) -> bool:
    kinds = frozenset({a.who.kind, b.who.kind})
    return (
        a.against in ("any", b.who.kind)
        and b.against in ("any", a.who.kind)
        and kinds in MAY_MEET[a.meet]
        and kinds in MAY_MEET[b.meet]
    )


def wanted_starts(a: StandingSeek, b: StandingSeek) -> Sequence[str | None]:
    """The starts that both want. Those of a pool are the same object if both leave it to that."""
    if a.starts is b.starts:
        return a.starts
    if a.flexible != b.flexible:
        return b.starts if a.flexible else a.starts
    if isinstance(a.starts, Starts) and isinstance(b.starts, Starts):
        return a.starts.common(b.starts)
    few, many = sorted((a.starts, b.starts), key=len)
    return [start for start in few if start in many]


def _playable(starts: Sequence[str | None], *seeks: StandingSeek) -> Sequence[str | None]:
    if isinstance(starts, Starts):
        return starts.playable(*(seek.who for seek in seeks))
    return [start for start in starts if not any(_lack(seek, start) for seek in seeks)]


def _lack(seek: StandingSeek, start: str | None) -> str | None:
    return seek.who.lacks(seek.game.needs(start))


@dataclass(frozen=True, slots=True)
class StandingChallenge:
    """A challenge: a seek that only one other player (by handle) may accept."""

    seek: StandingSeek
    to: str

    @property
    def by(self) -> str:
        """The handle of the challenger."""
        return self.seek.who.handle


class Challenges:
    """The open challenges, by the number of their seek; the oldest come first."""

    def __init__(self) -> None:
        self._all: dict[int, StandingChallenge] = {}
        self._by: dict[str, dict[int, StandingChallenge]] = {}
        self._to: dict[str, dict[int, StandingChallenge]] = {}

    def add(self, seek: StandingSeek, to: str) -> None:
        challenge = self._all[seek.id] = StandingChallenge(seek, to)
        self._by.setdefault(challenge.by, {})[seek.id] = challenge
        self._to.setdefault(to, {})[seek.id] = challenge

    def remove(self, challenge: StandingChallenge) -> None:
        del self._all[challenge.seek.id]
        for those, handle in ((self._by, challenge.by), (self._to, challenge.to)):
            del those[handle][challenge.seek.id]
            if not those[handle]:
                del those[handle]

    def get(self, number: int) -> StandingChallenge | None:
        return self._all.get(number)

    def to(self, handle: str, number: int) -> StandingChallenge | None:
        """The challenge of that number, if it is to that player."""
        return self._to.get(handle, {}).get(number)

    def asked(self, handle: str) -> int:
        """The number of challenges that the player has not answered."""
        return len(self._to.get(handle, {}))

    def by(self, handle: str) -> list[StandingChallenge]:
        """The challenges that the player sent."""
        return [*self._by.get(handle, {}).values()]

    def between(self, by: str, to: str) -> StandingChallenge | None:
        """The oldest challenge of the one player to the other."""
        return next((challenge for challenge in self.by(by) if challenge.to == to), None)

    def concerning(self, handle: str) -> list[StandingChallenge]:
        """The challenges that the player sent or received."""
        concerned = {**self._by.get(handle, {}), **self._to.get(handle, {})}
        return [concerned[number] for number in sorted(concerned)]
