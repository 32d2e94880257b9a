"""Client connections: open an address and return its peer."""

import errno
import socket
import ssl
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

import trio
from trio_websocket import ConnectionRejected

from ulci.net import sockets, upgrade, websocket
from ulci.net.address import ANY_HOST, Address
from ulci.net.errors import DialError, NetError
from ulci.net.limits import Limits
from ulci.net.peer import Peer
from ulci.net.streams import StreamPeer, background_tasks
from ulci.net.tcp import TcpPeer
from ulci.net.tcpstream import TcpStream, encrypted, forget_handshake
from ulci.net.upgrade import SUBPROTOCOLS, TEXT, MakeConnection

TIMEOUT = 10.0
"""Seconds from the name lookup to the end of the last handshake."""

REJECTIONS: Mapping[int, str] = {
    400: "it rejects this WebSocket upgrade",
    401: "authentication failed: the token is missing or wrong",
    403: "access denied",
    404: "nothing exists at this path; a relay is usually at /ulci",
    426: "it requires another version of WebSocket",
    429: "too many connections from your address; wait before the next try",
    502: "the proxy cannot reach the relay, which may be down",
    503: "the server is full or not ready; try again later",
}


@asynccontextmanager
async def dial(
    address: Address,
    make_connection: MakeConnection,
    *,
    ssl_context: ssl.SSLContext | None = None,
    timeout: float = TIMEOUT,
    headers: Mapping[str, str] | None = None,
    subprotocols: Sequence[str] = SUBPROTOCOLS,
    limits: Limits | None = None,
) -> AsyncIterator[Peer]:
    """The peer at `address`, closed at the end of the block, whose own errors are raised unwrapped.

    `make_connection` is called with the one of the `subprotocols` that the server chose. `headers`
    go into the WebSocket upgrade. Without an `ssl_context` the system's certificates are trusted.
    Raises `DialError`.
    """
    call = _Call(
        address, make_connection, subprotocols, headers or {}, limits or Limits(), ssl_context
    )
    async with background_tasks() as nursery:
        peer = await call.open(nursery, timeout)
        try:
            yield peer
        finally:
            await peer.aclose()


@dataclass
class _Call:
    """One attempt to connect; `phase` names the current step."""

    address: Address
    make_connection: MakeConnection
    subprotocols: Sequence[str]
    headers: Mapping[str, str]
    limits: Limits
    ssl_context: ssl.SSLContext | None
    phase: str = "answer"

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
        """The layers between the socket and the peer: none, TLS, WebSocket or both."""
        try:
            host = sock.getpeername()[0]
        except OSError as error:  # reset before we looked
            raise DialError(sockets.error_text(error)) from error
        if not (self.address.tls or self.address.websocket):
            return TcpPeer(
                sock,
                self.make_connection(TEXT),
                spawn=nursery.start_soon,
                label=str(self.address),
                limits=self.limits,
                host=host,
            )
        bottom = TcpStream(sock, host=host, linger=self.limits.linger)
        stream = await self.encrypt(bottom) if self.address.tls else bottom
        if self.address.websocket:
            return await self.upgrade(stream, bottom, nursery)
        peer = StreamPeer(
            stream,
            self.make_connection(TEXT),
            label=str(self.address),
            limits=self.limits,
            bottom=bottom,
        )
        nursery.start_soon(peer.run)
        return peer

    async def encrypt(self, bottom: TcpStream) -> trio.abc.Stream:
        self.phase = "TLS handshake"
        context = self.ssl_context or ssl.create_default_context()
        where = self.address
        stream = encrypted(bottom, context, websocket=where.websocket, host=where.host)
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
            label=str(self.address),
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
                "the server there does not speak WebSocket; is this the tcp:// port?"
            ) from error
        return peer


async def _connected(address: Address) -> socket.socket:
    """A connected non-blocking socket. Trio tries all addresses of the name."""
    if address.host == ANY_HOST or address.port == 0:
        raise DialError("this address is for listening; give a host and a port")
    try:
        stream = await trio.open_tcp_stream(address.host, address.port)
    except (socket.gaierror, UnicodeError) as error:
        raise DialError(
            f"the host {address.host!r} does not exist, or its name cannot be resolved"
        ) from error
    except OSError as error:
        raise DialError(_unreachable(error)) from error
    sock = socket.socket(fileno=stream.socket.detach())
    sock.setblocking(False)
    return sock


def _unreachable(error: OSError) -> str:
    """The most useful error of all attempts: a refusal proves that the machine is up."""
    group = error.__cause__
    errors = list(group.exceptions) if isinstance(group, BaseExceptionGroup) else [error]
    refused = [one for one in errors if getattr(one, "errno", None) == errno.ECONNREFUSED]
    return sockets.error_text((refused or errors)[0])


def _no_tls(error: BaseException, address: Address) -> str:
    cause = error.__cause__
    if isinstance(cause, ssl.SSLCertVerificationError):
        return (
            f"the certificate is not trusted: {cause.verify_message}. If this is the right server,"
            " trust the certificate from its operator, or connect to the name in"
            " the certificate"
        )
    if isinstance(cause, ssl.SSLError) and not sockets.ended_without_shutdown(cause):
        plain = {"tls": "tcp", "wss": "ws"}[address.scheme]
        return f"the server there does not speak TLS ({sockets.error_text(error)}); try {plain}://"
    return f"no TLS handshake: {sockets.error_text(error)}"


def _rejected(error: ConnectionRejected) -> str:
    code = error.status_code
    body = (error.body or b"").decode("utf-8", "replace").strip()
    words = REJECTIONS.get(code, "the WebSocket upgrade was rejected")
    first_line = body.splitlines()[0][:200] if body else ""
    if first_line and _retry_after(error) is not None:
        return first_line  # the relay's own reason is complete
    return f"{words} (HTTP {code})" + (f"; it answered: {first_line}" if first_line else "")


def _retry_after(error: ConnectionRejected) -> int | None:
    """Retry-After in seconds (RFC 9110 section 10.2.3); a relay never sends a date."""
    for name, value in error.headers or ():
        if name.lower() == b"retry-after" and value.isdigit():
            return int(value[:_DIGITS])
    return None


_DIGITS = 6  # at most eleven days
