"""Makes a seek from a player's terms (``seek time 3+2 color white``)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ulci.protocol.messages import Terms
from ulci.rules import Rules, Size, StartError
from ulci.rules.starts import playable_start
from ulci_server.game.time_control import ControlError, Controls

from . import lobby_lines
from .pools import Pool
from .profile import Profile
from .seeks import StandingSeek

MAX_GAMES = 100
"""Games of a match: one ``accept`` must not bind a program, or a person who has left the room, for
longer than a long evening of quick games. Players who want more ask again."""


class Refusal(Exception):
    """A refused command: the code and the sentence of the error line."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.line = lobby_lines.error(code, text)


@dataclass(frozen=True, slots=True)
class BoardLimits:
    """The largest board that a player may request: its squares, and the kings of a side. The start
    positions of pools are not limited."""

    squares: int = 1024
    kings: int = 64

    def exceeded(self, size: Size) -> str | None:
        """The limit that is exceeded, as a sentence; None if none is."""
        for found, most, what in (
            (size.squares, self.squares, "squares"),
            (size.kings, self.kings, "kings of one side"),
        ):
            if found > most:
                return f"the start has {found} {what}, and this server allows players {most}"
        return None


def seek_from_terms(
    number: int,
    who: Profile,
    terms: Terms,
    pools: Sequence[Pool],
    games: Mapping[str, Pool],
    limits: BoardLimits,
) -> StandingSeek:
    """Defaults come from the pool of that game, otherwise from the pool of the player's listener;
    `games` are all that can be played, each as a pool of its usual starts.

    Raises:
        Refusal: no such game, an invalid time control or start, a start beyond the `limits`, too
            many games, a level where there is none, or a game that this player's program did not
            declare itself able to play.
    """
    if terms.range is not None and not 0 <= terms.range[0] <= terms.range[1]:
        raise Refusal("bad-range", "the lower rating of a range comes first")
    if terms.games > MAX_GAMES:
        raise Refusal("too-many-games", f"a match has at most {MAX_GAMES} games")
    pool = _pool_untrusted(terms.game, _home(who, pools), pools, games)
    rated = pool.rated if terms.rated is None else terms.rated
    against = terms.against
    if terms.level is not None:
        _check_level(terms, pool)
        rated = False  # a rating holds for one strength
        against = "engine" if against == "any" else against
    game = pool.game
    starts: Sequence[str | None] = pool.starts
    if terms.start is not None:
        starts = (start_untrusted(game, terms.start, who, limits),)
    if lacking := who.lacks(game.needs(starts[0])):
        raise Refusal("cannot-play", lacking)
    return StandingSeek(
        id=number,
        who=who,
        game=game,
        control=_control_untrusted(terms.time) if terms.time else pool.control,
        starts=starts,
        pool=pool.name,
        color=terms.color,
        against=against,
        rated=rated,
        meet=pool.meet,
        pool_rules=pool.pool_rules,
        self_play=who.kind == "human",  # two people, or one who intends it
        games=terms.games,
        own_start=terms.start is not None,
        level=terms.level,
        range=terms.range,
    )


def seek_for_pool(
    number: int, who: Profile, pool: Pool, *, waits_for_color: bool = True
) -> StandingSeek:
    """The seek of a player who waits in a pool, with the pool's terms. A program of the server
    waits there for other engines."""
    is_program = who.program is not None and bool(who.program.meets)
    return StandingSeek(
        id=number,
        who=who,
        game=pool.game,
        control=pool.control,
        starts=pool.starts,
        pool=pool.name,
        rated=pool.rated,
        meet=pool.meet,
        pool_rules=pool.pool_rules,
        self_play=pool.self_play and not is_program,
        flexible=pool.seeks,
        against="engine" if is_program else "any",
        auto=True,
        waits_for_color=waits_for_color,
    )


def _home(who: Profile, pools: Sequence[Pool]) -> Pool:
    """The pool in which the player waits without a seek."""
    return next((pool for pool in pools if pool.name == who.pool), pools[0])


def _pool_untrusted(
    game: str | None, home: Pool, pools: Sequence[Pool], games: Mapping[str, Pool]
) -> Pool:
    """The pool of that name, otherwise the listener's pool or the first other one of that game,
    otherwise that game's own pool with the listener's time control."""
    if game is None:
        return home
    named = [pool for pool in pools if pool.name == game]
    for pool in (*named, home, *pools):
        if game in (pool.name, pool.game.name):
            return pool
    if (usual := games.get(game)) is None:
        known = " ".join(sorted({*games, *(pool.name for pool in pools)}))
        raise Refusal("no-such-game", f"there is no game {game}; there are: {known}")
    return replace(usual, control=home.control)


def _check_level(terms: Terms, pool: Pool) -> None:
    if terms.rated:
        raise Refusal("cannot-play", "a game against a level of an engine is not rated")
    if pool.pool_rules.elo is not None:
        text = f"engines have an Elo of {pool.pool_rules.elo} in the pool {pool.name}, and no level"
        raise Refusal("cannot-play", text)


def _control_untrusted(text: str) -> Controls:
    try:
        return Controls.parse(text)
    except ControlError as error:
        raise Refusal("bad-time", str(error)) from error


def start_untrusted(game: Rules, start: str, who: Profile, limits: BoardLimits) -> str | None:
    """The normal form of a start that a player asks for. Checks of the text come first: a board is
    set up only if it is small enough and the player's program can play it."""
    try:
        if too_large := limits.exceeded(game.size(start)):
            raise Refusal("too-large", too_large)
        if lacking := who.lacks(game.needs(start)):
            raise Refusal("cannot-play", lacking)
        return playable_start(game, start)
    except StartError as error:
        raise Refusal("bad-start", str(error)) from error
