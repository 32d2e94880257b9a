"""Gzip of answers that become clearly shorter by it.

No answer has a secret beside text that somebody else chose, so that its length reveals nothing
(BREACH).
"""

import gzip
import re
from functools import partial

import trio
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LEAST = 1400
"""Bytes of the shortest answer that is compressed: a shorter one fits into one packet."""

IN_THE_LOOP = 16 * 1024
"""Bytes of the longest answer that is compressed in the loop, in 0.2 ms; a thread takes longer
ones."""

MOST = 1024 * 1024
"""Bytes of the longest answer that is compressed, in 10 ms: a longer one is sent uncompressed, in
pieces that are not copied."""

THREADS = 2
"""Answers that threads compress at once; while all threads are busy, long answers are sent
uncompressed."""

QUICK, BEST = 1, 9
"""Levels of gzip: for an answer that is sent once, and for a file that is compressed once for all
clients."""

KINDS = ("application/json", "application/x-chess-pgn", "image/svg+xml")

_REFUSED = re.compile(r";\s*q\s*=\s*0(?:\.0*)?\s*$")


def takes_gzip(headers: Headers) -> bool:
    """Whether the client accepts gzip (RFC 9110 section 12.5.3)."""
    for part in headers.get("accept-encoding", "")[:500].split(","):
        coding = part.partition(";")[0].strip().lower()
        if coding in ("gzip", "x-gzip"):
            return _REFUSED.search(part) is None
    return False


def zipped(body: bytes, level: int = QUICK) -> bytes:
    """`body` in gzip without a date, so that equal bodies give equal bytes."""
    return gzip.compress(body, level, mtime=0)


class Compressed:
    """Middleware that compresses an application's answers of `KINDS`, unless they are streams."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._threads = trio.CapacityLimiter(THREADS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not takes_gzip(Headers(scope=scope)):
            await self._app(scope, receive, send)
            return
        start: Message | None = None
        held: list[bytes] = []

        async def hold(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                if _is_worth_it(Headers(raw=message["headers"]), message["status"]):
                    start = message
                    return
            elif start is not None:
                held.append(bytes(message.get("body", b"")))
                if message.get("more_body", False):
                    return
                head, start = start, None
                await self._finish(head, b"".join(held), send)
                return
            await send(message)

        await self._app(scope, receive, hold)

    async def _finish(self, head: Message, body: bytes, send: Send) -> None:
        headers = MutableHeaders(raw=head["headers"])
        headers.add_vary_header("Accept-Encoding")
        if len(body) <= IN_THE_LOOP:
            body = zipped(body)
        elif self._threads.available_tokens >= 1:
            body = await trio.to_thread.run_sync(partial(zipped, body), limiter=self._threads)
        else:
            await send({**head, "headers": headers.raw})
            await send({"type": "http.response.body", "body": body})
            return
        headers["Content-Encoding"] = "gzip"
        headers["Content-Length"] = str(len(body))
        await send({**head, "headers": headers.raw})
        await send({"type": "http.response.body", "body": body})


def _is_worth_it(headers: Headers, status: int) -> bool:
    """Whether an answer is to be compressed: a successful one of `KINDS` whose length is known and
    within the limits, and which is not compressed yet."""
    kind = headers.get("content-type", "").partition(";")[0]
    length = headers.get("content-length", "")
    known = length.isdigit() and LEAST <= int(length) <= MOST
    return status == 200 and kind in KINDS and known and "content-encoding" not in headers
