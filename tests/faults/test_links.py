"""A line to a database or a bus passes everything on until it is cut, and again afterwards."""

import math
from functools import partial

import pytest
import trio

from tests.faults.links import Link

pytestmark = [pytest.mark.faults, pytest.mark.system]


async def echo(stream: trio.SocketStream) -> None:
    async for data in stream:
        await stream.send_all(data)


async def is_whole(port: int) -> bool:
    async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
        try:
            await stream.send_all(b"x")
            return await stream.receive_some() == b"x"
        except trio.BrokenResourceError:
            return False


async def test_a_cut_ends_connections_and_refuses_new_ones(nursery):
    [listener] = await nursery.start(partial(trio.serve_tcp, echo, 0, host="127.0.0.1"))
    link = Link(listener.socket.getsockname()[1])
    await nursery.start(link.run)
    async with await trio.open_tcp_stream("127.0.0.1", link.port) as open_before:
        await open_before.send_all(b"x")
        assert await open_before.receive_some() == b"x"
        async with trio.open_nursery() as cutting:
            cutting.start_soon(link.cut, math.inf)
            assert await open_before.receive_some() == b""
            assert not await is_whole(link.port)
            cutting.cancel_scope.cancel()
        assert await is_whole(link.port)
