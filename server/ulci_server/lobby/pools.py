"""Pools: the configured offers, in which players wait who seek nothing themselves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ulci.rules.position import Rules
from ulci_server.game.adjudication import NONE, Adjudication
from ulci_server.game.control import Controls
from ulci_server.game.facts import Kind
from ulci_server.game.lag import LagRule

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

    elo: the strength that engines are asked to play with, where they can (``UCI_LimitStrength``).
    lag: by which rule time lost in the network is given back. adjudication: when games are decided
    before they are over.
    """

    elo: int | None = None
    lag: LagRule = LagRule.NONE
    adjudication: Adjudication = NONE


DEFAULT_RULES = PoolRules()


@dataclass(frozen=True, slots=True)
class Pool:
    """`starts` are drawn from when nobody asks for one (None: the usual start of the game).

    self_play: whether two clients of the same name may meet. seeks: whether those who wait here
    may also be met by a seek for this game with another time control.
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
