"""Moves, with what the mover's program said of them."""

from collections.abc import Mapping
from typing import Any

from ulci.protocol.messages import Bound, Info, Score
from ulci.rules import Side
from ulci_server.game import MovePlayed
from ulci_server.storage.records import MoveRecord, Noted
from ulci_server.storage.schema import MOVES
from ulci_server.storage.statements import Kind, RowsOfFact, Saving, insert
from ulci_server.storage.untrusted import analysis_untrusted, text

_MOVE = (
    "game_id",
    "seq",
    "ply",
    "side",
    "move",
    "at",
    "spent_ms",
    "left_ms",
    "lag_ms",
    "stall_ms",
    "held_ms",
)
"""In the order of the tuples below: of every move, where a dictionary would be felt."""

_ANALYSIS = ("score_cp", "score_mate", "score_bound", "depth", "nodes", "time_ms", "pv")

# Moves of people come without analysis, and cost half if its columns are not written.
ADD_MOVE = insert(MOVES, _MOVE, empty=_ANALYSIS, many=True)
ADD_ANALYSED_MOVE = insert(MOVES, (*_MOVE, *_ANALYSIS), many=True)


def _played(fact: MovePlayed, at: object, saving: Saving) -> RowsOfFact:
    move = (
        fact.game,
        # Callers that record only moves need not number them.
        fact.seq or fact.ply,
        fact.ply,
        int(fact.side),
        text(fact.move),
        at,
        fact.spent,
        fact.left,
        fact.lag,
        fact.stall,
        fact.held,
    )
    if fact.info is None:
        return ((ADD_MOVE, move),)
    return ((ADD_ANALYSED_MOVE, (*move, *analysis_untrusted(fact.info, saving.longest_pv))),)


PLAYED = Kind(MovePlayed, _played, ADD_MOVE, ADD_ANALYSED_MOVE)


def move_record(row: Mapping[str, Any]) -> MoveRecord:
    return MoveRecord(*_move(row), at=row["at"])


def played(row: Mapping[str, Any]) -> Noted:
    return Noted(MovePlayed(*_move(row)), row["at"])


def _move(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """The fields of a `MovePlayed`."""
    return (
        row["game_id"],
        row["ply"],
        Side(row["side"]),
        row["move"],
        row["spent_ms"],
        row["left_ms"],
        _info(row),
        row["seq"],
        row["lag_ms"],
        row["stall_ms"],
        row["held_ms"],
    )


def _info(row: Mapping[str, Any]) -> Info | None:
    """The stored part of an analysis; None if nothing was stored."""
    depth, nodes, time, pv = row["depth"], row["nodes"], row["time_ms"], row["pv"]
    score = _score(row)
    if score is None and depth is None and nodes is None and time is None and not pv:
        return None
    return Info(depth=depth, score=score, time=time, nodes=nodes, pv=tuple((pv or "").split()))


def _score(row: Mapping[str, Any]) -> Score | None:
    if row["score_cp"] is None and row["score_mate"] is None:
        return None
    bound = row["score_bound"]
    return Score(row["score_cp"], row["score_mate"], None if bound is None else Bound(bound))
