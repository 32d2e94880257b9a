"""The one face of everybody at the other end of a wire."""

import math
import types
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import trio

from ulci.net.allowance import Allowance
from ulci.net.limits import FAIR_SHARE, Limits
from ulci.net.trips import Trips
from ulci.protocol import Connection, RemoteProtocolError, Unread
from ulci.protocol.messages import Go, Info, IsReady, Message, ReadyOk

CLOSED_BY_PEER = "closed by the other side"
CLOSED_HERE = "closed by this side"
LOST = "the connection was lost"
RESET_BY_PEER = "the connection was reset by the other side"

_NO_HEADERS: Mapping[str, str] = types.MappingProxyType({})


class Heard(NamedTuple):
    """What a peer said, when its last byte was read (`trio.current_time`, s), and how much later
    that was than the system had it (s): measured by the kernel's stamp over TCP and what lies on
    it, 0 elsewhere. So it arrived at ``at - late``. cut: the stream ended where the line should
    have, so there may be more to it than was heard."""

    message: Message | Unread
    at: float
    late: float = 0.0
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Statistics:
    """What went over a connection so far; `outbox` are bytes that the system has not taken yet."""

    bytes_in: int
    bytes_out: int
    messages_in: int
    messages_out: int
    outbox: int


class Peer(trio.abc.AsyncResource):
    """A stream and a conversation: messages in, messages out.

    One task may `receive`; `put` and `cut` are plain calls, from any task of the same Trio run.
    """

    __slots__ = (
        "_allowance",
        "_at",
        "_bytes_in",
        "_bytes_out",
        "_closing",
        "_deaf",
        "_ended",
        "_late",
        "_messages_in",
        "_messages_out",
        "_mute",
        "_served",
        "_trips",
        "connection",
        "headers",
        "host",
        "label",
        "limits",
        "proxied",
        "why",
    )

    def __init__(
        self,
        connection: Connection,
        *,
        label: str,
        limits: Limits,
        host: str = "",
        headers: Mapping[str, str] = _NO_HEADERS,
    ) -> None:
        self.connection = connection
        self.label = label
        """Who this is, for logs: ``tcp 127.0.0.1:4711``."""
        self.host = host
        """The other machine's address, for bounds per machine; empty if there is none."""
        self.headers = headers
        """What the peer said while upgrading to WebSocket, names in lower case."""
        self.limits = limits
        self.why = ""
        """Why it ended, once `receive` gave None."""
        self.proxied = False
        """Whether the system's connection only leads to somebody who speaks for it."""
        self._trips: Trips | None = None
        self._allowance = _allowance(limits)
        self._at = self._late = 0.0
        self._served = 0
        self._deaf = False  # receive() gives nothing more
        self._ended = False  # nothing more will be read; what was read is still given
        self._mute = False  # nothing more is said
        self._closing = False
        self._bytes_in = self._bytes_out = 0
        self._messages_in = self._messages_out = 0

    async def receive(self) -> Heard | None:
        """The next message, or None if it is over (then `why` says why).

        Raises `RemoteProtocolError`: after one that is not fatal go on calling, after a fatal one
        say goodbye and close.
        """
        while not self._deaf:
            if self._served == FAIR_SHARE:
                self._served = 0
                await trio.lowlevel.checkpoint()
                continue
            self._served += 1
            try:
                message = self.connection.next_message()
            except RemoteProtocolError as error:
                self._charge(None)
                if error.fatal:
                    self._deaf = True
                    self._note(str(error))
                raise
            finally:
                if self.connection.owes_replies:
                    self.put()
            if message is not None:
                self._messages_in += 1
                self._charge(message)
                if self._trips is not None and isinstance(message, ReadyOk):
                    self._trips.answered(self._at - self._late)
                return Heard(message, self._at, self._late, cut=self._ended)
            if self._ended:
                self._deaf = True
                return None
            self._served = 0
            self._throw_out_who_floods()
            await self._feed()
        return None

    @abstractmethod
    def put(self, *messages: Message | Unread) -> None:
        """Say this, all of it in one piece; never waits. Nothing happens if the peer is gone.

        Who has not taken what was put before is cut once more than `Limits.outbox` is waiting.
        Raises `LocalProtocolError` if it cannot or may not be said.
        """

    def cut(self, why: str) -> None:
        """End it now, whatever is still on its way; `receive` gives None."""
        self._deaf = self._mute = True
        self._note(why)
        self._abort()

    async def aclose(self) -> None:
        """Close when the peer has taken what was put, after `Limits.flush` in any case.

        Cancelled, it closes at once.
        """
        if self._closing:
            await trio.lowlevel.checkpoint()
            return
        self._closing = self._deaf = self._mute = True
        self._note(CLOSED_HERE)
        try:
            with trio.move_on_after(self.limits.flush):
                await self._finish()
        finally:
            self._abort()

    def statistics(self) -> Statistics:
        """What went over this connection so far."""
        return Statistics(
            self._bytes_in,
            self._bytes_out,
            self._messages_in,
            self._messages_out,
            self._waiting(),
        )

    def round_trip(self) -> float | None:
        """The system's estimate of a round trip to the other machine, s; where it has none, or one
        to a proxy, the quickest ``readyok``; None before there was one."""
        measured = None if self.proxied else self._measured()
        if measured is None and self._trips is not None:
            return self._trips.quickest
        return measured

    def _measured(self) -> float | None:
        """By the system."""
        return None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.label}{self.why and ': ' + self.why}>"

    # What each kind of wire does its own way

    @abstractmethod
    async def _feed(self) -> None:
        """Read once and hand it to the connection, or `_end`. Always a checkpoint."""

    @abstractmethod
    def _waiting(self) -> int:
        """Bytes queued."""

    @abstractmethod
    async def _finish(self) -> None:
        """Wait until what is queued is sent and close politely; may be cancelled anywhere."""

    @abstractmethod
    def _abort(self) -> None:
        """Close at once; called more than once."""

    # What they share

    def _note(self, why: str) -> None:
        self.why = self.why or why  # the first reason is the cause, the others are its effects

    def _charge(self, message: Message | Unread | None) -> None:
        """A line was read, which was work; None is one that nobody can read."""
        if self._allowance is not None and not isinstance(message, Unread | Info):
            self._allowance.line()

    def _asked(self, messages: Iterable[Message | Unread]) -> None:
        """This was said: what it asks for may be answered."""
        for message in messages:
            if isinstance(message, Go):
                if self._allowance is not None:
                    self._allowance.searches()
            elif isinstance(message, IsReady) and (self.proxied or self._measured() is None):
                self._trips = self._trips or Trips()
                self._trips.asked(trio.current_time())

    def _throw_out_who_floods(self) -> None:
        if self._allowance is not None and (why := self._allowance.abused(trio.current_time())):
            self._deaf = True
            self._note(why)
            raise RemoteProtocolError(why, fatal=True)

    def _end(self, why: str) -> None:
        self._ended = True
        self._note(why)

    def _fits(self, size: int) -> bool:
        """May `size` more bytes wait? If not, the peer is cut."""
        if self._waiting() + size <= self.limits.outbox:
            return True
        self.cut(
            f"reads too slowly: more than {self.limits.outbox} bytes are waiting for it;"
            " it may connect again"
        )
        return False


def _allowance(limits: Limits) -> Allowance | None:
    if limits.pace.rate == math.inf:
        return None
    return Allowance(limits.pace, trio.current_time())


class BytePeer(Peer):
    """A peer whose messages are a stream of bytes, without frames."""

    __slots__ = ()

    def put(self, *messages: Message | Unread) -> None:
        """Say this, all of it in one piece; see `Peer.put`."""
        if self._mute:
            return
        data = self.connection.send(*messages)
        if data:
            self._asked(messages)
            self._messages_out += len(messages)
            self._bytes_out += len(data)
            self._write(data)

    @abstractmethod
    def _write(self, data: bytes) -> None:
        """Send or queue; never waits."""

    def _read(self, data: bytes, at: float, late: float = 0.0) -> None:
        """These bytes were read at that moment, so late; none is the end of the stream."""
        self._at, self._late = at, late
        self._bytes_in += len(data)
        if not data:
            self._end(CLOSED_BY_PEER)
        self.connection.receive_data(data)
