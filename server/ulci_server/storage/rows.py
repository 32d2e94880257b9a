"""How is a fact written down, and how is it read again? One row for one fact.

What players' programs claim (scores, node counts, names, complaints) is never trusted to fit: a
number that no column holds is left out, a character that no database takes is replaced. A move that
was made must not be lost because of what was said with it.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from ulci.protocol import Bound, Info, Score
from ulci.rules import Outcome, Reason, Side
from ulci_server.game import (
    Fact,
    GameFinished,
    GameStarted,
    MovePlayed,
    Reported,
    Seat,
)

from .errors import RefusedError
from .records import GameRecord, MoveRecord, Noted, ReportRecord
from .schema import Status

Row = dict[str, Any]

INT32 = 2**31 - 1
INT64 = 2**63 - 1


def _text(text: str) -> str:
    """PostgreSQL takes no NUL, and neither database half a surrogate pair."""
    if text.isascii() and "\0" not in text:
        return text
    return text.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")


def _fits(number: int | None, largest: int) -> int | None:
    return None if number is None or abs(number) > largest else number


# Facts to rows


def _started(fact: GameStarted, at: object) -> Row:
    white, black = fact.seats
    return {
        "id": fact.game,
        "rules": fact.rules,
        "start": None if fact.start is None else _text(fact.start),
        "control": fact.control,
        "pool": _text(fact.pool),
        "rated": fact.rated,
        **_seat_row("white", white),
        **_seat_row("black", black),
        "started_at": at,
    }


def _seat_row(word: str, seat: Seat) -> Row:
    return {
        f"{word}_name": _text(seat.name),
        f"{word}_kind": seat.kind,
        f"{word}_author": _text(seat.author),
        f"{word}_rating": _fits(seat.rating, INT32),
        f"{word}_title": _text(seat.title),
    }


def _played(fact: MovePlayed, at: object) -> Row:
    if fact.spent < 0 or (fact.left is not None and fact.left < 0):
        raise RefusedError(f"no clock shows {fact.left} ms after {fact.spent} ms were spent")
    return {
        "game_id": fact.game,
        "ply": _ply(fact.ply),
        "side": int(fact.side),
        "move": _text(fact.move),
        "at": at,
        "spent_ms": fact.spent,
        "left_ms": fact.left,
        **(_NOTHING_SAID if fact.info is None else _said_untrusted(fact.info)),
    }


def _ply(ply: int) -> int:
    if ply < 0:
        raise RefusedError(f"plies count from 0, not from {ply}")
    return ply


def _said_untrusted(info: Info) -> Row:
    cp = mate = bound = None
    if info.score is not None:
        mate = _fits(info.score.mate, INT32)
        cp = _fits(info.score.cp, INT32) if mate is None else None
        if info.score.bound is not None and (cp is not None or mate is not None):
            bound = info.score.bound.value
    return {
        "score_cp": cp,
        "score_mate": mate,
        "score_bound": bound,
        "depth": _fits(info.depth, INT32),
        "nodes": _fits(info.nodes, INT64),
        "time_ms": _fits(info.time, INT64),
        "pv": _text(" ".join(info.pv)) if info.pv else None,
    }


_NOTHING_SAID = _said_untrusted(Info())


def _reported(fact: Reported, at: object) -> Row:
    return {
        "game_id": fact.game,
        "ply": _ply(fact.ply),
        "side": int(fact.side),
        "source": fact.source,
        "text": _text(fact.text),
        "at": at,
    }


def _finished(fact: GameFinished, at: object) -> Row:
    return {
        "id": fact.game,
        "status": Status.FINISHED.value,
        "result": fact.outcome.score,
        "reason": fact.outcome.reason.value,
        "detail": _text(fact.detail),
        "finished_at": at,
    }


_BUILD: dict[type[Fact], Callable[[Any, object], Row]] = {
    GameStarted: _started,
    MovePlayed: _played,
    Reported: _reported,
    GameFinished: _finished,
}
"""In the order in which they must be written: moves refer to their game."""


def rows_of(
    batch: Iterable[Noted], stamp: Callable[[datetime], object]
) -> dict[type[Fact], list[Row]]:
    """The rows of a batch by kind of fact, in the order to write them; `stamp` spells a time.

    Raises:
        RefusedError: a fact says what cannot be.
    """
    rows: dict[type[Fact], list[Row]] = {kind: [] for kind in _BUILD}
    for fact, at in batch:
        try:
            rows[type(fact)].append(_BUILD[type(fact)](fact, stamp(at)))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            # A bug of ours in one fact must not hold up all others for ever.
            raise RefusedError(f"not a fact: {fact!r} ({error})") from error
    return {kind: of_kind for kind, of_kind in rows.items() if of_kind}


# Rows to records


def game_record(row: Mapping[str, Any]) -> GameRecord:
    return GameRecord(
        id=row["id"],
        rules=row["rules"],
        start=row["start"],
        control=row["control"],
        pool=row["pool"],
        rated=row["rated"],
        seats=(_seat(row, "white"), _seat(row, "black")),
        players=(row["white_id"], row["black_id"]),
        started_at=row["started_at"],
        outcome=_outcome(row),
        detail=row["detail"],
        finished_at=row["finished_at"],
    )


def _seat(row: Mapping[str, Any], word: str) -> Seat:
    return Seat(
        name=row[f"{word}_name"],
        kind=row[f"{word}_kind"],
        author=row[f"{word}_author"],
        rating=row[f"{word}_rating"],
        title=row[f"{word}_title"],
    )


_WINNERS = {"1-0": Side.WHITE, "0-1": Side.BLACK}


def _outcome(row: Mapping[str, Any]) -> Outcome | None:
    if row["status"] == Status.RUNNING:
        return None
    return Outcome(_WINNERS.get(row["result"]), Reason(row["reason"]))


def move_record(row: Mapping[str, Any]) -> MoveRecord:
    return MoveRecord(
        game=row["game_id"],
        ply=row["ply"],
        side=Side(row["side"]),
        move=row["move"],
        at=row["at"],
        spent=row["spent_ms"],
        left=row["left_ms"],
        lag=row["lag_ms"],
        stall=row["stall_ms"],
        score=_score(row),
        depth=row["depth"],
        nodes=row["nodes"],
        time=row["time_ms"],
        pv=tuple((row["pv"] or "").split()),
    )


def _score(row: Mapping[str, Any]) -> Score | None:
    if row["score_cp"] is None and row["score_mate"] is None:
        return None
    bound = row["score_bound"]
    return Score(row["score_cp"], row["score_mate"], None if bound is None else Bound(bound))


def report_record(row: Mapping[str, Any]) -> ReportRecord:
    return ReportRecord(
        game=row["game_id"],
        ply=row["ply"],
        side=Side(row["side"]),
        source=row["source"],
        text=row["text"],
        at=row["at"],
    )
