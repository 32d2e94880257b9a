"""Keeps games until the program ends: for tests, and for servers that need not remember."""

import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Unpack

from ulci.rules import Outcome, Reason
from ulci_server.game import Fact, GameFinished, GameStarted, MovePlayed, Reported

from .errors import RefusedError
from .records import Filters, GameRecord, MoveRecord, Noted, ReportRecord
from .rows import Row, game_record, move_record, report_record, rows_of
from .schema import Status

_BEGUN = {
    "white_id": None,
    "black_id": None,
    "status": Status.RUNNING,
    "result": None,
    "reason": None,
    "detail": "",
    "finished_at": None,
}
_NO_CREDIT = {"lag_ms": 0, "stall_ms": 0}


class _Shelf:
    """The rows, by their keys."""

    def __init__(self) -> None:
        self.games: dict[int, Row] = {}
        self.moves: defaultdict[int, dict[int, Row]] = defaultdict(dict)
        self.reports: defaultdict[int, list[Row]] = defaultdict(list)


class MemoryRepository:
    """A `Repository` of dictionaries, as strict as the database."""

    def __init__(self) -> None:
        self._shelf = _Shelf()
        self._lock = threading.Lock()

    def save(self, batch: Sequence[Noted]) -> None:
        with self._lock:
            undo: list[Callable[[], object]] = []
            try:
                for kind, rows in rows_of(batch, lambda at: at).items():
                    for row in rows:
                        _KEEP[kind](self._shelf, row, undo)
            except RefusedError:
                for step in reversed(undo):
                    step()
                raise

    def last_game_id(self) -> int:
        with self._lock:
            return max(self._shelf.games, default=0)

    def close_unfinished(self, detail: str, *, at: datetime | None = None) -> list[int]:
        at = datetime.now(UTC) if at is None else at
        left = sorted(game.id for game in self.games(running=True))
        outcome = Outcome(None, Reason.SERVER)
        self.save([Noted(GameFinished(game, outcome, detail), at) for game in left])
        return left

    def games(self, **filters: Unpack[Filters]) -> list[GameRecord]:
        with self._lock:
            newest_first = sorted(self._shelf.games, reverse=True)
            found = (game_record(self._shelf.games[id_]) for id_ in newest_first)
            return list(islice((g for g in found if _passes(g, filters)), filters.get("limit")))

    def moves(self, game_id: int) -> list[MoveRecord]:
        with self._lock:
            kept = self._shelf.moves.get(game_id, {})
            return [move_record(kept[ply]) for ply in sorted(kept)]

    def reports(self, game_id: int) -> list[ReportRecord]:
        with self._lock:
            return [report_record(row) for row in self._shelf.reports.get(game_id, [])]

    def close(self) -> None:
        """Nothing is open."""


def _passes(game: GameRecord, filters: Filters) -> bool:
    player, ids, before = filters.get("player"), filters.get("ids"), filters.get("before")
    since, until, running = filters.get("since"), filters.get("until"), filters.get("running")
    return (
        (player is None or player in (game.seats[0].name, game.seats[1].name))
        and (ids is None or game.id in ids)
        and (before is None or game.id < before)
        and (since is None or game.started_at >= since)
        and (until is None or game.started_at < until)
        and (running is None or game.running is running)
    )


Undo = list[Callable[[], object]]


def _same(kept: Row, row: Row, what: str) -> None:
    if any(kept[name] != value for name, value in row.items()):
        raise RefusedError(f"{what} is kept already, and otherwise")


def _begin(shelf: _Shelf, row: Row, undo: Undo) -> None:
    game = row["id"]
    if game < 1:
        raise RefusedError(f"games count from 1, not from {game}")
    if game in shelf.games:
        return _same(shelf.games[game], row, f"game {game}")
    shelf.games[game] = _BEGUN | row
    undo.append(lambda: shelf.games.pop(game))
    return None


def _known(shelf: _Shelf, game: int) -> Row:
    if game not in shelf.games:
        raise RefusedError(f"game {game} was never begun")
    return shelf.games[game]


def _move(shelf: _Shelf, row: Row, undo: Undo) -> None:
    _known(shelf, row["game_id"])
    kept, ply = shelf.moves[row["game_id"]], row["ply"]
    if ply in kept:
        return _same(kept[ply], row, f"ply {ply} of game {row['game_id']}")
    kept[ply] = _NO_CREDIT | row
    undo.append(lambda: kept.pop(ply))
    return None


def _report(shelf: _Shelf, row: Row, undo: Undo) -> None:
    _known(shelf, row["game_id"])
    kept = shelf.reports[row["game_id"]]
    if row not in kept:
        kept.append(row)
        undo.append(kept.pop)


def _finish(shelf: _Shelf, row: Row, undo: Undo) -> None:
    kept = _known(shelf, row["id"])
    if kept["status"] == Status.FINISHED:
        return _same(kept, row, f"the end of game {row['id']}")
    undo.append(lambda before=dict(kept): kept.update(before))  # type: ignore[misc]
    kept.update(row)
    return None


_KEEP: dict[type[Fact], Callable[[_Shelf, Row, Undo], None]] = {
    GameStarted: _begin,
    MovePlayed: _move,
    Reported: _report,
    GameFinished: _finish,
}
