"""Is this database ours alone? A second server would end the games that the first one has running.

SQLite: a locked file beside the database, since locks on the file itself are SQLite's own.
PostgreSQL: an advisory lock of a connection that does nothing else. Both end with the process,
however sudden its end is.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from .engines import migration_engine, parse_url
from .errors import StorageError, explain, masked
from .opening import MEMORY

LOCK = 0x756C_6373
"""``ulcs`` in ASCII: the first key of the advisory lock; the second one stands for the schema."""

SUFFIX = "-server"
"""Of the file beside the database; SQLite's own end with ``-wal`` and ``-shm``."""


@contextmanager
def claimed(url: str) -> Iterator[None]:
    """Have the database for ourselves, as far as servers are concerned; readers may read.

    Raises:
        StorageError: another server has it, or it cannot be reached.
    """
    if url == MEMORY:
        yield
        return
    address = parse_url(url)
    claim = _claimed_file if address.get_backend_name() == "sqlite" else _claimed_schema
    with claim(address):
        yield


@contextmanager
def _claimed_file(url: sa.URL) -> Iterator[None]:
    path = Path(f"{url.database}{SUFFIX}").absolute()
    try:
        file = path.open("ab")
    except OSError:
        yield  # opening the database will fail too, and say it better
        return
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _taken(url) from None
        except OSError:
            pass  # a file system without locks
        yield


@contextmanager
def _claimed_schema(url: sa.URL) -> Iterator[None]:
    engine = migration_engine(url)
    try:
        with engine.connect() as connection:
            if not _locked(connection):
                raise _taken(url)
            yield
            connection.invalidate()  # closed as it is, also when the server is gone
    except sa.exc.SQLAlchemyError as error:
        raise explain(error, url) from error
    finally:
        engine.dispose()


def _locked(connection: sa.Connection) -> bool:
    key = sa.func.hashtext(sa.func.current_schema())
    got = connection.scalar(sa.select(sa.func.pg_try_advisory_lock(LOCK, key)))
    connection.commit()  # the lock is the session's, and no transaction stays open
    return bool(got)


def _taken(url: sa.URL) -> StorageError:
    return StorageError(
        f"another ulci-server keeps its games in {masked(url)}; end it, or name another database"
    )
