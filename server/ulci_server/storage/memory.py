"""Keeps games until the program ends: for tests, and for servers that need not remember."""

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from itertools import islice
from operator import itemgetter
from typing import Unpack

from ulci.rules import Outcome, Reason
from ulci_server.game import (
    Beaten,
    Fact,
    GameFinished,
    GameStarted,
    Happened,
    MovePlayed,
    Reported,
    What,
)

from .errors import RefusedError
from .memory_accounts import MemoryAccounts
from .reading import (
    game_record,
    happened,
    in_order,
    move_record,
    played,
    report_record,
    standing,
)
from .records import Filters, GameRecord, MoveRecord, Noted, ReportRecord, RunInfo, Unfinished
from .rows import LONGEST_PV, Row, builders, end_row, rows_of
from .schema import Status

_BEGUN = {
    "status": Status.RUNNING,
    "result": None,
    "reason": None,
    "detail": "",
    "finished_at": None,
}
_ACCOUNTS = ("white_id", "black_id")


class _Shelf:
    """The rows, by their keys."""

    def __init__(self) -> None:
        self.games: dict[int, Row] = {}
        self.moves: defaultdict[int, dict[int, Row]] = defaultdict(dict)
        self.events: defaultdict[int, dict[int, Row]] = defaultdict(dict)
        self.runs: dict[int, Row] = {}
        self.reports: defaultdict[int, list[Row]] = defaultdict(list)


class MemoryRepository(MemoryAccounts):
    """A `Repository` of dictionaries, as strict as the database."""

    def __init__(self, longest_pv: int = LONGEST_PV) -> None:
        super().__init__()
        self._shelf = _Shelf()
        self._build = builders(longest_pv)

    def save(self, batch: Sequence[Noted]) -> None:
        with self._lock:
            undo: list[Callable[[], object]] = []
            try:
                for kind, rows in rows_of(batch, lambda at: at, self._build).items():
                    for row in map(self._of_known_accounts, rows):
                        _KEEP[kind](self._shelf, row, undo)
            except RefusedError:
                for step in reversed(undo):
                    step()
                raise

    def _of_known_accounts(self, row: Row) -> Row:
        known = self._drawer.players
        return row | {name: None for name in _ACCOUNTS if name in row and row[name] not in known}

    def remove_player(self, player: int) -> bool:
        with self._lock:
            for game in self._shelf.games.values():
                game.update((name, None) for name in _ACCOUNTS if game[name] == player)
            return super().remove_player(player)

    def last_game_id(self) -> int:
        with self._lock:
            return max(self._shelf.games, default=0)

    def close_unfinished(
        self, detail: str, *, ids: Collection[int] | None = None, at: datetime | None = None
    ) -> list[int]:
        at = datetime.now(UTC) if at is None else at
        left = sorted(game.id for game in self.games(running=True, ids=ids))
        outcome = Outcome(None, Reason.SERVER)
        self.save([Noted(GameFinished(game, outcome, detail), at) for game in left])
        return left

    def running(self) -> list[Unfinished]:
        with self._lock:
            return [
                Unfinished(game.started, game.started_at, self.history(game.id))
                for game in reversed(self.games(running=True))
            ]

    def begin_run(self, at: datetime) -> RunInfo:
        with self._lock:
            number = max(self._shelf.runs, default=0)
            before = self._shelf.runs.get(number, {})
            self._shelf.runs[number + 1] = {"alive_at": at, "ended_at": None, "slowest_ms": 0}
            return RunInfo(
                number + 1,
                before.get("alive_at"),
                before.get("ended_at"),
                before.get("slowest_ms", 0),
            )

    def end_run(self, run: int, at: datetime) -> None:
        with self._lock:
            if run in self._shelf.runs:
                self._shelf.runs[run].update(alive_at=at, ended_at=at)

    def games(self, **filters: Unpack[Filters]) -> list[GameRecord]:
        with self._lock:
            newest_first = sorted(self._shelf.games, reverse=True)
            found = (game_record(self._shelf.games[id_]) for id_ in newest_first)
            return list(islice((g for g in found if _passes(g, filters)), filters.get("limit")))

    def moves(self, game_id: int) -> list[MoveRecord]:
        with self._lock:
            moves = [move_record(row) for row in _sorted(self._shelf.moves, game_id)]
            events = [happened(row) for row in _sorted(self._shelf.events, game_id)]
        return standing(moves, [noted for noted in events if _takes_back(noted.fact)])

    def history(self, game_id: int) -> list[Noted]:
        with self._lock:
            moves = [played(row) for row in _sorted(self._shelf.moves, game_id)]
            events = [happened(row) for row in _sorted(self._shelf.events, game_id)]
        return in_order([*moves, *events])

    def reports(self, game_id: int) -> list[ReportRecord]:
        with self._lock:
            return [report_record(row) for row in self._shelf.reports.get(game_id, [])]

    def close(self) -> None:
        """Nothing is open."""


def _sorted(kept: dict[int, dict[int, Row]], game: int) -> list[Row]:
    return [row for _, row in sorted(kept.get(game, {}).items())]


def _takes_back(fact: Fact) -> bool:
    return isinstance(fact, Happened) and fact.what is What.TAKEN_BACK


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
    # An account may have been removed meanwhile.
    if any(kept[name] != value for name, value in row.items() if name not in _ACCOUNTS):
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
    return _number(shelf, shelf.moves, row, undo)


def _event(shelf: _Shelf, row: Row, undo: Undo) -> None:
    return _number(shelf, shelf.events, row, undo)


def _number(shelf: _Shelf, where: dict[int, dict[int, Row]], row: Row, undo: Undo) -> None:
    _known(shelf, row["game_id"])
    kept, seq = where[row["game_id"]], row["seq"]
    if seq in kept:
        return _same(kept[seq], row, f"number {seq} of game {row['game_id']}")
    kept[seq] = row
    undo.append(lambda: kept.pop(seq))
    return None


def _beat(shelf: _Shelf, row: Row, undo: Undo) -> None:
    run = shelf.runs.get(row["id"])
    if run is None:
        raise RefusedError(f"run {row['id']} was never begun")
    undo.append(lambda before=dict(run): run.update(before))  # type: ignore[misc]
    run["alive_at"] = max(run["alive_at"], row["alive_at"])
    run["slowest_ms"] = row["slowest_ms"]


def _report(shelf: _Shelf, row: Row, undo: Undo) -> None:
    _known(shelf, row["game_id"])
    kept = shelf.reports[row["game_id"]]
    if row not in kept:
        kept.append(row)
        undo.append(kept.pop)


def _end_of(shelf: _Shelf, row: Row) -> Row:
    """The last of what happened in a game."""
    game = row["id"]
    rows = (*shelf.moves.get(game, {}).values(), *shelf.events.get(game, {}).values())
    last = max(rows, key=itemgetter("seq"), default={"seq": 0, "ply": 0})
    gone = last["amount"] if last.get("what") == What.TAKEN_BACK else 0
    return end_row(row, last["seq"] + 1, last["ply"] - gone)


def _finish(shelf: _Shelf, row: Row, undo: Undo) -> None:
    kept = _known(shelf, row["id"])
    if kept["status"] == Status.FINISHED:
        return _same(kept, row, f"the end of game {row['id']}")
    _event(shelf, _end_of(shelf, row), undo)
    undo.append(lambda before=dict(kept): kept.update(before))  # type: ignore[misc]
    kept.update(row)
    return None


_KEEP: dict[type[Fact], Callable[[_Shelf, Row, Undo], None]] = {
    GameStarted: _begin,
    MovePlayed: _move,
    Happened: _event,
    Reported: _report,
    GameFinished: _finish,
    Beaten: _beat,
}
