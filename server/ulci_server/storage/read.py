"""Turns rows into records for queries, and back into facts."""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from typing import Any

from ulci.protocol.messages import Bound, Info, Score
from ulci.rules import Outcome, Reason, Side
from ulci_server.game import EventKind, Happened, MovePlayed, Seat

from .records import GameRecord, MoveRecord, Noted, ReportRecord
from .schema import Status
from .write import REASON_ENDS, WINNERS


def game_record(row: Mapping[str, Any]) -> GameRecord:
    return GameRecord(
        id=row["id"],
        rules=row["rules"],
        start=row["start"],
        control=row["control"],
        pool=row["pool"],
        rated=row["rated"],
        lag=row["lag"],
        claims=row["claims"],
        undo_clocks=row["undo_clocks"],
        conduct=row["conduct"] or "",
        seats=(_seat(row, "white"), _seat(row, "black")),
        players=(row["white_id"], row["black_id"]),
        started_at=row["started_at"],
        outcome=_outcome(row),
        detail=row["detail"],
        finished_at=row["finished_at"],
        owner=row["owner"],
        epoch=row["epoch"],
    )


def _seat(row: Mapping[str, Any], word: str) -> Seat:
    return Seat(
        name=row[f"{word}_name"],
        kind=row[f"{word}_kind"],
        author=row[f"{word}_author"],
        handle=row[f"{word}_handle"],
        account=row[f"{word}_id"],
        key=row[f"{word}_key"],
    )


def _outcome(row: Mapping[str, Any]) -> Outcome | None:
    if row["status"] == Status.RUNNING:
        return None
    return Outcome(WINNERS.get(row["result"]), Reason(row["reason"]))


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


def in_order(history: Iterable[Noted]) -> list[Noted]:
    """The facts of one game, by `seq`."""
    return sorted(history, key=_seq)


def _seq(noted: Noted) -> int:
    assert isinstance(noted.fact, MovePlayed | Happened)
    return noted.fact.seq


def by_game(history: Iterable[Noted]) -> dict[int, list[Noted]]:
    """The facts of many games, by game."""
    games: defaultdict[int, list[Noted]] = defaultdict(list)
    for noted in history:
        assert isinstance(noted.fact, MovePlayed | Happened)
        games[noted.fact.game].append(noted)
    return games


def standing(moves: Iterable[MoveRecord], taken_back: Iterable[Noted]) -> list[MoveRecord]:
    """The moves that were not taken back; both arguments in order."""
    later, line = deque(moves), list[MoveRecord]()
    for fact, _ in taken_back:
        assert isinstance(fact, Happened)
        while later and later[0].seq < fact.seq:
            line.append(later.popleft())
        del line[max(0, len(line) - fact.amount) :]
    return [*line, *later]


def report_record(row: Mapping[str, Any]) -> ReportRecord:
    return ReportRecord(
        game=row["game_id"],
        ply=row["ply"],
        side=Side(row["side"]),
        source=row["source"],
        text=row["text"],
        at=row["at"],
    )
