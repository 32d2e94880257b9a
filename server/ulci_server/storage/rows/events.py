"""Events of a game that are no moves."""

from collections.abc import Mapping
from typing import Any

from ulci.rules import Side
from ulci_server.game import EventKind, Happened
from ulci_server.storage.errors import RefusedError
from ulci_server.storage.records import Noted
from ulci_server.storage.schema import EVENTS
from ulci_server.storage.statements import Kind, RowsOfFact, Saving, insert
from ulci_server.storage.untrusted import text

REASON_ENDS = ": "
"""Separates a reason from its evidence, where both are one text."""

ADD_EVENT = insert(EVENTS, ("game_id", "seq", "ply", "at", "what", "side", "amount", "text"))


def _happened(fact: Happened, at: object, _: Saving) -> RowsOfFact:
    if fact.seq < 1:
        raise RefusedError(f"what happens in a game counts from 1, not from {fact.seq}")
    side = None if fact.side is None else int(fact.side)
    event = (fact.game, fact.seq, fact.ply, at, fact.what.value, side, fact.amount, text(fact.text))
    return ((ADD_EVENT, event),)


HAPPENED = Kind(Happened, _happened, ADD_EVENT)


def happened(row: Mapping[str, Any]) -> Noted:
    side = row["side"]
    fact = Happened(
        row["game_id"],
        row["seq"],
        row["ply"],
        EventKind(row["what"]),
        None if side is None else Side(side),
        row["amount"],
        row["text"],
    )
    return Noted(fact, row["at"])


def said_at_the_end(finished: Happened) -> tuple[str, str]:
    """The reason for which a game has `FINISHED`, and the evidence."""
    reason, _, detail = finished.text.partition(REASON_ENDS)
    return reason, detail
