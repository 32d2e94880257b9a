"""Reach somebody at an address."""

import errno
import socket
import ssl
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial

import trio
from trio_websocket import ConnectionRejected

from ulci.net import sockets, upgrade, websocket
from ulci.net.address import ANY_HOST, Address
from ulci.net.errors import DialError, NetError
from ulci.net.limits import Limits
from ulci.net.peer import Peer
from ulci.net.streams import StreamPeer
from ulci.net.tasks import servants
from ulci.net.tcp import TcpPeer
from ulci.net.tcpstream import TcpStream
from ulci.net.tls import forget_handshake
from ulci.net.upgrade import SUBPROTOCOLS, TEXT, MakeConnection
from ulci.protocol import Connection

TIMEOUT = 10.0
"""Seconds from the name's lookup to the end of the last handshake."""

REJECTIONS: Mapping[int, str] = {
    400: "it does not take this for a WebSocket upgrade",
    401: "it wants to know who you are: a token is missing or wrong",
    403: "it does not let you in",
    404: "it has nothing at this path; a relay is usually at /ulci",
    426: "it speaks another version of WebSocket",
    429: "you called too often; wait a little",
    502: "the proxy there cannot reach the relay; it may be down",
    503: "it is full or not ready; try again later",
}


@asynccontextmanager
async def dial(
    address: Address,
    connection: Connection | MakeConnection,
    *,
    ssl_context: ssl.SSLContext | None = None,
    timeout: float = TIMEOUT,
    headers: Mapping[str, str] | None = None,
    subprotocols: Sequence[str] | None = None,
    limits: Limits | None = None,
) -> AsyncIterator[Peer]:
    """The peer at `address`, closed with the block, whose own errors come out bare.

    A `connection` as such is offered as text; a function is given the subprotocol that the server
    chose. `headers` go into a WebSocket's upgrade. Without an `ssl_context` the system's
    certificates are trusted. Raises `DialError`.
    """
    if callable(connection):
        make, offered = connection, subprotocols or SUBPROTOCOLS
    else:
        the_one = connection
        make, offered = lambda _: the_one, subprotocols or (TEXT,)
    call = _Call(address, make, offered, headers or {}, limits or Limits(), ssl_context)
    async with servants() as nursery:
        peer = await call.open(nursery, timeout)
        try:
            yield peer
        finally:
            await peer.aclose()


class _Call:
    """One attempt; `phase` says how far it came."""

    def __init__(
        self,
        address: Address,
        make_connection: MakeConnection,
        subprotocols: Sequence[str],
        headers: Mapping[str, str],
        limits: Limits,
        ssl_context: ssl.SSLContext | None,
    ) -> None:
        self.address = address
        self.make_connection = make_connection
        self.subprotocols = subprotocols
        self.headers = headers
        self.limits = limits
        self.ssl_context = ssl_context
        self.label = str(address)
        self.phase = "answer"

    async def open(self, nursery: trio.Nursery, timeout: float) -> Peer:
        try:
            with trio.fail_after(timeout):
                return await self.connect(nursery)
        except trio.TooSlowError:
            why = f"no {self.phase} within {timeout:g} s"
            raise DialError(f"cannot reach {self.address}: {why}") from None
        except DialError as error:
            text = f"cannot reach {self.address}: {error}"
            raise DialError(text, error.retry_after, error.status) from error.__cause__

    async def connect(self, nursery: trio.Nursery) -> Peer:
        sock = await _connected(self.address)
        try:
            sockets.tune(sock, self.limits)
            return await self.converse(sock, nursery)
        except BaseException:
            sockets.close(sock)
            raise

    async def converse(self, sock: socket.socket, nursery: trio.Nursery) -> Peer:
        """Whatever lies between the socket and a peer: nothing, TLS, WebSocket, both."""
        try:
            host = sock.getpeername()[0]
        except OSError as error:  # reset before we looked
            raise DialError(sockets.words(error)) from error
        if not (self.address.tls or self.address.websocket):
            return TcpPeer(
                sock,
                self.make_connection(TEXT),
                spawn=nursery.start_soon,
                label=self.label,
                limits=self.limits,
                host=host,
            )
        bottom = TcpStream(sock, host=host, linger=self.limits.linger)
        stream = await self.encrypt(bottom) if self.address.tls else bottom
        if self.address.websocket:
            return await self.upgrade(stream, bottom, nursery)
        peer = StreamPeer(
            stream, self.make_connection(TEXT), label=self.label, limits=self.limits, bottom=bottom
        )
        nursery.start_soon(peer.run)
        return peer

    async def encrypt(self, bottom: TcpStream) -> trio.abc.Stream:
        self.phase = "TLS handshake"
        stream = trio.SSLStream(
            bottom,
            self.ssl_context or ssl.create_default_context(),
            server_hostname=self.address.host,
            https_compatible=self.address.websocket,
        )
        try:
            await stream.do_handshake()
        except trio.BrokenResourceError as error:
            raise DialError(_no_tls(error, self.address)) from error
        finally:
            forget_handshake(stream)
        return stream

    async def upgrade(
        self, stream: trio.abc.Stream, bottom: TcpStream, nursery: trio.Nursery
    ) -> Peer:
        self.phase = "WebSocket upgrade"
        connecting = partial(
            upgrade.connect,
            stream=stream,
            bottom=bottom,
            address=self.address,
            make_connection=self.make_connection,
            subprotocols=self.subprotocols,
            headers=self.headers,
            label=self.label,
            limits=self.limits,
        )
        try:
            peer: Peer = await nursery.start(websocket.own, connecting, bottom)
        except NetError:
            raise
        except ConnectionRejected as error:
            raise DialError(_rejected(error), _retry_after(error), error.status_code) from error
        except Exception as error:
            raise DialError(
                "what answers there does not speak WebSocket; is it the port of tcp:// ?"
            ) from error
        return peer


async def _connected(address: Address) -> socket.socket:
    """A connected non-blocking socket, with Trio's way through all of a name's addresses."""
    if address.host == ANY_HOST or address.port == 0:
        raise DialError("that is an address to listen at; say which host and port you mean")
    try:
        stream = await trio.open_tcp_stream(address.host, address.port)
    except (socket.gaierror, UnicodeError) as error:
        raise DialError(
            f"there is no host {address.host!r}, or its name cannot be looked up"
        ) from error
    except OSError as error:
        raise DialError(_unreachable(error)) from error
    sock = socket.socket(fileno=stream.socket.detach())
    sock.setblocking(False)
    return sock


def _unreachable(error: OSError) -> str:
    """What all attempts came to; being refused is the best news among them."""
    group = error.__cause__
    errors = list(group.exceptions) if isinstance(group, BaseExceptionGroup) else [error]
    refused = [one for one in errors if getattr(one, "errno", None) == errno.ECONNREFUSED]
    return sockets.words((refused or errors)[0])


def _no_tls(error: BaseException, address: Address) -> str:
    cause = error.__cause__
    if isinstance(cause, ssl.SSLCertVerificationError):
        return (
            f"its certificate is not trusted: {cause.verify_message}. If it is the right server,"
            " trust the certificate that its operator gives you, or call it by the name that is in"
            " the certificate"
        )
    if isinstance(cause, ssl.SSLError) and not isinstance(cause, ssl.SSLEOFError):
        plain = {"tls": "tcp", "wss": "ws"}[address.scheme]
        return f"what answers there does not speak TLS ({sockets.words(error)}); try {plain}://"
    return f"no TLS handshake: {sockets.words(error)}"


def _rejected(error: ConnectionRejected) -> str:
    code = error.status_code
    body = (error.body or b"").decode("utf-8", "replace").strip()
    words = REJECTIONS.get(code, "it does not want to speak WebSocket here")
    first_line = body.splitlines()[0][:200] if body else ""
    if first_line and _retry_after(error) is not None:
        return first_line  # a relay's own reason says it all
    return f"{words} (HTTP {code})" + (f"; it says: {first_line}" if first_line else "")


def _retry_after(error: ConnectionRejected) -> int | None:
    """RFC 9110 section 10.2.3; a date in place of seconds is not said by a relay."""
    for name, value in error.headers or ():
        if name.lower() == b"retry-after" and value.isdigit():
            return int(value[:_DIGITS])
    return None


_DIGITS = 6  # nobody waits longer than eleven days
