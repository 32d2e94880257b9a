"""Pools: the configured offers, in which players without a seek wait."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from ulci.rules import Rules
from ulci_server.game.adjudication import NONE, Adjudication
from ulci_server.game.conduct import DEFAULT_CONDUCT, Conduct
from ulci_server.game.facts import Kind
from ulci_server.game.lag import LagRule
from ulci_server.game.time_control import Controls

Meeting = Literal["any", "engines", "humans", "mixed"]

# Whether two kinds of player may meet, by the pool's `meet`.
MAY_MEET: dict[Meeting, frozenset[frozenset[Kind]]] = {
    "any": frozenset({frozenset({"human"}), frozenset({"engine"}), frozenset({"human", "engine"})}),
    "engines": frozenset({frozenset({"engine"})}),
    "humans": frozenset({frozenset({"human"})}),
    "mixed": frozenset({frozenset({"human", "engine"})}),
}


@dataclass(frozen=True, slots=True)
class PoolRules:
    """The rules of all games of a pool, whatever its players agree on.

    elo: the strength that is set in engines that can limit it (``UCI_LimitStrength``). lag: the
    rule by which time lost in the network is given back. adjudication: the rules that end games
    early. conduct: what players may do.
    """

    elo: int | None = None
    lag: LagRule = LagRule.NONE
    adjudication: Adjudication = NONE
    conduct: Conduct = DEFAULT_CONDUCT


DEFAULT_RULES = PoolRules()


class PoolOpening(Protocol):
    """A start (None: the usual one of the game), and moves from there that are made before the
    players take over."""

    @property
    def start(self) -> str | None: ...

    @property
    def moves(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class Pool:
    """`starts`: one is drawn unless a player requests one (None: the usual start of the game).

    openings: draws the next opening of the pool's book at once, in place of a start that nobody
    requests; None: there is no book.

    self_play: whether two clients of the same name may meet. seeks: whether players who wait here
    may also be paired with a seek for this game with another time control.
    """

    name: str
    game: Rules
    control: Controls
    starts: Sequence[str | None]
    meet: Meeting = "any"
    self_play: bool = True
    rated: bool = False
    seeks: bool = True
    pool_rules: PoolRules = DEFAULT_RULES
    openings: Callable[[], PoolOpening] | None = None
