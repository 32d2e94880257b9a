"""Checks that the tables are those of this program, and migrates them."""

import enum
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Literal

import sqlalchemy as sa

from .database_lock import lock_database
from .database_url import parse_url
from .errors import SchemaError, explain, masked
from .schema import METADATA
from .sql_engine import migration_engine, open_engines

ADVISORY_LOCK = 0x756C_6369
"""``ulci`` in ASCII. A migration holds it, so that of two servers started at once one waits and
then finds the work done. SQLite needs none: its write lock is taken before anything is read."""

PATIENCE = 30.0
"""Seconds to wait for other users of a table that is to change."""

ALEMBIC_VERSION = sa.Table(
    "alembic_version",
    sa.MetaData(),
    sa.Column("version_num", sa.String(32), nullable=False),
    sa.PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)
"""Alembic's own table: one row with the version of the tables, none after ``base``."""


class SchemaStatus(enum.StrEnum):
    """The version of the tables, compared with this program."""

    EMPTY = "empty"
    BEHIND = "behind"
    CURRENT = "current"
    NEWER = "newer"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True)
class SchemaState:
    """`revision` is the database's (None: it has none), `head` this program's."""

    standing: SchemaStatus
    revision: str | None
    head: str


def schema_state(url: str) -> SchemaState:
    """The state of the tables; changes nothing. Raises `StorageError`."""
    address = parse_url(url)
    if _missing(address):
        # Opening a missing file would create it.
        return SchemaState(SchemaStatus.EMPTY, None, _versions()[-1])
    with _connected(open_engines(address, "power").reader) as connection:
        return _state(connection)


def migrate(url: str) -> SchemaState:
    """Bring the tables up to date, in one transaction; returns their state before. Where there are
    none they are made as they are now, and not by one version after the other.

    Raises:
        SchemaError: they are newer than this program, or not its own.
        StorageError: the database failed.
    """
    with _connected(migration_engine(parse_url(url))) as connection:
        _lock(connection)
        before = _state(connection)
        _refuse(before, parse_url(url), (SchemaStatus.NEWER, SchemaStatus.FOREIGN))
        if before.standing is SchemaStatus.EMPTY:
            METADATA.create_all(connection, checkfirst=False)
            ALEMBIC_VERSION.create(connection, checkfirst=True)
            connection.execute(sa.insert(ALEMBIC_VERSION).values(version_num=before.head))
        elif before.standing is SchemaStatus.BEHIND:
            _run("upgrade", connection, before.head)
        return before


def migrate_unused(url: str, *, shared: bool = False) -> SchemaState:
    """As `migrate`, but leaves tables of an older version alone while a server uses them. `shared`:
    they are for the servers of a cluster.

    Raises:
        StorageError: a server uses them, or the servers of a cluster cannot share them.
    """
    if shared:
        with lock_database(url, shared=True):
            pass
    if schema_state(url).standing is not SchemaStatus.BEHIND:
        return migrate(url)
    with lock_database(url):
        return migrate(url)


def downgrade(url: str, revision: str) -> None:
    """Go back to an older version, for an older program; ``base`` drops all tables. Data that only
    the newer one keeps is lost. Raises `StorageError`."""
    with _connected(migration_engine(parse_url(url))) as connection:
        _lock(connection)
        _run("downgrade", connection, revision)


def require_current(url: str) -> None:
    """Raises `SchemaError`, with advice, unless the tables are those of this program."""
    address = parse_url(url)
    if _missing(address):
        path = Path(address.database or "").absolute()
        raise SchemaError(f"there is no database {path}; name the right one, or {_CREATE}")
    _refuse(schema_state(url), address, tuple(set(SchemaStatus) - {SchemaStatus.CURRENT}))


_CREATE = "create it by: ulci-server migrate"

_WHY = {
    SchemaStatus.EMPTY: f"it has no tables yet; {_CREATE}",
    SchemaStatus.BEHIND: "its tables are at version {revision} and this program needs {head};"
    " make a backup, then run: ulci-server migrate",
    SchemaStatus.NEWER: "its tables are at version {revision}, which this program does not know"
    " (it knows {head}); install the newer ulci-relay that made them",
    SchemaStatus.FOREIGN: "it has tables of our names that ulci-relay did not make; name an"
    " empty one",
}


def _refuse(state: SchemaState, url: sa.URL, standings: tuple[SchemaStatus, ...]) -> None:
    if state.standing in standings:
        why = _WHY[state.standing].format(revision=state.revision, head=state.head)
        raise SchemaError(f"cannot use the database {masked(url)}: {why}")


@contextmanager
def _connected(engine: sa.Engine) -> Iterator[sa.Connection]:
    try:
        with engine.begin() as connection:
            yield connection
    except sa.exc.SQLAlchemyError as error:
        raise explain(error, engine.url) from error
    finally:
        engine.dispose()


def _missing(url: sa.URL) -> bool:
    if url.get_backend_name() != "sqlite":
        return False
    try:
        Path(url.database or "").stat()
    except FileNotFoundError:
        return True
    except OSError:
        pass  # it cannot be read: opening it will give the reason
    return False


def _lock(connection: sa.Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(ADVISORY_LOCK)))
        # Otherwise all queries would queue behind this one for as long as a long reader lasts.
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = {round(PATIENCE * 1000)}")


@cache
def _versions() -> tuple[str, ...]:
    """The numbers of all versions, oldest first, from the names of their modules."""
    folder = resources.files("ulci_migrations") / "versions"
    named = (re.fullmatch(r"v(\d{4})_\w+\.py", path.name) for path in folder.iterdir())
    versions = tuple(sorted(name[1] for name in named if name))
    assert versions, "there is at least one version"
    return versions


def _state(connection: sa.Connection) -> SchemaState:
    *_, head = versions = _versions()
    tables = {*sa.inspect(connection).get_table_names()}
    revision = None
    if ALEMBIC_VERSION.name in tables:
        revision = connection.scalars(sa.select(ALEMBIC_VERSION.c.version_num)).one_or_none()
    if revision is None:
        ours = METADATA.tables.keys() & tables
        return SchemaState(SchemaStatus.FOREIGN if ours else SchemaStatus.EMPTY, None, head)
    if revision == head:
        return SchemaState(SchemaStatus.CURRENT, revision, head)
    standing = SchemaStatus.BEHIND if revision in versions else SchemaStatus.NEWER
    return SchemaState(standing, revision, head)


def _run(way: Literal["upgrade", "downgrade"], connection: sa.Connection, revision: str) -> None:
    """Run the versions between that of the tables and `revision`."""
    # Importing Alembic takes a tenth of a server's start, and there is seldom a version to run.
    from alembic import command
    from alembic.config import Config

    config = Config()
    # The parser of ini files would expand a per cent sign in the path.
    location = str(resources.files("ulci_migrations")).replace("%", "%%")
    config.set_main_option("script_location", location)
    config.attributes["connection"] = connection
    run = command.upgrade if way == "upgrade" else command.downgrade
    run(config, revision)
    if connection.dialect.name == "sqlite":
        # Foreign keys were off meanwhile (see `migration_engine`).
        broken = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
        if broken:
            raise SchemaError(f"a migration would leave rows that refer to nothing: {broken[:3]}")
