"""A hall on the mock clock: no disk, no socket, no real time."""

from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count

import outcome
import pytest
import trio
import trio.testing

from tests.support.clients import Client, memory_client, program_client
from tests.support.databases import unfinished
from tests.support.journal import DatedJournal, now
from ulci.protocol import DIALECTS, Role
from ulci.protocol.messages import Id, Seek, Terms
from ulci.rules import GAMES
from ulci_server.game import Controls, Timeouts
from ulci_server.hall import (
    Authenticator,
    ClientTimeouts,
    Downtime,
    Hall,
    HallSettings,
    LobbyHost,
    Session,
)
from ulci_server.lobby import Lobby, Pool, Profile
from ulci_server.storage import Accounts, MemoryDatabase, secret_hash

POOL = Pool("chess", GAMES["chess"], Controls.parse("60+1"), (None,))


class Server:
    """The hall, its journal, and a way to walk in."""

    def __init__(
        self,
        nursery: trio.Nursery,
        *pools: Pool,
        referees=(),
        authenticator=None,
        delay: float = 10.0,
        first_game: int = 1,
        generation: str = "",
        claims: bool = False,
        complaints=None,
    ) -> None:
        self.journal = DatedJournal()
        games = {p.game.name: p.game for p in pools or (POOL,)}
        self._pool = (pools or (POOL,))[0]
        self._pools = pools
        self._same = partial(Server, nursery, referees=referees)
        authenticator = authenticator or Authenticator(now=partial(datetime.now, UTC))
        self.hall = Hall(
            self.journal,
            lambda hall: LobbyHost(
                hall.services,
                lobby=Lobby(pools or (POOL,), lambda n: 0, games),
                authenticator=authenticator,
                number=count(first_game).__next__,
                secret=(f"secret{generation}{n}" for n in count(1)).__next__,
                complaints=complaints,
                now=now,
            ),
            settings=HallSettings(
                clients=ClientTimeouts(handshake=10, drain=300, nonsense=20),
                game=Timeouts(ready=30, away=60),
                delay=delay,
                claims=claims,
            ),
            games=games,
            referees=referees,
        )
        self._nursery = nursery
        nursery.start_soon(self.hall.run)

    def connect(self, host: str = "", bearer: str = "", pool: str = "") -> Client:
        near, client = memory_client()
        near.host = host
        near.headers = {"authorization": f"Bearer {bearer}"} if bearer else {}
        self._nursery.start_soon(self._welcome, near, "", pool)
        return client

    async def ugi(self, name: str) -> Client:
        """An engine at a listener that speaks UGI."""
        near, client = memory_client(DIALECTS["ugi"](Role.CLIENT))
        near.connection.dialect = DIALECTS["ugi"](Role.SERVER)
        self._nursery.start_soon(self._welcome, near, self._pool.game.name)
        await client.introduce(Id("name", name))
        await trio.testing.wait_all_tasks_blocked()
        return client

    async def _welcome(self, peer, plays: str = "", pool: str = "") -> None:
        await self.hall.welcome(peer, pool or self._pool.name, plays=plays)
        await peer.aclose()

    async def engine(self, name: str, *said) -> Client:
        client = self.connect()
        await client.introduce(Id("name", name), *said)
        await trio.testing.wait_all_tasks_blocked()
        return client

    async def program(self, name: str, secret: str = "") -> tuple[Session, Client]:
        """A program of the server itself, which it has introduced, and its far end."""
        near, client = await program_client()
        profile = Profile(name, "", pool=self._pool.name)
        host = partial(self.hall.host_program, near, profile, secret=secret)
        session = await self._nursery.start(host)
        await trio.testing.wait_all_tasks_blocked()
        return session, client

    async def person(self, name: str, *said, host: str = "", bearer: str = "") -> Client:
        client = self.connect(host, bearer)
        await client.introduce(Id("username", name), Id("feature", "lobby"), *said)
        client.secret = (await client.hear_line("welcome")).split()[-1]
        return client

    async def back(self, name: str, secret: str) -> Client:
        """A person on another line, before it has said that it is ready."""
        return await self.person(name, Id("resume", secret))

    async def engines(self) -> tuple[Client, Client]:
        """Two engines at a table, both ready: White and Black."""
        white, black = await self.engine("A"), await self.engine("B")
        await white.get_ready()
        await black.get_ready()
        return white, black

    async def people(self) -> tuple[Client, Client]:
        """Two people at a table, both ready."""
        ada, bob = await self.person("Ada"), await self.person("Bob")
        for person, color in ((ada, "white"), (bob, "black")):
            person.say(Seek(Terms(color=color)))
            await trio.testing.wait_all_tasks_blocked()
        await ada.get_ready()
        await bob.get_ready()
        return ada, bob

    async def resumed(self, *pools: Pool, noted=None, database=None, **kwargs) -> "Server":
        """Another server that finds what this one noted, 5 s after it was last alive; without
        `pools` with the same."""
        database = database or MemoryDatabase()
        database.save(self.journal.noted if noted is None else noted)
        pools = pools or self._pools
        server = self._same(*pools, first_game=100, generation="-later-", **kwargs)
        await trio.testing.wait_all_tasks_blocked()
        down = Downtime(now(), now() + timedelta(seconds=5))
        server.resumes = sum(
            not server.hall.resume_game(game, down, all_left=True) for game in unfinished(database)
        )
        return server


TOKENS = {"Ada": "ada-token", "Root": "root-token", "Fish": "fish-token"}
"""Of the accounts that every test may have: two people, one of whom is an administrator, and an
engine."""


@pytest.fixture
def database(monkeypatch) -> MemoryDatabase:
    """Looked up at once: while a thread works the mock clock would jump to whatever comes next."""

    async def at_once(function, *args, limiter=None, abandon_on_cancel=False):
        await trio.lowlevel.checkpoint()
        return function(*args)

    def soon(function, deliver):
        deliver(outcome.capture(function))

    monkeypatch.setattr(trio.to_thread, "run_sync", at_once)
    monkeypatch.setattr(trio.lowlevel, "start_thread_soon", soon)
    kept = MemoryDatabase()
    for name, token in TOKENS.items():
        player = kept.accounts.add_player(name, "engine" if name == "Fish" else "human")
        scope = "admin" if name == "Root" else "play"
        kept.accounts.add_token(player.id, secret_hash(token), scope)
    return kept


@pytest.fixture
def accounts(database) -> Accounts:
    return database.accounts


@pytest.fixture
def authenticator(accounts) -> Authenticator:
    return Authenticator(accounts, now=now)


@pytest.fixture
def server():
    @asynccontextmanager
    async def open_server(*pools: Pool, **kwargs):
        async with trio.open_nursery() as nursery:
            yield Server(nursery, *pools, **kwargs)
            nursery.cancel_scope.cancel()

    return open_server
