"""Turn somebody away who has only just connected."""

import socket
import ssl
from collections.abc import Callable

import trio

from ulci.net import sockets
from ulci.net.address import Address
from ulci.net.bucket import TokenBucket
from ulci.net.gate import Refusal
from ulci.net.limits import Limits
from ulci.net.tcpstream import TcpStream
from ulci.net.tls import encrypted, forget_handshake
from ulci.protocol import ULCI, plain
from ulci.protocol.messages import Blame, Quit, Report

TOLD_A_SECOND = 10.0
TOLD_AT_ONCE = 50
"""Of whom it is made sure that they hear why they are refused. At 2 ms for a handshake of TLS that
is a fiftieth of a processor; each takes a task and a file for `Limits.flush` at most."""


class Refusing:
    """Turns people away at one address: some so that they surely hear why, and whoever comes after
    these as cheaply as can be."""

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

    def refuse(self, sock: socket.socket, refusal: Refusal) -> None:
        """Never waits; the socket is closed in the end."""
        if self._told.take(trio.current_time()):
            refuse(sock, self._address, refusal)
        else:
            self._nursery.start_soon(self._tell, sock, refusal)

    async def _tell(self, sock: socket.socket, refusal: Refusal) -> None:
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
            pass  # it did not wait, or does not speak TLS
        finally:
            sockets.close(sock)


async def _say(stream: trio.abc.Stream, said: bytes) -> None:
    await stream.send_all(said)
    await stream.aclose()


def refuse(sock: socket.socket, address: Address, refusal: Refusal) -> None:
    """Say why not and close, with neither a task nor a wait: refusing must cost next to nothing."""
    try:
        if not address.tls:  # a handshake is what we refuse to pay for
            sock.send(_said(address, refusal))
    except OSError:
        pass  # it did not wait
    finally:
        sock.close()


def _said(address: Address, refusal: Refusal) -> bytes:
    return (_http(refusal) if address.websocket else _line(refusal)).encode()


def _line(refusal: Refusal) -> str:
    """``quit`` ends a server's last words."""
    words = (Report(refusal.blame, plain(str(refusal))), Quit())
    return "".join(f"{ULCI.write(word)}\n" for word in words)


def _http(refusal: Refusal) -> str:
    """RFC 6585 section 4 for who asked too often, RFC 9110 section 15.6.4 for the rest."""
    asked_too_often = refusal.blame is Blame.CLIENT
    status = "429 Too Many Requests" if asked_too_often else "503 Service Unavailable"
    head = [
        f"HTTP/1.1 {status}",
        "Content-Type: text/plain; charset=utf-8",
        f"Content-Length: {len(str(refusal).encode()) + 1}",
        "Connection: close",
    ]
    if refusal.retry_after is not None:
        head.append(f"Retry-After: {refusal.retry_after}")
    return "\r\n".join([*head, "", f"{refusal}\n"])
