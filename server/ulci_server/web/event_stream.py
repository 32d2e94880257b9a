"""Numbered events in a ring, which many streams read without holding the loop.

A stream has no queue of its own: it remembers the number of the last event that it sent. If its
client reads so slowly that the ring has dropped the next event, the stream begins again with the
present state of the game.
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
"""How many times longer a pause takes than the sending before it, as for watchers of the lobby."""

HEARTBEAT = 15.0
"""Seconds of silence until a comment keeps proxies from closing the stream (most wait for 60)."""

FINAL = 2**53 - 1
"""The number of a game's last event: a client that resumes after it has received all. It is the
largest integer that JavaScript holds exactly."""

SSE = "text/event-stream"
NDJSON = "application/x-ndjson"


class Event(NamedTuple):
    """An event. body: its JSON, encoded once for all streams."""

    number: int
    name: str
    body: bytes

    def text(self, *, ndjson: bool) -> bytes:
        """The event as bytes of a stream."""
        if ndjson:
            head = encode({"event": self.name, "event_id": self.number})
            return b"%b,%b\n" % (head[:-1], self.body[1:])
        return b"event: %b\nid: %d\ndata: %b\n\n" % (self.name.encode(), self.number, self.body)


def event(number: int, name: str, document: Document) -> Event:
    """An event with the server's time in it."""
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
        """Wake the streams of each ring that has news, for ever."""
        while True:
            await self._woken.wait()
            self._woken = trio.Event()
            rings, self._rings = self._rings, {}
            for ring in rings:
                try:
                    await self._wake_all(ring)
                except Exception:  # must not end the server and its games
                    LOG.exception("streams not woken")

    async def _wake_all(self, ring: "Ring") -> None:
        left, steps = ring.waiting, Steps(1, rest_factor=PAUSE_FACTOR)
        while left > 0:
            ring.unpark(min(left, AT_A_TIME))
            left -= AT_A_TIME
            for _ in range(2):  # the streams start in the first and send in the second
                await trio.lowlevel.checkpoint()
            if left > 0:
                await steps.done()


class Ring:
    """The newest `kept` events. Numbers begin at random, so that no two rings share them: a client
    may resume with a number of an earlier ring, or of one at another server."""

    def __init__(self, waker: Waker, kept: int) -> None:
        self.last = 1 + secrets.randbits(52)
        self.ended = False
        """Whether no event follows any more."""
        self.streams = 0
        """How many streams read the ring."""
        self.spectators = 0
        """How many of those streams belong to spectators."""
        self.read_at = -math.inf
        """When a stream ended last (s)."""
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
        """Drop all events, and leave a gap in the numbers: the next event does not follow the last
        one, because some in between were not noticed."""
        self._events.clear()
        self.last += 1
        self._first = self.last + 1

    def end(self, name: str = "", document: Document | None = None) -> None:
        """End the ring, with a last event if there is a `document`, and wake the streams."""
        if document is not None:
            self._events.append(event(FINAL, name, document))
            self._first = min(self._events[0].number, self.last + 1)
        self.ended = True
        self._waker.wake(self)

    def follows(self, number: int) -> bool:
        """Whether all events after that number are here."""
        return self._first - 1 <= number <= self.last

    def after(self, number: int) -> Sequence[Event]:
        """The events after that number; all events if the ring has lost some of them."""
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
        """Wait for the next event; False if none came within `HEARTBEAT` s."""
        with trio.move_on_after(HEARTBEAT) as scope:
            await self._waiting.park()
        return not scope.cancelled_caught

    @contextmanager
    def read(self, *, spectator: bool = True) -> Iterator[None]:
        """Count a stream while it reads."""
        self.streams += 1
        self.spectators += spectator
        try:
            yield
        finally:
            self.streams -= 1
            self.spectators -= spectator
            self.read_at = trio.current_time()


class Source(Protocol):
    """A source of events for streams."""

    @property
    def ring(self) -> Ring: ...

    async def fresh(self) -> WholeGame | None:
        """The present state, with the number of the last event in it; None if the source has no
        state, so that a stream begins with the next event."""
        ...


class EventStream(Response):
    """One stream: server-sent events, or JSON lines. It ends when its source ends. If its client
    leaves, the HTTP server cancels it."""

    def __init__(
        self,
        source: Source,
        quotas: Quotas,
        host: str,
        after: int | None,
        *,
        ndjson: bool,
        follow: bool = True,
        spectator: bool = True,
    ) -> None:
        """after: the number of the last event that the client has received; None if it has none.
        follow: whether the stream waits for more events instead of ending with the newest.
        spectator: whether it counts as a spectator."""
        headers = {
            "Cache-Control": "no-store",
            "X-Accel-Buffering": "no",  # else nginx buffers the events
        }
        super().__init__(None, 200, headers, NDJSON if ndjson else SSE)
        del self.headers["content-length"]
        self._source = source
        self._quotas = quotas
        self._host = host
        self._after = after
        self._ndjson = ndjson
        self._follow = follow
        self._spectator = spectator

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        ring = self._source.ring
        with self._quotas.stream(self._host), ring.read(spectator=self._spectator):
            start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
            await send(start)
            if scope["method"] != "HEAD":
                with suppress(StorageError):  # the stream ends, and its client reconnects
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
                    continue  # sending may have taken long
            if events := ring.after(known):
                known = events[-1].number
                await write(b"".join(one.text(ndjson=self._ndjson) for one in events))
                if known == FINAL:
                    return
            elif ring.ended or not self._follow:
                return
            elif not await ring.wait():
                await write(b"\n" if self._ndjson else b": still here\n\n")
