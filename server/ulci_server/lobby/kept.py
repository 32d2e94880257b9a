"""Seeks and matches as they are kept, for a lobby that goes on with them elsewhere.

What the configuration says, such as the starts of a pool, is not kept with them: the lobby that
goes on has its own.
"""

from collections.abc import Mapping

from msgspec import Struct

from ulci.protocol.messages import Against, Color
from ulci.rules import Rules
from ulci_server.game.time_control import ControlError, Controls

from .matches import Choice, Match
from .pools import Pool
from .profile import Profile
from .roster import Roster
from .seeks import StandingSeek
from .starts import StartList
from .terms import Refusal


class KeptSeek(Struct, frozen=True):
    """A `StandingSeek` without its number and player. starts: None leaves them to the pool."""

    game: str
    control: str
    pool: str
    starts: tuple[str | None, ...] | None = None
    color: Color = "random"
    against: Against = "any"
    rated: bool = False
    self_play: bool = False
    flexible: bool = False
    auto: bool = False
    games: int = 1
    own_start: bool = False
    waits_for_color: bool = True
    level: int | None = None
    range: tuple[int, int] | None = None
    invitation: str = ""


class KeptMatch(Struct, frozen=True):
    """A `Match`. handles: of the two whose seeks these are."""

    handles: tuple[str, str]
    seeks: tuple[KeptSeek, KeptSeek]
    played: int
    white: str
    free: tuple[str, ...]
    choice: Choice | None = None


def keep_seek(seek: StandingSeek) -> KeptSeek:
    return KeptSeek(
        seek.game.name,
        str(seek.control),
        seek.pool,
        None if isinstance(seek.starts, StartList) else (*seek.starts,),
        seek.color,
        seek.against,
        seek.rated,
        seek.self_play,
        seek.flexible,
        seek.auto,
        seek.games,
        seek.own_start,
        seek.waits_for_color,
        seek.level,
        seek.range,
        seek.invitation,
    )


def seek_again(
    kept: KeptSeek,
    number: int,
    who: Profile,
    pools: Mapping[str, Pool],
    games: Mapping[str, Pool],
) -> StandingSeek:
    """The seek as it was. `pools` and `games` as in `seek_from_terms`.

    Raises:
        Refusal: its game or its terms are unknown here.
    """
    pool = pools.get(kept.pool) or games.get(kept.game)
    game: Rules | None = None if kept.game not in games else games[kept.game].game
    if pool is None or game is None or pool.game is not game:
        text = f"your seek of {kept.game} has ended: it cannot be played here any more"
        raise Refusal("no-such-game", text)
    try:
        control = Controls.parse(kept.control)
    except ControlError as error:
        raise Refusal("bad-time", f"your seek of {kept.game} has ended: {error}") from error
    return StandingSeek(
        id=number,
        who=who,
        game=game,
        control=control,
        starts=pool.starts if kept.starts is None else kept.starts,
        pool=kept.pool,
        color=kept.color,
        against=kept.against,
        rated=kept.rated,
        meet=pool.meet,
        self_play=kept.self_play,
        flexible=kept.flexible,
        auto=kept.auto,
        pool_rules=pool.pool_rules,
        games=kept.games,
        own_start=kept.own_start,
        waits_for_color=kept.waits_for_color,
        level=kept.level,
        range=kept.range,
        invitation=kept.invitation,
    )


def keep_match(match: Match) -> KeptMatch:
    first, second = map(keep_seek, match.seeks)
    free = tuple(sorted(match.free))
    return KeptMatch(match.handles, (first, second), match.played, match.white, free, match.choice)


def match_again(
    kept: KeptMatch,
    number: int,
    roster: Roster,
    pools: Mapping[str, Pool],
    games: Mapping[str, Pool],
) -> Match:
    """The match as it was, of two who are in the roster. `pools` and `games` as in
    `seek_from_terms`.

    Raises:
        Refusal: its game or its terms are unknown here.
    """
    first, second = (
        seek_again(seek, number, roster[handle].who, pools, games)
        for handle, seek in zip(kept.handles, kept.seeks, strict=True)
    )
    free = {*kept.free}.intersection(kept.handles)
    return Match((first, second), kept.played, free, kept.choice, kept.white)
