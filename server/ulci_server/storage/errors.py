"""Errors of the database, explained to the operator who can fix them."""

import os
import sqlite3
import stat
from pathlib import Path

import sqlalchemy as sa

DATA_FAULTS = (
    sa.exc.IntegrityError,
    sa.exc.DataError,
    sqlite3.IntegrityError,
    sqlite3.DataError,
)
"""Errors about a row, not about the database itself: trying again would not help."""


def is_trouble(error: Exception) -> bool:
    """Whether the database itself failed, so that trying again later may help."""
    return isinstance(error, (sa.exc.SQLAlchemyError, sqlite3.Error)) and not isinstance(
        error, DATA_FAULTS
    )


class StorageError(Exception):
    """A database operation failed. The text says what is wrong and what to do."""


class RefusedError(StorageError):
    """Data that cannot be stored, now or later: it contradicts itself or what is stored."""


class LobbyMovedError(Exception):
    """Another server of the cluster hosts the lobby now."""


class TournamentChangedError(Exception):
    """Somebody else has changed the tournament since its director read it."""


class FencedError(Exception):
    """This run may write nothing any more: it was fenced by another server of the cluster, which
    may own its games now, or it has ended. Final for this run, so it is no `StorageError`, after
    which trying again may help."""


class TakenOverError(Exception):
    """Another server has the games of this one, which must end. Final, so it is no `StorageError`.

    `where`: the database, for display.
    """

    def __init__(self, where: str) -> None:
        super().__init__(
            f"another ulci-server has taken over the games in {where}; this one has written nothing"
            " of them since then, and ends. Run one of them, or name another database"
        )


class LockRefusedError(StorageError):
    """The database answers, and its lock cannot be taken again: somebody else has it at the moment,
    or the file has several names. Who that is, and whether it has the games, the fence says."""


class SchemaError(StorageError):
    """The tables are not those of this program."""


class DisagreementError(ValueError):
    """The record is inconsistent; the text says what and where."""


_SECRET_OPTIONS = ("password", "sslpassword")
"""What libpq takes in the query of a URL, too."""


def masked(url: sa.URL) -> str:
    """The address without passwords and the driver, for display."""
    hosts = ""
    if url.get_backend_name() == "postgresql":
        hosts = _several_hosts(url)
        url = url.set(drivername="postgresql", host=_HOSTS if hosts else None)
        hidden = {name: "***" for name in _SECRET_OPTIONS if name in url.query}
        url = url.update_query_dict(hidden)
        if hosts:
            url = url.difference_update_query(["host", "port"])
    shown = url.render_as_string(hide_password=True).replace("%2A%2A%2A", "***")
    return shown.replace(_HOSTS, hosts, 1) if hosts else shown


_HOSTS = "\0"  # stands for several hosts: anywhere else in a URL it is escaped


def _several_hosts(url: sa.URL) -> str:
    """Several hosts with their ports, as `parse_url` has them in the query; else empty."""
    hosts, ports = url.query.get("host"), url.query.get("port")
    if not isinstance(hosts, str) or not isinstance(ports, str) or "," not in hosts:
        return ""
    names = [f"[{name}]" if ":" in name else name for name in hosts.split(",")]
    return ",".join(map(":".join, zip(names, ports.split(","), strict=False)))


def explain(error: Exception, url: sa.URL) -> StorageError:
    """The same failure as a `StorageError` for people."""
    if isinstance(error, StorageError):
        return error
    cause = error.orig if isinstance(error, sa.exc.DBAPIError) and error.orig else error
    words = " ".join(str(cause).split()) or type(cause).__name__
    if isinstance(error, DATA_FAULTS):
        return RefusedError(f"the database refuses it: {words}")
    sqlite = url.get_backend_name() == "sqlite"
    return StorageError(_sqlite(words, url) if sqlite else _postgres(words, url))


def _first(table: tuple[tuple[str, str], ...], words: str, otherwise: str) -> str:
    return next((advice for sign, advice in table if sign in words.lower()), otherwise)


# Texts of SQLite's errors, and the advice for each.
_SQLITE = (
    ("disk is full", "the disk is full; free some space, the server goes on by itself"),
    ("locked", "another program holds it locked; end that program, or wait for it"),
    ("not a database", "it is another kind of file; name another file, or move this one away"),
    ("malformed", "it is damaged; restore it from a backup"),
    ("unable to open", "may this user create files in its directory?"),
    ("readonly", "the file or its directory is read-only for this user; change its permissions"),
    ("no such table", "its tables are missing; run: ulci-server migrate"),
    ("disk i/o error", "the disk does not read or write; is it still there, is it full?"),
)


def _sqlite(words: str, url: sa.URL) -> str:
    if not url.database:
        return f"cannot keep the games in memory ({words})"
    path = Path(url.database)
    advice = _sqlite_path(path) or _first(_SQLITE, words, "see the text in brackets")
    return f"cannot use the database {path.absolute()}: {advice} ({words})"


def _sqlite_path(path: Path) -> str:
    """The fault of the file's location, if any."""
    directory = path.absolute().parent
    try:
        mode = path.stat().st_mode
    except PermissionError:
        return f"this user may not look into {directory}; change its permissions"
    except NotADirectoryError:
        return f"{directory} is not a directory; name another one"
    except FileNotFoundError:
        return "" if directory.is_dir() else f"the directory {directory} does not exist; create it"
    if stat.S_ISDIR(mode):
        return "it is a directory; name a file in it"
    return "" if os.access(path, os.R_OK) else "this user may not read it; change its permissions"


POOLED = (
    "a connection pooler lends sessions there by the transaction (PgBouncer: pool_mode ="
    " transaction or statement), so the server could not keep its lock; name PostgreSQL itself, or"
    " a pool with pool_mode = session"
)

# Texts of errors of PostgreSQL and its driver, and the advice for each.
_POSTGRES = (
    ("password authentication failed", "user or password is wrong; correct them in the URL"),
    ("no password supplied", "it wants a password; add one: postgresql://user:password@host/name"),
    ("no pg_hba.conf entry", "it does not let this user in from here; allow it in pg_hba.conf"),
    ("does not exist", "create what is missing, or correct the name in the URL"),
    ("read-only", "none of its hosts takes writes; is one of them the primary?"),
    ("refused", "is PostgreSQL running there, and does it listen on that address?"),
    ("timeout expired", "nothing answers at that address; is it right, and is the network up?"),
    ("could not translate host", "the host's name is unknown; correct it in the URL"),
    ("failed to resolve host", "the host's name is unknown; correct it in the URL"),
    ("no space left", "the disk of the database server is full; free some space there"),
    ("too many", "it has too many connections; raise max_connections, or end some"),
    ("permission denied", "grant this user what it asks for"),
    ("statement pooling", POOLED),
    ("lock timeout", "another session holds a lock on the tables; end it, or wait for it"),
)


def _postgres(words: str, url: sa.URL) -> str:
    advice = _first(_POSTGRES, words, "see the text in brackets")
    return f"cannot use the database {masked(url)}: {advice} ({words})"
