"""Stand-ins for clock, clients, disk, database and chance: each does what the recording says."""

import json
import math
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any, TypeVar, cast

import trio
from msgspec import structs

from ulci.net import Ended, Hear, Heard, Limits, Misheard
from ulci.net.peer import BytePeer
from ulci.protocol import Announcement, Connection, Fault, RemoteProtocolError, Unread
from ulci.protocol.messages import Message
from ulci_server.game import Fact
from ulci_server.hall.login.authenticator import (
    Authenticator,
    BannedError,
    BanResult,
    LoginRefusedError,
)
from ulci_server.hall.replay_inputs import Inputs
from ulci_server.hall.task_order import TaskOrder
from ulci_server.lobby import Profile, admin_commands
from ulci_server.storage import Journal, MemoryRepository, Noted, StorageError

from .tape import SERVER, TapeEvent

Value = TypeVar("Value")

BEGIN = datetime(2000, 1, 1, tzinfo=UTC)
"""What the calendar shows at second 0 of every replay."""


class VirtualClock(trio.abc.Clock):
    """Stands still until it is set."""

    def __init__(self) -> None:
        self.now = 0.0

    def start_clock(self) -> None:
        """It needs no start."""

    def current_time(self) -> float:
        return self.now

    def deadline_to_sleep_time(self, deadline: float) -> float:
        return 0.0 if deadline <= self.now else 999_999.0


class Measurements:
    """What the server measured of its connections."""

    def __init__(self, events: Iterable[TapeEvent]) -> None:
        self._trips: defaultdict[str, deque[TapeEvent]] = defaultdict(deque)
        self.muted: dict[str, int] = {}
        """Behind how many puts a connection was muted."""
        self.read: dict[tuple[str, int], tuple[float, float]] = {}
        """When (s) so many messages of a connection were read, and how late (s): format 1."""
        for event in events:
            if event.what == "trip":
                self._trips[event.who].append(event)
            elif event.what == "read":
                number, at, late = event.rest.split()
                self.read[event.who, int(number)] = float(at), float(late)
            elif event.what == "mute":
                self.muted[event.who] = int(event.rest)

    def trip(self, who: str) -> float | None:
        """The round trip of that connection now, s. Older servers measured more often than this
        one asks, so what was measured before now is passed over."""
        trips = self._trips[who]
        while trips and trips[0].at < trio.current_time():
            trips.popleft()
        measured = trips.popleft().rest if trips else "-"
        return None if measured == "-" else float(measured)


_UNREAD: Mapping[str, object] = MappingProxyType(
    {"choose": 0, "secret": "unread", "statistics": {}}
)
"""What is read where the recording says nothing, as something else happens than did; else null."""


class ReplayInputs(Inputs):
    """Gives back what was recorded, in its order, and asks nobody."""

    def __init__(self, events: Iterable[TapeEvent]) -> None:
        self._values: defaultdict[str, deque[str]] = defaultdict(deque)
        for event in events:
            if event.who == SERVER:
                self._values[event.what].append(event.rest)
        self._asked = 0
        self._answers: dict[int, TapeEvent] = {}
        self._answered = trio.lowlevel.ParkingLot()

    def read(self, what: str, source: Callable[[], Value]) -> Value:  # noqa: ARG002
        values = self._values[what]
        value: Any = json.loads(values.popleft()) if values else _UNREAD.get(what)
        return cast(Value, value)

    async def ask(self, work: Callable[[], Awaitable[Value]]) -> Value:  # noqa: ARG002
        self._asked += 1
        number = self._asked
        while number not in self._answers:
            await self._answered.park()
        answer = self._answers.pop(number)
        value: Any = json.loads(answer.rest.partition(" ")[2])
        if answer.what == "refused":
            raise StorageError(value)
        return cast(Value, value)

    def answer(self, event: TapeEvent) -> None:
        """The database answers this now."""
        self._answers[int(event.rest.partition(" ")[0])] = event
        self._answered.unpark_all()


class ReplayTaskOrder(TaskOrder):
    """Each turn is taken when the recording says so."""

    def __init__(self) -> None:
        self._tickets = 0
        self._called: set[int] = set()
        self._waiting = trio.lowlevel.ParkingLot()

    def ticket(self) -> int:
        self._tickets += 1
        return self._tickets

    async def take(self, ticket: int) -> None:
        while ticket not in self._called:
            await self._waiting.park()
        self._called.remove(ticket)

    def call(self, ticket: int) -> None:
        """It is the turn of whoever has this ticket, or will have it."""
        self._called.add(ticket)
        self._waiting.unpark_all()


@dataclass(frozen=True, slots=True)
class MessageTurn:
    """The next message of a connection is dealt with. `at`: when it was read (s; None: now).
    `late`: how much later than it arrived (s). `fault`: what was wrong with it. `end`: why the
    connection was over, instead of a message."""

    at: float | None = None
    late: float = 0.0
    fault: str | None = None
    end: str | None = None


class ReplayPeer(BytePeer):
    """Hears what the recording says, and sends nothing. `in_turn`: a message is dealt with when it
    has a turn, not when it is there (format 1)."""

    __slots__ = (
        "_arrived",
        "_called",
        "_heard",
        "_in_turn",
        "_inbox",
        "_measured",
        "_puts",
        "_turn",
        "_turns",
        "_who",
    )

    def __init__(
        self,
        who: str,
        host: str,
        connection: Connection,
        measured: Measurements,
        *,
        in_turn: bool = True,
    ) -> None:
        host = "" if host == SERVER else host
        super().__init__(connection, label=f"recorded {who}", limits=Limits(), host=host)
        self._who = who
        self._measured = measured
        self._heard = self._puts = 0
        self._inbox: deque[bytes | str] = deque()
        self._arrived = trio.lowlevel.ParkingLot()
        self._in_turn = in_turn
        self._turn = MessageTurn()
        self._turns: deque[MessageTurn] = deque()
        self._called = trio.lowlevel.ParkingLot()

    def put(self, *messages: Message | Unread | Announcement) -> None:
        """Say this, unless the recorded peer was muted by then."""
        if messages:
            self._puts += 1
        if self._puts <= self._measured.muted.get(self._who, math.inf):
            super().put(*messages)

    def hear(self, said: bytes | str) -> None:
        """Bytes; none: the end of the stream. A text: why the line was lost."""
        self._inbox.append(said)
        self._arrived.unpark()

    def call(self, turn: MessageTurn) -> None:
        """The next message is dealt with."""
        self._turns.append(turn)
        self._called.unpark()

    async def receive(self) -> Heard | None:
        if self._in_turn:
            while not self._turns:
                await self._called.park()
            self._turn = self._turns.popleft()
            if self._turn.end is not None:
                self._deaf = True  # to what it had said and nobody heard, too
                self._note(self._turn.end)
                return None
        heard = await super().receive()
        if heard is None:
            return None
        if self._in_turn:
            at = heard.at if self._turn.at is None else self._turn.at
            return structs.replace(heard, at=at, late=self._turn.late)
        self._heard += 1
        at, late = self._measured.read.get((self._who, self._heard), (heard.at, 0.0))
        return structs.replace(heard, at=at, late=late)

    async def deliver(self, hear: Hear, ended: Ended) -> None:
        """As every peer's, but each message in its turn."""
        try:
            while (heard := await self._receive()) is not None and hear(heard):
                pass
        finally:
            self._deaf = True
            await ended()

    async def _receive(self) -> Heard | Misheard | None:
        try:
            return await self.receive()
        except RemoteProtocolError as error:
            return Misheard(Fault.of(error), self._at, self._late)

    def round_trip(self) -> float | None:
        return self._measured.trip(self._who)

    async def _feed(self) -> None:
        if not self._inbox and self._turn.fault is not None and not self._deaf:
            # Not what it said, but how much of it.
            self._deaf = True
            self._note(self._turn.fault)
            raise RemoteProtocolError(self._turn.fault, fatal=True)
        if not self._inbox:
            await self._arrived.park()
        else:
            await trio.lowlevel.checkpoint()
        if self._deaf or not self._inbox:
            return
        said = self._inbox.popleft()
        if isinstance(said, bytes):
            self._read(said, trio.current_time())
        else:
            self._end(said)

    def _write(self, data: bytes) -> None:
        """The codec has told what was said."""

    def _waiting(self) -> int:
        return 0

    def _finish(self) -> None:
        self._abort()
        self._closed.set()

    def _abort(self) -> None:
        self._arrived.unpark_all()


class ReplayJournal(Journal):
    """Durable when the recording says so; what is noted is kept in memory."""

    def __init__(self, events: Iterable[TapeEvent]) -> None:
        self.repository = MemoryRepository()
        super().__init__(self.repository)
        self._durable = {int(event.rest) for event in events if event.what == "durable"}
        self._waits = 0
        self._due: dict[int, Callable[[], object]] = {}

    def note(self, fact: Fact) -> None:
        at = BEGIN + timedelta(seconds=trio.current_time())
        self.repository.save([Noted(fact, at)])

    def when_durable(self, callback: Callable[[], object]) -> bool:
        self._waits += 1
        if self._waits in self._durable:
            return True
        self._due[self._waits] = callback
        return False

    def settle(self, number: int) -> None:
        """That wait is over."""
        if (callback := self._due.pop(number, None)) is not None:
            callback()


class OlderAuthenticator(Authenticator):
    """Before format 3 its decisions were recorded, not the answers of the database that led to
    them, and no bans of who came back to a game."""

    def __init__(self, inputs: Inputs) -> None:
        super().__init__(now=lambda: BEGIN, inputs=inputs)

    async def authenticate(self, said: Profile, host: str) -> Profile:  # noqa: ARG002
        return replace(said, **await self._decided(LoginRefusedError))

    async def recheck_admin(self, said: Profile, host: str) -> bool:  # noqa: ARG002
        return bool(await self._decided(BannedError))

    async def still_admin(self, known: Profile) -> bool:  # noqa: ARG002
        return bool(await self._decided(StorageError))

    async def ban(self, asked: admin_commands.Ban, by: str, host: str) -> BanResult:  # noqa: ARG002
        return BanResult(*await self._decided(StorageError))

    async def unban(self, asked: admin_commands.Unban) -> bool:  # noqa: ARG002
        return bool(await self._decided(StorageError))

    async def _decided(self, refusal: type[Exception]) -> Any:
        try:
            return await self._inputs.ask(trio.sleep_forever)
        except StorageError as error:
            raise refusal(str(error)) from None
