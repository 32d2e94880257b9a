"""Numbered events in a ring, and how many streams read it without holding the loop.

A stream has no queue of its own: it remembers the number of the last event that it sent. Who reads
so slowly that the ring has lost the next one begins again with the present state of the game.
"""

import math
import secrets
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from typing import NamedTuple, Protocol

import structlog
import trio
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ulci.net import Steps
from ulci_server.storage import StorageError

from .documents import Document, encode, now
from .pieces import Piece, WholeGame
from .quotas import Quotas

LOG = structlog.get_logger("ulci_server.web")

AT_A_TIME = 16
"""Streams between two pauses: about 2 ms of work."""

PAUSE_FACTOR = 3
"""A pause takes so many times as long as the sending before it, as for watchers of the lobby."""

HEARTBEAT = 15.0
"""Seconds of silence until a comment keeps proxies from closing the stream (most wait for 60)."""

FINAL = 2**53 - 1
"""The number of a game's last event: who asks for what comes after it has heard all. The largest
that JavaScript counts exactly."""

SSE = "text/event-stream"
NDJSON = "application/x-ndjson"


class Event(NamedTuple):
    """`body`: its JSON, encoded once for all streams."""

    number: int
    name: str
    body: bytes

    def text(self, *, ndjson: bool) -> bytes:
        """As a stream carries it."""
        if ndjson:
            head = encode({"event": self.name, "event_id": self.number})
            return b"%b,%b\n" % (head[:-1], self.body[1:])
        return b"event: %b\nid: %d\ndata: %b\n\n" % (self.name.encode(), self.number, self.body)


def event(number: int, name: str, document: Document) -> Event:
    """With the server's time."""
    return Event(number, name, encode({"now": now(), **document}))


class Waker:
    """Wakes waiting streams, a few at a time, with pauses for the players in between."""

    def __init__(self) -> None:
        self._rings: dict[Ring, None] = {}
        self._woken = trio.Event()

    def wake(self, ring: "Ring") -> None:
        self._rings[ring] = None
        self._woken.set()

    async def run(self) -> None:
        """For ever."""
        while True:
            await self._woken.wait()
            self._woken = trio.Event()
            rings, self._rings = self._rings, {}
            for ring in rings:
                try:
                    await self._wake_all(ring)
                except Exception:  # it must not end the server, in which games are played
                    LOG.exception("streams not woken")

    async def _wake_all(self, ring: "Ring") -> None:
        left, steps = ring.waiting, Steps(1, rest_factor=PAUSE_FACTOR)
        while left > 0:
            ring.unpark(min(left, AT_A_TIME))
            left -= AT_A_TIME
            for _ in range(2):  # after the first they have begun, after the second they have sent
                await trio.lowlevel.checkpoint()
            if left > 0:
                await steps.done()


class Ring:
    """The newest events, `kept` of them. Numbers begin anywhere, so that no other ring has the
    same: a reader may come back with the number of an earlier one, or of one at another server."""

    def __init__(self, waker: Waker, kept: int) -> None:
        self.last = 1 + secrets.randbits(52)
        self.ended = False
        """Nothing follows."""
        self.streams = 0
        """How many read it."""
        self.read_at = -math.inf
        """When (s) the last of them ended."""
        self._first = self.last + 1
        self._events: deque[Event] = deque(maxlen=kept)
        self._waker = waker
        self._waiting = trio.lowlevel.ParkingLot()

    def add(self, name: str, document: Document) -> None:
        """Add an event and wake the streams."""
        self.last += 1
        self._events.append(event(self.last, name, document))
        self._first = self._events[0].number
        self._waker.wake(self)

    def forget(self) -> None:
        """What comes next does not follow what was: something in between was not noticed."""
        self._events.clear()
        self.last += 1
        self._first = self.last + 1

    def end(self, name: str = "", document: Document | None = None) -> None:
        """Nothing follows, but perhaps this last event."""
        if document is not None:
            self._events.append(event(FINAL, name, document))
            self._first = min(self._events[0].number, self.last + 1)
        self.ended = True
        self._waker.wake(self)

    def follows(self, number: int) -> bool:
        """Whether all events after that number are here."""
        return self._first - 1 <= number <= self.last

    def after(self, number: int) -> Sequence[Event]:
        """The events after that number, if it `follows`; else all."""
        skipped = number - self._first + 1
        if skipped <= 0 or number > self.last:
            skipped = 0
        return [*islice(self._events, skipped, None)]

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def unpark(self, count: int) -> None:
        self._waiting.unpark(count=count)

    async def wait(self) -> bool:
        """Wait for the next event; False after `HEARTBEAT`."""
        with trio.move_on_after(HEARTBEAT) as scope:
            await self._waiting.park()
        return not scope.cancelled_caught

    @contextmanager
    def read(self) -> Iterator[None]:
        """Count a stream while it reads."""
        self.streams += 1
        try:
            yield
        finally:
            self.streams -= 1
            self.read_at = trio.current_time()


class Source(Protocol):
    """What streams read."""

    @property
    def ring(self) -> Ring: ...

    async def fresh(self) -> WholeGame | None:
        """The present state, with the number after which events follow; None: there is no such
        thing, and a stream begins with the next event."""
        ...


class EventStream(Response):
    """One stream: server-sent events, or JSON lines. It ends when its source does; if its peer
    leaves, whoever runs it cancels it."""

    def __init__(
        self,
        source: Source,
        quotas: Quotas,
        host: str,
        after: int | None,
        *,
        ndjson: bool,
        follow: bool = True,
    ) -> None:
        """after: the number of the last event that the reader has seen. follow: whether it waits
        for more events, rather than end with the newest."""
        headers = {
            "Cache-Control": "no-store",
            "X-Accel-Buffering": "no",  # nginx would keep events back
        }
        super().__init__(None, 200, headers, NDJSON if ndjson else SSE)
        del self.headers["content-length"]
        self._source = source
        self._quotas = quotas
        self._host = host
        self._after = after
        self._ndjson = ndjson
        self._follow = follow

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        ring = self._source.ring
        with self._quotas.stream(self._host), ring.read():
            start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
            await send(start)
            if scope["method"] != "HEAD":
                with suppress(StorageError):  # it ends here, and its reader comes again
                    await self._run(ring, send)
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _run(self, ring: Ring, send: Send) -> None:
        async def write(text: Piece) -> None:
            await send({"type": "http.response.body", "body": text, "more_body": True})

        known = self._after
        while True:
            if known is None or not ring.follows(known):
                fresh = await self._source.fresh()
                known = ring.last
                if fresh is not None:
                    known = fresh.number
                    for piece in fresh.pieces(ndjson=self._ndjson):
                        await write(piece)
                    continue  # it may have taken long
            if events := ring.after(known):
                known = events[-1].number
                await write(b"".join(one.text(ndjson=self._ndjson) for one in events))
                if known == FINAL:
                    return
            elif ring.ended or not self._follow:
                return
            elif not await ring.wait():
                await write(b"\n" if self._ndjson else b": still here\n\n")
