"""Locks a database for a lone server, or for the servers of one cluster: another server would
resume the games of the first.

SQLite: a locked file beside the database, since locks on the file itself are SQLite's own. It is
named after the real file, whatever links lead there.
PostgreSQL: an advisory lock of a connection that does nothing else, which the servers of a cluster
share. Both end with the process, even if it is killed.

Both can be lost while the server runs: the file is deleted, the connection ends with a restart of
PostgreSQL, a timeout or an administrator. So the lock is asked for again and again (`check`), and
taken again. What protects the record meanwhile is the fence (`fence`): the lock makes sure that a
second server is refused with a clear message, instead of shutting the first one out.
"""

import fcntl
import os
import select
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol

import sqlalchemy as sa

from .database_url import MEMORY, parse_url
from .errors import LockRefusedError, StorageError, TakenOverError, explain, masked
from .pooler import require_own_session
from .sql_engine import migration_engine

LOCK = 0x756C_6373
"""``ulcs`` in ASCII: the first key of the advisory lock; the second is that of the schema."""

UNLOCK = 1.0
"""Seconds to wait until PostgreSQL has released a lock that is given back."""

SUFFIX = "-server"
"""Suffix of the file beside the database; SQLite's own files end with ``-wal`` and ``-shm``."""


class DatabaseLock(Protocol):
    """A lock that is held, but may be lost. `where`: the database, for display."""

    where: str

    def check(self) -> None:
        """Take the lock again if it was lost. For a worker thread.

        Raises:
            LockRefusedError: it cannot be taken now; the next check may succeed.
            StorageError: it cannot be found out, or the session of before still has it, and is
                being ended.
            TakenOverError: it is shared, and a lone server has it for itself.
        """
        ...


@contextmanager
def lock_database(url: str, *, shared: bool = False) -> Iterator[DatabaseLock]:
    """Keep other servers out of the database; readers may read. `shared`: let in those that share
    it, too: the servers of a cluster.

    Raises:
        StorageError: another server has it, it cannot be reached, or it cannot be shared.
    """
    address = None if url == MEMORY else parse_url(url)
    if address is not None and address.get_backend_name() != "sqlite":
        schema = _SchemaLock(address, shared)
        try:
            schema.take()
            yield schema
        finally:
            schema.release()
    elif shared:
        raise StorageError(
            "several servers can only share a PostgreSQL database, not"
            f" {url if address is None else masked(address)}"
        )
    elif address is None:
        yield _NoLock()
    else:
        file = _FileLock(address)
        try:
            file.take()
            yield file
        finally:
            file.release()


class _NoLock:
    """Nobody else can reach what is in memory."""

    where = MEMORY

    def check(self) -> None:
        pass


class _FileLock:
    """A locked file beside a database of SQLite."""

    def __init__(self, url: sa.URL) -> None:
        self.where = masked(url)
        self._database = Path(os.path.realpath(url.database or ""))
        self._path = Path(f"{self._database}{SUFFIX}")
        self._file: BinaryIO | None = None
        self._holding = threading.Lock()  # a check may still run when the server ends
        self._released = False

    def take(self) -> None:
        """Raises `LockRefusedError` if another server has it, or the file has several names."""
        _require_one_name(self._database)
        try:
            file = self._path.open("ab")
        except OSError:
            return  # opening the database will fail too, with a better error
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise LockRefusedError(_LONE.format(where=self.where)) from None
        except OSError:
            pass  # a file system without locks
        self._file = file

    def check(self) -> None:
        with self._holding:
            if self._released or self._is_in_place():
                return
            before = self._file
            self.take()
            if before is not None:
                before.close()

    def _is_in_place(self) -> bool:
        """Whether the locked file is the one of that name."""
        if self._file is None:
            return False
        try:
            named = self._path.stat()
        except OSError:
            return False
        return os.path.samestat(named, os.fstat(self._file.fileno()))

    def release(self) -> None:
        with self._holding:
            self._released = True
            if self._file is not None:
                self._file.close()


def _require_one_name(database: Path) -> None:
    """SQLite names the log of the last transactions after the name by which the file was opened:
    under another one it would not find them, and damage the file.
    https://www.sqlite.org/howtocorrupt.html#_multiple_links_to_the_same_file"""
    with suppress(OSError):  # it does not exist yet
        found = database.stat()
        if stat.S_ISREG(found.st_mode) and found.st_nlink > 1:
            raise LockRefusedError(
                f"the database file {database} has several names (hard links), which would damage"
                f" it; delete the others, which this lists: find / -xdev -samefile {database}"
            )


class _SchemaLock:
    """An advisory lock of PostgreSQL, for the schema that the connection uses."""

    def __init__(self, url: sa.URL, shared: bool) -> None:
        self.where = masked(url)
        self._url = url
        self._shared = shared
        self._engine = migration_engine(url)
        self._connection: sa.Connection | None = None
        self._session: _Session | None = None  # which has the lock, or had it last
        self._holding = threading.Lock()  # a check may still run when the server ends
        self._released = False

    def take(self) -> None:
        """Raises `StorageError` if another server has it, or the database cannot be reached."""
        try:
            self._connection = connection = self._engine.connect()
            require_own_session(connection, self._engine)
            connection.execute(_SETTINGS)
            if not _lock(connection, self._shared):
                taken = _CLUSTER if _is_shared(connection) else _LONE
                raise LockRefusedError(taken.format(where=self.where))
            self._session = _session(connection)
            connection.commit()
        except sa.exc.SQLAlchemyError as error:
            raise explain(error, self._url) from error

    def check(self) -> None:
        with self._holding:
            if self._released or self._holds():
                return
            self._let_go()
            try:
                self._take_again()
            except StorageError:
                self._let_go()
                raise

    def _take_again(self) -> None:
        try:
            self._connection = connection = self._engine.connect()
            connection.execute(_SETTINGS)
            ending = self._end_session(connection)
            if _lock(connection, self._shared):
                self._session = _session(connection)
            elif self._shared:
                raise TakenOverError(self.where)
            elif ending:
                raise StorageError(_ENDING.format(where=self.where))
            else:
                raise LockRefusedError(_LONE.format(where=self.where))
            connection.commit()
        except sa.exc.SQLAlchemyError as error:
            raise explain(error, self._url) from error

    def _end_session(self, connection: sa.Connection) -> bool:
        """End the session that had the lock, if it has it still: to PostgreSQL a client behind a
        network that drops all packets lives for hours. Whether it had to be ended."""
        if self._session is None:
            return False
        return bool(connection.scalar(_END, {"lock": LOCK, **self._session._asdict()}))

    def _holds(self) -> bool:
        """Whether the lock is still that of the connection."""
        if self._connection is None:
            return False
        try:
            held = bool(self._connection.scalar(_HELD, {"lock": LOCK}))
            self._connection.commit()  # no transaction stays open
        except sa.exc.SQLAlchemyError:
            return False
        return held

    def _let_go(self) -> None:
        """Close the connection at once, also if the database server is down."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sa.exc.SQLAlchemyError):
                connection.invalidate()
                connection.close()

    def release(self) -> None:
        with self._holding:
            self._released = True
            self._unlock()
            self._let_go()
            self._engine.dispose()

    def _unlock(self) -> None:
        """PostgreSQL may end a session some time after its client has closed the connection: until
        then whoever asks next, perhaps this program itself, would find the lock taken. A database
        that does not answer is left alone after `UNLOCK` s."""
        if self._connection is None or self._session is None:
            return
        answer = select.poll()
        with suppress(sa.exc.SQLAlchemyError, self._engine.dialect.loaded_dbapi.Error):
            line = self._connection.connection.driver_connection.pgconn  # type: ignore[union-attr]
            answer.register(line.socket, select.POLLIN)
            line.send_query(b"SELECT pg_advisory_unlock_all()")
            line.flush()
            answer.poll(1000 * UNLOCK)


_KEY = sa.func.hashtext(sa.func.current_schema())


def _lock(connection: sa.Connection, shared: bool) -> bool:
    """The lock is the session's: it outlives the transaction."""
    lock = sa.func.pg_try_advisory_lock_shared if shared else sa.func.pg_try_advisory_lock
    return bool(connection.scalar(sa.select(lock(LOCK, _KEY))))


# An administrator may have ordered that PostgreSQL ends sessions which say nothing. Before version
# 14 there is no such setting. And by default PostgreSQL notices only after two hours that the
# machine of a client is off, or after a quarter of an hour if it was just answering: so long the
# lock would keep out the server that is started there again. Times are in s, the last one in ms.
_SETTINGS = sa.text("""
    SELECT set_config(name, wanted, false) FROM pg_settings JOIN (VALUES
        ('idle_session_timeout', '0'),
        ('tcp_keepalives_idle', '10'),
        ('tcp_keepalives_interval', '5'),
        ('tcp_keepalives_count', '3'),
        ('tcp_user_timeout', '25000')
    ) AS wishes (wish, wanted) ON name = wish
    """)

_OURS = (
    "locktype = 'advisory' AND granted AND classid::bigint = :lock"
    " AND objid::bigint = hashtext(current_schema())::bigint & x'ffffffff'::bigint"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
_HELD = sa.text(f"SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND {_OURS}")  # noqa: S608
_SHARED = sa.text(f"SELECT count(*) FROM pg_locks WHERE mode = 'ShareLock' AND {_OURS}")  # noqa: S608


# A number of a process may be another one's by now.
_END = sa.text(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = :pid"  # noqa: S608
    f" AND backend_start = :begun AND pid IN (SELECT pid FROM pg_locks WHERE {_OURS})"
)
_SESSION = sa.text("SELECT pid, backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()")


class _Session(NamedTuple):
    """A session of PostgreSQL: its process, and when that began."""

    pid: int
    begun: datetime


def _session(connection: sa.Connection) -> _Session:
    return _Session(*connection.execute(_SESSION).one())


def _is_shared(connection: sa.Connection) -> bool:
    """Whether who holds the lock shares it."""
    return bool(connection.scalar(_SHARED, {"lock": LOCK}))


_LONE = (
    "another ulci-server keeps its games in {where}, for itself alone; end it, or name another"
    " database"
)
_CLUSTER = (
    "the servers of a cluster keep their games in {where}; end them all, or name another database"
)
_ENDING = "the session that had the lock of {where} is being ended"
