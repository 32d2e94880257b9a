"""A database of each kind, and databases of its own for each test."""

import os
import uuid
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.support.facts import NOON
from ulci_server.storage import Database, MemoryDatabase, RunState, Unfinished, migrate
from ulci_server.storage.schema import PLAYERS

POSTGRES = "ULCI_TEST_POSTGRES_URL"
"""Names a database in which the tests may create schemas, and drop them."""


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """A file that isn't there yet."""
    return f"sqlite:///{tmp_path}/games.db"


@pytest.fixture
def postgres_url() -> Iterator[str]:
    """An empty schema, dropped afterwards."""
    server = os.environ.get(POSTGRES)
    if not server:
        pytest.skip(f"{POSTGRES} is not set, e.g. to postgresql://postgres@127.0.0.1/test")
    schema = f"ulci_test_{uuid.uuid4().hex}"
    url = sa.make_url(server).set(drivername="postgresql+psycopg")
    admin = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
    with admin.connect() as connection:
        connection.execute(sa.schema.CreateSchema(schema))
    ours = url.update_query_dict({"options": f"-csearch_path={schema}"})
    yield ours.render_as_string(hide_password=False)
    with admin.connect() as connection:
        connection.execute(sa.schema.DropSchema(schema, cascade=True))
    admin.dispose()


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest) -> str:
    """A database without tables, of each kind."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture
def sql_database(database_url: str) -> Iterator[Database]:
    """A database with tables and nothing in them, of each kind."""
    migrate(database_url)
    database = Database(database_url)
    yield database
    database.close()


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    """An empty database of each kind."""
    if request.param == "memory":
        yield MemoryDatabase()
        return
    url: str = request.getfixturevalue(f"{request.param}_url")
    migrate(url)
    database = Database(url)
    yield database
    database.close()


def remove_player(database: Database, player: int) -> None:
    """Delete an account, as an operator may."""
    with database.transactions.writer.begin() as connection:
        connection.execute(sa.delete(PLAYERS).where(PLAYERS.c.id == player))


def owners_of(database: Database, games: Collection[int]) -> dict[int, tuple[int, int]]:
    """The run that owns each of these games, and the epoch; without those that are over, and those
    that belong to nobody."""
    running = database.games.find(ids=games, running=True)
    return {game.id: (game.owner, game.epoch) for game in running if game.owner is not None}


def unfinished(database: Database) -> list[Unfinished]:
    """The games that run, whoever owns them."""
    return database.games.unfinished([game.id for game in database.games.find(running=True)])


@dataclass(frozen=True)
class Server:
    """One of several servers that share a database, as its storage sees it."""

    database: Database
    run: int

    @property
    def state(self) -> RunState:
        """What the others see of it. It may still write."""
        [mine] = [state for state in self.database.runs.living() if state.id == self.run]
        return mine


Start = Callable[[str], Server]


@pytest.fixture
def start(database_url: str) -> Iterator[Start]:
    """Starts servers of one cluster, by their names."""
    migrate(database_url)
    with ExitStack() as closing:

        def begin(node: str) -> Server:
            database = Database(database_url)
            closing.callback(database.close)
            run = database.runs.begin(NOON, node, speaks=1, version="1.2\x1b")
            database.runs.join(run)
            return Server(database, run)

        yield begin
