"""Heartbeats of runs."""

from ulci_server.game import Heartbeat
from ulci_server.storage.statements import Kind, RowsOfFact, Saving, Statement

ADD_BEAT = Statement(
    "UPDATE runs SET alive_at = ?, slowest_ms = ? WHERE id = ? AND alive_at < ?",
    kept="SELECT id FROM runs WHERE id = ?",
    key=slice(2, 3),
    compared=slice(2, 3),
    game=None,
)


def _beat(fact: Heartbeat, at: object, _: Saving) -> RowsOfFact:
    return ((ADD_BEAT, (at, fact.slowest, fact.run, at)),)


BEAT = Kind(Heartbeat, _beat, ADD_BEAT)
