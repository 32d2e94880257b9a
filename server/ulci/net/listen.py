"""Serve peers at an address. No peer can hurt the listener: it only breaks its own connection."""

import errno
import logging
import socket
import ssl
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import NoReturn

import trio
from trio_websocket import ConnectionClosed
from wsproto.utilities import ProtocolError

from ulci.net import sockets, upgrade, websocket
from ulci.net.address import Address, in_brackets
from ulci.net.bind import bind
from ulci.net.bucket import TokenBucket
from ulci.net.errors import ExhaustedError, HandshakeError
from ulci.net.exhaustion import SHORTAGES, Exhaustion
from ulci.net.gate import AGAIN, Gate, Refusal
from ulci.net.limits import Limits
from ulci.net.peer import Peer
from ulci.net.refuse import Refusing
from ulci.net.streams import StreamPeer
from ulci.net.tcp import TcpPeer
from ulci.net.tcpstream import TcpStream
from ulci.net.tls import encrypted, forget_handshake
from ulci.net.upgrade import TEXT, MakeConnection
from ulci.net.websocket import WebSocketPeer

logger = logging.getLogger(__name__)

OUR_FAULT = {errno.EBADF, errno.EINVAL, errno.ENOTSOCK, errno.EFAULT}
"""What ``accept`` says if the listening socket is no good. Anything else is the newcomer's trouble
or the machine's, and passes (accept(2): the new connection's own errors come out of it, too)."""

PEERS_FAULT = (UnicodeError, ConnectionClosed, ProtocolError)
"""What trio-websocket raises on bytes that it cannot read, and on a peer that leaves."""

OPENING_BYTES = 64 * 1024
"""That a peer may send before TLS and the upgrade are done: several times what they need."""

REFUSALS_A_SECOND = 1.0
REFUSALS_AT_ONCE = 20
"""Refusals that are reported: who is refused often must not fill the log, too."""

Handler = Callable[[Peer], Awaitable[None]]

Certificates = ssl.SSLContext | Callable[[], ssl.SSLContext]
"""What a server shows of itself, or what gives that anew for every connection."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """Somebody who wants in, counted with those who are here; handshakes under way are, too."""

    host: str
    from_host: int
    total: int


def log_error(who: str, error: BaseException) -> None:
    """What goes wrong, into the log: a peer's own fault is an ordinary day, the rest is a bug."""
    if isinstance(error, HandshakeError):
        logger.info("%s: %s", who, error)
    elif isinstance(error, ExhaustedError):
        logger.error("%s: %s", who, error.strerror)
    else:
        logger.error("%s: %s", who, error, exc_info=error)


def everybody(arrival: Arrival) -> str:  # noqa: ARG001 (the default of a hook)
    """Let everybody in."""
    return ""


async def listen(
    address: Address,
    handler: Handler,
    make_connection: MakeConnection,
    *,
    limits: Limits | None = None,
    ssl_context: Certificates | None = None,
    gate: Gate | None = None,
    admit: Callable[[Arrival], str] = everybody,
    on_error: Callable[[str, BaseException], None] = log_error,
    handler_nursery: trio.Nursery | None = None,
    task_status: trio.TaskStatus[Address] = trio.TASK_STATUS_IGNORED,
) -> NoReturn:
    """Run `handler` for every peer, for ever; the peer is closed when the handler is done.

    Bound before it reports, by `task_status`, the address with its real port. `gate` counts who
    comes, and may be that of several listeners; None lets in as many as `limits` does. `admit` may
    refuse an arrival by saying why. What a handler or a handshake raises ends that connection and
    goes to `on_error` with the peer's label. With a `handler_nursery`, cancelling the listener
    leaves the connections alone. Raises `ListenError`.
    """
    if address.tls and ssl_context is None:
        raise ValueError(f"{address} needs an ssl_context with the server's certificate and key")
    listening = await bind(address)
    try:
        async with trio.open_nursery() as nursery:
            listener = _Listener(
                address,
                handler,
                make_connection,
                limits or Limits(),
                ssl_context if address.tls else None,
                gate,
                admit,
                on_error,
                handler_nursery or nursery,
            )
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
    admit: Callable[[Arrival], str]
    on_error: Callable[[str, BaseException], None]
    nursery: trio.Nursery

    def __post_init__(self) -> None:
        self.here: Counter[str] = Counter()
        self.total = 0
        self.reports = TokenBucket(REFUSALS_A_SECOND, REFUSALS_AT_ONCE, trio.current_time())
        self.unreported = 0
        certificates = None if self.ssl_context is None else self.certificates
        self.refusing = Refusing(self.address, self.limits, certificates, self.nursery)

    def certificates(self) -> ssl.SSLContext:
        context = self.ssl_context
        assert context is not None
        return context if isinstance(context, ssl.SSLContext) else context()

    async def accept(self, listening: socket.socket) -> NoReturn:
        exhaustion = Exhaustion()
        while True:
            await trio.lowlevel.wait_readable(listening)
            try:
                sock, (host, port, *_) = listening.accept()
            except BlockingIOError:
                continue  # it left before we looked
            except OSError as error:
                if error.errno in OUR_FAULT:
                    raise
                await self.endure(error, exhaustion)
                continue
            exhaustion.over()
            sock.setblocking(False)
            self.welcome(sock, host, port)

    async def endure(self, error: OSError, exhaustion: Exhaustion) -> None:
        """A newcomer's own failure is reported; that the machine has nothing left, now and then."""
        said: OSError | None = error
        if error.errno in SHORTAGES:
            said = exhaustion.report(error, trio.current_time())
        if said is not None:
            self.report(str(self.address), said)
        await trio.sleep(exhaustion.pause())

    def welcome(self, sock: socket.socket, host: str, port: int) -> None:
        label = f"{self.address.scheme} {in_brackets(host)}:{port}"
        refusal = self.refusal(host, label)
        if refusal is not None:
            self.report_refusal(label, refusal)
            self.refusing.refuse(sock, refusal)
        else:
            self.here[host] += 1
            self.total += 1
            if self.gate is not None:
                self.gate.enter(host)
            self.nursery.start_soon(self.serve, sock, host, label)

    def refusal(self, host: str, label: str) -> Refusal | None:
        if self.total >= self.limits.connections:
            return Refusal("this server is full", retry_after=AGAIN)
        if self.gate is not None and (refused := self.gate.refusal(host, trio.current_time())):
            return refused
        try:
            why = self.admit(Arrival(host, self.here[host], self.total))
        except Exception as error:  # noqa: BLE001 (a bug of the hook must not end the listener)
            self.report(label, error)
            why = "something went wrong at the server; try again later"
        return Refusal(why) if why else None

    def report_refusal(self, label: str, refusal: Refusal) -> None:
        if self.reports.take(trio.current_time()):
            self.unreported += 1
            return
        more = f" (and {self.unreported} others before)" if self.unreported else ""
        self.unreported = 0
        self.report(label, HandshakeError(f"refused: {refusal}{more}"))

    async def serve(self, sock: socket.socket, host: str, label: str) -> None:
        """One connection from its first byte to its last. Fails only by being cancelled."""
        behind: list[str] = []  # for whom a proxy speaks
        try:
            sockets.tune(sock, self.limits)
            try:
                peer = await self.open(sock, host, label, behind)
            finally:
                if self.gate is not None:
                    self.gate.opened(host)
            try:
                await self.handler(peer)
            except* Exception as group:  # noqa: BLE001 (reported, before aclose() replaces it)
                self.report(label, group)
            finally:
                await peer.aclose()
        except* Exception as group:  # noqa: BLE001 (reported)
            self.report(label, group)
        finally:
            sockets.close(sock)
            self.leave(host, behind)

    def leave(self, host: str, behind: Iterable[str]) -> None:
        self.total -= 1
        self.here[host] -= 1
        if not self.here[host]:
            del self.here[host]
        if self.gate is not None:
            for each in (host, *behind):
                self.gate.leave(each)

    def report(self, who: str, error: Exception) -> None:
        while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
            error = error.exceptions[0]
        try:
            self.on_error(who, error)
        except Exception:
            logger.exception("%s: on_error failed on %r", who, error)

    def admit_behind(
        self, host: str, behind: list[str], headers: Mapping[str, str]
    ) -> Refusal | None:
        """May they come in for whom a proxy speaks? They count as if they came themselves."""
        if self.gate is None or not (real := self.gate.behind(host, headers)):
            return None
        refusal = self.gate.refusal(real, trio.current_time())
        if refusal is None:
            behind.append(real)
            self.gate.enter(real)
            self.gate.opened(real)
        return refusal

    async def open(self, sock: socket.socket, host: str, label: str, behind: list[str]) -> Peer:
        """Whatever lies between the socket and a peer: nothing, TLS, WebSocket, both."""
        if not (self.address.tls or self.address.websocket):
            return TcpPeer(
                sock,
                self.make_connection(TEXT),
                spawn=self.nursery.start_soon,
                label=label,
                limits=self.limits,
                host=host,
            )
        deadline = trio.current_time() + self.limits.handshake
        bottom = TcpStream(sock, host=host, linger=self.limits.linger)
        bottom.most_unheard = OPENING_BYTES
        stream = await self.encrypt(bottom, deadline)
        if self.address.websocket:
            return await self.upgrade(stream, bottom, label, deadline, behind)
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
            raise HandshakeError(f"no TLS: {sockets.words(error)}") from error
        finally:
            forget_handshake(stream)
        if scope.cancelled_caught:
            raise HandshakeError(f"no TLS handshake within {self.limits.handshake:g} s")
        return stream

    async def upgrade(
        self,
        stream: trio.abc.Stream,
        bottom: TcpStream,
        label: str,
        deadline: float,
        behind: list[str],
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
