"""Whole games with clocks that add up, as a server would have left them."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from tests.support.facts import NOON, played, started
from ulci.rules import Side
from ulci_server.game import Fact, GameFinished, GameStarted, Happened, MovePlayed
from ulci_server.storage import Database, Noted

BASE, INCREMENT = 300_000, 3_000
"""ms, of 300+3: what `started` agrees on."""

LAG, STALL, HELD = 40, 3, 5
"""ms of every move."""


def moves(
    text: str,
    game: int = 1,
    *,
    lag: int = LAG,
    spent: int = 2_000,
    clock: tuple[int, int] = (BASE, INCREMENT),
    book: int = 0,
) -> list[MovePlayed]:
    """The moves of a game, numbered from 1, with all that the ledger has; `book`: after an opening
    of so many plies."""
    (base, increment), paid = clock, spent - lag - STALL
    return [
        played(
            game,
            book + ply,
            move,
            seq=ply,
            side=Side((book + ply - 1) % 2),
            spent=spent,
            left=base + (ply + 1) // 2 * (increment - paid),
            lag=lag,
            stall=STALL,
            held=HELD,
        )
        for ply, move in enumerate(text.split(), 1)
    ]


def keep(
    database: Database,
    steps: Sequence[MovePlayed | Happened],
    end: GameFinished | None = None,
    game: int = 1,
    **start: Any,
) -> None:
    """A game in the record, everything 3 s after what was before it."""
    begun: GameStarted = started(game, **({"lag": "quota"} | start))
    facts: list[Fact] = [begun, *steps, *([] if end is None else [end])]
    pause = timedelta(seconds=3)
    database.save([Noted(fact, NOON + n * pause) for n, fact in enumerate(facts)])
