"""Keeps games in SQLite or PostgreSQL."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar, Unpack

import sqlalchemy as sa

from ulci.rules import Outcome, Reason
from ulci_server.game import Fact, GameFinished

from .engines import BUSY_TIMEOUT, Durability, open_engines, parse_url
from .errors import explain
from .records import Filters, GameRecord, MoveRecord, Noted, ReportRecord
from .rows import Row, game_record, move_record, report_record, rows_of
from .schema import GAMES, MOVES, REPORTS, Status, utc_text
from .statements import statements

Result = TypeVar("Result")


class SqlRepository:
    """A `Repository` in a database whose tables are there already (see `open_repository`)."""

    def __init__(
        self,
        url: str,
        durability: Durability = "power",
        *,
        busy_timeout: float = BUSY_TIMEOUT,
    ) -> None:
        """Connects to nothing yet. Raises `StorageError` if there can be no such database."""
        self._engines = open_engines(parse_url(url), durability, busy_timeout=busy_timeout)
        self._statements = statements(self.writer.dialect)
        self._stamp = _STAMPS[self.writer.dialect.name]

    @property
    def writer(self) -> sa.Engine:
        """The engine behind `save`, with its one connection."""
        return self._engines.writer

    def save(self, batch: Sequence[Noted]) -> None:
        rows = rows_of(batch, self._stamp)
        self._run(self.writer, lambda connection: self._write(connection, rows))

    def _write(self, connection: sa.Connection, rows: dict[type[Fact], list[Row]]) -> None:
        for kind, of_kind in rows.items():
            self._statements[kind].write(connection, of_kind)

    def last_game_id(self) -> int:
        return self._read(_LAST_ID, lambda row: int(row["last"]))[0]

    def close_unfinished(self, detail: str, *, at: datetime | None = None) -> list[int]:
        at = datetime.now(UTC) if at is None else at
        left: list[int] = self._read(_UNFINISHED, lambda row: row["id"])
        outcome = Outcome(None, Reason.SERVER)
        self.save([Noted(GameFinished(game, outcome, detail), at) for game in left])
        return left

    def games(self, **filters: Unpack[Filters]) -> list[GameRecord]:
        query = sa.select(GAMES).order_by(GAMES.c.id.desc()).limit(filters.get("limit"))
        values: dict[str, Any] = dict(filters)
        for name, passes in _FILTERS.items():
            if values.get(name) is not None:
                query = query.where(passes(values[name]))
        return self._read(query, game_record)

    def moves(self, game_id: int) -> list[MoveRecord]:
        query = sa.select(MOVES).where(MOVES.c.game_id == game_id).order_by(MOVES.c.ply)
        return self._read(query, move_record)

    def reports(self, game_id: int) -> list[ReportRecord]:
        query = sa.select(REPORTS).where(REPORTS.c.game_id == game_id).order_by(REPORTS.c.id)
        return self._read(query, report_record)

    def close(self) -> None:
        self._engines.dispose()

    def _read(self, query: sa.Select[Any], record: Callable[[Row], Result]) -> list[Result]:
        return self._run(
            self._engines.reader,
            lambda connection: [record(row._asdict()) for row in connection.execute(query)],
        )

    def _run(self, engine: sa.Engine, work: Callable[[sa.Connection], Result]) -> Result:
        """`work` in a transaction; once more if the connection turns out to be dead, which after a
        restart of the database is the first that is heard of it. Everything here may run twice."""
        try:
            return _transaction(engine, work)
        except sa.exc.DBAPIError as error:
            if not error.connection_invalidated:
                raise explain(error, self._engines.url) from error
        try:
            return _transaction(engine, work)
        except sa.exc.SQLAlchemyError as error:
            raise explain(error, self._engines.url) from error


def _transaction(engine: sa.Engine, work: Callable[[sa.Connection], Result]) -> Result:
    with engine.begin() as connection:
        return work(connection)


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
