"""How a player's lines go over the wire: TCP, WebSocket text, WebSocket msgpack.

Whatever the wire, what is heard comes as lines of text and what is said is given as one.
"""

import socket
from functools import cache
from typing import Any, Protocol

import msgpack

RECEIVE = 1 << 16

TEXT, BINARY = 0x81, 0x82
"""First bytes of a frame that is a whole message (RFC 6455, 5.2)."""


def upgrade(subprotocol: str) -> bytes:
    """A client's request for a WebSocket."""
    return (
        "GET /ulci HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
        f"Sec-WebSocket-Protocol: {subprotocol}\r\n\r\n"
    ).encode()


def frame(kind: int, payload: bytes) -> bytes:
    """As a client sends it, masked with zeros. `payload`: less than 64 kB."""
    if len(payload) < 126:
        head = bytes((kind, 0x80 | len(payload)))
    else:
        head = bytes((kind, 0x80 | 126)) + len(payload).to_bytes(2, "big")
    return head + bytes(4) + payload


class Wire(Protocol):
    """One side of a connection."""

    subprotocol: str
    """Of the WebSocket; none over TCP."""

    analysis: bytes
    """What goes before a move, in a write of its own; then Nagle's algorithm is on."""

    def heard(self, data: bytes) -> list[bytes]:
        """The lines that are complete with that, without newlines."""
        ...

    def said(self, line: bytes) -> bytes:
        """What to send."""
        ...


class Lines:
    """TCP."""

    subprotocol = ""
    analysis = b""

    def __init__(self) -> None:
        self._rest = b""

    def heard(self, data: bytes) -> list[bytes]:
        lines, newline, self._rest = (self._rest + data).rpartition(b"\n")
        return lines.split(b"\n") if newline else []

    def said(self, line: bytes) -> bytes:
        return line + b"\n"


class PlainLines(Lines):
    """TCP as of an engine behind socat without ``nodelay``."""

    analysis = b"info depth 9 score cp 13 nodes 4711 pv e2e4 e7e5\n"


class TextFrames:
    """WebSocket: a line each."""

    subprotocol = "ulci"
    analysis = b""

    def __init__(self) -> None:
        self._rest = b""

    def heard(self, data: bytes) -> list[bytes]:
        data = self._rest + data
        at, lines = 0, []
        while len(data) >= at + 2:
            size, begin = data[at + 1], at + 2
            if size > 125:
                wide = 2 if size == 126 else 8
                begin += wide
                if len(data) < begin:
                    break
                size = int.from_bytes(data[begin - wide : begin], "big")
            if len(data) < begin + size:
                break
            if data[at] in (TEXT, BINARY):
                lines.append(self._line(data[begin : begin + size]))
            at = begin + size
        self._rest = data[at:]
        return lines

    def said(self, line: bytes) -> bytes:
        return frame(TEXT, line)

    def _line(self, payload: bytes) -> bytes:
        return payload


class PackedFrames(TextFrames):
    """WebSocket with msgpack: a map each. What players of the bench read and say has a map."""

    subprotocol = "ulci.msgpack"

    def __init__(self) -> None:
        super().__init__()
        self._position = b""

    def said(self, line: bytes) -> bytes:
        return packed(line)

    def _line(self, payload: bytes) -> bytes:
        said: dict[str, Any] = msgpack.unpackb(payload)
        match said["verb"]:
            case "position":
                if (more := said.get("more")) is None:
                    start = said.get("start")
                    head = f"position fen {start}" if start else "position startpos"
                    moves = said.get("moves", ())
                    self._position = f"{head} moves".encode() if moves else head.encode()
                else:
                    moves = more
                    if b" moves" not in self._position:
                        self._position += b" moves"
                self._position += "".join(f" {move}" for move in moves).encode()
                return self._position
            case "setoption":
                return f"setoption name {said['name']} value {said.get('value', '')}".encode()
            case verb:
                return f"{verb} ".encode() if verb == "go" else str(verb).encode()


@cache
def packed(line: bytes) -> bytes:
    """A line of a player as a frame with a map."""
    verb, *words = line.decode().split()
    said: dict[str, Any] = {"verb": verb}
    match verb:
        case "id":
            said |= {"key": words[0], "value": " ".join(words[1:])}
        case "option":
            said |= {"name": words[1], "type": words[3]}
        case "bestmove":
            said["move"] = words[0]
    return frame(BINARY, msgpack.packb(said))


WIRES: dict[str, type[Wire]] = {
    "tcp": Lines, "plain": PlainLines, "ws": TextFrames, "msgpack": PackedFrames
}  # fmt: skip


def connect(port: int, wire: Wire) -> socket.socket:
    """A connection to this machine, upgraded where it must be."""
    sock = socket.create_connection(("127.0.0.1", port))
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, not wire.analysis)
    if wire.subprotocol:
        sock.sendall(upgrade(wire.subprotocol))
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):  # one byte at a time: frames follow
            if not (byte := sock.recv(1)):
                raise SystemExit(f"no WebSocket: {answer.decode(errors='replace')}")
            answer += byte
    return sock
