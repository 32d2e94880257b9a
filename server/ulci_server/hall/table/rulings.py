"""An administrator's rulings about a game."""

from typing import TYPE_CHECKING

import trio

from ulci_server.game import Ruled, TakebackRuled, TimeRuled

if TYPE_CHECKING:
    from .table import Table

Ruling = Ruled | TakebackRuled | TimeRuled


def rule(table: "Table", ruling: Ruling) -> int:
    """Perform it. Returns how many moves were taken back, or otherwise 1; 0: it changed nothing."""
    now = trio.current_time()
    before = _state(table, ruling, now)
    table.handle(ruling)
    changed = abs(_state(table, ruling, now) - before)
    return changed if isinstance(ruling, TakebackRuled) else min(1, changed)


def _state(table: "Table", ruling: Ruling, now: float) -> int:
    """What it is to change."""
    if isinstance(ruling, Ruled):
        return table.over is not None
    if isinstance(ruling, TakebackRuled):
        return len(table.game.moves)
    clocks = table.game.clocks(now)
    return (clocks.wtime, clocks.btime)[ruling.side] or 0
