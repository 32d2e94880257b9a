"""A server for a person's client: joined in memory, played by the test, gone as it likes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from tests.support.memory_peers import memory_peers
from ulci.net import DialError
from ulci.protocol import ULCI, Connection, Role, TextCodec
from ulci.protocol.messages import FromClient

from .fake_server import Line

HANG = 600.0
"""Seconds, of whichever clock the test uses, after which it is taken to hang."""


class MemoryServer:
    """`dial` is what a session dials; `line` the server's end of the next connection.

    refusals: the reasons with which the next dials fail.
    """

    def __init__(self, *refusals: str | DialError, address: str = "memory") -> None:
        self.address = address
        self.refusals = [*refusals]
        self._calls, self._lines = trio.open_memory_channel[Line](10)

    @asynccontextmanager
    async def dial(self) -> AsyncIterator["trio.abc.AsyncResource"]:
        await trio.lowlevel.checkpoint()
        if self.refusals:
            refusal = self.refusals.pop(0)
            raise refusal if isinstance(refusal, DialError) else DialError(refusal)
        here = Connection(Role.SERVER, TextCodec())
        there = Connection(Role.CLIENT, TextCodec(), ULCI.with_lobby())
        server, client = memory_peers(here, there)
        self._calls.send_nowait(Line(server))
        async with client:
            yield client

    async def line(self) -> Line:
        with trio.fail_after(HANG):
            return await self._lines.receive()


async def greeted(server: MemoryServer, name: str = "Ada") -> Line:
    """The next connection, in the lobby."""
    line = await server.line()
    await line.greet()
    line.lobby(f"welcome name {name} account no resume s3cret")
    return line


async def heard(line: Line) -> FromClient:
    """The next thing that the client says."""
    found = await line.hear_at()
    assert found is not None, line.peer.why
    return found.message  # type: ignore[return-value]
