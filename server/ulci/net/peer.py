"""The one face of everybody at the other end of a wire."""

import math
import types
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import NamedTuple

import trio

from ulci.net.allowance import Allowance
from ulci.net.codes import CloseCode
from ulci.net.limits import AHEAD, FAIR_SHARE, FAIR_TIME, Limits
from ulci.net.looking import stall
from ulci.net.round_trip import RoundTripEstimate
from ulci.protocol import Announcement, Blank, Connection, RemoteProtocolError, Unread
from ulci.protocol.messages import BestMove, Go, Info, IsReady, Message, Position, ReadyOk

CLOSED_BY_PEER = "closed by the other side"
CLOSED_HERE = "closed by this side"
LOST = "the connection was lost"
RESET_BY_PEER = "the connection was reset by the other side"

_ANSWERS: Mapping[type, type] = {ReadyOk: IsReady, BestMove: Go}
"""What comes back at once, or when its sender has thought, and which question it answers."""

_QUESTIONS = frozenset(_ANSWERS.values())

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

    One task may `receive`; `put`, `cut` and `dismiss` are plain calls, from any task of the same
    Trio run. `cut` is for who is gone or does not read, `dismiss` for whoever is to learn why.
    """

    __slots__ = (
        "_allowance",
        "_at",
        "_behind",
        "_bytes_in",
        "_bytes_out",
        "_closed",
        "_closing",
        "_code",
        "_deaf",
        "_ended",
        "_late",
        "_messages_in",
        "_messages_out",
        "_mute",
        "_position",
        "_round_trip",
        "_searched",
        "_served",
        "_serving",
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
        self._round_trip = RoundTripEstimate()
        self._allowance = _allowance(limits)
        self._position: Position | None = None  # that it was told last
        self._searched: Position | None = None  # that it was asked to search last
        self._behind = 0  # bytes put since the system took nothing
        self._at = self._late = 0.0
        self._served = 0
        self._serving = 0.0  # since when (`perf_counter`)
        self._deaf = False  # receive() gives nothing more
        self._ended = False  # nothing more will be read; what was read is still given
        self._mute = False  # nothing more is said
        self._closing = False  # what was put is sent, and nothing after it
        self._closed = trio.Event()  # nothing is left to be done for it
        self._code = CloseCode.NORMAL
        self._bytes_in = self._bytes_out = 0
        self._messages_in = self._messages_out = 0

    async def receive(self) -> Heard | None:
        """The next message, or None if it is over (then `why` says why).

        Raises `RemoteProtocolError`: after one that is not fatal go on calling, after a fatal one
        say goodbye and close.
        """
        while not self._deaf:
            if not self._served:
                self._serving = perf_counter()
            elif self._served == FAIR_SHARE or perf_counter() - self._serving > FAIR_TIME:
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
            if isinstance(message, Blank):
                self._charge(message)
                continue
            if message is not None:
                self._messages_in += 1
                self._charge(message)
                if (question := _ANSWERS.get(type(message))) is not None:
                    self._answered(question)
                return Heard(message, self._at, self._late, cut=self._ended)
            if self._ended:
                self._deaf = True
                return None
            self._served = 0
            self._throw_out_who_floods()
            await self._feed()
        return None

    @abstractmethod
    def put(self, *messages: Message | Unread | Announcement) -> None:
        """Say this, all of it in one piece; never waits. Nothing happens if the peer is gone.

        Who has not taken what was put before is cut once more than `Limits.outbox` is waiting.
        Raises `LocalProtocolError` if it cannot or may not be said.
        """

    def cut(self, why: str) -> None:
        """End it now, whatever is still on its way; `receive` gives None."""
        self._deaf = self._mute = True
        self._note(why)
        self._abort()

    def dismiss(self, why: str, code: CloseCode = CloseCode.NORMAL) -> None:
        """End it as soon as the peer has taken what was put, after `Limits.flush` in any case.

        From now on nothing is said and `receive` gives None. `why` and `code` are told where the
        wire has a way to tell them. Never waits; `aclose` waits for the end of it.
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
        """Whether nothing more can be said to it."""
        return self._mute

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
        """The least round trip that was ever measured on this connection, in s, by the system, by
        ``readyok`` or by a move; None before there was one. Of whoever is behind a proxy the system
        knows nothing: it measures the way to the proxy."""
        if not self.proxied and (least := self._least_measured()) is not None:
            self._round_trip.measured(least)
        return self._round_trip.least

    def _least_measured(self) -> float | None:
        """By the system, s."""
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

    def _blocked(self) -> bool:
        """Did it leave so much untaken that the system takes nothing more for it? Where nobody
        knows, what waits is held against it."""
        return True

    @abstractmethod
    def _finish(self) -> None:
        """See to it that what is queued is sent, that the wire is closed politely, all that within
        `Limits.flush`, and that `_closed` is set then. A `receive` that waits gives None."""

    @abstractmethod
    def _abort(self) -> None:
        """Close at once; called more than once."""

    # What they share

    def _note(self, why: str) -> None:
        self.why = self.why or why  # the first reason is the cause, the others are its effects

    def _charge(self, message: Message | Unread | Blank | None) -> None:
        """A line was read, which was work; None is one that nobody can read."""
        if self._allowance is None:
            return
        match message:
            case Blank():
                self._allowance.blank()
            case Unread() | Info():
                self._allowance.info()
            case _:
                self._allowance.line()

    def _asked(self, messages: Iterable[Message | Unread | Announcement]) -> None:
        """This was said: what it asks for may be answered."""
        for message in messages:
            if type(message) in _QUESTIONS:
                self._round_trip.asked(type(message), trio.current_time())
            if self._allowance is not None:
                self._allow(self._allowance, message)

    def _allow(self, allowance: Allowance, message: Message | Unread | Announcement) -> None:
        """Only the first search of a position is worth an analysis and a move."""
        if isinstance(message, Position):
            self._position = message
        elif isinstance(message, Go):
            if self._searched is not None and self._searched == self._position:
                allowance.searches_again()
            else:
                allowance.searches()
            self._searched = self._position

    def _answered(self, question: type) -> None:
        """What was read last answers a question of this kind."""
        if (asked := self._round_trip.answered(question)) is not None:
            self._measured(asked, self._at, self._late)

    def _measured(self, asked: float, at: float, late: float) -> None:
        """What was sent at `asked` came back and was read at `at`, so late. After a stall of ours
        it may have come at any time since that began, and nothing is known."""
        if not (late and stall(at)):
            self._round_trip.measured(at - late - asked)

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
        most, waiting = self.limits.outbox, self._waiting() + size
        self._behind = self._behind + size if self._blocked() else 0
        if waiting <= most or (self._behind <= most and waiting <= AHEAD * most):
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

    def put(self, *messages: Message | Unread | Announcement) -> None:
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
