"""Turn somebody away who has only just connected."""

import socket

from ulci.net.address import Address
from ulci.net.gate import Refusal
from ulci.protocol import ULCI, plain
from ulci.protocol.messages import Blame, Report


def refuse(sock: socket.socket, address: Address, refusal: Refusal) -> None:
    """Say why not and close, with neither a task nor a wait: refusing must cost next to nothing."""
    text = _http(refusal) if address.websocket else _line(refusal)
    try:
        if not address.tls:  # a handshake is what we refuse to pay for
            sock.send(text.encode())
    except OSError:
        pass  # it did not wait
    finally:
        sock.close()


def _line(refusal: Refusal) -> str:
    return ULCI.write(Report(refusal.blame, plain(str(refusal)))) + "\n"


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
