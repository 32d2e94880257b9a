"""Locks a database for one server: a second one would resume the games of the first.

SQLite: a locked file beside the database, since locks on the file itself are SQLite's own. It is
named after the real file, whatever links lead there.
PostgreSQL: an advisory lock of a connection that does nothing else. Both end with the process, even
if it is killed.
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
def lock_database(url: str) -> Iterator[None]:
    """Keep other servers out of the database; readers may read.

    Raises:
        StorageError: another server has it, or it cannot be reached.
    """
    if url == MEMORY:
        yield
        return
    address = parse_url(url)
    lock = _locked_file if address.get_backend_name() == "sqlite" else _locked_schema
    with lock(address):
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
            raise _taken(url) from None
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
def _locked_schema(url: sa.URL) -> Iterator[None]:
    engine = migration_engine(url)
    try:
        with engine.connect() as connection:
            if not _lock(connection):
                raise _taken(url)
            yield
            connection.invalidate()  # closed at once, also if the database server is down
    except sa.exc.SQLAlchemyError as error:
        raise explain(error, url) from error
    finally:
        engine.dispose()


def _lock(connection: sa.Connection) -> bool:
    key = sa.func.hashtext(sa.func.current_schema())
    got = connection.scalar(sa.select(sa.func.pg_try_advisory_lock(LOCK, key)))
    connection.commit()  # the lock is the session's, and no transaction stays open
    return bool(got)


def _taken(url: sa.URL) -> StorageError:
    return StorageError(
        f"another ulci-server keeps its games in {masked(url)}; end it, or name another database"
    )
