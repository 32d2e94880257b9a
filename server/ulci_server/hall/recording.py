"""What did everybody say to a running server, and what did it draw, measure and wait for?

Nothing here is in the way of a server that does not record: the taps are put around codecs, peers,
journal and chance when it starts, or not at all.
"""

import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar, cast

import trio

from ulci.net import Heard, Peer
from ulci.protocol import (
    Announcement,
    Blank,
    Codec,
    Dialect,
    RemoteProtocolError,
    Role,
    TextCodec,
    Unread,
)
from ulci.protocol.messages import Message
from ulci_server.lobby import Profile, admin
from ulci_server.storage import Journal, Repository, StorageError

from .door import Banning, Door, TurnedAwayError
from .hall import Hall
from .tape import OVER, SERVER, Tape, Taped, escape
from .turns import Turns
from .vitals import Vitals

Answer = TypeVar("Answer")

Write = Callable[[str, str], object]
"""Takes what and the rest; who and when are known."""


@dataclass(frozen=True, slots=True)
class Works:
    """What a hall works with that is not the same every time: the disk, who is let in, what picks
    one of so many, what makes secrets, how the process does, and what comes first."""

    journal: Journal
    door: Door
    choose: Callable[[int], int]
    secret: Callable[[], str]
    vitals: Callable[[], Vitals]
    turns: Turns = field(default_factory=Turns)


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
    """Taps for everything that a server is made of."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._connections = 0

    def write(self, who: str, what: str, rest: str = "") -> None:
        """It happened now."""
        self._tape.write(Taped(trio.current_time(), who, what, rest))

    def peer(self, peer: Peer, pool: str, dialect: str) -> Peer:
        """The peer, tapped; nothing was said on its connection yet."""
        self._connections += 1
        who = str(self._connections)
        codec = peer.connection.codec
        kind = "text" if isinstance(codec, TextCodec) else "msgpack"
        self.write(who, "open", f"{pool} {dialect} {kind} {peer.host or SERVER}")
        peer.connection.codec = TappedCodec(codec, partial(self.write, who))
        return cast(Peer, _TappedPeer(peer, partial(self.write, who)))

    def works(self, works: Works, repository: Repository) -> Works:
        """The same, tapped; the journal is another one."""

        def chosen(among: int) -> int:
            choice = works.choose(among)
            self.write(SERVER, "choose", f"{choice} {among}")
            return choice

        def drawn() -> str:
            drawn = works.secret()
            self.write(SERVER, "secret", drawn)
            return drawn

        def felt() -> Vitals:
            vitals = works.vitals()
            known = (str(figure) for figure in vitals if figure is not None)
            self.write(SERVER, "vitals", " ".join(known))
            return vitals

        journal, door = _TappedJournal(repository, self), _TappedDoor(works.door, self)
        return Works(journal, door, chosen, drawn, felt, _TappedTurns(self))

    def hall(self, hall: Hall) -> Hall:
        """The hall, tapped for what it is told of the database and the machine."""
        return cast(Hall, _TappedHall(hall, self))

    def stop(self) -> None:
        """What comes now belongs to the server's end."""
        self.write(SERVER, OVER)


class TappedCodec:
    """A codec that tells what goes through it: lines, or pieces where there are none."""

    shares = False

    def __init__(self, codec: Codec, write: Write) -> None:
        self._codec = codec
        self._write = write
        self._end = b"\n" if isinstance(codec, TextCodec) else b""

    def receive_data(self, data: bytes) -> None:
        self._hear(data)
        if not data:
            self._write("eof", "")
        self._codec.receive_data(data)

    def receive_frame(self, data: str | bytes) -> None:
        raw = data.encode(errors="replace") if isinstance(data, str) else data
        self._hear(raw + self._end)
        self._codec.receive_frame(data)

    def next_message(
        self, dialect: Dialect, reader: Role, *, defer: bool
    ) -> Message | Unread | Blank | None:
        return self._codec.next_message(dialect, reader, defer=defer)

    def encode(self, message: Message | Unread, dialect: Dialect) -> bytes:
        data = self._codec.encode(message, dialect)
        self._say(data)
        return data

    def encode_frame(self, message: Message | Unread, dialect: Dialect) -> str | bytes:
        frame = self._codec.encode_frame(message, dialect)
        self._say(frame.encode() if isinstance(frame, str) else frame)
        return frame

    def _hear(self, data: bytes) -> None:
        *lines, piece = data.split(self._end) if self._end else (data,)
        for line in lines:
            self._write("<", escape(line))
        if piece:
            self._write("<+", escape(piece))

    def _say(self, data: bytes) -> None:
        if data:
            self._write(">", escape(data.removesuffix(self._end)))


class _TappedPeer:
    """A peer that tells what was measured of it, and when it was over."""

    def __init__(self, peer: Peer, write: Write) -> None:
        self._peer = peer
        self._write = write
        self._said = 0
        self._muted = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._peer, name)

    async def receive(self) -> Heard | None:
        try:
            heard = await self._peer.receive()
        except RemoteProtocolError as error:
            self._write("fault", escape(str(error).encode()))
            raise
        if heard is None:
            self._write("end", escape(self._peer.why.encode()))
            return None
        at_once = not heard.late and heard.at == trio.current_time()
        self._write("turn", "" if at_once else f"{heard.at!r} {heard.late!r}")
        return heard

    def put(self, *messages: Message | Unread | Announcement) -> None:
        self._note_mute()
        self._said += bool(messages)
        self._peer.put(*messages)
        self._note_mute()

    def _note_mute(self) -> None:
        if self._peer.muted and not self._muted:
            self._muted = True
            self._write("mute", str(self._said))

    def round_trip(self) -> float | None:
        trip = self._peer.round_trip()
        self._write("trip", "-" if trip is None else repr(trip))
        return trip


class _TappedTurns(Turns):
    """Turns that tell whose it is."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._tickets = 0

    def ticket(self) -> int:
        self._tickets += 1
        return self._tickets

    async def take(self, ticket: int) -> None:
        self._recorder.write(SERVER, "turn", str(ticket))


class _TappedHall:
    """A hall that tells what it was told of the world."""

    def __init__(self, hall: Hall, recorder: Recorder) -> None:
        self._hall = hall
        self._recorder = recorder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._hall, name)

    def hindered(self, seconds: float) -> None:
        self._recorder.write(SERVER, "hindered", repr(seconds))
        self._hall.hindered(seconds)

    def trouble(self, why: str | None) -> None:
        self._recorder.write(SERVER, "trouble", json.dumps(why))
        self._hall.trouble(why)


class _TappedJournal(Journal):
    """A journal that tells how long it was waited for."""

    def __init__(self, repository: Repository, recorder: Recorder) -> None:
        super().__init__(repository)
        self._recorder = recorder
        self._waits = 0

    def when_durable(self, callback: Callable[[], object]) -> bool:
        self._waits += 1
        number = str(self._waits)

        def settled() -> None:
            self._recorder.write(SERVER, "settled", number)
            callback()

        durable = super().when_durable(settled)
        if durable:
            self._recorder.write(SERVER, "durable", number)
        return durable


class _TappedDoor(Door):
    """A door that tells what was known, and when."""

    def __init__(self, door: Door, recorder: Recorder) -> None:
        super().__init__(now=partial(datetime.now, UTC))
        self._door = door
        self._recorder = recorder
        self._asked = 0

    async def let_in(self, said: Profile, host: str) -> Profile:
        def changed(known: Profile) -> dict[str, object]:
            return {key: getattr(known, key) for key in OF_DOOR}

        return await self._tell(self._door.let_in(said, host), changed)

    async def look_again(self, said: Profile, host: str) -> bool:
        return await self._tell(self._door.look_again(said, host))

    async def still_admin(self, known: Profile) -> bool:
        return await self._tell(self._door.still_admin(known))

    def check_bans(self, host: str, *names: str) -> None:
        self._door.check_bans(host, *names)

    async def ban(self, asked: admin.Ban, by: str, host: str) -> Banning:
        return await self._tell(self._door.ban(asked, by, host))

    async def unban(self, asked: admin.Unban) -> bool:
        return await self._tell(self._door.unban(asked))

    async def _tell(
        self, answering: Awaitable[Answer], spelled: Callable[[Answer], object] = lambda it: it
    ) -> Answer:
        self._asked += 1
        number = self._asked
        try:
            answer = await answering
        except (TurnedAwayError, StorageError) as error:
            self._recorder.write(SERVER, "refused", f"{number} {json.dumps(str(error))}")
            raise
        self._recorder.write(SERVER, "known", f"{number} {json.dumps(spelled(answer))}")
        return answer


OF_DOOR = ("name", "handle", "account", "admin")
"""What a door may change of a profile."""
