"""What a peer writes before an answer that it owes is acknowledged at once, so that it need not
hold the answer back; nothing else is."""

import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio
import trio.testing

from tests.support.wires import HANG, laid
from ulci.net import EmptyLines, Heard, Misheard, Peer, intake
from ulci.net.peer import BytePeer
from ulci.net.streams import StreamPeer
from ulci.net.tcp import TcpPeer
from ulci.protocol.messages import (
    BestMove,
    Blame,
    Go,
    Hello,
    HelloOk,
    Info,
    IsReady,
    Message,
    Position,
    ReadyOk,
    Report,
    Stop,
    Unknown,
)

SOCKETS = ("tcp", "tls", "ws", "wss", "ws+msgpack", "wss+msgpack")

pytestmark = pytest.mark.skipif(intake.TCP_QUICKACK is None, reason="only Linux has TCP_QUICKACK")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The ports of the server's sockets at which the system was asked to acknowledge, in order."""
    ports: list[int] = []
    acknowledge = intake.Intake.acknowledge

    def noted(self: intake.Intake) -> None:
        acknowledge(self)
        assert self._sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK) == 1
        ports.append(self._sock.getsockname()[1])

    monkeypatch.setattr(intake.Intake, "acknowledge", noted)
    return ports


class Both:
    """The server's peer, which is delivered, and the client's. What one says, the other hears
    before it goes on."""

    def __init__(self, ours: Peer, theirs: Peer) -> None:
        self.ours, self._theirs = ours, theirs
        self._due, self._heard = 0, trio.Event()

    def hear(self, _: Heard | Misheard) -> bool:
        self._due -= 1
        if not self._due:
            self._heard.set()
        return True

    async def listen(self) -> None:
        while (heard := await self._theirs.receive()) is not None:
            self.hear(heard)

    async def ask(self, *messages: Message) -> None:
        """From the server."""
        await self._put(self.ours, messages)

    async def say(self, *messages: Message) -> None:
        """From the client; the server has done all that it does then."""
        await self._put(self._theirs, messages)
        await trio.testing.wait_all_tasks_blocked()

    async def write(self, line: bytes) -> None:
        """From the client, as `say`."""
        assert isinstance(self._theirs, BytePeer)
        self._due, self._heard = 1, trio.Event()
        self._theirs._write(line)
        await self._heard.wait()
        await trio.testing.wait_all_tasks_blocked()

    async def _put(self, peer: Peer, messages: Sequence[Message]) -> None:
        self._due, self._heard = len(messages), trio.Event()
        peer.put(*messages)
        await self._heard.wait()


@asynccontextmanager
async def met(kind: str) -> AsyncIterator[Both]:
    """Both, introduced."""

    async def over() -> None:
        pass

    with trio.fail_after(HANG):
        async with laid(kind) as (ours, theirs), trio.open_nursery() as nursery:
            ours.connection.defer_info = True  # as a server does
            both = Both(ours, theirs)
            nursery.start_soon(both.listen)
            nursery.start_soon(ours.deliver, both.hear, over)
            await both.ask(Hello())
            await both.say(HelloOk())
            yield both
            nursery.cancel_scope.cancel()


ANALYSIS = Info(depth=3)


@pytest.mark.parametrize("kind", SOCKETS)
async def test_analysis_before_a_move_is_acknowledged_at_once(kind: str, asked: list[int]) -> None:
    async with met(kind) as both:
        await both.ask(Position(), Go())
        asked.clear()
        await both.say(ANALYSIS)
        assert len(asked) == 1


@pytest.mark.parametrize("kind", SOCKETS)
async def test_what_comes_before_readyok_is_acknowledged_at_once(
    kind: str, asked: list[int]
) -> None:
    async with met(kind) as both:
        await both.ask(IsReady())
        asked.clear()
        await both.say(ANALYSIS)
        assert len(asked) == 1


@pytest.mark.parametrize("kind", SOCKETS)
async def test_a_move_that_is_stopped_is_still_owed(kind: str, asked: list[int]) -> None:
    async with met(kind) as both:
        await both.ask(Position(), Go())
        await both.ask(Stop())
        asked.clear()
        await both.say(ANALYSIS)
        assert len(asked) == 1


@pytest.mark.parametrize("kind", SOCKETS)
@pytest.mark.parametrize(
    ("question", "answer"), [(Go(), BestMove("e2e4")), (IsReady(), ReadyOk())], ids=["go", "ready"]
)
async def test_an_answer_costs_nothing_more(
    kind: str, question: Message, answer: Message, asked: list[int]
) -> None:
    async with met(kind) as both:
        await both.ask(question)
        asked.clear()
        await both.say(answer)
        assert asked == []


@pytest.mark.parametrize("kind", SOCKETS)
async def test_who_owes_nothing_costs_nothing_more(kind: str, asked: list[int]) -> None:
    async with met(kind) as both:
        asked.clear()
        await both.say(ANALYSIS)
        assert asked == []


def blank_lines(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What is written besides messages."""
    written: list[bytes] = []
    for kind in (TcpPeer, StreamPeer):
        write = kind._write

        def noted(self: Any, data: bytes, write: Any = write) -> None:
            if not data.strip():
                written.append(data)
            write(self, data)

        monkeypatch.setattr(kind, "_write", noted)
    return written


@pytest.mark.parametrize("kind", ["tcp", "tls"])
async def test_analysis_of_a_line_that_held_a_move_back_is_answered_by_an_empty_line(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = blank_lines(monkeypatch)
    async with met(kind) as both:
        await both.ask(Position(), Go())
        await both.say(ANALYSIS)
        assert written == []
        both.ours.empty_lines = EmptyLines(0.0)
        await both.say(ANALYSIS)
        assert written == [b"\n"]
        await both.say(BestMove("e2e4"))
        await both.say(ANALYSIS)
        assert written == [b"\n"]


@pytest.mark.parametrize("kind", ["tcp", "tls"])
async def test_a_complaint_of_an_empty_line_is_not_answered(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = blank_lines(monkeypatch)
    async with met(kind) as both:
        await both.ask(Position(), Go())
        both.ours.empty_lines = EmptyLines(0.0)
        await both.say(Unknown("Unknown command:"))
        await both.say(Report(Blame.CLIENT, "unknown command"))
        assert written == []


@pytest.mark.parametrize("kind", ["tcp", "tls"])
async def test_lines_that_end_by_two_characters_are_answered_alike(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = blank_lines(monkeypatch)
    async with met(kind) as both:
        await both.ask(Position(), Go())
        both.ours.empty_lines = EmptyLines(0.0)
        await both.write(b"info depth 3\r\n")
        assert written == [b"\n"]
        await both.write(b"bestmove e2e4\r\n")
        assert written == [b"\n"]


@pytest.mark.parametrize("kind", ["ws", "wss", "ws+msgpack"])
async def test_a_line_of_frames_needs_none(kind: str) -> None:
    async with met(kind) as both:
        both.ours.empty_lines = EmptyLines(0.0)
        await both.ask(Position(), Go())
        await both.say(ANALYSIS)
        await both.say(BestMove("e2e4"))


async def test_a_peer_that_has_left_is_no_error() -> None:
    near, far = socket.socketpair()
    with far:
        taking = intake.Intake(near)
        near.close()
        taking.acknowledge()
