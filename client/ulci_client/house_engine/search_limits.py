"""How long a ``go`` may take: its explicit limits, and what its clock allows. Pure."""

import math
from dataclasses import dataclass

from ulci.protocol.messages import Go

from .search import DECISIVE, MATE, MAX_DEPTH
from .settings import HouseSettings

# Moves that a game is expected to last without movestogo.
MOVES_TO_GO = 40
# The share of the increment spent at once; the rest covers lag.
_INCREMENT_SHARE = 0.7
# Least time, to find a legal move.
_LEAST = 0.001  # seconds


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """What ends the search, whichever comes first. seconds: from the start, or from
    ``ponderhit``."""

    depth: int
    nodes: float = math.inf
    seconds: float = math.inf
    mate: int | None = None
    patient: bool = False  # answers only after `stop`

    def reached(self, score: int) -> bool:
        """Whether the mate asked for is found."""
        return self.mate is not None and 0 < (moves_to_mate(score) or 0) <= self.mate


def moves_to_mate(score: int) -> int | None:
    """Moves (not plies) to mate, negative if the side to move is mated; None: no mate."""
    if abs(score) < DECISIVE:
        return None
    moves = (MATE - abs(score) + 1) // 2
    return moves if score > 0 else -moves


def limits_of(go: Go, *, white: bool, settings: HouseSettings) -> SearchLimits:
    """The limits of a ``go`` for the side to move. All given limits count (ULCI); without any it
    runs until ``stop``."""
    said = any(limit is not None for limit in (go.depth, go.nodes, go.mate, go.movetime))
    clocked = go.wtime is not None or go.btime is not None
    depth = MAX_DEPTH
    if go.depth is not None:
        depth = min(max(go.depth, 1), MAX_DEPTH)
    elif clocked and not said and not go.infinite:
        depth = settings.depth
    if go.mate is not None:
        depth = min(depth, max(2 * abs(go.mate) - 1, 1))
    return SearchLimits(
        depth=depth,
        nodes=math.inf if go.nodes is None else go.nodes,
        seconds=math.inf if go.infinite else _seconds(go, white=white, settings=settings),
        mate=go.mate,
        patient=go.infinite or not (said or clocked),
    )


def _seconds(go: Go, *, white: bool, settings: HouseSettings) -> float:
    exact = math.inf if go.movetime is None else go.movetime / 1000
    left, increment = (go.wtime, go.winc) if white else (go.btime, go.binc)
    if left is None:
        return max(exact, _LEAST)
    usable = left / 1000 - settings.overhead
    share = (
        usable / ((go.movestogo or MOVES_TO_GO) + 1) + (increment or 0) / 1000 * _INCREMENT_SHARE
    )
    return max(min(exact, share, usable), _LEAST)
