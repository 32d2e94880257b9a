"""Keeps games in SQLite or PostgreSQL."""

from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from typing import Any, Unpack

import sqlalchemy as sa

from ulci.rules import Outcome, Reason
from ulci_server.game import Fact, GameFinished, What

from .engines import BUSY_TIMEOUT, Durability
from .reading import (
    by_game,
    game_record,
    happened,
    in_order,
    move_record,
    played,
    report_record,
    standing,
)
from .records import Filters, GameRecord, MoveRecord, Noted, ReportRecord, RunInfo, Unfinished
from .rows import LONGEST_PV, Row, builders, rows_of
from .schema import EVENTS, GAMES, MOVES, REPORTS, RUNS, Status, utc_text
from .sql_accounts import SqlAccounts
from .statements import statements


class SqlRepository(SqlAccounts):
    """A `Repository` in a database whose tables are there already (see `open_repository`)."""

    def __init__(
        self,
        url: str,
        durability: Durability = "power",
        *,
        busy_timeout: float = BUSY_TIMEOUT,
        longest_pv: int = LONGEST_PV,
    ) -> None:
        """Connects to nothing yet. Of main variations `longest_pv` characters are kept. Raises
        `StorageError` if there can be no such database."""
        super().__init__(url, durability, busy_timeout=busy_timeout)
        self._statements = statements(self.writer.dialect)
        self._build = builders(longest_pv)
        self._stamp = _STAMPS[self.writer.dialect.name]

    def save(self, batch: Sequence[Noted]) -> None:
        rows = rows_of(batch, self._stamp, self._build)
        self._write(lambda connection: self._save(connection, rows))

    def _save(self, connection: sa.Connection, rows: dict[type[Fact], list[Row]]) -> None:
        for kind, of_kind in rows.items():
            self._statements[kind].write(connection, of_kind)

    def last_game_id(self) -> int:
        return self._read(_LAST_ID, lambda row: int(row["last"]))[0]

    def close_unfinished(
        self, detail: str, *, ids: Collection[int] | None = None, at: datetime | None = None
    ) -> list[int]:
        at = datetime.now(UTC) if at is None else at
        running: list[int] = self._read(_UNFINISHED, lambda row: row["id"])
        left = [game for game in running if ids is None or game in ids]
        outcome = Outcome(None, Reason.SERVER)
        self.save([Noted(GameFinished(game, outcome, detail), at) for game in left])
        return left

    def running(self) -> list[Unfinished]:
        games = self._read(sa.select(GAMES).where(_RUNNING).order_by(GAMES.c.id), game_record)
        if not games:
            return []
        moves, events = (_of_running(table) for table in (MOVES, EVENTS))
        history = by_game([*self._read(moves, played), *self._read(events, happened)])
        return [
            Unfinished(game.started, game.started_at, in_order(history.get(game.id, [])))
            for game in games
        ]

    def begin_run(self, at: datetime) -> RunInfo:
        return self._write(lambda connection: _begin_run(connection, at))

    def end_run(self, run: int, at: datetime) -> None:
        change = sa.update(RUNS).values(ended_at=at, alive_at=at).where(RUNS.c.id == run)
        self._changed(change)

    def games(self, **filters: Unpack[Filters]) -> list[GameRecord]:
        query = sa.select(GAMES).order_by(GAMES.c.id.desc()).limit(filters.get("limit"))
        values: dict[str, Any] = dict(filters)
        for name, passes in _FILTERS.items():
            if values.get(name) is not None:
                query = query.where(passes(values[name]))
        return self._read(query, game_record)

    def moves(self, game_id: int) -> list[MoveRecord]:
        moves = self._read(_of(MOVES, game_id), move_record)
        taken_back = EVENTS.c.what == What.TAKEN_BACK.value
        return standing(moves, self._read(_of(EVENTS, game_id).where(taken_back), happened))

    def history(self, game_id: int) -> list[Noted]:
        moves, events = _of(MOVES, game_id), _of(EVENTS, game_id)
        return in_order([*self._read(moves, played), *self._read(events, happened)])

    def reports(self, game_id: int) -> list[ReportRecord]:
        query = sa.select(REPORTS).where(REPORTS.c.game_id == game_id).order_by(REPORTS.c.id)
        return self._read(query, report_record)


def _of(table: sa.Table, game: int) -> sa.Select[Any]:
    return sa.select(table).where(table.c.game_id == game).order_by(table.c.seq)


def _of_running(table: sa.Table) -> sa.Select[Any]:
    return sa.select(table).join(GAMES, GAMES.c.id == table.c.game_id).where(_RUNNING)


def _begin_run(connection: sa.Connection, at: datetime) -> RunInfo:
    latest = sa.select(RUNS).order_by(RUNS.c.id.desc()).limit(1)
    before = connection.execute(latest).one_or_none()
    begin = sa.insert(RUNS).values(started_at=at, alive_at=at).returning(RUNS.c.id)
    run = connection.execute(begin).scalar_one()
    return (
        RunInfo(run)
        if before is None
        else RunInfo(run, before.alive_at, before.ended_at, before.slowest_ms)
    )


_STAMPS: dict[str, Callable[[datetime], object]] = {
    "sqlite": utc_text,
    "postgresql": lambda at: at,
}

_LAST_ID = sa.select(sa.func.coalesce(sa.func.max(GAMES.c.id), 0).label("last"))
_RUNNING = GAMES.c.status == sa.literal_column(f"'{Status.RUNNING}'")
_UNFINISHED = sa.select(GAMES.c.id).where(_RUNNING).order_by(GAMES.c.id)

_FILTERS: dict[str, Callable[[Any], sa.ColumnElement[bool]]] = {
    "player": lambda name: sa.or_(GAMES.c.white_name == name, GAMES.c.black_name == name),
    "since": lambda at: GAMES.c.started_at >= at,
    "until": lambda at: GAMES.c.started_at < at,
    "ids": GAMES.c.id.in_,
    "running": lambda running: _RUNNING if running else GAMES.c.status != Status.RUNNING,
    "before": lambda id_: GAMES.c.id < id_,
}
