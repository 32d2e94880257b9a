"""A client whose every word is written in the test."""

import trio

from tests.support.memory_peers import memory_peers
from ulci.net import Peer
from ulci.protocol import UCI, ULCI, Connection, Dialect, Role, TextCodec
from ulci.protocol.messages import (
    BestMove,
    Go,
    Hello,
    HelloOk,
    Id,
    IsReady,
    Lobby,
    Message,
    Option,
    ReadyOk,
    Report,
)

# A hang guard: on the mock clock it costs nothing, on the real one no test waits for it.
HANG = 3600


class Client:
    """The far end of a connection: says what it is told to, and remembers what it hears."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.heard: list[Message] = []

    def say(self, *messages: Message) -> None:
        self.peer.put(*messages)

    async def hear(self, kind: type) -> Message:
        """The next message of that kind; what comes before it is only remembered."""
        with trio.fail_after(HANG):
            while (heard := await self.peer.receive()) is not None:
                assert not isinstance(heard.message, str)
                self.heard.append(heard.message)
                if isinstance(heard.message, kind):
                    return heard.message
        raise AssertionError(f"hung up before {kind.__name__}; heard {self.heard}")

    async def hear_line(self, beginning: str) -> str:
        """The next lobby line that begins so."""
        while True:
            line = await self.hear(Lobby)
            assert isinstance(line, Lobby)
            text = " ".join(line.words)
            if text.startswith(beginning):
                return text

    async def hear_the_end(self) -> list[Message]:
        """Everything until it hangs up."""
        with trio.fail_after(HANG):
            while (heard := await self.peer.receive()) is not None:
                self.heard.append(heard.message)
        return self.heard

    async def introduce(self, *said: Id | Option) -> None:
        await self.hear(Hello)
        self.say(*said, HelloOk())

    async def introduce_person(self, name: str, *said: Id | Option) -> str:
        """Join the lobby; the secret that takes the seat back."""
        await self.introduce(Id("username", name), Id("feature", "lobby"), *said)
        return (await self.hear_line("welcome")).split()[-1]

    async def come_back(self, name: str, secret: str) -> str:
        """Take the seat back that this secret is of; the secret for the next time."""
        return await self.introduce_person(name, Id("resume", secret))

    async def get_ready(self) -> None:
        await self.hear(IsReady)
        self.say(ReadyOk())

    async def be_asked(self) -> Go:
        go = await self.hear(Go)
        assert isinstance(go, Go)
        return go

    async def move(self, move: str) -> None:
        """Be asked, and answer."""
        await self.be_asked()
        self.say(BestMove(move))

    def reports(self) -> list[str]:
        return [message.text for message in self.heard if isinstance(message, Report)]


def memory_client(dialect: Dialect | None = None) -> tuple[Peer, Client]:
    """A server's peer, and the client behind it."""
    near, far = memory_peers(
        Connection(Role.SERVER, TextCodec(), ULCI, defer_info=True),
        Connection(Role.CLIENT, TextCodec(), dialect or ULCI.with_lobby()),
    )
    return near, Client(far)


async def program_client() -> tuple[Peer, Client]:
    """A server's peer of a program of its own, which has introduced itself, and the program."""
    near, far = memory_client(UCI)
    near.connection.dialect = UCI
    near.put(Hello())
    await far.introduce()
    heard = await near.receive()
    assert heard is not None
    assert isinstance(heard.message, HelloOk)
    return near, far
