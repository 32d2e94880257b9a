"""The whole server in this process, and clients that call it over real sockets."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import trio

from tests.support.clients import Client
from tests.support.wires import client_tls
from ulci.net import MSGPACK, Address, dial
from ulci.protocol import ULCI, Connection, MsgpackCodec, Role, TextCodec
from ulci.protocol.messages import Seek, Terms
from ulci_server.app import Reload, Shutdown, run_server
from ulci_server.config import Config, load

# A hang guard: no test waits for it.
HANG = 120

NEVER = 3600.0


def connection(subprotocol: str) -> Connection:
    codec = MsgpackCodec() if subprotocol == MSGPACK else TextCodec()
    return Connection(Role.CLIENT, codec, ULCI.with_lobby())


class Hosted:
    """A running server. `cut` is what it returned."""

    def __init__(self) -> None:
        self.shutdown = Shutdown()
        self.reload = Reload()
        self.addresses: list[Address] = []
        self.over = trio.Event()
        self.cut = -1

    async def run(self, config: Config, task_status=trio.TASK_STATUS_IGNORED) -> None:
        async with trio.open_nursery() as nursery:
            self.addresses = await nursery.start(self._run, config)
            task_status.started()

    async def _run(self, config: Config, task_status=trio.TASK_STATUS_IGNORED) -> None:
        self.cut = await run_server(
            config, self.shutdown, reload=self.reload, task_status=task_status
        )
        self.over.set()

    @asynccontextmanager
    async def client(
        self, number: int = 0, headers: Mapping[str, str] | None = None
    ) -> AsyncIterator[Client]:
        """Somebody at the listener of that number."""
        address, tls = self.addresses[number], client_tls()
        async with dial(address, connection, ssl_context=tls, headers=headers) as peer:
            yield Client(peer)

    @asynccontextmanager
    async def game(self, number: int = 0) -> AsyncIterator[tuple[Client, Client]]:
        """White, who has been asked for the first move, and Black, at the listener of that
        number."""
        async with self.client(number) as white, self.client(number) as black:
            for client, name in ((white, "A"), (black, "B")):
                await client.introduce_person(name)
                client.say(Seek(Terms(color="white" if client is white else "black")))
            for client in (white, black):
                await client.get_ready()
            await white.be_asked()
            yield white, black


@asynccontextmanager
async def hosting(config: Config) -> AsyncIterator[Hosted]:
    hosted = Hosted()
    with trio.fail_after(HANG):
        async with trio.open_nursery() as nursery:
            await nursery.start(hosted.run, config)
            yield hosted
            hosted.shutdown.ask()
            await hosted.over.wait()


def config(url: str = "memory:", *, grace: float = NEVER, **changes: object) -> Config:
    settings = {
        "listen": [{"address": "tcp://127.0.0.1:0"}],
        "database": {"url": url},
        "shutdown": {"grace": grace},
    }
    return load(None, {**settings, **changes})
