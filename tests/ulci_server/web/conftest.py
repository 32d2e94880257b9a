"""A site over a real hall and a database in memory, asked without a socket."""

from contextlib import asynccontextmanager
from datetime import UTC, datetime
from itertools import count

import pytest
import trio
import trio.testing

from tests.support.asked_sites import AskedSite
from tests.support.clients import Client, memory_client
from ulci.net import Gate, GateLimits, Turns
from ulci.protocol.messages import Id, Seek, Terms
from ulci.rules import GAMES
from ulci_server.config import load
from ulci_server.game import Timeouts
from ulci_server.hall import Authenticator, ClientTimeouts, Hall, HallSettings, LobbyHost
from ulci_server.lobby import Agreement, Lobby
from ulci_server.storage import Journal, MemoryDatabase
from ulci_server.web import make_site


class Web(AskedSite):
    """The hall, its journal and its site."""

    def __init__(
        self,
        nursery: trio.Nursery,
        *,
        delay: float = 10.0,
        first_game=1,
        standings=None,
        directors=(),
        engines=(),
        sign_up="off",
        **web,
    ) -> None:
        settings = {
            "web": web,
            "play": {"delay": delay},
            "tournaments": {"directors": directors},
            "clients": {"sign_up": sign_up},
        }
        if engines:
            settings["engine"] = [*engines]
        self.config = load(None, settings)
        self.database = MemoryDatabase()
        self.authenticator = authenticator = Authenticator(
            self.database.accounts, now=lambda: datetime.now(UTC)
        )
        self.journal = Journal(self.database)
        self.games = GAMES
        self.now = lambda: datetime.now(UTC)
        pools = self.config.pools(GAMES)
        self.hall = Hall(
            self.journal,
            lambda hall: LobbyHost(
                hall.services,
                lobby=Lobby(pools, lambda n: 0, GAMES),
                authenticator=authenticator,
                number=count(first_game).__next__,
                secret=(f"secret{n}" for n in count(1)).__next__,
            ),
            settings=HallSettings(
                clients=ClientTimeouts(handshake=10, drain=300, nonsense=20),
                game=Timeouts(ready=30, away=60),
                delay=delay,
            ),
            games=GAMES,
        )
        app = make_site(
            self.config,
            self.hall,
            self.journal,
            self.database,
            GAMES,
            nursery=nursery,
            gate=Gate(GateLimits(exempt=())),
            turns=Turns(),
            authenticator=authenticator,
            standings=standings,
        )
        super().__init__(app, nursery)

    def connect(self) -> Client:
        near, client = memory_client()
        self._nursery.start_soon(self._welcome, near)
        return client

    async def _welcome(self, peer) -> None:
        await self.hall.welcome(peer, "chess")
        await peer.aclose()

    async def game(self, **terms) -> tuple[Client, Client]:
        """Ada, who is White and has been asked for a move, and Bob."""
        players = []
        for name, color in (("Ada", "white"), ("Bob", "black")):
            client = self.connect()
            await client.introduce(Id("version", "1"), Id("username", name), Id("feature", "lobby"))
            await client.hear_line("welcome")
            client.say(Seek(Terms(color=color, **terms)))
            await trio.testing.wait_all_tasks_blocked()
            players.append(client)
        for client in players:
            await client.get_ready()
        await players[0].be_asked()
        return players[0], players[1]

    async def opened(self, opening: tuple[str, ...]) -> tuple[Client, Client]:
        """Ada and Bob in game 7, which begins with these moves and for which neither is ready."""
        players = self.connect(), self.connect()
        for client, name in zip(players, ("Ada", "Bob"), strict=True):
            await client.introduce(Id("username", name), Id("feature", "lobby"))
            await client.hear_line("welcome")
        seats = [self.hall.lobby.known(name).player for name in ("Ada", "Bob")]
        [pool, *_] = self.config.pools(GAMES)
        agreed = Agreement(
            pool.game, pool.control, None, rated=False, pool=pool.name, opening=opening
        )
        self.hall.begin_game(7, agreed, (seats[0], seats[1]), pytest.fail)
        return players


@pytest.fixture
def web():
    @asynccontextmanager
    async def open_web(**kwargs):
        async with trio.open_nursery() as nursery:
            served = Web(nursery, **kwargs)
            await nursery.start(served.journal.run)
            nursery.start_soon(served.hall.run)
            yield served
            nursery.cancel_scope.cancel()

    return open_web
