"""A relay server that a test plays by hand: a real listener, and lines to whoever calls."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import TypeVar

import trio

from tests.support.lobby import as_it_is
from ulci.net import MSGPACK, Address, Heard, Peer, listen
from ulci.protocol import (
    ULCI,
    Connection,
    MsgpackCodec,
    RemoteProtocolError,
    Role,
    TextCodec,
    Unread,
)
from ulci.protocol.messages import (
    FromClient,
    FromServer,
    Go,
    Hello,
    HelloOk,
    Id,
    Info,
    IsReady,
    NewGame,
    Option,
    Position,
    ReadyOk,
    Seek,
)

from .wires import HANG, report_bug, server_tls

Said = TypeVar("Said")


class Line:
    """One client's connection, from the server's end."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.ids: list[tuple[str, str]] = []
        self.options: list[str] = []
        self.analyses: list[Unread | Info] = []
        self.over = trio.Event()

    def say(self, *messages: FromServer) -> None:
        self.peer.put(*messages)

    def lobby(self, line: str) -> None:
        self.peer.put(as_it_is(line))

    async def hear_at(self) -> Heard | None:
        with trio.fail_after(HANG):
            return await self.peer.receive()

    async def hear(self, kind: type[Said]) -> Said:
        """The next message, which must be of this kind; analyses on the way are kept."""
        while True:
            heard = await self.hear_at()
            assert heard is not None, f"instead of {kind.__name__}: {self.peer.why}"
            if isinstance(heard.message, Unread | Info) and not issubclass(kind, Unread | Info):
                self.analyses.append(heard.message)
                continue
            assert isinstance(heard.message, kind), heard.message
            return heard.message

    async def end(self) -> list[FromClient | Unread]:
        """What is still said until the client hangs up."""
        rest: list[FromClient | Unread] = []
        while (heard := await self.hear_at()) is not None:
            rest.append(heard.message)
        return rest

    async def greet(self) -> None:
        """From ``uci`` to ``uciok``."""
        self.say(Hello())
        while True:
            heard = await self.hear_at()
            assert heard is not None, self.peer.why
            match heard.message:
                case Id(key, value):
                    self.ids.append((key, value))
                case Option(name):
                    self.options.append(name)
                case HelloOk():
                    self.peer.connection.dialect = ULCI.with_lobby()
                    return

    async def admit(self, name: str = "Fish", resume: str = "s3cret") -> Seek:
        """From ``uci`` to the client's seek."""
        await self.greet()
        self.lobby(f"welcome name {name} account no resume {resume}")
        return await self.hear(Seek)

    async def begin(
        self, number: int = 1, white: str = "Fish", black: str = "Ada", *settings: FromServer
    ) -> None:
        """A game, until the client is ready for it."""
        self.lobby(f"game {number} start white {white} black {black} game chess time 60+1 rated no")
        self.say(*settings, NewGame(), IsReady())
        await self.hear(ReadyOk)

    def ask(self, *moves: str, go: Go | None = None) -> None:
        self.say(Position(None, moves), go or Go(60_000, 60_000, 1_000, 1_000))

    def finish(self, number: int = 1, result: str = "1-0", reason: str = "resignation") -> None:
        self.lobby(f"game {number} over result {result} reason {reason}")
        self.say(Info(string=f"result {result} reason {reason}"))

    async def hang_up(self) -> None:
        await self.peer.aclose()
        self.over.set()


class FakeServer:
    """`address` is where it listens; `line()` is the next client's."""

    def __init__(self, address: Address, lines: trio.MemoryReceiveChannel[Line]) -> None:
        self.address = address
        self._lines = lines

    async def line(self) -> Line:
        with trio.fail_after(HANG):
            return await self._lines.receive()


def _connection(subprotocol: str) -> Connection:
    codec = MsgpackCodec() if subprotocol == MSGPACK else TextCodec()
    return Connection(Role.SERVER, codec, defer_info=True)


@asynccontextmanager
async def fake_server(url: str = "tcp://127.0.0.1:0") -> AsyncIterator[FakeServer]:
    """A server until the end of the block."""
    send, lines = trio.open_memory_channel[Line](100)

    async def meet(peer: Peer) -> None:
        line = Line(peer)
        await send.send(line)
        await line.over.wait()

    async with trio.open_nursery() as nursery:
        with send, lines:
            listener = partial(
                listen,
                Address.parse(url),
                meet,
                _connection,
                on_error=report_bug,
                ssl_context=server_tls(),
            )
            yield FakeServer(await nursery.start(listener), lines)
            nursery.cancel_scope.cancel()


async def misread(line: Line) -> str:
    """What the server could not understand; fails if it understood all."""
    try:
        heard = await line.hear_at()
    except RemoteProtocolError as error:
        return str(error)
    raise AssertionError(f"understood: {heard}")
