"""Writes the tape of a running server.

A server that does not record has none of this on its way: recording peers, journals and inputs
stand in for the plain ones from the start, or not at all.
"""

import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, TypeVar, cast

import trio

from ulci.net import Ended, Hear, Heard, Misheard, Peer
from ulci.protocol import Announcement, Codec, Dialect, RemoteProtocolError, TextCodec, Unread
from ulci.protocol.messages import Message
from ulci_server.hall.replay_inputs import Inputs
from ulci_server.hall.task_order import TaskOrder
from ulci_server.storage import Journal, Repository, StorageError

from .tape import OVER, SERVER, Tape, TapeEvent, escape

Value = TypeVar("Value")

Write = Callable[[str, str], object]
"""Takes what happened and the rest; who and when are known."""


@dataclass(frozen=True, slots=True)
class Services:
    """What a recording and a replay replace in a hall, beside its peers."""

    journal: Journal
    inputs: Inputs = field(default_factory=Inputs)
    task_order: TaskOrder = field(default_factory=TaskOrder)


class TickClock(trio.abc.Clock, trio.abc.Instrument):
    """Real time that stands still while one batch of events is dealt with, so that whatever one
    event leads to happens at its moment, as when it is replayed. Seconds from 0, in whole µs."""

    def __init__(self) -> None:
        self._zero = time.perf_counter()
        self._now = 0.0

    def start_clock(self) -> None:
        self._zero = time.perf_counter()

    def current_time(self) -> float:
        return self._now

    def deadline_to_sleep_time(self, deadline: float) -> float:
        return deadline - self._real()

    def after_io_wait(self, timeout: float) -> None:  # noqa: ARG002 (Trio calls it)
        """Time passes only here."""
        self._now = round(self._real(), 6)

    def _real(self) -> float:
        return time.perf_counter() - self._zero


class Recorder:
    """Makes the recording stand-ins of one server, all with one tape."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._connections = 0

    def write(self, who: str, what: str, rest: str = "") -> None:
        """It happened now."""
        self._tape.write(TapeEvent(trio.current_time(), who, what, rest))

    def peer(self, peer: Peer, pool: str, dialect: str) -> Peer:
        """Recorded; nothing was said on its connection yet."""
        self._connections += 1
        write = partial(self.write, str(self._connections))
        codec = peer.connection.codec
        kind = "text" if isinstance(codec, TextCodec) else "msgpack"
        write("open", f"{pool} {dialect} {kind} {peer.host or SERVER}")
        peer.connection.codec = RecordingCodec(codec, write)
        return cast(Peer, _RecordingPeer(peer, write))

    def services(self, repository: Repository, now: Callable[[], datetime]) -> Services:
        """`now` dates the facts, as in `Journal`."""
        write = partial(self.write, SERVER)
        journal = _RecordingJournal(repository, now, write)
        return Services(journal, _RecordingInputs(write), _RecordingTaskOrder(write))

    def stop(self) -> None:
        """What comes now belongs to the server's end."""
        self.write(SERVER, OVER)


class RecordingCodec:
    """Tells what goes through a codec: lines, or pieces where there are none."""

    shares = False

    def __init__(self, codec: Codec, write: Write) -> None:
        self._codec = codec
        self._write = write
        self._end = b"\n" if isinstance(codec, TextCodec) else b""
        self.next_messages = codec.next_messages

    @property
    def pending(self) -> bool:
        return self._codec.pending

    def receive_data(self, data: bytes) -> None:
        self._heard(data)
        if not data:
            self._write("eof", "")
        self._codec.receive_data(data)

    def receive_frame(self, data: str | bytes) -> None:
        raw = data.encode(errors="replace") if isinstance(data, str) else data
        self._heard(raw + self._end)
        self._codec.receive_frame(data)

    def encode(self, message: Message | Unread, dialect: Dialect) -> bytes:
        data = self._codec.encode(message, dialect)
        self._said(data)
        return data

    def encode_frame(self, message: Message | Unread, dialect: Dialect) -> str | bytes:
        frame = self._codec.encode_frame(message, dialect)
        self._said(frame.encode() if isinstance(frame, str) else frame)
        return frame

    def _heard(self, data: bytes) -> None:
        *lines, piece = data.split(self._end) if self._end else (data,)
        for line in lines:
            self._write("<", escape(line))
        if piece:
            self._write("<+", escape(piece))

    def _said(self, data: bytes) -> None:
        if data:
            self._write(">", escape(data.removesuffix(self._end)))


class _RecordingPeer:
    """Tells when a peer's messages were dealt with, what was measured, and when it was over."""

    def __init__(self, peer: Peer, write: Write) -> None:
        self._peer = peer
        self._write = write
        self._puts = 0
        self._muted = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._peer, name)

    async def receive(self) -> Heard | None:
        try:
            heard = await self._peer.receive()
        except RemoteProtocolError as error:
            self._fault(str(error))
            raise
        if heard is None:
            self._end()
        else:
            self._turn(heard)
        return heard

    async def deliver(self, hear: Hear, ended: Ended) -> None:
        enough = False

        def recorded(heard: Heard | Misheard) -> bool:
            nonlocal enough
            if isinstance(heard, Misheard):
                self._fault(heard.message.text)
            else:
                self._turn(heard)
            enough = not hear(heard)
            return not enough

        async def over() -> None:
            if not enough:
                self._end()
            await ended()

        await self._peer.deliver(recorded, over)

    def put(self, *messages: Message | Unread | Announcement) -> None:
        self._note_mute()
        self._puts += bool(messages)
        self._peer.put(*messages)
        self._note_mute()

    def round_trip(self) -> float | None:
        trip = self._peer.round_trip()
        self._write("trip", "-" if trip is None else repr(trip))
        return trip

    def _turn(self, heard: Heard) -> None:
        at_once = not heard.late and heard.at == trio.current_time()
        self._write("turn", "" if at_once else f"{heard.at!r} {heard.late!r}")

    def _fault(self, why: str) -> None:
        self._write("fault", escape(why.encode()))

    def _end(self) -> None:
        self._write("end", escape(self._peer.why.encode()))

    def _note_mute(self) -> None:
        if self._peer.muted and not self._muted:
            self._muted = True
            self._write("mute", str(self._puts))


class _RecordingTaskOrder(TaskOrder):
    """Tells whose turn it is."""

    def __init__(self, write: Write) -> None:
        self._write = write
        self._tickets = 0

    def ticket(self) -> int:
        self._tickets += 1
        return self._tickets

    async def take(self, ticket: int) -> None:
        self._write("turn", str(ticket))


class _RecordingInputs(Inputs):
    """Tells every input when it comes."""

    def __init__(self, write: Write) -> None:
        self._write = write
        self._asked = 0

    def read(self, what: str, source: Callable[[], Value]) -> Value:
        value = source()
        self._write(what, json.dumps(value))
        return value

    async def ask(self, work: Callable[[], Awaitable[Value]]) -> Value:
        self._asked += 1
        number = self._asked
        try:
            answer = await work()
        except StorageError as error:
            self._write("refused", f"{number} {json.dumps(str(error))}")
            raise
        self._write("known", f"{number} {json.dumps(answer)}")
        return answer

    def handler(self, what: str, handle: Callable[[Value], None]) -> Callable[[Value], None]:
        def recorded(value: Value) -> None:
            self._write(what, json.dumps(value))
            handle(value)

        return recorded


class _RecordingJournal(Journal):
    """Tells when what was noted became durable."""

    def __init__(self, repository: Repository, now: Callable[[], datetime], write: Write) -> None:
        super().__init__(repository, now=now)
        self._write = write
        self._waits = 0

    def when_durable(self, callback: Callable[[], object]) -> bool:
        self._waits += 1
        number = str(self._waits)

        def settled() -> None:
            self._write("settled", number)
            callback()

        durable = super().when_durable(settled)
        if durable:
            self._write("durable", number)
        return durable
