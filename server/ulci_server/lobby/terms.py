"""From what a player said (``seek time 3+2 color white``) to a wish that can be matched."""

from collections.abc import Mapping, Sequence

from ulci.protocol.messages import Terms
from ulci.rules.position import Rules, StartError
from ulci_server.game.control import ControlError, Controls

from . import lines
from .player import Profile
from .pools import Pool
from .wish import Wish


class Refusal(Exception):
    """Why a word of a player is not followed: a code and a sentence, ready to be told."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.line = lines.error(code, text)


def wish_for(
    number: int, who: Profile, terms: Terms, pools: Sequence[Pool], games: Mapping[str, Rules]
) -> Wish:
    """What is not said is taken from the pool of that game, else from the default pool; `games` are
    all that can be played.

    Raises:
        Refusal: no such game, a time control or start that cannot be, or a game that this player's
            program did not declare itself able to play.
    """
    pool = _pool_untrusted(terms.game, pools, games)
    game = pool.game
    starts: Sequence[str | None] = pool.starts
    if terms.start is not None:
        starts = (_start_untrusted(game, terms.start),)
    if all(lacking := [who.lacks(game.needs(start)) for start in starts[:1]]):
        raise Refusal("cannot-play", f"{lacking[0]}")
    return Wish(
        id=number,
        who=who,
        game=game,
        control=_control_untrusted(terms.time) if terms.time else pool.control,
        starts=starts,
        pool=pool.name,
        color=terms.color,
        against=terms.against,
        rated=pool.rated if terms.rated is None else terms.rated,
        meet=pool.meet,
        house=pool.house,
        self_play=who.kind == "human",  # two people, or one who knows it
    )


def wait_in(number: int, who: Profile, pool: Pool) -> Wish:
    """The wish of somebody who said nothing: whatever the pool offers."""
    return Wish(
        id=number,
        who=who,
        game=pool.game,
        control=pool.control,
        starts=pool.starts,
        pool=pool.name,
        rated=pool.rated,
        meet=pool.meet,
        house=pool.house,
        self_play=pool.self_play,
        flexible=pool.seeks,
        auto=True,
    )


def _pool_untrusted(game: str | None, pools: Sequence[Pool], games: Mapping[str, Rules]) -> Pool:
    """The pool of that name, else the first of that game, else the default one with that game."""
    if game is None:
        return pools[0]
    for pool in sorted(pools, key=lambda pool: pool.name != game):
        if game in (pool.name, pool.game.name):
            return pool
    if (rules := games.get(game)) is None:
        known = " ".join(sorted({*games, *(pool.name for pool in pools)}))
        raise Refusal("no-such-game", f"there is no game {game}; there are: {known}")
    return Pool(game, rules, pools[0].control, rules.starts)


def _control_untrusted(text: str) -> Controls:
    try:
        return Controls.parse(text)
    except ControlError as error:
        raise Refusal("bad-time", str(error)) from error


def _start_untrusted(game: Rules, start: str) -> str | None:
    try:
        return game.new(start).start
    except StartError as error:
        raise Refusal("bad-start", str(error)) from error
