"""Serve peers at an address. A peer can break its own connection only, never the listener."""

import errno
import logging
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import NoReturn

import trio
from trio_websocket import ConnectionClosed
from wsproto.utilities import ProtocolError

from ulci import system
from ulci.net import sockets, upgrade, websocket
from ulci.net.address import Address, in_brackets
from ulci.net.bind import SHORTAGES, Exhaustion, bind
from ulci.net.errors import Failed, HandshakeError
from ulci.net.failures import Failures
from ulci.net.gate import RETRY_AFTER, ConnectionRefusal, Gate
from ulci.net.http import HttpConnection
from ulci.net.http_front import Front, Site
from ulci.net.limits import Limits
from ulci.net.peer import Peer
from ulci.net.places import Newcomers, Place
from ulci.net.reader import SharedReader
from ulci.net.refuse import Refuser, refuse
from ulci.net.streams import StreamPeer
from ulci.net.tcp import TcpPeer
from ulci.net.tcpstream import TcpStream, encrypted, forget_handshake
from ulci.net.upgrade import TEXT, MakeConnection
from ulci.net.websocket import WebSocketPeer
from ulci.protocol.messages import Blame

logger = logging.getLogger(__name__)

OUR_FAULT = {errno.EBADF, errno.EINVAL, errno.ENOTSOCK, errno.EFAULT}
"""Errors of ``accept`` that mean a broken listening socket. All others are temporary, of the
newcomer or the machine (accept(2) also reports errors of the new connection)."""

PEERS_FAULT = (UnicodeError, ConnectionClosed, ProtocolError)
"""Exceptions of trio-websocket for unreadable bytes and for a peer that leaves."""

ACCEPTED_AT_ONCE = 8
"""Connections in one turn of the loop: to greet one takes 0.3 ms."""

KEPT_CONNECTIONS = 10
"""A tenth of a listener's connections is kept for addresses that are exempt or known (`Gate`)."""

MADE_ROOM = ConnectionRefusal(
    "your connection was slow to open, and its place was needed", Blame.CLIENT, RETRY_AFTER
)

OPENING_BYTES = 64 * 1024
"""Bytes that a peer may send before TLS and the upgrade are done: several times what they need."""

Handler = Callable[[Peer], Awaitable[None]]

Certificates = ssl.SSLContext | Callable[[], ssl.SSLContext]
"""A server's TLS context, or a function that returns one for every connection."""


async def listen(
    address: Address,
    handler: Handler,
    make_connection: MakeConnection,
    *,
    on_error: Callable[[str, BaseException], None],
    limits: Limits | None = None,
    ssl_context: Certificates | None = None,
    gate: Gate | None = None,
    site: Site | None = None,
    shared: bool = False,
    task_status: trio.TaskStatus[Address] = trio.TASK_STATUS_IGNORED,
) -> NoReturn:
    """Run `handler` for every peer, for ever. The peer is closed when the handler returns; if the
    handler has delivered it (`Peer.deliver`), at the end of the connection.

    Reports through `task_status` the address with its real port, once it is bound. `gate` counts
    connections and may be shared by listeners; without one only `limits` apply. Errors of a handler
    or a handshake end that connection and go to `on_error` with the peer's label. `site` answers
    what else is asked for over HTTP at the port of WebSockets; without one that is refused.
    `shared`: other processes may listen at the same address, too (see `bind`).
    Raises `ListenError`.
    """
    if address.tls and ssl_context is None:
        raise ValueError(f"{address} needs an ssl_context with the server's certificate and key")
    listening = await bind(address, shared=shared)
    try:
        async with trio.open_nursery() as nursery:
            listener = _Listener(
                address,
                handler,
                make_connection,
                limits or Limits(),
                ssl_context if address.tls else None,
                gate,
                site if address.websocket else None,
                on_error,
                nursery,
            )
            if listener.reader is not None:
                nursery.start_soon(listener.reader.run)
            if listener.front is not None:
                nursery.start_soon(listener.front.run)
            for sock in listening:
                nursery.start_soon(listener.accept, sock)
            task_status.started(replace(address, port=listening[0].getsockname()[1]))
    finally:
        for sock in listening:
            sockets.close(sock)
    raise AssertionError("accepting never ends")  # pragma: no cover


@dataclass
class _Listener:
    address: Address
    handler: Handler
    make_connection: MakeConnection
    limits: Limits
    ssl_context: Certificates | None
    gate: Gate | None
    site: Site | None
    on_error: Callable[[str, BaseException], None]
    nursery: trio.Nursery

    def __post_init__(self) -> None:
        self.total = 0
        self.failures = Failures()
        self.newcomers = Newcomers()
        certificates = None if self.ssl_context is None else self.certificates
        self.refuser = Refuser(self.address, self.limits, certificates, self.nursery)
        self.front: Front | None = None
        if self.site is not None:
            self.front = Front(self.site, self.address, self.limits, self.gate, self.report)
        plain = not (self.address.tls or self.address.websocket)
        shared = plain and system.EPOLL is not None  # otherwise each connection has its own task
        self.reader = SharedReader[TcpPeer](self.conclude) if shared else None

    def certificates(self) -> ssl.SSLContext:
        context = self.ssl_context
        assert context is not None
        return context if isinstance(context, ssl.SSLContext) else context()

    async def accept(self, listening: socket.socket) -> NoReturn:
        exhaustion = Exhaustion()
        while True:
            await trio.lowlevel.wait_readable(listening)
            for _ in range(ACCEPTED_AT_ONCE):
                try:
                    sock, (host, port, *_) = listening.accept()
                except BlockingIOError:
                    break  # no other waits, or the peer has left already
                except OSError as error:
                    if error.errno in OUR_FAULT:
                        raise
                    await self.wait_after_failure(error, exhaustion)
                    break
                exhaustion.succeeded()
                sock.setblocking(False)
                self.admit(sock, host, port)

    async def wait_after_failure(self, error: OSError, exhaustion: Exhaustion) -> None:
        """Report a failed ``accept``, a shortage of resources at most once a minute, and wait."""
        said: OSError | None = error
        if error.errno in SHORTAGES:
            said = exhaustion.report(error, trio.current_time())
        if said is not None:
            self.report(str(self.address), said)
        await trio.sleep(exhaustion.pause())

    def admit(self, sock: socket.socket, host: str, port: int) -> None:
        label = f"{self.address.scheme} {in_brackets(host)}:{port}"
        refusal = self.refusal(host)
        if refusal is not None:
            self.report(label, HandshakeError(f"refused: {refusal}", Failed.FULL))
            self.refuser.refuse(sock, refusal)
        else:
            self.total += 1
            opening, place = trio.CancelScope(), None
            if self.gate is not None:
                place = self.gate.enter(host, trio.current_time(), opening.cancel)
            self.nursery.start_soon(self.serve, sock, host, port, label, opening, place)

    def refusal(self, host: str) -> ConnectionRefusal | None:
        """Why a connection of this address is refused. Nobody makes room for one that is."""
        at, most = trio.current_time(), self.limits.connections
        if self.gate is not None:
            if (refusal := self.gate.refusal(host, at)) is not None:
                return refusal
            if not self.gate.has_kept_places(host, at):
                most -= most // KEPT_CONNECTIONS
        if self.total >= most and not self.newcomers.make_room(at, self.has_kept_places):
            return ConnectionRefusal("this server is full", retry_after=RETRY_AFTER)
        return None

    def has_kept_places(self, host: str) -> bool:
        return self.gate is not None and self.gate.has_kept_places(host, trio.current_time())

    async def serve(
        self,
        sock: socket.socket,
        host: str,
        port: int,
        label: str,
        opening: trio.CancelScope,
        place: Place | None,
    ) -> None:
        """One connection from first to last byte. Ends early only by being cancelled. `opening`:
        ends its handshake when a newer one needs its place at the gate."""
        behind: list[str] = []  # the client behind a proxy
        peer: Peer | HttpConnection | None = None
        try:
            sockets.tune(sock, self.limits)
            try:
                with opening:
                    peer = await self.open(sock, (host, port), label, behind)
            finally:
                if self.gate is not None and place is not None:
                    self.gate.opened(host, place, trio.current_time())
            if opening.cancelled_caught:
                refuse(sock, self.address, MADE_ROOM)
                raise HandshakeError(
                    "it was slow to open, and made room for a newer one", Failed.LEFT
                )
            if isinstance(peer, HttpConnection):
                await peer.run()
            elif peer is not None:
                self.newcomers.add(peer, trio.current_time())
                await self.run_handler(peer, self.handler(peer))
        except* Exception as group:  # noqa: BLE001 (reported)
            self.report(label, group)
        finally:
            if isinstance(peer, Peer):
                self.newcomers.leave(peer)
            if not (isinstance(peer, Peer) and peer.delivered):
                sockets.close(sock)
                self.leave(host, behind)

    async def run_handler(self, peer: Peer, doing: Awaitable[None]) -> None:
        """Run the handler, then close the peer, unless the shared reader owns it."""
        try:
            await doing
        except* Exception as group:  # noqa: BLE001 (reported, before aclose() replaces it)
            self.report(peer.label, group)
        finally:
            if not peer.delivered:
                await peer.aclose()

    def conclude(self, peer: TcpPeer, failure: Exception | None) -> None:
        """The shared reader has dropped this peer; closing waits, and so needs a task."""
        self.nursery.start_soon(self.end_delivered, peer, failure)

    async def end_delivered(self, peer: TcpPeer, failure: Exception | None) -> None:
        """End a delivered connection."""
        if failure is not None:
            self.report(peer.label, failure)
        ended, peer.ended, peer.delivered = peer.ended, None, False
        assert ended is not None
        try:
            await self.run_handler(peer, ended())
        except* Exception as group:  # noqa: BLE001 (reported)
            self.report(peer.label, group)
        finally:
            self.leave(peer.host, ())

    def leave(self, host: str, behind: Iterable[str]) -> None:
        self.total -= 1
        if self.gate is not None:
            for each in (host, *behind):
                self.gate.leave(each, trio.current_time())

    def report(self, who: str, error: Exception) -> None:
        while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
            error = error.exceptions[0]
        if (told := self.failures.of(error, trio.current_time())) is None:
            return
        try:
            self.on_error(who, told)
        except Exception:
            logger.exception("%s: on_error failed on %r", who, error)

    def admit_behind(
        self, host: str, behind: list[str], headers: Mapping[str, str]
    ) -> ConnectionRefusal | None:
        """Admit or refuse the client behind a proxy; it counts like a direct connection."""
        if self.gate is None or not (real := self.gate.behind(host, headers)):
            return None
        refusal = self.gate.refusal(real, trio.current_time())
        if refusal is None:
            behind.append(real)
            self.gate.count(real, trio.current_time())
        return refusal

    async def open(
        self, sock: socket.socket, where: tuple[str, int], label: str, behind: list[str]
    ) -> Peer | HttpConnection | None:
        """The layers between the socket and the peer: none, TLS, WebSocket or both. None if the
        peer left without a word where that is usual."""
        if not (self.address.tls or self.address.websocket):
            return TcpPeer(
                sock,
                self.make_connection(TEXT),
                spawn=self.nursery.start_soon,
                label=label,
                limits=self.limits,
                host=where[0],
                reader=self.reader,
            )
        deadline = trio.current_time() + self.limits.opening
        bottom = TcpStream(sock, host=where[0], linger=self.limits.linger)
        bottom.most_unheard = OPENING_BYTES
        if self.front is not None:
            bottom.readiness = self.front.readiness
        stream = await self.encrypt(bottom, deadline)
        already_read = b""
        if self.front is not None:
            here = sock.getsockname()[:2]
            http = HttpConnection(self.front, stream, bottom, label=label, peer=where, server=here)
            if not (upgrades := await http.begin(deadline)):
                return None if upgrades is None else http
            already_read, bottom.readiness = http.read, None
        if self.address.websocket:
            return await self.upgrade(stream, bottom, label, deadline, behind, already_read)
        peer = StreamPeer(
            stream, self.make_connection(TEXT), label=label, limits=self.limits, bottom=bottom
        )
        self.nursery.start_soon(peer.run)
        return peer

    async def encrypt(self, bottom: TcpStream, deadline: float) -> trio.abc.Stream:
        if self.ssl_context is None:
            return bottom
        stream = encrypted(bottom, self.certificates(), websocket=self.address.websocket)
        try:
            with trio.CancelScope(deadline=deadline) as scope:
                await stream.do_handshake()
        except trio.BrokenResourceError as error:
            raise HandshakeError(f"no TLS: {sockets.error_text(error)}", Failed.TLS) from error
        finally:
            forget_handshake(stream)
        if scope.cancelled_caught:
            raise HandshakeError(f"no TLS handshake within {self.limits.opening:g} s", Failed.LEFT)
        return stream

    async def upgrade(
        self,
        stream: trio.abc.Stream,
        bottom: TcpStream,
        label: str,
        deadline: float,
        behind: list[str],
        already_read: bytes,
    ) -> Peer:
        async def accepting(nursery: trio.Nursery) -> WebSocketPeer:
            peer = await upgrade.accept(
                nursery,
                stream=stream,
                bottom=bottom,
                path=self.address.path.partition("?")[0],
                make_connection=self.make_connection,
                label=label,
                limits=self.limits,
                deadline=deadline,
                admit=partial(self.admit_behind, bottom.host, behind),
                already_read=already_read,
            )
            if behind:
                peer.host, peer.proxied = behind[0], True
                peer.label = f"{label} for {in_brackets(behind[0])}"
            return peer

        try:
            peer: Peer = await self.nursery.start(websocket.own, accepting, bottom)
        except PEERS_FAULT as error:
            raise HandshakeError(f"the WebSocket upgrade failed: {error!r}") from error
        return peer
