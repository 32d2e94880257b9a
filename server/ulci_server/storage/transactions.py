"""Runs transactions on a database, and once more if the connection was dead."""

import sqlite3
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from threading import Lock
from typing import Any, Literal, Protocol, TypeVar

import sqlalchemy as sa

from .database_file import DatabaseFile
from .database_url import MEMORY, parse_url
from .errors import FencedError, RefusedError, StorageError, explain
from .sql_engine import (
    BUSY_TIMEOUT,
    LONG_LOG,
    Durability,
    Engines,
    connections_of,
    memory_engines,
    open_engines,
    open_member_engines,
)

Result = TypeVar("Result")

Row = dict[str, Any]
"""A row that was read, by column."""

Values = tuple[Any, ...]
"""A row to write, by position."""

Dialect = Literal["sqlite", "postgresql"]

COPIED_AFTER = 500
"""Commits at once after which one is left to a thread: SQLite copies its log into the database then
if that is long, and waits for the disk. A commit of a move writes three pages."""

LOOK = 1.0
"""Seconds between two looks at the database's files while commits are made at once: to look takes
half as long as such a commit. So the moves of a second may be lost with a file that is deleted."""

_WAIT_NEVER, _WAIT_AS_USUAL = (
    "PRAGMA busy_timeout=0",
    f"PRAGMA busy_timeout={1000 * BUSY_TIMEOUT:.0f}",
)
_COPY_NEVER, _COPY_AS_USUAL = "PRAGMA wal_autocheckpoint=0", f"PRAGMA wal_autocheckpoint={LONG_LOG}"


class Writer(Protocol):
    """Runs plain SQL in a transaction, with ``?`` as placeholders."""

    dialect: Dialect
    locking: str
    """Ends a SELECT, so that nobody else writes its rows until the end of the transaction."""

    def write(self, sql: str, rows: Sequence[Values], arrays: str = "") -> int:
        """Run it once a row; returns how many rows of the table were written. `arrays` is the same
        statement for PostgreSQL, for all rows at once, with one array a column."""
        ...

    def read(self, sql: str, values: Values) -> Values | None:
        """The first row found."""
        ...

    def attempt(self, work: Callable[[], None]) -> None:
        """Of this work, all is undone if it fails."""
        ...


class SqliteWriter:
    """Uses a cursor of `sqlite3`: SQLAlchemy would take three times as long for one row."""

    dialect: Dialect = "sqlite"
    locking = ""

    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor

    def write(self, sql: str, rows: Sequence[Values], arrays: str = "") -> int:  # noqa: ARG002
        try:
            return int(self._cursor.executemany(sql, rows).rowcount)
        except OverflowError as error:
            raise RefusedError(f"the database holds no such number: {error}") from error

    def read(self, sql: str, values: Values) -> Values | None:
        row: Values | None = self._cursor.execute(sql, values).fetchone()
        return row

    def attempt(self, work: Callable[[], None]) -> None:
        self._cursor.execute("SAVEPOINT attempt")
        try:
            work()
        except BaseException:
            self._cursor.execute("ROLLBACK TO attempt")
            raise
        finally:
            self._cursor.execute("RELEASE attempt")


def array_text(values: Iterable[object]) -> str:
    """A PostgreSQL array as text: psycopg takes five times as long to adapt a list."""
    return f"{{{','.join(map(_element, values))}}}"


def _element(value: object) -> str:
    if value is None:
        return "NULL"
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def columns_of(rows: Sequence[Values]) -> tuple[str, ...]:
    """The rows as one array a column."""
    return tuple(map(array_text, zip(*rows, strict=True)))


class PostgresWriter:
    """Uses a connection of SQLAlchemy, which detects that it is dead. One round trip a statement:
    psycopg pipelines what is executed many times."""

    dialect: Dialect = "postgresql"
    locking = " FOR UPDATE"

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def write(self, sql: str, rows: Sequence[Values], arrays: str = "") -> int:
        if arrays and len(rows) > 1:
            return self._connection.exec_driver_sql(arrays, columns_of(rows)).rowcount
        return self._connection.exec_driver_sql(sql.replace("?", "%s"), list(rows)).rowcount

    def read(self, sql: str, values: Values) -> Values | None:
        found = self._connection.exec_driver_sql(sql.replace("?", "%s"), values).fetchone()
        return None if found is None else tuple(found)

    def attempt(self, work: Callable[[], None]) -> None:
        with self._connection.begin_nested():
            work()


class Turns:
    """A fair lock for as many threads as an engine has connections: first come, first served. Its
    pool is not fair: a thread that reads in a loop would keep the journal's from writing for ever.
    Nor does the pool wake who waits if another thread cannot connect, or the engine is disposed."""

    def __init__(self, connections: int) -> None:
        self._guard = Lock()
        self._free = connections
        self._waiting: deque[Lock] = deque()

    def __enter__(self) -> None:
        with self._guard:
            if self._free:
                self._free -= 1
                return
            mine = Lock()
            mine.acquire()
            self._waiting.append(mine)
        mine.acquire()  # until a holder hands its turn over

    def try_enter(self) -> bool:
        """Take a turn if one is free now; whether it was taken."""
        with self._guard:
            free = self._free > 0
            self._free -= free
            return free

    def __exit__(self, *_: object) -> None:
        self.leave()

    def leave(self) -> None:
        """Hand the turn over to the first that waits."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._free += 1


class Transactions:
    """The engines of one database, and the ways to use them."""

    def __init__(self, url: str, durability: Durability = "power") -> None:
        """Does not connect yet. Raises `StorageError` if there can be no such database."""
        self._durability = durability
        # Also those of engines before, which threads may still use.
        self._turns: weakref.WeakKeyDictionary[sa.Engine, Turns] = weakref.WeakKeyDictionary()
        if url == MEMORY:
            self._use(memory_engines())
            # It ends with this object, closed or not.
            weakref.finalize(self, self._engines.dispose)
        else:
            self._use(open_engines(parse_url(url), durability))
        self.sqlite = self.writer.dialect.name == "sqlite"
        self._file = DatabaseFile(self.writer) if self.sqlite and url != MEMORY else None
        self.never_waits = self.sqlite and (url == MEMORY or durability == "process")
        """Whether a commit waits for no disk, so that `write_rows_at_once` is worth a try."""
        self._next_look = 0.0  # at the files, before a commit at once
        self._at_once = 0  # commits since the last one with which SQLite could copy its log

    @property
    def writer(self) -> sa.Engine:
        """The engine that writes, with its one connection."""
        return self._engines.writer

    def _use(self, engines: Engines) -> None:
        """From now on; other threads may be at work, and find an engine only with its turns."""
        for engine in engines.all:
            self._turns[engine] = Turns(connections_of(engine))
        self._engines = engines

    def close(self) -> None:
        """Close all connections. The database may not be used afterwards."""
        self._engines.dispose()
        if self._file is not None:
            self._file.close()

    def release_memory(self) -> None:
        """Give up the pages that SQLite's connections keep of the file: up to 16 MB of the writer,
        and 2 MB of each reader. They are read again when they are needed. Of PostgreSQL nothing is
        kept here. Raises `StorageError`."""
        if not self.sqlite:
            return
        for engine in self._engines.all:
            for _ in range(connections_of(engine)):  # the pool gives them in turn
                self._run(engine, _shrink)

    def open_as_member(self, name: str) -> None:
        """From now on use connections as a server of a cluster needs them, which PostgreSQL calls
        so."""
        if not self.sqlite:
            before = self._engines
            self._use(open_member_engines(before.url, self._durability, name))
            before.dispose()

    def read(
        self, query: sa.Select[Any], record: Callable[[Row], Result], **values: object
    ) -> list[Result]:
        """values: of the query's parameters, by name."""
        return self._run(
            self._engines.reader, lambda connection: _records(connection, query, values, record)
        )

    def write(self, work: Callable[[sa.Connection], Result]) -> Result:
        return self._in_file(lambda: self._run(self.writer, work))

    def write_as_member(self, work: Callable[[sa.Connection], Result]) -> Result:
        """As `write`, without waiting for a commit that is under way."""
        return self._in_file(lambda: self._run(self._engines.membership, work))

    def write_rows(self, work: Callable[[Writer], None]) -> None:
        if self.sqlite:
            self._in_file(lambda: self._run_sqlite(work))
        else:
            self._run(self.writer, lambda connection: work(PostgresWriter(connection)))

    def write_rows_at_once(self, work: Callable[[Writer], None]) -> bool:
        """As `write_rows`, in the thread that must not wait: if another thread uses the writer,
        another program holds the database, its files are not as they were a second ago, or its
        log is long, nothing is written. Whether it was. What fails here, too, is to be tried by
        `write_rows`, which explains why."""
        turns = self._turns[self.writer]
        if self._at_once >= COPIED_AFTER or not turns.try_enter():
            return False
        try:
            return self._seemed_whole() and self._run_at_once(work)
        finally:
            turns.leave()

    def _seemed_whole(self) -> bool:
        """Whether the files were as before when they were last looked at."""
        now = time.monotonic()
        if self._file is not None and now >= self._next_look:
            if not self._file.seems_whole():
                return False
            self._next_look = now + LOOK
        return True

    def _run_at_once(self, work: Callable[[Writer], None]) -> bool:
        try:
            with closing(self.writer.raw_connection()) as connection:
                cursor = connection.cursor()
                cursor.execute(_WAIT_NEVER)
                cursor.execute(_COPY_NEVER)
                try:
                    cursor.execute("BEGIN IMMEDIATE")
                    work(SqliteWriter(cursor))
                    cursor.execute("COMMIT")
                finally:
                    cursor.execute(_WAIT_AS_USUAL)
        except (sa.exc.SQLAlchemyError, sqlite3.Error, StorageError, FencedError):
            return False
        self._at_once += 1
        return True

    def write_at_once(self, sql: str, values: Values) -> bool:
        """Run one statement on PostgreSQL as a transaction of its own; whether it returned a row.
        False as well if it failed, or if it is unknown whether it did: a transaction that can be
        run again finds out, and explains why.

        One round trip instead of four, for which psycopg takes half of the processor time, and
        SQLAlchemy would take it again.
        """
        try:
            writer = self.writer
            with self._turns[writer], closing(writer.raw_connection()) as connection:
                driver: Any = connection.driver_connection
                try:
                    driver.autocommit = True
                    found = driver.execute(sql, values).fetchone()
                    driver.autocommit = False
                except self.writer.dialect.loaded_dbapi.Error:
                    connection.invalidate()
                    return False
        except (sa.exc.SQLAlchemyError, self.writer.dialect.loaded_dbapi.Error):
            return False  # a raw connection that cannot be made raises the driver's own error
        return found is not None

    def _in_file(self, write: Callable[[], Result]) -> Result:
        """Rows count as written only if they are in the file of that name."""
        if self._file is None:
            return write()
        self._file.check()
        written = write()
        self._file.check()
        return written

    def _run(self, engine: sa.Engine, work: Callable[[sa.Connection], Result]) -> Result:
        """Run `work` in a transaction; once more if the connection turns out to be dead, as a first
        use after a restart of the database shows. Everything here may run twice."""
        try:
            return self._transaction(engine, work)
        except sa.exc.SQLAlchemyError as error:
            if not (isinstance(error, sa.exc.DBAPIError) and error.connection_invalidated):
                raise explain(error, self._engines.url) from error
        try:
            return self._transaction(engine, work)
        except sa.exc.SQLAlchemyError as error:
            raise explain(error, self._engines.url) from error

    def _transaction(self, engine: sa.Engine, work: Callable[[sa.Connection], Result]) -> Result:
        with self._turns[engine], engine.begin() as connection:
            return work(connection)

    def _run_sqlite(self, work: Callable[[Writer], None]) -> None:
        try:
            # On its return to the pool, the connection rolls back what is not committed.
            writer = self.writer
            with self._turns[writer], closing(writer.raw_connection()) as connection:
                cursor = connection.cursor()
                if self._at_once:
                    cursor.execute(_COPY_AS_USUAL)
                    self._at_once = 0
                cursor.execute("BEGIN IMMEDIATE")
                work(SqliteWriter(cursor))
                cursor.execute("COMMIT")
        except (sa.exc.SQLAlchemyError, sqlite3.Error) as error:
            raise explain(error, self._engines.url) from error


def _shrink(connection: sa.Connection) -> None:
    connection.exec_driver_sql("PRAGMA shrink_memory")


def _records(
    connection: sa.Connection,
    query: sa.Select[Any],
    values: dict[str, object],
    record: Callable[[Row], Result],
) -> list[Result]:
    result = connection.execute(query, values)
    # `Row._asdict` looks the names up for every row, which took half of the time.
    names = tuple(result.keys())
    return [record(dict(zip(names, row, strict=True))) for row in result]
