"""How does one ask a database something? In a transaction, and once more if the line was dead."""

from collections.abc import Callable
from typing import Any, TypeVar

import sqlalchemy as sa

from .database_file import DatabaseFile
from .engines import BUSY_TIMEOUT, Durability, open_engines, parse_url
from .errors import explain
from .rows import Row

Result = TypeVar("Result")


class Access:
    """The engines of one database, and the way to use them."""

    def __init__(
        self, url: str, durability: Durability = "power", *, busy_timeout: float = BUSY_TIMEOUT
    ) -> None:
        """Connects to nothing yet. Raises `StorageError` if there can be no such database."""
        self._engines = open_engines(parse_url(url), durability, busy_timeout=busy_timeout)
        sqlite = self.writer.dialect.name == "sqlite"
        self._file = DatabaseFile(self.writer) if sqlite else None

    @property
    def writer(self) -> sa.Engine:
        """The engine behind `save`, with its one connection."""
        return self._engines.writer

    def close(self) -> None:
        self._engines.dispose()

    def _read(self, query: sa.Select[Any], record: Callable[[Row], Result]) -> list[Result]:
        return self._run(
            self._engines.reader, lambda connection: _records(connection, query, record)
        )

    def _write(self, work: Callable[[sa.Connection], Result]) -> Result:
        if self._file is None:
            return self._run(self.writer, work)
        self._file.check()
        written = self._run(self.writer, work)
        self._file.check()
        return written

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


def _records(
    connection: sa.Connection, query: sa.Select[Any], record: Callable[[Row], Result]
) -> list[Result]:
    result = connection.execute(query)
    # `Row._asdict` asks for the names anew at every row, which took half the time of all of this.
    names = tuple(result.keys())
    return [record(dict(zip(names, row, strict=True))) for row in result]


def _transaction(engine: sa.Engine, work: Callable[[sa.Connection], Result]) -> Result:
    with engine.begin() as connection:
        return work(connection)
