"""The WebSocket upgrade, server side and client side."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

import trio
from trio_websocket import wrap_client_stream, wrap_server_stream

from ulci.net.address import Address, in_brackets
from ulci.net.errors import DialError, Failed, HandshakeError
from ulci.net.gate import ConnectionRefusal
from ulci.net.limits import Limits
from ulci.net.tcpstream import TcpStream, nothing
from ulci.net.websocket import WebSocketPeer
from ulci.net.websocket_frames import FrameStream
from ulci.protocol import Connection

TEXT = "ulci"
MSGPACK = "ulci.msgpack"
SUBPROTOCOLS = (MSGPACK, TEXT)
"""In the server's order of preference."""

QUEUE = 0
"""Frames that trio-websocket may read ahead. With none, the time of the last socket read is the
time at which the current frame was read."""

PATH_SHOWN = 200
"""Characters of a wrong path that are answered and logged."""

PLAIN_TEXT = ((b"Content-Type", b"text/plain; charset=utf-8"), (b"Connection", b"close"))

MakeConnection = Callable[[str], Connection]
"""Creates the conversation of a new peer for its subprotocol, `TEXT` or `MSGPACK`."""


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
    admit: Callable[[Mapping[str, str]], ConnectionRefusal | None],
    already_read: bytes = b"",
) -> WebSocketPeer:
    """The server side of the upgrade; raises `HandshakeError`. `admit` gets the headers of the
    request, `already_read` is the beginning of it."""
    with trio.CancelScope(deadline=deadline) as scope:
        # Without this, a peer that left would be awaited until the deadline.
        bottom.on_end = scope.cancel
        encrypted = stream is not bottom
        frames = FrameStream(stream, encrypted=encrypted, already_read=already_read)
        request = await wrap_server_stream(nursery, frames, QUEUE, limits.max_frame)
        bottom.on_end = nothing
        asked = request.path.partition("?")[0]
        if asked != path:
            asked = asked[:PATH_SHOWN]
            body = f"Nothing exists at {asked}. The relay is at {path}, over WebSocket.\n"
            await request.reject(404, extra_headers=list(PLAIN_TEXT), body=body.encode())
            await stream.aclose()
            raise HandshakeError(f"asked for {asked}, not {path}", Failed.REQUEST)
        headers = _readable(request.headers)
        if (refusal := admit(headers)) is not None:
            said = [*PLAIN_TEXT]
            if refusal.retry_after is not None:
                said.append((b"Retry-After", b"%d" % refusal.retry_after))
            await request.reject(429, extra_headers=said, body=f"{refusal}\n".encode())
            await stream.aclose()
            raise HandshakeError(f"refused: {refusal}", Failed.FULL)
        offered = request.proposed_subprotocols
        chosen = next((name for name in SUBPROTOCOLS if name in offered), None)
        frames.upgraded()  # before trio-websocket reads the next bytes
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
        raise HandshakeError("the peer left, or sent no WebSocket upgrade", Failed.LEFT)
    raise HandshakeError(f"no WebSocket upgrade within {limits.opening:g} s", Failed.LEFT)


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
    """The client side of the upgrade; raises `DialError`. The caller limits its time."""
    with trio.CancelScope() as scope:
        bottom.on_end = scope.cancel
        ws = await wrap_client_stream(
            nursery,
            cast(Any, stream),  # annotated SocketStream, but any stream works
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
    raise DialError("the server closed the connection during the WebSocket upgrade")


def _readable(headers: Iterable[tuple[bytes, bytes]]) -> Mapping[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in headers}
