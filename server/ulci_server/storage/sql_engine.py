"""Engines: open a database. One connection writes, a few read.

No connection is bound to a thread: a pool hands the same one to one worker thread after the other.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.dialects.sqlite import dialect as sqlite_dialect
from sqlalchemy.pool import ConnectionPoolEntry
from sqlalchemy.schema import CreateIndex, CreateTable

from .database_url import has_several_hosts
from .errors import StorageError
from .schema import METADATA

Durability = Literal["power", "process"]
"""What a saved fact survives: ``power``: a power failure of the machine; ``process``: only the end
of this program, even by kill -9."""

BUSY_TIMEOUT = 5.0
"""Seconds to wait for another program's lock (a backup, a migration) before it is an error. The
journal retries for ever, so this only decides how soon it is reported."""

STATEMENT_TIMEOUT = 30.0
"""Seconds for one statement on PostgreSQL: none of ours takes one; thirty mean that it hangs."""

FROZEN = 1.0
"""Seconds after which PostgreSQL ends the transaction of a cluster's server that says nothing more:
it is paused, and nobody may fence it while it holds its row. The commit is retried. Other
sessions' locks are waited for as long: while it waits, nobody sees it live."""

PAUSED = 4.0
"""Seconds after which PostgreSQL ends the transaction of a lone server that says nothing more. Less
than `BUSY_TIMEOUT`, for which another one that shuts it out waits. The commit is retried."""

MEMBER_STATEMENT_TIMEOUT = 5.0
"""Seconds for one statement that writes in a cluster. It takes milliseconds, and it also bounds how
long a server that is paused meanwhile holds its row."""

READERS = 4
"""Connections that read: one each for the few threads that answer people's queries."""

STATEMENTS = 32
"""Prepared statements that each connection of SQLite keeps, of up to 10 kB each. Python's own limit
is 128, and lists of games are asked for in hundreds of ways."""

_POSTGRES: dict[str, object] = {
    "application_name": "ulci-server",
    "connect_timeout": 10,  # seconds, and those of the next three
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,  # ms until a network that drops all packets is noticed
}
"""libpq's settings unless the URL has its own: by default it waits hours for a vanished server."""

_SEVERAL_HOSTS = {"target_session_attrs": "read-write"}
"""Of several hosts, that which takes writes: by default libpq takes the first that answers, which
may be a replica. Readers ask it, too, as they must see what was just written."""


@dataclass(frozen=True, slots=True)
class Engines:
    """The engines of the one writer, of the readers, and of the membership in a cluster, which must
    not wait for a connection of the others. In memory they are the same."""

    url: sa.URL
    writer: sa.Engine
    reader: sa.Engine
    membership: sa.Engine

    @property
    def all(self) -> Collection[sa.Engine]:
        return {self.writer, self.reader, self.membership}

    def dispose(self) -> None:
        """Close all connections: those that a thread is using when it gives them back."""
        for engine in self.all:
            event.listen(engine.pool, "checkin", _close)
            engine.dispose()


def _close(_: object, record: ConnectionPoolEntry) -> None:
    """The pool itself would keep it open until somebody collects garbage."""
    record.invalidate()


def connections_of(engine: sa.Engine) -> int:
    """How many it has at most."""
    assert isinstance(engine.pool, sa.QueuePool)
    return engine.pool.size()


def open_engines(url: sa.URL, durability: Durability) -> Engines:
    """Does not connect yet. Raises `StorageError` if a driver is missing."""
    if url.get_backend_name() == "sqlite":
        writer = _sqlite(url, _SQLITE_WRITER[durability], "IMMEDIATE", 1)
        reader = _sqlite(url, _SQLITE_READER, "DEFERRED", READERS)
    else:
        waits = _waits(BUSY_TIMEOUT)
        reader = _postgres(url, "on", READERS, waits)
        waits = {**waits, "idle_in_transaction_session_timeout": _ms(PAUSED)}
        writer = _postgres(url, _POSTGRES_COMMIT[durability], 1, waits)
    return Engines(url, writer, reader, writer)


def open_member_engines(url: sa.URL, durability: Durability, name: str) -> Engines:
    """As `open_engines`, for a server of a cluster on PostgreSQL, which calls the connections that
    write so."""
    waits = _waits(FROZEN, MEMBER_STATEMENT_TIMEOUT)
    waits |= {
        "idle_in_transaction_session_timeout": _ms(FROZEN),
        "application_name": name,
    }
    return Engines(
        url,
        _postgres(url, _POSTGRES_COMMIT[durability], 1, waits),
        _postgres(url, "on", READERS, _waits(BUSY_TIMEOUT)),
        _postgres(url, "on", 1, waits),
    )


def memory_engines() -> Engines:
    """SQLite in memory; its tables are created and dropped with the connection."""
    url = sa.make_url("sqlite://")
    engine = _sqlite(url, ("foreign_keys=ON",), "IMMEDIATE", 1)

    @event.listens_for(engine, "connect")
    def create(connection: Any, _: object) -> None:
        connection.executescript(_tables_of_sqlite())

    return Engines(url, engine, engine, engine)


@cache
def _tables_of_sqlite() -> str:
    """The script that creates them: 1 ms, where `create_all` takes 6."""
    made: list[sa.schema.ExecutableDDLElement] = []
    for table in METADATA.sorted_tables:
        made += [CreateTable(table), *map(CreateIndex, table.indexes)]
    return ";".join(str(one.compile(dialect=sqlite_dialect())) for one in made)


def migration_engine(url: sa.URL) -> sa.Engine:
    """The writer of migrations. SQLite recreates a table to alter it: with foreign keys on,
    dropping the old one would delete all rows that refer to it, and without the legacy way of
    renaming it would fail if there is a view of the table."""
    if url.get_backend_name() == "sqlite":
        pragmas = ("foreign_keys=OFF", "legacy_alter_table=ON")
        return _sqlite(url, pragmas, "IMMEDIATE", 1)
    return _postgres(url, "on", 1, {})


# SQLite. In WAL mode FULL syncs every commit, NORMAL only now and then, but a power cut never
# damages the file. https://www.sqlite.org/pragma.html#pragma_synchronous
#
# Every game writes to a page of its own. With SQLite's defaults, 2 MB of cache and a checkpoint
# after 1000 pages, a few hundred games read their pages again and again, and a page is copied to
# the database every fourth time it changes: a quarter of the cost of a move. With these, in KiB and
# in pages of 4 KiB, the cache and the log take up to 16 MB each.
LONG_LOG = 4000
"""Pages of SQLite's log from which on a commit copies it into the database."""

_SQLITE_CACHE = ("cache_size=-16000", f"wal_autocheckpoint={LONG_LOG}")
_SQLITE_WRITER: dict[Durability, tuple[str, ...]] = {
    "power": ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", *_SQLITE_CACHE),
    "process": ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", *_SQLITE_CACHE),
}
_SQLITE_READER = ("query_only=ON",)


def _sqlite(url: sa.URL, pragmas: tuple[str, ...], begin: str, connections: int) -> sa.Engine:
    engine = sa.create_engine(
        url,
        poolclass=sa.QueuePool,  # also in memory, where one connection is the database
        pool_size=connections,
        max_overflow=0,
        # Python's sqlite3 would begin a transaction at the first write only, so that data read
        # before it may have changed: with isolation_level None it leaves BEGIN to the hook below.
        connect_args={
            "timeout": BUSY_TIMEOUT,
            "check_same_thread": False,
            "isolation_level": None,
            "cached_statements": STATEMENTS,
        },
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: object) -> None:
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}").close()

    @event.listens_for(engine, "begin")
    def begin_transaction(connection: sa.Connection) -> None:
        connection.exec_driver_sql(f"BEGIN {begin}")

    return engine


# With "off" a commit returns before the log is on the disk of the database server: a crash of that
# server may lose it, one of this program does not.
_POSTGRES_COMMIT: dict[Durability, str] = {"power": "on", "process": "off"}


def _waits(lock: float, statement: float = STATEMENT_TIMEOUT) -> dict[str, str]:
    return {"lock_timeout": _ms(lock), "statement_timeout": _ms(statement)}


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f}ms"


def _postgres(url: sa.URL, commit: str, connections: int, waits: dict[str, str]) -> sa.Engine:
    settings = {"synchronous_commit": commit, **waits}
    defaults = {**_POSTGRES, **(_SEVERAL_HOSTS if has_several_hosts(url) else {})}
    try:
        engine = sa.create_engine(
            url,
            pool_size=connections,
            max_overflow=0,
            connect_args={k: v for k, v in defaults.items() if k not in url.query},
        )
    except ModuleNotFoundError as error:
        raise StorageError(
            f"PostgreSQL needs the driver {error.name}; in the clone of this program run:"
            " .venv/bin/pip install -c constraints.txt '.[postgres]'"
        ) from error

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: object) -> None:
        # One of them limits how long a transaction may say nothing. In a transaction it would hold
        # at once: PostgreSQL would end the session if this program stood still between two.
        connection.autocommit = True
        for name, value in settings.items():
            connection.execute("SELECT set_config(%s, %s, false)", (name, value))
        connection.autocommit = False

    return engine
