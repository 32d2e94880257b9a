"""The upgrade from HTTP to WebSocket, seen from either side."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

import trio
from trio_websocket import wrap_client_stream, wrap_server_stream

from ulci.net.address import Address, in_brackets
from ulci.net.errors import DialError, HandshakeError
from ulci.net.frames import FrameStream
from ulci.net.gate import Refusal
from ulci.net.limits import Limits
from ulci.net.tcpstream import TcpStream, nothing
from ulci.net.websocket import WebSocketPeer
from ulci.protocol import Connection

TEXT = "ulci"
MSGPACK = "ulci.msgpack"
SUBPROTOCOLS = (MSGPACK, TEXT)
"""In the order in which a server prefers them."""

QUEUE = 0
"""Frames that trio-websocket may read ahead of us: with none, the time of the last read from the
socket is the time at which the frame that we are given was read."""

PATH_SHOWN = 200
"""Letters of a wrong path that are said back and logged: enough to see what it was."""

PLAIN_TEXT = ((b"Content-Type", b"text/plain; charset=utf-8"), (b"Connection", b"close"))

MakeConnection = Callable[[str], Connection]
"""Makes the conversation for a new peer, given what it speaks: `TEXT` or `MSGPACK`."""


async def accept(
    nursery: trio.Nursery,
    stream: trio.abc.Stream,
    bottom: TcpStream,
    *,
    path: str,
    make_connection: MakeConnection,
    label: str,
    limits: Limits,
    deadline: float,
    admit: Callable[[Mapping[str, str]], Refusal | None],
) -> WebSocketPeer:
    """The server's side of the upgrade; raises `HandshakeError`. `admit` is asked with the headers
    of the request."""
    with trio.CancelScope(deadline=deadline) as scope:
        bottom.on_end = scope.cancel  # or we would wait for a request that cannot come any more
        frames = FrameStream(stream, encrypted=stream is not bottom)
        request = await wrap_server_stream(nursery, frames, QUEUE, limits.max_frame)
        bottom.on_end = nothing
        asked = request.path.partition("?")[0]
        if asked != path:
            asked = asked[:PATH_SHOWN]
            body = f"There is nothing at {asked}. The games are at {path}, over WebSocket.\n"
            await request.reject(404, extra_headers=list(PLAIN_TEXT), body=body.encode())
            await stream.aclose()
            raise HandshakeError(f"asked for {asked}, not {path}")
        headers = _readable(request.headers)
        if (refusal := admit(headers)) is not None:
            said = [*PLAIN_TEXT, *((b"Retry-After", b"%d" % s) for s in _seconds(refusal))]
            await request.reject(429, extra_headers=said, body=f"{refusal}\n".encode())
            await stream.aclose()
            raise HandshakeError(f"refused: {refusal}")
        offered = request.proposed_subprotocols
        chosen = next((name for name in SUBPROTOCOLS if name in offered), None)
        frames.upgraded()  # trio-websocket takes it for so before it waits for anything
        return WebSocketPeer(
            await request.accept(subprotocol=chosen),
            make_connection(chosen or TEXT),
            bottom=bottom,
            frames=frames,
            label=label,
            limits=limits,
            headers=headers,
        )
    if trio.current_time() < deadline:
        raise HandshakeError("left, or sent something that is no WebSocket upgrade")
    raise HandshakeError(f"no WebSocket upgrade within {limits.handshake:g} s")


async def connect(
    nursery: trio.Nursery,
    stream: trio.abc.Stream,
    bottom: TcpStream,
    *,
    address: Address,
    make_connection: MakeConnection,
    subprotocols: Sequence[str],
    headers: Mapping[str, str],
    label: str,
    limits: Limits,
) -> WebSocketPeer:
    """The client's side of the upgrade; raises `DialError`. Who calls it limits its time."""
    with trio.CancelScope() as scope:
        bottom.on_end = scope.cancel
        ws = await wrap_client_stream(
            nursery,
            cast(Any, stream),  # it says SocketStream, and uses what every stream has
            f"{in_brackets(address.host)}:{address.port}",
            address.path,
            subprotocols=subprotocols,
            extra_headers=[(name.encode(), value.encode()) for name, value in headers.items()],
            message_queue_size=QUEUE,
            max_message_size=limits.max_frame,
        )
        bottom.on_end = nothing
        return WebSocketPeer(
            ws,
            make_connection(ws.subprotocol or TEXT),
            bottom=bottom,
            label=label,
            limits=limits,
            headers=_readable(ws.handshake_headers),
        )
    raise DialError("it closed the connection during the WebSocket upgrade")


def _seconds(refusal: Refusal) -> Sequence[int]:
    return () if refusal.retry_after is None else (refusal.retry_after,)


def _readable(headers: Iterable[tuple[bytes, bytes]]) -> Mapping[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in headers}
