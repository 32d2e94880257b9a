"""The JSON of answers and events, as dictionaries; `encode` makes bytes of them.

Times of day are ISO 8601 in UTC with milliseconds, durations milliseconds.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from msgspec.structs import replace

from ulci.protocol.messages import Clock, Info
from ulci.rules import Position, Side
from ulci_server.game import Seat
from ulci_server.storage import GameRecord, MoveRecord

Document = dict[str, Any]

_ENCODER = msgspec.json.Encoder()

encode = _ENCODER.encode
"""JSON in UTF-8, without a line feed in it."""


def stamp(at: datetime) -> str:
    """``2026-11-22T12:00:00.000Z``."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03}Z"


def now() -> str:
    """The server's time of day."""
    return stamp(datetime.now(UTC))


def after_now(body: bytes, **more: object) -> bytes:
    """The beginning of the JSON object `body` after the server's time and `more` were put in front.
    The caller appends `body` from its second byte on."""
    head = encode({"now": now(), **more})
    return head[:-1] + (b"," if len(body) > len(b"{}") else b"")


def summary(game: GameRecord, plies: int) -> Document:
    """One game in a list. plies: with those of its opening."""
    over = game.outcome is not None
    return {
        "id": game.id,
        "rules": game.rules,
        "start": game.start,
        "control": game.control,
        "rated": game.rated,
        "pool": game.pool,
        "state": "finished" if over else "running",
        "white": player(game.seats[0]),
        "black": player(game.seats[1]),
        "result": game.result if over else None,
        "reason": None if game.outcome is None else game.outcome.reason.value,
        "detail": game.detail,
        "started_at": stamp(game.started_at),
        "finished_at": None if game.finished_at is None else stamp(game.finished_at),
        "plies": plies,
        "book": len(game.opening),
    }


def player(seat: Seat) -> Document:
    return {"name": seat.name, "kind": seat.kind, "level": seat.level, "rating": seat.rating}


UNKNOWN_LEDGER: Mapping[str, None] = dict.fromkeys(
    ("spent_ms", "left_ms", "lag_ms", "stall_ms", "held_ms"), None
)
UNKNOWN_ANALYSIS: Mapping[str, None] = dict.fromkeys(
    ("score_cp", "score_mate", "depth", "pv"), None
)


def ledger(move: MoveRecord) -> Document:
    """How a move's time was spent, and its player's analysis."""
    info = move.info or Info()
    score = info.score
    return {
        "spent_ms": move.spent,
        "left_ms": move.left,
        "lag_ms": move.lag,
        "stall_ms": move.stall,
        "held_ms": move.held,
        "score_cp": None if score is None else score.cp,
        "score_mate": None if score is None else score.mate,
        "depth": info.depth,
        "pv": list(info.pv) or None,
        "at": stamp(move.at),
    }


def without_recent_thoughts(moves: Sequence[MoveRecord], delay: float) -> list[MoveRecord]:
    """The moves of a running game without the engines' analysis of the last `delay` s: spectators
    may not see it yet, because somebody could pass it on to the opponent."""
    since = datetime.now(UTC) - timedelta(seconds=delay)
    return [replace(move, info=None) if move.at > since else move for move in moves]


UNKNOWN_BOARD: Document = {"ranks": [], "turn": "white", "check": [], "pockets": None}


def board(position: Position, turn: Side, before: Document = UNKNOWN_BOARD) -> Document:
    """The board as it stands. Ranks equal to those of the board `before` are the same objects:
    most are, and a long game then needs a fraction of the memory."""
    ranks = ["".join(square or "." for square in rank) for rank in position.squares()]
    old = before["ranks"]
    if len(old) == len(ranks):
        ranks = [one if one == new else new for one, new in zip(old, ranks, strict=True)]
    return {
        "ranks": ranks,
        "turn": turn.word,
        "check": [square_name(file, rank) for file, rank in position.checked()],
        "pockets": _pockets(position.fen()) if ranks else None,
    }


def square_name(file: int, rank: int) -> str:
    """The name of a square, such as ``e1``. file, rank: from 0. After z come aa, ab and so on."""
    letters = ""
    file += 1
    while file:
        file, letter = divmod(file - 1, 26)
        letters = chr(ord("a") + letter) + letters
    return f"{letters}{rank + 1}"


def _pockets(fen: str) -> Document | None:
    """The pieces in hand, in games with drops: ``[Qn]`` after the placement."""
    placement = fen.partition(" ")[0]
    if not placement.endswith("]"):
        return None
    held = placement[placement.index("[") + 1 : -1]
    return {
        "white": "".join(letter for letter in held if letter.isupper()),
        "black": "".join(letter.upper() for letter in held if letter.islower()),
    }


def clocks(shown: Clock, running: Side | None) -> Document:
    return {
        "white_ms": shown.wtime,
        "black_ms": shown.btime,
        "running": None if running is None else running.word,
    }


def thought(side: Side, info: Info) -> Document:
    """An engine's analysis, for spectators."""
    score = info.score
    return {
        "side": side.word,
        "score_cp": None if score is None else score.cp,
        "score_mate": None if score is None else score.mate,
        "depth": info.depth,
        "nodes": info.nodes,
        "pv": list(info.pv),
    }
