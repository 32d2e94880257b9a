"""The proxy does what it says, and what it writes down is what passed."""

import random

import pytest
import trio

from tests.faults.proxy import WEIGHTS, Mischief, Proxy

pytestmark = pytest.mark.faults

WORDS = b"go wtime 1000 btime 1000\n"


class Only(Mischief):
    """One kind, once."""

    def __init__(self, kind: str) -> None:
        super().__init__(random.Random(1))
        self._kinds = iter([kind])

    def choose(self) -> str:
        return next(self._kinds, "")


async def through(kind: str) -> tuple[bytes, Proxy]:
    """What arrives at a client, to whom a server says one line and then nothing."""

    async def serve(stream: trio.SocketStream) -> None:
        await stream.send_all(WORDS)
        try:
            while await stream.receive_some():
                pass
        except trio.BrokenResourceError:
            pass

    heard = b""
    async with trio.open_nursery() as nursery:
        [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
        nursery.start_soon(trio.serve_listeners, serve, [listener])
        proxy = Proxy(listener.socket.getsockname()[1], Only(kind))
        await nursery.start(proxy.run)
        async with await trio.open_tcp_stream("127.0.0.1", proxy.port) as stream:
            try:
                while len(heard) < len(WORDS) and (data := await stream.receive_some()):
                    heard += data
            except trio.BrokenResourceError:
                pass
        nursery.cancel_scope.cancel()
    return heard, proxy


@pytest.mark.parametrize("kind", ["", "delay", "drip", "split", "half-close"])
async def test_what_does_not_break_a_line_loses_nothing(kind):
    heard, proxy = await through(kind)
    assert heard == WORDS
    assert [line.text for line in proxy.wires[0].told] == [WORDS.decode().strip()]


@pytest.mark.parametrize("kind", ["cut", "reset", "reset-here", "black-hole"])
async def test_what_breaks_a_line_leaves_a_part_of_it(kind):
    heard, proxy = await through(kind)
    assert WORDS.startswith(heard)
    assert len(heard) < len(WORDS)
    assert [line.text for line in proxy.wires[0].told] == [WORDS.decode().strip()]
    assert [fault.kind for fault in proxy.wires[0].faults] == [kind]


async def test_the_end_that_is_not_reset_lives_on_for_a_while():
    """The server hears nothing of it while the player has lost the line already."""
    still_open = trio.Event()

    async def serve(stream: trio.SocketStream) -> None:
        await stream.send_all(WORDS)
        with trio.move_on_after(0.2) as quiet:
            await stream.receive_some()
        assert quiet.cancelled_caught
        still_open.set()

    async with trio.open_nursery() as nursery:
        [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
        nursery.start_soon(trio.serve_listeners, serve, [listener])
        proxy = Proxy(listener.socket.getsockname()[1], Only("reset-here"))
        await nursery.start(proxy.run)
        async with await trio.open_tcp_stream("127.0.0.1", proxy.port) as stream:
            with pytest.raises(trio.BrokenResourceError):
                while await stream.receive_some():
                    pass
            await still_open.wait()
        nursery.cancel_scope.cancel()


def test_the_same_seed_chooses_the_same_faults():
    first, second = (Mischief(random.Random(7), rate=1.0) for _ in range(2))
    assert [first.choose() for _ in range(100)] == [second.choose() for _ in range(100)]
    assert set(first.ledger) <= set(WEIGHTS)
