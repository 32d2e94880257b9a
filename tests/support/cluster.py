"""Several servers of a cluster in one Trio run: a hub in memory, and one SQLite database."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar, copy_context
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from typing import TypeVar

import trio

from tests.support.asked_sites import AskedSite
from tests.support.clients import Client, memory_client, program_client
from tests.support.facts import NOON
from tests.support.memory_hub import MemoryHub
from tests.support.memory_peers import MemoryPeer, MemoryStream
from ulci.net import Gate, GateLimits, Turns
from ulci.protocol.messages import Accept, Id, Seek, Terms
from ulci.rules import GAMES
from ulci_server.cluster import Node, make_parts
from ulci_server.config import load
from ulci_server.game import Conduct, Controls, Timeouts
from ulci_server.game.conduct import DEFAULT_CONDUCT
from ulci_server.hall import Authenticator, ClientTimeouts, Hall, HallSettings, LobbyHost
from ulci_server.lobby import Lobby, Pool, PoolRules, Profile
from ulci_server.storage import (
    Accounts,
    Database,
    FencedError,
    Journal,
    MemoryDatabase,
    StorageError,
    secret_hash,
)
from ulci_server.web import make_site

CONTROL, AWAY, DELAY = "60+1", 60, 1

SECRETS = count(1)
"""No two servers give out the same secret, nor one that was started again."""


def now() -> datetime:
    return NOON + timedelta(seconds=trio.current_time())


def accounts() -> Accounts:
    """One administrator, with a token."""
    kept = MemoryDatabase().accounts
    root = kept.add_player("Root", "human")
    kept.add_token(root.id, secret_hash("root-token"), "admin")
    return kept


Answer = TypeVar("Answer")

_HERE: ContextVar["Server | None"] = ContextVar("_HERE", default=None)  # whose task it is


def reach_database(work: Callable[[], Answer]) -> Answer:
    """Do what a task of a server wants to do in a thread, if that server reaches its database.
    Pages, and tests that call a method of a server, always reach it."""
    server = _HERE.get()
    if server is not None and not server.has_database:
        raise StorageError("it does not answer")
    return work()


class Server:
    """One server of the cluster, and a way to walk in."""

    def __init__(
        self,
        name: str,
        url: str,
        hub: MemoryHub,
        control: str = CONTROL,
        away: float = AWAY,
        *,
        owns: bool = True,
        ahead: float = 0.0,
        conduct: Conduct = DEFAULT_CONDUCT,
        ready: float = 30,
    ) -> None:
        """ahead: s by which its clock is ahead of those of others. ready: s in which a player gets
        ready for a game."""

        def clock() -> datetime:
            return now() + timedelta(seconds=ahead)

        self.name = name
        self.has_database = True
        """Whether it reaches its database."""
        self.ended_by: list[str] = []
        """Administrators who let this server end."""
        rules = PoolRules(conduct=conduct)
        control = Controls.parse(control)
        self._pool = Pool("chess", GAMES["chess"], control, (None,), pool_rules=rules)
        self.database = Database(url, "process")
        self.journal = Journal(self.database, now=clock)
        self.scope = trio.CancelScope()
        self._nursery: trio.Nursery | None = None
        self._context = copy_context()
        self._site: AskedSite | None = None
        secrets = (f"secret-{number}" for number in SECRETS)
        settings = HallSettings(
            clients=ClientTimeouts(handshake=10, drain=300, nonsense=20),
            game=Timeouts(ready=ready, away=away),
            delay=DELAY,
        )

        def host(hall: Hall, number, begin, announce, keeper, first_number) -> LobbyHost:
            return LobbyHost(
                hall.services,
                Lobby((self._pool,), lambda n: 0, GAMES, keeper=keeper, first_number=first_number),
                Authenticator(accounts(), now=partial(datetime.now, UTC)),
                number=number,
                secret=secrets.__next__,
                begin=begin,
                announce=announce,
                keeper=keeper,
            )

        def hall(make_lobby) -> Hall:
            return Hall(self.journal, make_lobby, settings=settings, games=GAMES)

        pools = Lobby((self._pool,), lambda n: 0, GAMES)
        make = partial(
            make_parts,
            make_hall=hall,
            make_host=host,
            games=GAMES,
            pool_rules=pools.pool_rules_of,
        )
        self.node = Node(
            name,
            self.database,
            self.journal,
            hub,
            make,
            now=clock,
            check_lock=lambda: None,
            end=self.ended_by.append,
            owns=owns,
        )
        self.sends_elsewhere = False
        """Whether it sends its players to other servers, as its run cannot begin yet."""
        self._send_elsewhere = self.node.runs.sends_elsewhere
        self.node.runs.sends_elsewhere = self._note_sending

    @asynccontextmanager
    async def _note_sending(self, unreachable: str) -> AsyncIterator[None]:
        self.sends_elsewhere = True
        async with self._send_elsewhere(unreachable):
            yield
        self.sends_elsewhere = False

    @property
    def hall(self) -> Hall:
        return self.node.hall

    async def run(self, task_status=trio.TASK_STATUS_IGNORED) -> None:
        _HERE.set(self)
        self._context = copy_context()
        try:
            with self.scope:
                async with trio.open_nursery() as nursery:
                    self._nursery = nursery
                    await nursery.start(self.journal.run)
                    nursery.start_soon(self.hall.run)
                    await nursery.start(self.node.live, "key")
                    task_status.started()
        finally:
            self.database.close()

    @property
    def site(self) -> AskedSite:
        """Its page and API."""
        if self._site is None:
            assert self._nursery is not None
            config = load(None, {"play": {"delay": DELAY}})
            made = make_site(
                config,
                self.hall,
                self.journal,
                self.database,
                GAMES,
                nursery=self._nursery,
                gate=Gate(GateLimits(exempt=())),
                turns=Turns(),
                cluster=self.node,
            )
            self._site = AskedSite(made, self._nursery)
        return self._site

    def kill(self) -> None:
        """End it as kill -9 does: it says and stores nothing more, and its connections are cut."""

        def dead(*_: object) -> None:
            raise FencedError("it is dead")

        self.database.save = dead
        self.node.post.send = self.node.post.send_all = lambda *_: None
        self.scope.cancel()

    async def leave(self) -> None:
        """End it as SIGTERM does: its games and its players go to other servers."""
        await self.node.drain()
        await self.hall.closing.hand_over(trio.CancelScope(), 0.0, "the server is shutting down")
        await self.hall.closing.say_goodbye(0.1)
        await self.node.flush()
        self.scope.cancel()
        self.database.runs.end(self.node.run, now())

    def connect(self) -> Client:
        near, client = memory_client()
        assert self._nursery is not None
        self._context.run(self._nursery.start_soon, self._welcome, near)
        return client

    async def _welcome(self, peer) -> None:
        try:
            await self.hall.welcome(peer, self._pool.name)
            await peer.aclose()
        finally:
            peer.cut("the server was killed")

    def dial(self) -> MemoryStream:
        """A connection of a program that reads and writes bytes by itself."""
        far = self.connect().peer
        assert isinstance(far, MemoryPeer)
        return MemoryStream(far)

    async def engine(self, name: str, *said) -> Client:
        client = self.connect()
        await client.introduce(Id("name", name), *said)
        return client

    async def person(self, name: str, *said) -> Client:
        client = self.connect()
        await client.introduce(Id("username", name), Id("feature", "lobby"), *said)
        client.secret = (await client.hear_line("welcome")).split()[-1]
        return client

    async def program(self, profile: Profile) -> Client:
        """The far end of an engine of this server."""
        near, client = await program_client()
        assert self._nursery is not None
        await self._nursery.start(self.hall.host_program, near, profile)
        return client


class Cluster:
    def __init__(
        self, nursery: trio.Nursery, url: str, control: str = CONTROL, away: float = AWAY
    ) -> None:
        self.hub = MemoryHub()
        self.url = url
        self._game = control, away
        self._nursery = nursery

    @staticmethod
    def now() -> datetime:
        return now()

    async def start(self, name: str, **kwargs) -> Server:
        server = Server(name, self.url, self.hub, *self._game, **kwargs)
        await self._nursery.start(server.run)
        return server


async def people(white, black):
    """Ada and Bob, at their table."""
    ada, bob = await white.person("Ada"), await black.person("Bob")
    ada.say(Seek(Terms(time="60+1", color="white")))
    bob.say(Accept(int((await bob.hear_line("seek")).split()[1])))
    for player in (ada, bob):
        await player.get_ready()
    return ada, bob
