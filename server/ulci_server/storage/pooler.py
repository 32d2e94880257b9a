"""Detects a pooler between the server and PostgreSQL that lends a session for one transaction.

Behind it a server has no session of its own: its lock is somebody else's after the commit, and so
are its timeouts and prepared statements. A pooler that lends a session for as long as a client is
connected does no harm.
"""

import sqlalchemy as sa

from .errors import POOLED, StorageError, masked
from .sql_engine import migration_engine

TRIES = 3
"""How often it is looked whether a session is lent to two clients: others may take it meanwhile."""

_PID = sa.text("SELECT pg_backend_pid()")


def require_own_session(connection: sa.Connection, engine: sa.Engine) -> None:
    """Check a connection of `engine`, outside of a transaction.

    Raises:
        StorageError: a pooler lends its session to others between two transactions.
    """
    if _is_pooled(connection) and any(_is_lent(connection, engine) for _ in range(TRIES)):
        raise StorageError(f"cannot use the database {masked(engine.url)}: {POOLED}")


def _is_pooled(connection: sa.Connection) -> bool:
    """A pooler has told its client a number of its own, with which that cancels queries."""
    told = connection.connection.driver_connection.info.backend_pid  # type: ignore[union-attr]
    return bool(told != _session(connection))


def _is_lent(connection: sa.Connection, engine: sa.Engine) -> bool:
    """Whether another client gets the session of the connection, or the connection another one
    while that client has it."""
    mine = _session(connection)
    others = migration_engine(engine.url)
    try:
        with others.connect() as other:
            # Its transaction stays open, so its session is not lent to anybody else meanwhile.
            return other.scalar(_PID) == mine or _session(connection) != mine
    finally:
        others.dispose()


def _session(connection: sa.Connection) -> int:
    """The session in which PostgreSQL runs a transaction of the connection now."""
    pid = int(connection.scalar(_PID) or 0)
    connection.commit()
    return pid
