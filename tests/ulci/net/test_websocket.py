"""Peers over WebSocket: frames, pings, and every way to end."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
import trio
import trio.testing
from wsproto.events import BytesMessage, CloseConnection, Event, Ping, Pong, TextMessage
from wsproto.frame_protocol import Opcode

from tests.support.wires import (
    HANG,
    QUICK,
    BareWebSocket,
    call,
    ending,
    hear,
    nothing_left,
    reset,
    serving,
    text,
)
from ulci.net import CloseCode, Limits, Peer, RateLimit, websocket
from ulci.net.websocket import WebSocketPeer

PINGING = replace(QUICK, ping_interval=0.02, ping_timeout=0.1)


@asynccontextmanager
async def met(limits: Limits = QUICK) -> AsyncIterator[tuple[Peer, BareWebSocket]]:
    """A peer at a listener, and who is behind it."""
    with trio.fail_after(HANG), nothing_left():
        async with (
            serving("ws://127.0.0.1:0", limits=limits) as (address, arrivals),
            await call(address) as stream,
        ):
            client = BareWebSocket(stream)
            await client.upgrade()
            yield await arrivals.receive(), client


async def test_each_message_is_a_frame_and_those_of_one_put_are_one_send() -> None:
    async with met() as (peer, client):
        peer.put(text("one"), text("two"), text("three"))
        client.frames.receive_data(await client.stream.receive_some())
        assert [event.data for event in client.frames.events()] == [  # type: ignore[attr-defined]
            "info string one",
            "info string two",
            "info string three",
        ]


async def test_a_peer_that_does_not_answer_a_ping_is_cut() -> None:
    async with met(PINGING) as (peer, client):
        assert await ending(peer) == "no answer to a ping within 0.1 s"
        await client.hear(Ping)


async def test_a_peer_that_answers_pings_stays() -> None:
    async with met(replace(PINGING, ping_timeout=5.0)) as (peer, client):
        async with trio.open_nursery() as nursery:

            async def listening() -> None:
                assert (await hear(peer)).message == text("still here")

            nursery.start_soon(listening)
            for _ in range(5):
                ping = await client.hear(Ping)
                assert isinstance(ping, Ping)
                await client.say(ping.response())
            await client.say(TextMessage("info string still here"))
        assert peer.why == ""


async def test_a_peer_that_nobody_reads_is_not_cut_for_a_missing_pong() -> None:
    async with met(PINGING) as (peer, client):
        # Nobody takes the first frame, so the answers behind it are not read
        await client.say(TextMessage("info string first"), TextMessage("info string second"))
        for _ in range(3):
            await client.hear(Ping)
        assert peer.why == ""
        assert (await hear(peer)).message == text("first")
        assert (await hear(peer)).message == text("second")


async def test_no_ping_goes_to_a_connection_that_is_over() -> None:
    async with met(PINGING) as (peer, client):
        await client.say(CloseConnection(code=1000))
        assert await ending(peer) == "closed by the other side"
        await trio.testing.wait_all_tasks_blocked(0.05)


@pytest.mark.parametrize("words", ["x" * 101, "ä" * 51, "ä" * 99])
async def test_a_frame_that_is_too_long_in_bytes_ends_it(words: str) -> None:
    async with met(replace(QUICK, max_frame=100)) as (peer, client):
        await client.say(TextMessage(words))
        assert await ending(peer) == "a frame was too long: at most 100 bytes are allowed here"


async def test_a_frame_of_just_the_right_size_is_read() -> None:
    async with met(replace(QUICK, max_frame=100)) as (peer, client):
        words = "ä" * 44
        await client.say(TextMessage(f"info string {words}"))
        assert (await hear(peer)).message == text(words)


async def test_a_message_in_several_frames_is_one() -> None:
    async with met() as (peer, client):
        await client.say(TextMessage("info string in ", message_finished=False))
        await client.say(TextMessage("two pieces"))
        assert (await hear(peer)).message == text("in two pieces")


async def test_a_message_of_endless_empty_frames_ends_the_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(websocket, "UNHEARD", 10_000)
    async with met() as (peer, client):
        for _ in range(100):  # as long as messages come among them, frames may be many
            await client.say(*[TextMessage("", message_finished=False)] * 50)
            await client.say(TextMessage("info string x"))
            await hear(peer)
        for _ in range(50):
            await client.say(*[TextMessage("", message_finished=False)] * 50)
        assert await ending(peer) == "sent more than 10000 bytes without a whole message among them"


async def test_a_binary_frame_is_read_as_text_where_text_is_spoken() -> None:
    async with met() as (peer, client):
        await client.say(BytesMessage(b"info string binary"))
        assert (await hear(peer)).message == text("binary")


@pytest.mark.parametrize(
    ("code", "reason", "why"),
    [
        (1000, None, "closed by the other side"),
        (1001, None, "closed by the other side: it is going away"),
        (4000, "bed time", "closed by the other side with code 4000 bed time"),
        (4001, None, "closed by the other side with code 4001"),
        (1009, None, "a frame was too long: at most 65536 bytes are allowed here"),
    ],
)
async def test_the_reason_of_a_close_frame_is_kept(code: int, reason: str | None, why: str) -> None:
    async with met() as (peer, client):
        await client.say(CloseConnection(code=code, reason=reason))
        assert await ending(peer) == why
        assert isinstance(await client.hear(CloseConnection), CloseConnection)


async def test_text_that_is_not_utf_8_ends_it() -> None:
    async with met() as (peer, client):
        frame = client.frames._proto._serialize_frame(Opcode.TEXT, b"\xff\xfe")
        await client.stream.send_all(frame)
        assert await ending(peer) == "sent text that is not UTF-8; a text frame must be"


@pytest.mark.parametrize("how", ["reset", "end"])
async def test_a_connection_that_breaks_is_lost(how: str) -> None:
    async with met() as (peer, client):
        assert isinstance(client.stream, trio.SocketStream)
        if how == "reset":
            reset(client.stream)
        else:
            await client.stream.aclose()
        assert await ending(peer) == "the connection was lost"
        peer.put(text("are you there?"))
        await trio.testing.wait_all_tasks_blocked()


async def test_a_ping_during_closing_raises_nothing() -> None:
    async with met() as (peer, client):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(peer.aclose)
            await client.hear(CloseConnection)
            proto = client.frames._proto
            await client.stream.send_all(proto.ping(b"hello?") + proto.close(1000))
        assert peer.why == "closed by this side"


async def test_a_bug_below_us_ends_this_peer_and_no_other_task() -> None:
    async with met() as (peer, client):
        assert isinstance(peer, WebSocketPeer)
        peer._ws._wsproto.receive_data = None  # whatever comes now, its reader fails on it
        await client.say(TextMessage("info string never read"))
        assert await ending(peer) == "the connection was lost"


@pytest.mark.parametrize("code", [CloseCode.REJECTED, CloseCode.TRY_AGAIN])
async def test_the_reason_of_a_dismissal_is_in_the_close_frame(code: CloseCode) -> None:
    async with met() as (peer, client):
        peer.put(text("you are banned here"))
        peer.dismiss("you are banned here", code)
        assert await client.hear(TextMessage) == TextMessage("info string you are banned here")
        assert await client.hear(CloseConnection) == CloseConnection(code, "you are banned here")


async def test_a_missing_answer_to_a_close_frame_times_out() -> None:
    async with met(replace(QUICK, flush=0.05)) as (peer, client):
        await peer.aclose()
        assert isinstance(await client.hear(CloseConnection), CloseConnection)


async def test_a_close_frame_to_a_peer_that_is_gone_raises_nothing() -> None:
    async with met() as (peer, client):
        assert isinstance(client.stream, trio.SocketStream)
        reset(client.stream)
        peer.put(text("one"), text("two"))
        await peer.aclose()
        assert await peer.receive() is None


async def test_a_flood_of_pings_is_slowed_and_the_paused_peer_is_not_cut() -> None:
    limits = replace(
        PINGING, rate_limit=RateLimit(rate=1000, burst=100, read=0, frame=0, line=0, info=0)
    )
    async with met(limits) as (peer, client):
        pings = [Ping(payload=b"x" * 100) for _ in range(5)]
        began = trio.current_time()
        await client.say(*pings, TextMessage("info string first"))
        await hear(peer)
        await client.say(TextMessage("info string at last"))
        assert (await hear(peer)).message == text("at last")
        # 500 bytes more than the burst.
        assert trio.current_time() - began > 4 * PINGING.ping_timeout


SPENDABLE = RateLimit(rate=1, burst=200_000, line=256)


@pytest.mark.parametrize(
    ("said", "slowed"),
    [
        ([Ping(payload=b"")] * 1300, True),
        ([Pong(payload=b"")] * 1300, True),
        ([TextMessage("", message_finished=False)] * 1300, True),
        ([TextMessage("")] * 1300, True),
        ([TextMessage("info string " + "\u265a" * 300)] * 100, False),  # three bytes a letter
        ([Ping(payload=b""), TextMessage("info string x")] * 200, False),
    ],
)
async def test_every_frame_is_charged(said: list[Event], slowed: bool) -> None:
    async with met(replace(PINGING, rate_limit=SPENDABLE)) as (peer, client):
        for at in range(0, len(said), 100):
            await client.say(*said[at : at + 100], TextMessage("info string so far"))
        await client.say(TextMessage("info string at last"))
        with trio.fail_after(60):
            while (heard := await peer.receive()) is not None:
                if slowed and _waits(peer):
                    break
                if heard.message == text("at last"):
                    break
        assert _waits(peer) == slowed


def _waits(peer: Peer) -> bool:
    """Whether no more is read from it for a while."""
    assert peer._allowance is not None
    return peer._allowance.pause(trio.current_time()) > 0
