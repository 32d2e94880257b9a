"""A hall on the mock clock: no disk, no socket, no real time."""

from contextlib import asynccontextmanager
from itertools import count

import pytest
import trio
import trio.testing

from tests.support.clients import Client, memory_client
from tests.support.journal import HeldJournal
from ulci.protocol import DIALECTS, Role
from ulci.protocol.messages import Id, Seek, Terms
from ulci.rules import GAMES
from ulci_server.game import Controls
from ulci_server.game import Patience as GamePatience
from ulci_server.hall import Hall, Patience
from ulci_server.lobby import Lobby, Pool

POOL = Pool("chess", GAMES["chess"], Controls.parse("60+1"), (None,))


class House:
    """The hall, its journal, and a way to walk in."""

    def __init__(self, nursery: trio.Nursery, *pools: Pool, referees=()) -> None:
        self.journal = HeldJournal()
        self._pool = (pools or (POOL,))[0]
        self.hall = Hall(
            self.journal,
            Lobby(pools or (POOL,), lambda n: 0, {p.game.name: p.game for p in pools or (POOL,)}),
            ids=count(1),
            secret=(f"secret{n}" for n in count(1)).__next__,
            patience=Patience(handshake=10, rest=300, nonsense=20),
            game_patience=GamePatience(ready=30, away=60),
            referees=referees,
        )
        self._nursery = nursery
        nursery.start_soon(self.hall.alarms.run)

    def connect(self) -> Client:
        near, client = memory_client()
        self._nursery.start_soon(self._welcome, near)
        return client

    async def ugi(self, name: str) -> Client:
        """An engine at a listener that speaks UGI."""
        near, client = memory_client(DIALECTS["ugi"](Role.CLIENT))
        near.connection.dialect = DIALECTS["ugi"](Role.SERVER)
        self._nursery.start_soon(self._welcome, near, self._pool.game.name)
        await client.introduce(Id("name", name))
        await trio.testing.wait_all_tasks_blocked()
        return client

    async def _welcome(self, peer, plays: str = "") -> None:
        await self.hall.welcome(peer, self._pool.name, plays=plays)
        await peer.aclose()

    async def engine(self, name: str, *said) -> Client:
        client = self.connect()
        await client.introduce(Id("name", name), *said)
        await trio.testing.wait_all_tasks_blocked()
        return client

    async def person(self, name: str) -> Client:
        client = self.connect()
        client.secret = await client.introduce_person(name)
        return client

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


@pytest.fixture
def house():
    @asynccontextmanager
    async def open_house(*pools: Pool, **kwargs):
        async with trio.open_nursery() as nursery:
            yield House(nursery, *pools, **kwargs)
            nursery.cancel_scope.cancel()

    return open_house
