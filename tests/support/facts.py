"""Facts of games that nobody played."""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from ulci.protocol.messages import Info, Score
from ulci.rules import Outcome, Reason, Side
from ulci_server.game import (
    EventKind,
    Fact,
    GameFinished,
    GameStarted,
    Happened,
    MovePlayed,
    Reported,
    Seat,
)
from ulci_server.storage import GameRecord, Noted

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
ADA = Seat("Ada", "human")
BOB = Seat("Bob", "engine", author="Babbage & Co.")


def started(game: int = 1, **changes: Any) -> GameStarted:
    kwargs: dict[str, Any] = {
        "rules": "chess",
        "start": None,
        "control": "300+3",
        "seats": (ADA, BOB),
    }
    return GameStarted(game, **(kwargs | changes))


def record_of(fact: GameStarted) -> GameRecord:
    """Of a game that began at noon, between players without accounts."""
    fields = {name: getattr(fact, name) for name in fact.__struct_fields__}
    return GameRecord(**fields, players=(None, None), started_at=NOON)


def played(game: int, ply: int, move: str, **changes: Any) -> MovePlayed:
    kwargs: dict[str, Any] = {
        "side": Side(ply % 2),
        "spent": 1500 + ply,
        "left": 300_000 - 1000 * ply,
    }
    return MovePlayed(game, ply, move=move, **(kwargs | changes))


def analysed(**changes: Any) -> Info:
    kwargs: dict[str, Any] = {
        "depth": 12,
        "score": Score(cp=23),
        "nodes": 123_456,
        "time": 987,
        "pv": ("e7e5", "g1f3"),
    }
    return Info(**(kwargs | changes))


def happened(game: int, seq: int, what: EventKind, **changes: Any) -> Happened:
    return Happened(game, seq, **({"ply": seq, "what": what} | changes))


def reported(game: int, text: str, **changes: Any) -> Reported:
    kwargs: dict[str, Any] = {"ply": 0, "side": Side.BLACK, "source": "player"}
    return Reported(game, text=text, **(kwargs | changes))


def finished(
    game: int,
    winner: Side | None = Side.WHITE,
    reason: Reason = Reason.CHECKMATE,
    detail: str = "",
    *,
    fault: Collection[Side] = (),
) -> GameFinished:
    return GameFinished(game, Outcome(winner, reason), detail, frozenset(fault))


def line(game: int, moves: str, **start: Any) -> list[Fact]:
    """A game begun, and its moves."""
    plies = [played(game, ply, move) for ply, move in enumerate(moves.split())]
    return [started(game, **start), *plies]


def noted(facts: Sequence[Fact], at: datetime = NOON) -> list[Noted]:
    """One second apart."""
    return [Noted(fact, at + timedelta(seconds=n)) for n, fact in enumerate(facts)]
