"""Peers over streams, and background tasks."""

import pytest
import trio
import trio.testing

from tests.support.wires import (
    HANG,
    QUICK,
    call,
    client_side,
    client_tls,
    ending,
    hear,
    nothing_left,
    open_stream,
    server_side,
    serving,
    text,
)
from ulci.net import Limits
from ulci.net.streams import background_tasks
from ulci.protocol import RemoteProtocolError


class Recorder(trio.abc.Stream):
    """Records what is sent at once, and sends only when it is allowed to."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.closed = False
        self.open = trio.Event()
        self.broken = False

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await self.open.wait()
        if self.broken:
            raise trio.BrokenResourceError("out of order")
        self.sent.append(bytes(data))

    async def wait_send_all_might_not_block(self) -> None:
        await trio.lowlevel.checkpoint()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        await trio.sleep_forever()
        raise AssertionError

    async def aclose(self) -> None:
        self.closed = True
        await trio.lowlevel.checkpoint()


async def test_everything_that_is_queued_goes_out_in_one_piece() -> None:
    stream = Recorder()
    async with open_stream(stream, server_side(), limits=QUICK) as peer:
        peer.put(text("one"))
        await trio.testing.wait_all_tasks_blocked()  # the writer has taken it, and waits
        peer.put(text("two"))
        peer.put(text("three"))
        assert peer.waiting == len("info string one\ninfo string two\ninfo string three\n")
        stream.open.set()
        await trio.testing.wait_all_tasks_blocked()
        assert stream.sent == [b"info string one\n", b"info string two\ninfo string three\n"]
        assert peer.waiting == 0
    assert stream.closed


async def test_what_is_put_while_nothing_is_taken_has_a_bound() -> None:
    stream = Recorder()
    async with open_stream(stream, server_side(), limits=Limits(outbox=30, flush=0.1)) as peer:
        peer.put(text("one"))
        await trio.testing.wait_all_tasks_blocked()
        peer.put(text("two"))
        assert peer.why == ""
        peer.put(text("and another one"))
        assert "reads too slowly" in peer.why
    assert stream.closed


async def test_a_stream_that_breaks_while_it_is_written_to_is_still_read() -> None:
    near, far = trio.testing.memory_stream_pair()
    stream = Recorder()
    stream.broken = True
    stream.open.set()
    both = trio.StapledStream(stream, near)
    async with open_stream(both, server_side(), limits=QUICK) as peer:
        peer.put(text("lost"))
        await trio.testing.wait_all_tasks_blocked()
        peer.put(text("not even tried"))
        await far.send_all(b"info string still here\n")
        assert (await hear(peer)).message == text("still here")
        await far.aclose()
        assert await ending(peer) == "out of order"
        assert peer.waiting == 0


async def test_errors_of_the_block_are_raised_unwrapped() -> None:
    near, _ = trio.testing.memory_stream_pair()
    with pytest.raises(KeyError):
        async with open_stream(near, server_side(), limits=QUICK):
            raise KeyError


async def test_a_partial_line_before_a_broken_stream_is_no_message() -> None:
    near, far = trio.testing.memory_stream_pair()
    async with open_stream(near, server_side(), limits=QUICK) as peer:
        await far.send_all(b"info string whole\ninfo string hal")
        await hear(peer)
        peer._bytes.receive_some = _breaking  # type: ignore[method-assign, attr-defined]
        assert await peer.receive() is None
        assert peer.why == "line cut"


async def _breaking(max_bytes: int | None = None) -> bytes:
    await trio.lowlevel.checkpoint()
    raise trio.BrokenResourceError("line cut")


async def test_the_end_of_tls_without_a_shutdown_is_an_error() -> None:
    with trio.fail_after(HANG), nothing_left():
        async with serving("tls://127.0.0.1:0", limits=QUICK) as (address, met):
            bare = await call(address)
            stream = trio.SSLStream(bare, client_tls(), server_hostname="127.0.0.1")
            await stream.send_all(b"info string whole\ninfo string hal")
            peer = await met.receive()
            assert (await hear(peer)).message == text("whole")
            await bare.aclose()
            assert await peer.receive() is None
            assert peer.why == "the connection ended without a TLS shutdown"


async def test_over_tls_the_round_trip_and_the_host_are_known() -> None:
    with trio.fail_after(HANG), nothing_left():
        async with serving("tls://127.0.0.1:0", limits=QUICK) as (address, met):
            stream = trio.SSLStream(await call(address), client_tls(), server_hostname="127.0.0.1")
            await stream.do_handshake()
            peer = await met.receive()
            assert peer.host == "127.0.0.1"
            trip = peer.round_trip()
            assert trip is not None
            assert trip > 0
            await stream.aclose()


async def test_ten_megabytes_over_tls_without_a_newline_end_in_an_error() -> None:
    with trio.fail_after(HANG), nothing_left():
        async with serving("tls://127.0.0.1:0", limits=QUICK) as (address, met):
            stream = trio.SSLStream(await call(address), client_tls(), server_hostname="127.0.0.1")
            async with trio.open_nursery() as nursery:

                async def flood() -> None:
                    with pytest.raises((trio.BrokenResourceError, trio.ClosedResourceError)):
                        for _ in range(160):
                            await stream.send_all(b"x" * 65536)

                nursery.start_soon(flood)
                peer = await met.receive()
                with pytest.raises(RemoteProtocolError, match="longer than"):
                    await peer.receive()
                with pytest.raises(RemoteProtocolError, match="never end") as caught:
                    await peer.receive()
                assert caught.value.fatal
                assert await peer.receive() is None
                assert "never end" in peer.why
                peer.cut("it goes on and on")
            await trio.aclose_forcefully(stream)


async def test_closed_from_elsewhere_the_stream_is_over() -> None:
    near, _ = trio.testing.memory_stream_pair()
    async with open_stream(near, client_side(), limits=QUICK) as peer:
        await near.aclose()
        assert await ending(peer) == "closed by this side"


async def test_a_stream_that_breaks_while_it_is_closed_is_closed() -> None:
    class Stubborn(Recorder):
        async def aclose(self) -> None:
            raise trio.BrokenResourceError("did not wait for the goodbye")

    stream = Stubborn()
    with pytest.raises(trio.BrokenResourceError):
        await stream.aclose()
    async with open_stream(Stubborn(), server_side(), limits=QUICK):
        pass


async def test_background_tasks_end_with_the_block() -> None:
    async with background_tasks() as nursery:
        nursery.start_soon(trio.sleep_forever)


async def test_an_error_of_the_block_beside_background_tasks_is_raised_unwrapped() -> None:
    with pytest.raises(KeyError):
        async with background_tasks() as nursery:
            nursery.start_soon(trio.sleep_forever)
            raise KeyError("mine")


async def test_a_cancelled_block_is_cancelled_and_nothing_else() -> None:
    with trio.CancelScope() as scope:
        async with background_tasks() as nursery:
            nursery.start_soon(trio.sleep_forever)
            scope.cancel()
            await trio.sleep_forever()
    assert scope.cancelled_caught


async def test_a_failing_background_task_raises() -> None:
    async def fails() -> None:
        raise ValueError("a bug")

    with pytest.raises(ExceptionGroup) as caught:
        async with background_tasks() as nursery:
            nursery.start_soon(fails)
    assert caught.group_contains(ValueError)
