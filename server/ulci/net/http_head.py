"""The head of an HTTP request: where it ends, and whether it means one thing only.

h11 reads the fields, but accepts what proxies in front of us may read in another way: folded lines,
line feeds without carriage return, both lengths at once. Where two readers can differ, a request
can be hidden in another one; so all that is refused before h11 sees it (RFC 9112 section 11.2).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import unquote_to_bytes

import h11

HEAD_BYTES = 16 * 1024
"""The longest head. Browsers send 1 KiB, and at most 8 KiB of cookies."""

FIELDS = 100
"""Header fields in a head: h11 takes 4 µs for each, and 16 KiB could hold 4,000 of them."""

LINES_BYTES = 1024
"""The longest line before a chunk of a body, and the longest fields after the last."""

BODY_BYTES = 64 * 1024
"""The longest body: a tournament's description or a pasted game has at most 60 KiB."""

_END = b"\r\n\r\n"

_REQUEST_LINE = re.compile(rb"[!-~]+ [!-~]+ HTTP/(\d)\.(\d)\r\n")

_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")

_FOLDED = re.compile(rb"\r\n[ \t]")

_LENGTH = re.compile(rb"\r\ncontent-length[ \t]*:([^\r]*)", re.IGNORECASE)

_ENCODED_CONTROL = re.compile(rb"%(?:[01][0-9a-f]|7f)", re.IGNORECASE)

_BAD_ESCAPE = re.compile(rb"%(?![0-9a-f]{2})", re.IGNORECASE)

_ABSOLUTE = re.compile(rb"https?://([^/?#@]+)(.*)", re.IGNORECASE)

_SPEAKS_TLS = b"\x16\x03"

NOT_HTTP = "This is no HTTP request. This port speaks HTTP and WebSocket, and no lines of text."

SHOWN = 200
"""Characters of a request that are answered and logged."""


class BadRequestError(Exception):
    """A request that is not served: the status and sentence of the answer."""

    def __init__(self, status: HTTPStatus, text: str, retry_after: int | None = None) -> None:
        super().__init__(f"{status.value}, {text}")
        self.status = status
        self.text = text
        self.retry_after = retry_after
        """Seconds until the same request may succeed."""


@dataclass(frozen=True, slots=True)
class Head:
    """A request without its body."""

    method: str
    target: bytes
    """As it came."""
    raw_path: bytes
    query: bytes
    version: str
    """``1.0`` or ``1.1``."""
    fields: list[tuple[bytes, bytes]]
    """Names in lower case."""
    length: int | None
    """Bytes of the body; None if it comes in chunks."""

    @property
    def path(self) -> str:
        """Decoded once; what is no UTF-8 becomes U+FFFD."""
        return unquote_to_bytes(self.raw_path).decode(errors="replace")

    @property
    def upgrades(self) -> bool:
        """Whether the connection shall become a WebSocket."""
        asked = [value.lower() for name, value in self.fields if name == b"upgrade"]
        return any(token.strip() == b"websocket" for value in asked for token in value.split(b","))

    def readable(self) -> Mapping[str, str]:
        """The fields as text; of a repeated one the last."""
        return {name.decode("ascii"): value.decode("latin-1") for name, value in self.fields}


def end_of_head(data: bytes | bytearray, searched: int = 0) -> int:
    """Length of the head at the beginning of these bytes; 0 if its end is still to come. What was
    `searched` before is not searched again.

    Raises:
        BadRequestError: this is no HTTP, or too long.
    """
    if data and data[0] <= 0x20:
        text = NOT_HTTP
        if data.startswith(_SPEAKS_TLS[: len(data)]):
            text = "No TLS is spoken at this port: use http:// and ws:// here."
        raise BadRequestError(HTTPStatus.BAD_REQUEST, text)
    newline = data.find(b"\n", 0, HEAD_BYTES)
    if newline >= 0 and (line := _REQUEST_LINE.match(data)) is None:
        raise BadRequestError(HTTPStatus.BAD_REQUEST, NOT_HTTP)
    if newline >= 0 and line is not None and (line[1] != b"1" or line[2] not in b"01"):
        text = "Only HTTP/1.1 and HTTP/1.0 are spoken here."
        raise BadRequestError(HTTPStatus.HTTP_VERSION_NOT_SUPPORTED, text)
    end = data.find(_END, max(0, searched - len(_END) + 1))
    if (end if end >= 0 else len(data)) > HEAD_BYTES - len(_END):
        too_long = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
        raise BadRequestError(too_long, f"The head of a request has at most {HEAD_BYTES} bytes.")
    return end + len(_END) if end >= 0 else 0


def read_head(raw: bytes) -> tuple[Head, h11.Connection]:
    """The head of these bytes, and the connection that reads its body and writes its answer.

    Raises:
        BadRequestError: it can be read in more than one way, in none, or is not meant for us.
    """
    _check(raw)
    connection = h11.Connection(h11.SERVER, max_incomplete_event_size=LINES_BYTES)
    connection.receive_data(raw)
    try:
        request = connection.next_event()
    except h11.RemoteProtocolError as error:
        raise unreadable(error) from None
    assert isinstance(request, h11.Request)
    fields = list(request.headers)
    path, query, host = _parts(request.method, request.target)
    if host:  # RFC 9112 section 3.2.2: it replaces the field
        fields = [(b"host", host), *((n, v) for n, v in fields if n != b"host")]
    return (
        Head(
            request.method.decode("ascii"),
            request.target,
            path,
            query,
            request.http_version.decode("ascii"),
            fields,
            _length(fields, request.http_version),
        ),
        connection,
    )


def _check(raw: bytes) -> None:
    """Refuse what h11 would accept and others read in another way."""
    lines = raw.count(b"\r\n")
    if lines - 2 > FIELDS:
        too_many = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
        raise BadRequestError(too_many, f"A request has at most {FIELDS} header fields.")
    if raw.count(b"\r") != lines or raw.count(b"\n") != lines:
        raise _bad("A carriage return and a line feed are allowed together only.")
    if _CONTROL.search(raw):
        raise _bad("Control characters are not allowed.")
    if _FOLDED.search(raw):
        raise _bad("Folded header lines are not allowed.")
    lengths = _LENGTH.findall(raw)
    if len(lengths) > 1 or not all(length.strip(b" \t").isdigit() for length in lengths):
        raise _bad("Content-Length must be one number.")


def _length(fields: list[tuple[bytes, bytes]], version: bytes) -> int | None:
    names = [name for name, _ in fields]
    chunked, counted = b"transfer-encoding" in names, b"content-length" in names
    if chunked and (counted or version != b"1.1"):
        raise _bad("A body has either Content-Length or, in HTTP/1.1, Transfer-Encoding.")
    if chunked:
        return None
    length = next((int(value) for name, value in fields if name == b"content-length"), 0)
    if length > BODY_BYTES:
        raise too_long()
    return length


def _parts(method: bytes, target: bytes) -> tuple[bytes, bytes, bytes]:
    """Path, query, and the host if the target names one."""
    if method == b"CONNECT":
        raise BadRequestError(HTTPStatus.NOT_IMPLEMENTED, "This server is no proxy.")
    if target == b"*" and method == b"OPTIONS":
        return b"*", b"", b""
    host = b""
    if absolute := _ABSOLUTE.fullmatch(target):
        host, target = absolute.groups()
        if not target.startswith(b"/"):
            target = b"/" + target
    path, _, query = target.partition(b"?")
    if not path.startswith(b"/") or b"#" in target or _BAD_ESCAPE.search(path):
        raise _bad("The target of a request is a path.")
    if _ENCODED_CONTROL.search(path):
        raise _bad("Control characters are not allowed in a path.")
    return path, query, host


def too_long() -> BadRequestError:
    """The answer to a long body."""
    text = f"The body of a request has at most {BODY_BYTES} bytes."
    return BadRequestError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, text)


def unreadable(error: h11.RemoteProtocolError) -> BadRequestError:
    """The answer to what h11 does not accept."""
    text = str(error).partition(": bytearray")[0]  # what follows is what they sent
    return BadRequestError(HTTPStatus(error.error_status_hint), f"{text[:SHOWN]}.")


def _bad(text: str) -> BadRequestError:
    return BadRequestError(HTTPStatus.BAD_REQUEST, text)
