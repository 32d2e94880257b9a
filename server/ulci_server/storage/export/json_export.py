"""A game as JSON. The classes here are the documentation of its keys.

Every key is always present, null where nothing is known. Times of day are ISO 8601 in UTC,
durations milliseconds, scores as sent by the mover's program, from its own point of view. While
`version` is 1, keys may be added but neither renamed nor removed.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Literal, TypedDict

from ulci.protocol.messages import Info, Score
from ulci_server.game import Happened, Kind, Seat
from ulci_server.storage.database import Database
from ulci_server.storage.records import GameRecord, MoveRecord, Noted, ReportRecord

VERSION = 1


class PlayerDocument(TypedDict):
    """The player of one side; `rating` in the pool when the game began, null if there was none;
    `account` is null for guests, `level` unless it is a program of the
    server that plays at one."""

    name: str
    kind: Kind
    author: str
    rating: int | None
    title: str
    account: int | None
    level: int | None


class ScoreDocument(TypedDict):
    """One of `cp` (centipawns) and `mate` (moves; negative: being mated) is not null."""

    cp: int | None
    mate: int | None
    bound: str | None


class MoveDocument(TypedDict):
    """One move: `left_ms` after the increment, null where no clock ran; `lag_ms` and `stall_ms`
    were given back for the network and for the server's own delays, `held_ms` passed before, on
    neither clock. `seq` is its place among the moves and events of the game."""

    seq: int
    ply: int
    side: str
    move: str
    at: str
    spent_ms: int
    left_ms: int | None
    lag_ms: int
    stall_ms: int
    held_ms: int
    score: ScoreDocument | None
    depth: int | None
    nodes: int | None
    time_ms: int | None
    pv: list[str]


class EventDocument(TypedDict):
    """Another event, after `ply`; the meaning of `amount` depends on `what`. Moves that were taken
    back are not among the moves, and their takeback is among the events."""

    seq: int
    ply: int
    at: str
    what: str
    side: str | None
    amount: int
    text: str


class ReportDocument(TypedDict):
    """An error report by a player's program (`source` player), or by the server about it."""

    ply: int
    side: str
    source: Literal["player", "server"]
    text: str
    at: str


class GameDocument(TypedDict):
    """A game. `start` null is the usual start; `reason` and `finished_at` are null, and `result` is
    ``*``, while it runs. `claims`: whether threefold repetition and fifty moves had to be claimed;
    null if its server did not record that. `conduct`: what players might do, and what counted, as
    in the lobby's lines; empty for the usual. `opening`: the moves of a book with which it began:
    the first plies, which are not among the `moves`. `fault`: the sides that caused an abort; null
    if it runs or its server did not record that."""

    version: int
    id: int
    rules: str
    start: str | None
    control: str
    lag: str
    claims: bool | None
    conduct: str
    opening: list[str]
    pool: str
    rated: bool
    white: PlayerDocument
    black: PlayerDocument
    running: bool
    result: str
    reason: str | None
    detail: str
    fault: list[str] | None
    started_at: str
    finished_at: str | None
    moves: list[MoveDocument]
    events: list[EventDocument]
    reports: list[ReportDocument]


def export_json(database: Database, games: Iterable[GameRecord]) -> Iterator[str]:
    """One line a game (JSON Lines), each with its newline."""
    for game in games:
        whole = document(
            game,
            database.games.moves(game.id),
            database.games.reports(game.id),
            database.games.history(game.id),
        )
        yield _harmless(json.dumps(whole, ensure_ascii=False)) + "\n"


def _harmless(text: str) -> str:
    """The same JSON with non-printable characters escaped; they occur in strings only."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else json.dumps(letter)[1:-1] for letter in text)


def document(
    game: GameRecord,
    moves: Sequence[MoveRecord],
    reports: Sequence[ReportRecord],
    history: Sequence[Noted],
) -> GameDocument:
    """Everything recorded of a game."""
    (white, black), (white_account, black_account) = game.seats, game.players
    return {
        "version": VERSION,
        "id": game.id,
        "rules": game.rules,
        "start": game.start,
        "control": game.control,
        "lag": game.lag,
        "claims": game.claims,
        "conduct": game.conduct,
        "opening": list(game.opening),
        "pool": game.pool,
        "rated": game.rated,
        "white": _player(white, white_account),
        "black": _player(black, black_account),
        "running": game.running,
        "result": game.result,
        "reason": None if game.outcome is None else game.outcome.reason.value,
        "detail": game.detail,
        "fault": None if game.fault is None else [side.word for side in sorted(game.fault)],
        "started_at": _time(game.started_at),
        "finished_at": None if game.finished_at is None else _time(game.finished_at),
        "moves": [_move(move) for move in moves],
        "events": [_event(fact, at) for fact, at in history if isinstance(fact, Happened)],
        "reports": [_report(report) for report in reports],
    }


def _time(at: datetime) -> str:
    return at.isoformat(timespec="microseconds")


def _player(seat: Seat, account: int | None) -> PlayerDocument:
    return {
        "name": seat.name,
        "kind": seat.kind,
        "author": seat.author,
        "rating": seat.rating,
        "title": "",
        "account": account,
        "level": seat.level,
    }


def _move(move: MoveRecord) -> MoveDocument:
    info = move.info or Info()
    return {
        "seq": move.seq,
        "ply": move.ply,
        "side": move.side.word,
        "move": move.move,
        "at": _time(move.at),
        "spent_ms": move.spent,
        "left_ms": move.left,
        "lag_ms": move.lag,
        "stall_ms": move.stall,
        "held_ms": move.held,
        "score": None if info.score is None else _score(info.score),
        "depth": info.depth,
        "nodes": info.nodes,
        "time_ms": info.time,
        "pv": list(info.pv),
    }


def _event(event: Happened, at: datetime) -> EventDocument:
    return {
        "seq": event.seq,
        "ply": event.ply,
        "at": _time(at),
        "what": event.what.value,
        "side": None if event.side is None else event.side.word,
        "amount": event.amount,
        "text": event.text,
    }


def _score(score: Score) -> ScoreDocument:
    bound = None if score.bound is None else score.bound.value
    return {"cp": score.cp, "mate": score.mate, "bound": bound}


def _report(report: ReportRecord) -> ReportDocument:
    return {
        "ply": report.ply,
        "side": report.side.word,
        "source": report.source,
        "text": report.text,
        "at": _time(report.at),
    }
