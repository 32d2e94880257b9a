"""Refuse new connections, with the reason where that is cheap."""

import socket
import ssl
from collections.abc import Callable
from http import HTTPStatus

import trio

from ulci.net import sockets
from ulci.net.address import Address
from ulci.net.gate import ConnectionRefusal
from ulci.net.limits import Limits
from ulci.net.tcpstream import TcpStream, encrypted, forget_handshake
from ulci.net.token_bucket import TokenBucket
from ulci.protocol import ULCI, plain
from ulci.protocol.messages import Blame, Quit, Report

TOLD_A_SECOND = 10.0
TOLD_AT_ONCE = 50
"""Limits of refusals that wait until the peer has read the reason. At 2 ms for a TLS handshake they
take a fiftieth of a core; each holds a task and a file for at most `Limits.flush`."""


class Refuser:
    """Refuses connections of one address: some with a guaranteed reason, the rest as cheaply as
    possible."""

    def __init__(
        self,
        address: Address,
        limits: Limits,
        ssl_context: Callable[[], ssl.SSLContext] | None,
        nursery: trio.Nursery,
    ) -> None:
        self._address = address
        self._limits = limits
        self._ssl_context = ssl_context
        self._nursery = nursery
        self._told = TokenBucket(TOLD_A_SECOND, TOLD_AT_ONCE, trio.current_time())

    def refuse(self, sock: socket.socket, refusal: ConnectionRefusal) -> None:
        """Never waits; the socket is always closed in the end."""
        if self._told.take(trio.current_time()):
            refuse(sock, self._address, refusal)
        else:
            self._nursery.start_soon(self._tell, sock, refusal)

    async def _tell(self, sock: socket.socket, refusal: ConnectionRefusal) -> None:
        try:
            with trio.move_on_after(self._limits.flush):
                bottom = TcpStream(sock, host="", linger=self._limits.linger)
                said = _said(self._address, refusal)
                if self._ssl_context is None:
                    await _say(bottom, said)
                else:
                    websocket = self._address.websocket
                    stream = encrypted(bottom, self._ssl_context(), websocket=websocket)
                    try:
                        await _say(stream, said)
                    finally:
                        forget_handshake(stream)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # the peer has left, or does not speak TLS
        finally:
            sockets.close(sock)


async def _say(stream: trio.abc.Stream, said: bytes) -> None:
    await stream.send_all(said)
    await stream.aclose()


def refuse(sock: socket.socket, address: Address, refusal: ConnectionRefusal) -> None:
    """Send the reason and close, without a task or a wait: a refusal must cost next to nothing."""
    try:
        if not address.tls:  # no handshake: its cost is what a refusal avoids
            sock.send(_said(address, refusal))
    except OSError:
        pass  # the peer has left
    finally:
        sock.close()


def http_answer(status: HTTPStatus, text: str, retry_after: int | None = None) -> bytes:
    """An answer in one sentence, after which the connection ends."""
    head = [
        f"HTTP/1.1 {status.value} {status.phrase}",
        "Content-Type: text/plain; charset=utf-8",
        f"Content-Length: {len(text.encode()) + 1}",
        "Connection: close",
    ]
    if retry_after is not None:
        head.append(f"Retry-After: {retry_after}")
    if status is HTTPStatus.UPGRADE_REQUIRED:
        head.append("Upgrade: websocket")
    return "\r\n".join([*head, "", f"{text}\n"]).encode()


def status_of(refusal: ConnectionRefusal) -> HTTPStatus:
    """429 (RFC 6585 section 4) for clients that ask too often, 503 (RFC 9110 section 15.6.4)
    otherwise."""
    if refusal.blame is Blame.CLIENT:
        return HTTPStatus.TOO_MANY_REQUESTS
    return HTTPStatus.SERVICE_UNAVAILABLE


def _said(address: Address, refusal: ConnectionRefusal) -> bytes:
    if address.websocket:
        return http_answer(status_of(refusal), str(refusal), refusal.retry_after)
    # A server says goodbye after its last message.
    words = (Report(refusal.blame, plain(str(refusal))), Quit())
    return "".join(f"{ULCI.write(word)}\n" for word in words).encode()
