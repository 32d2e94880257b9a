"""Locks a database for a lone server, or for the servers of one cluster: another server would
resume the games of the first.

SQLite: a locked file beside the database, since locks on the file itself are SQLite's own. It is
named after the real file, whatever links lead there.
PostgreSQL: an advisory lock of a connection that does nothing else, which the servers of a cluster
share. Both end with the process, even if it is killed.
"""

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import sqlalchemy as sa

from .errors import StorageError, explain, masked
from .sql_engine import MEMORY, migration_engine, parse_url

LOCK = 0x756C_6373
"""``ulcs`` in ASCII: the first key of the advisory lock; the second is that of the schema."""

SUFFIX = "-server"
"""Suffix of the file beside the database; SQLite's own files end with ``-wal`` and ``-shm``."""


@contextmanager
def lock_database(url: str, *, shared: bool = False) -> Iterator[None]:
    """Keep other servers out of the database; readers may read. `shared`: let in those that share
    it, too: the servers of a cluster.

    Raises:
        StorageError: another server has it, it cannot be reached, or it cannot be shared.
    """
    address = None if url == MEMORY else parse_url(url)
    if address is not None and address.get_backend_name() != "sqlite":
        with _locked_schema(address, shared):
            yield
    elif shared:
        raise StorageError(
            "several servers can only share a PostgreSQL database, not"
            f" {url if address is None else masked(address)}"
        )
    elif address is None:
        yield
    else:
        with _locked_file(address):
            yield


@contextmanager
def _locked_file(url: sa.URL) -> Iterator[None]:
    database = Path(os.path.realpath(url.database or ""))
    _require_one_name(database)
    path = Path(f"{database}{SUFFIX}")
    try:
        file = path.open("ab")
    except OSError:
        yield  # opening the database will fail too, with a better error
        return
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StorageError(_LONE.format(where=masked(url))) from None
        except OSError:
            pass  # a file system without locks
        yield


def _require_one_name(database: Path) -> None:
    """SQLite names the log of the last transactions after the name by which the file was opened:
    under another one it would not find them, and damage the file.
    https://www.sqlite.org/howtocorrupt.html#_multiple_links_to_the_same_file"""
    with suppress(OSError):  # it does not exist yet
        found = database.stat()
        if stat.S_ISREG(found.st_mode) and found.st_nlink > 1:
            raise StorageError(
                f"the database file {database} has several names (hard links), which would damage"
                f" it; delete the others, which this lists: find / -xdev -samefile {database}"
            )


@contextmanager
def _locked_schema(url: sa.URL, shared: bool) -> Iterator[None]:
    engine = migration_engine(url)
    try:
        with engine.connect() as connection:
            if not _lock(connection, shared):
                taken = _CLUSTER if _is_shared(connection) else _LONE
                raise StorageError(taken.format(where=masked(url)))
            yield
            connection.invalidate()  # closed at once, also if the database server is down
    except sa.exc.SQLAlchemyError as error:
        raise explain(error, url) from error
    finally:
        engine.dispose()


_KEY = sa.func.hashtext(sa.func.current_schema())


def _lock(connection: sa.Connection, shared: bool) -> bool:
    lock = sa.func.pg_try_advisory_lock_shared if shared else sa.func.pg_try_advisory_lock
    got = connection.scalar(sa.select(lock(LOCK, _KEY)))
    connection.commit()  # the lock is the session's, and no transaction stays open
    return bool(got)


def _is_shared(connection: sa.Connection) -> bool:
    """Whether who holds the lock shares it."""
    query = sa.text(
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted"
        " AND mode = 'ShareLock' AND classid::bigint = :lock"
        " AND objid::bigint = hashtext(current_schema())::bigint & x'ffffffff'::bigint"
        " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    )
    return bool(connection.scalar(query, {"lock": LOCK}))


_LONE = (
    "another ulci-server keeps its games in {where}, for itself alone; end it, or name another"
    " database"
)
_CLUSTER = (
    "the servers of a cluster keep their games in {where}; end them all, or name another database"
)
