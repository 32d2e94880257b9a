"""The interface of every remote end, and what all peers share."""

import math
import types
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping
from time import perf_counter
from typing import ClassVar, Literal, Protocol

import trio
from msgspec import Struct

from ulci.net.empty_lines import EmptyLines
from ulci.net.errors import CloseCode
from ulci.net.limits import AHEAD, BATCH, FAIR_SHARE, FAIR_TIME, Allowance, Limits
from ulci.net.timing import STALL, RoundTripEstimate
from ulci.protocol import Announcement, Blank, Connection, Fault, TextCodec, Unread
from ulci.protocol.messages import (
    BestMove,
    Go,
    IsReady,
    Message,
    Position,
    ReadyOk,
    Report,
    Unknown,
)

CLOSED_BY_PEER = "closed by the other side"
CLOSED_HERE = "closed by this side"
LOST = "the connection was lost"
RESET_BY_PEER = "the connection was reset by the other side"

_ANSWERS: Mapping[type, type] = {ReadyOk: IsReady, BestMove: Go}
"""Answers and the question that each of them answers."""

_COMPLAINTS = frozenset({Unknown, Fault, Report})
"""What a program may answer that does not understand an empty line."""

NO_HEADERS: Mapping[str, str] = types.MappingProxyType({})


TOO_SLOW = "reads too slowly"
"""Why a peer is cut off whose outbox is full."""


class Heard(Struct, frozen=True, gc=False):
    """A message, the time at which its last byte was read (`trio.current_time`, s), and how much
    earlier the system had received it (`late`, s): measured by kernel timestamps over TCP and the
    layers above, 0 elsewhere. So it arrived at ``at - late``. cut: the stream ended before the end
    of the line, so the message may be incomplete."""

    message: Message | Unread
    at: float
    late: float = 0.0
    cut: bool = False


class Misheard(Struct, frozen=True, gc=False):
    """An unreadable message; otherwise like `Heard`."""

    message: Fault
    at: float
    late: float = 0.0


Hear = Callable[[Heard | Misheard], bool]
"""Handles a message; False stops delivery."""

Ended = Callable[[], Awaitable[None]]
"""Called once, after the last message."""


Happened = Literal["closed", "client", "game", "over", "stderr"]


class Remark(Protocol):
    """Takes an event of a connection: ``closed`` and why, ``client`` and its name, ``game`` and
    ``over`` with the number of the game, ``stderr`` and lines of a program's standard error."""

    def __call__(self, event: Happened, text: str = "", game: int = 0) -> None: ...


def _unheard(event: Happened, text: str = "", game: int = 0) -> None:
    """Nobody wants to know."""


class Peer(trio.abc.AsyncResource):
    """A stream and a conversation: messages in, messages out.

    One task may `receive`, or `deliver` to a plain call; `put`, `cut` and `dismiss` are plain
    calls, from any task of the same Trio run. Use `cut` for a peer that is gone or does not read,
    `dismiss` for a peer that should learn the reason.
    """

    __slots__ = (
        "_allowance",
        "_at",
        "_behind",
        "_closed",
        "_closing",
        "_code",
        "_deaf",
        "_ended",
        "_last",
        "_late",
        "_mute",
        "_round_trip",
        "_served",
        "_serving",
        "connection",
        "delivered",
        "empty_lines",
        "headers",
        "host",
        "introduced",
        "label",
        "limits",
        "proxied",
        "remark",
        "why",
    )

    over_network: ClassVar[bool] = True
    """Whether a system on the way may hold back what is written."""

    def __init__(
        self,
        connection: Connection,
        *,
        label: str,
        limits: Limits,
        host: str = "",
        headers: Mapping[str, str] = NO_HEADERS,
    ) -> None:
        self.connection = connection
        self.label = label
        """Name for logs: ``tcp 127.0.0.1:4711``."""
        self.host = host
        """IP address, for limits per address; empty if there is none."""
        self.headers = headers
        """Headers of the WebSocket upgrade, names in lower case."""
        self.limits = limits
        self.why = ""
        """Reason of the end, once `receive` has returned None."""
        self.proxied = False
        """Whether the connection comes through a reverse proxy."""
        self.delivered = False
        """Whether the connection outlives the task that called `deliver`."""
        self.introduced = False
        """Whether `deliver` was called: it is known who this is."""
        self.empty_lines: EmptyLines | None = None
        """Those that answer each part of an answer, if what the peer writes seems to be held back
        until a system on the way acknowledges what it wrote before."""
        self.remark: Remark = _unheard
        """Takes what happens to the connection besides its lines, for a log of the wire."""
        self._round_trip = RoundTripEstimate()
        self._allowance = _allowance(limits)
        self._behind = 0  # bytes put since the system took nothing
        self._at = self._late = 0.0
        self._last: type | None = None  # kind of the last message of the last read, blanks apart
        self._served = 0
        self._serving = 0.0  # since when (`perf_counter`)
        self._deaf = False  # receive() returns nothing more
        self._ended = False  # nothing more will be read; what was read is still returned
        self._mute = False  # nothing more is sent
        self._closing = False  # what was put is sent, and nothing after it
        self._closed = trio.Event()  # fully closed
        self._code = CloseCode.NORMAL

    async def receive(self) -> Heard | None:
        """The next message, or None at the end (then `why` holds the reason).

        Raises `RemoteProtocolError`: after one that is not fatal call again, after a fatal one say
        goodbye and close.
        """
        while not self._deaf:
            if not self._served:
                self._serving = perf_counter()
            elif self._served == FAIR_SHARE or perf_counter() - self._serving > FAIR_TIME:
                self._served = 0
                await trio.lowlevel.checkpoint()
                continue
            self._served += 1
            said = self.connection.next_messages(1)
            if self.connection.owes_replies:
                self.put()
            if said:
                [message] = said
                if self._allowance is not None:
                    self._allowance.spend(self._allowance.costs[type(message)])
                if isinstance(message, Fault):
                    self._faulty(message)
                    raise message.error()
                if isinstance(message, Blank):
                    continue
                if not self._round_trip.is_final and type(message) in _ANSWERS:
                    self._round_trip.answered(_ANSWERS[type(message)], self._arrival())
                return Heard(message, self._at, self._late, cut=self._ended)
            if self._ended:
                self._deaf = True
                return None
            self._served = 0
            if (fault := self._check_flood()) is not None:
                raise fault.error()
            await self._feed()
        return None

    async def deliver(self, hear: Hear, ended: Ended) -> None:
        """Call `hear` with every message in order, until it returns False or the connection ends;
        then call `ended`. Returns after that, or at once if no task is needed (`delivered`).

        `hear` must not wait; it may cut and dismiss the peer.
        """
        self.introduced = True
        try:
            await self._deliver_all(hear, self._feed)
        finally:
            self._deaf = True
            await ended()

    async def _deliver_all(self, hear: Hear, feed: Callable[[], Awaitable[None]]) -> None:
        while not self._deaf:
            if self._deliver_batch(hear):
                await trio.lowlevel.checkpoint()
            elif not self._is_over() and not self._end_flood(hear):
                self._hasten_answer()
                await feed()

    def _deliver_batch(self, hear: Hear) -> bool:
        """Pass parsed messages to `hear` for a fair share of time. Returns whether more are
        left."""
        if self._deaf:
            return False
        connection, allowance, trip = self.connection, self._allowance, self._round_trip
        at, late, cut = self._at, self._late, self._ended
        served, began, last = 0, perf_counter(), None
        while True:
            said = connection.next_messages(BATCH)
            for message in said:
                kind = type(message)
                if allowance is not None:
                    allowance.left -= allowance.costs[kind]
                if isinstance(message, Blank):
                    continue
                last = kind
                if not trip.is_final and kind in _ANSWERS:
                    trip.answered(_ANSWERS[kind], self._arrival())
                if isinstance(message, Fault):
                    self._faulty(message)
                    goes_on = hear(Misheard(message, at, late))
                else:
                    goes_on = hear(Heard(message, at, late, cut))
                if not goes_on:
                    self._deaf = True
                if self._deaf:
                    break
            if connection.dialect.replies:
                self.put()
            if self._deaf or not said or not connection.codec.pending:
                self._last = last
                return False
            served += len(said)
            if served >= FAIR_SHARE or perf_counter() - began > FAIR_TIME:
                return True

    def _hasten_answer(self) -> None:
        """If an answer is owed of which this may be the first part, acknowledge that.

        What may be a complaint of an empty line is not answered by one."""
        if self._last in _ANSWERS or not self.connection.awaits_answer:
            return
        self._acknowledge()
        if self.empty_lines is not None and self._last not in _COMPLAINTS:
            self._send_empty_line()

    def _is_over(self) -> bool:
        """Whether no message will follow."""
        self._deaf = self._deaf or self._ended
        return self._deaf

    def _end_flood(self, hear: Hear) -> bool:
        """Tell `hear` that the peer exceeded its rate limit for too long, and hear it no more."""
        fault = self._check_flood()
        if fault is not None:
            hear(Misheard(fault, self._at, self._late))
        return fault is not None

    @abstractmethod
    def put(self, *messages: Message | Unread | Announcement) -> None:
        """Send these messages in one piece; never waits, does nothing if the peer is gone.

        A peer that does not read is cut once more than `Limits.outbox` bytes wait. Raises
        `LocalProtocolError` for a message that has no spelling or is not allowed now.
        """

    def cut(self, why: str) -> None:
        """Close now and drop what is queued; `receive` returns None."""
        self._deaf = self._mute = True
        self._note(why)
        self._abort()

    def dismiss(self, why: str, code: CloseCode = CloseCode.NORMAL) -> None:
        """Close once the peer has taken what was put, after `Limits.flush` at the latest.

        From now on nothing is sent and `receive` returns None. `why` and `code` are sent where the
        transport can carry them. Never waits; `aclose` waits for the end.
        """
        if self._closing:
            return
        self._closing = self._deaf = self._mute = True
        self._code = code
        self._note(why)
        self._finish()

    async def aclose(self) -> None:
        """`dismiss` the peer, if that was not done yet, and wait until it is gone.

        Cancelled, it closes at once.
        """
        self.dismiss(CLOSED_HERE)
        try:
            with trio.move_on_after(self.limits.flush):
                await self._closed.wait()
        finally:
            self._abort()

    @property
    def muted(self) -> bool:
        """Whether nothing more can be sent."""
        return self._mute

    @property
    def waiting(self) -> int:
        """Bytes put and not yet taken by the system."""
        return self._waiting()

    def round_trip(self) -> float | None:
        """The least round trip ever measured on this connection, in s, by the system, by
        ``readyok`` or by a move; None before the first. Behind a proxy the system's value is
        ignored: it measures the way to the proxy. Once it is `NEGLIGIBLE`, it stays."""
        trip = self._round_trip
        if not (trip.is_final or self.proxied) and (least := self._least_measured()) is not None:
            trip.measured(least)
        return trip.least

    def _least_measured(self) -> float | None:
        """The system's value, s."""
        return None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.label}{self.why and ': ' + self.why}>"

    # Implemented per transport

    @abstractmethod
    async def _feed(self) -> None:
        """Read once and pass the bytes to the connection, or `_end`. Always a checkpoint."""

    @abstractmethod
    def _waiting(self) -> int:
        """Bytes queued."""

    def _acknowledge(self) -> None:
        """Tell the peer's system at once that the last read came; see `Intake.acknowledge`."""

    def _send_empty_line(self) -> None:
        """One of the `empty_lines`, where the peer is sent lines."""

    def _blocked(self) -> bool:
        """Whether the system takes nothing more, because the peer does not read. True where this is
        unknown, so that all queued bytes count."""
        return True

    @abstractmethod
    def _finish(self) -> None:
        """Start to send what is queued, close politely within `Limits.flush`, and then set
        `_closed`. A waiting `receive` returns None."""

    @abstractmethod
    def _abort(self) -> None:
        """Close at once; may be called again."""

    # Shared

    def _note(self, why: str) -> None:
        if not self.why:  # the first reason is the cause, later ones are its effects
            self.why = why
            self.remark("closed", why)

    def _now(self) -> float:
        return trio.current_time()

    def _faulty(self, fault: Fault) -> None:
        if fault.fatal:
            self._deaf = True
            self._note(fault.text)

    def _asked(self, messages: Iterable[Message | Unread | Announcement]) -> None:
        """Record the questions among sent messages, and credit their answers."""
        trip, allowance = self._round_trip, self._allowance
        for message in messages:
            if isinstance(message, Position):
                if allowance is not None:
                    allowance.position = message
            elif isinstance(message, Go):
                if not trip.is_final:
                    trip.asked(Go, self._now())
                if allowance is not None:
                    allowance.searches()
            elif isinstance(message, IsReady) and not trip.is_final:
                trip.asked(IsReady, self._now())

    def _arrival(self) -> float | None:
        """Arrival time of the last read (s). None if it was read so late that this process may have
        stalled: then the bytes may have come at any time during the stall."""
        return None if self._late > STALL else self._at - self._late

    def _check_flood(self) -> Fault | None:
        """The final error for a peer above its rate limit for too long, of which nothing more is
        read."""
        if self._allowance is None or not (why := self._allowance.abused(self._now())):
            return None
        fault = Fault(why, fatal=True)
        self._faulty(fault)
        return fault

    def _end(self, why: str) -> None:
        self._ended = True
        self._note(why)

    def _fits(self, size: int) -> bool:
        """Whether `size` more bytes may wait; otherwise cut the peer."""
        most, waiting = self.limits.outbox, self._waiting() + size
        self._behind = self._behind + size if self._blocked() else 0
        if waiting <= most or (self._behind <= most and waiting <= AHEAD * most):
            return True
        self.cut(
            f"{TOO_SLOW}: more than {self.limits.outbox} bytes are waiting;"
            " connecting again is allowed"
        )
        return False


def _allowance(limits: Limits) -> Allowance | None:
    if limits.rate_limit.rate == math.inf:
        return None
    return Allowance(limits.rate_limit, trio.current_time())


class BytePeer(Peer):
    """A peer over a byte stream without frames."""

    __slots__ = ()

    def put(self, *messages: Message | Unread | Announcement) -> None:
        """Send these messages in one piece; see `Peer.put`."""
        if self._mute:
            return
        data = self.connection.send(*messages)
        if data:
            self._asked(messages)
            self._write(data)

    def _send_empty_line(self) -> None:
        lines = self.empty_lines
        if self._mute or lines is None or not isinstance(self.connection.codec, TextCodec):
            return
        if lines.send(self._now()):
            self._write(b"\n")

    @abstractmethod
    def _write(self, data: bytes) -> None:
        """Send or queue; never waits."""

    def _read(self, data: bytes, at: float, late: float = 0.0) -> None:
        """Bytes read at this time with this lateness (s); ``b""`` is the end of the stream."""
        self._at, self._late = at, late
        if not data:
            self._end(CLOSED_BY_PEER)
        self.connection.codec.receive_data(data)
