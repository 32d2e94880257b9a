"""What stands for the world when a recording is held again? A clock, chance, clients, the disk and
the door: each does what the recording says that it did."""

import json
import math
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import trio

from ulci.net import Heard, Limits
from ulci.net.peer import BytePeer
from ulci.protocol import Announcement, Connection, RemoteProtocolError, Unread
from ulci.protocol.messages import Message
from ulci_server.game import Fact
from ulci_server.lobby import Profile, admin
from ulci_server.storage import Journal, MemoryRepository, Noted, StorageError

from .door import BannedError, Banning, Door, TurnedAwayError
from .tape import SERVER, Taped
from .turns import Turns
from .vitals import Vitals

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


class Drawn:
    """What the server will draw and measure, in the order in which it did."""

    def __init__(self, events: Iterable[Taped]) -> None:
        self._left: defaultdict[tuple[str, str], deque[str]] = defaultdict(deque)
        self._trips: defaultdict[str, deque[Taped]] = defaultdict(deque)
        self.durable: set[int] = set()
        self.muted: dict[str, int] = {}
        self.read: dict[tuple[str, int], tuple[float, float]] = {}
        for event in events:
            if event.what in ("choose", "secret", "vitals"):
                self._left[event.who, event.what].append(event.rest)
            elif event.what == "trip":
                self._trips[event.who].append(event)
            elif event.what == "durable":
                self.durable.add(int(event.rest))
            elif event.what == "read":
                number, at, late = event.rest.split()
                self.read[event.who, int(number)] = float(at), float(late)
            elif event.what == "mute":
                self.muted[event.who] = int(event.rest)

    def next(self, who: str, what: str) -> str | None:
        """None: it was not drawn again, so something else happens than did."""
        left = self._left[who, what]
        return left.popleft() if left else None

    def choose(self, among: int) -> int:
        drawn = self.next(SERVER, "choose")
        return int(drawn.split()[0]) % among if drawn is not None else 0

    def trip(self, who: str) -> float | None:
        """What is measured of that connection now. Servers have measured more than this one asks
        for, so what was measured before now is passed over."""
        trips = self._trips[who]
        while trips and trips[0].at < trio.current_time():
            trips.popleft()
        measured = trips.popleft().rest if trips else "-"
        return None if measured == "-" else float(measured)

    def secret(self) -> str:
        return self.next(SERVER, "secret") or "undrawn"

    def vitals(self) -> Vitals:
        """An older version wrote only the first two numbers."""
        return Vitals(*map(int, (self.next(SERVER, "vitals") or "").split()))


class ReplayedTurns(Turns):
    """Each when the recording says so."""

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
class Turn:
    """A message is dealt with that was read `at` (s; None: just now), so late. `fault`: what was
    wrong with it. `end`: there was none, but the line was over, for that reason."""

    at: float | None = None
    late: float = 0.0
    fault: str | None = None
    end: str | None = None


class ReplayedPeer(BytePeer):
    """A peer that hears what the recording says, and whose words go nowhere. `in_turn`: a message
    is dealt with when it has a turn, and not when it is there."""

    __slots__ = (
        "_arrived",
        "_called",
        "_drawn",
        "_heard",
        "_in_turn",
        "_inbox",
        "_said",
        "_turn",
        "_turns",
        "_who",
    )

    def __init__(
        self, who: str, host: str, connection: Connection, drawn: Drawn, *, in_turn: bool = True
    ) -> None:
        host = "" if host == SERVER else host
        super().__init__(connection, label=f"recorded {who}", limits=Limits(), host=host)
        self._who = who
        self._drawn = drawn
        self._heard = self._said = 0
        self._inbox: deque[bytes | str] = deque()
        self._arrived = trio.lowlevel.ParkingLot()
        self._in_turn = in_turn
        self._turn = Turn()
        self._turns: deque[Turn] = deque()
        self._called = trio.lowlevel.ParkingLot()

    def put(self, *messages: Message | Unread | Announcement) -> None:
        """Say this, unless that was when nothing could be said to it any more."""
        if messages:
            self._said += 1
        if self._said <= self._drawn.muted.get(self._who, math.inf):
            super().put(*messages)

    def hear(self, said: bytes | str) -> None:
        """Bytes; none: the end of the stream. A text: why the line was lost."""
        self._inbox.append(said)
        self._arrived.unpark()

    def call(self, turn: Turn) -> None:
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
            return heard._replace(at=at, late=self._turn.late)
        self._heard += 1
        at, late = self._drawn.read.get((self._who, self._heard), (heard.at, 0.0))
        return heard._replace(at=at, late=late)

    def round_trip(self) -> float | None:
        return self._drawn.trip(self._who)

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


class ReplayedJournal(Journal):
    """Durable when the recording says so; what is noted is kept in memory."""

    def __init__(self, drawn: Drawn) -> None:
        self.repository = MemoryRepository()
        super().__init__(self.repository)
        self._drawn = drawn
        self._waits = 0
        self._due: dict[int, Callable[[], object]] = {}

    def note(self, fact: Fact) -> None:
        at = BEGIN + timedelta(seconds=trio.current_time())
        self.repository.save([Noted(fact, at)])

    def when_durable(self, callback: Callable[[], object]) -> bool:
        self._waits += 1
        if self._waits in self._drawn.durable:
            return True
        self._due[self._waits] = callback
        return False

    def settle(self, number: int) -> None:
        """That wait is over."""
        if (callback := self._due.pop(number, None)) is not None:
            callback()


class ReplayedDoor(Door):
    """Knows what the recording says, when it says so."""

    def __init__(self) -> None:
        super().__init__(now=lambda: BEGIN)
        self._asked = 0
        self._answers: dict[int, Taped] = {}
        self._answered = trio.lowlevel.ParkingLot()

    async def let_in(self, said: Profile, host: str) -> Profile:  # noqa: ARG002
        return replace(said, **await self._known(TurnedAwayError))

    async def look_again(self, said: Profile, host: str) -> bool:  # noqa: ARG002
        return bool(await self._known(BannedError))

    async def still_admin(self, known: Profile) -> bool:  # noqa: ARG002
        return bool(await self._known(StorageError))

    async def ban(self, asked: admin.Ban, by: str, host: str) -> Banning:  # noqa: ARG002
        return Banning(*await self._known(StorageError))

    async def unban(self, asked: admin.Unban) -> bool:  # noqa: ARG002
        return bool(await self._known(StorageError))

    async def _known(self, refusal: type[Exception]) -> Any:
        self._asked += 1
        number = self._asked
        while number not in self._answers:
            await self._answered.park()
        answer = self._answers.pop(number)
        known = json.loads(answer.rest.partition(" ")[2])
        if answer.what == "refused":
            raise refusal(known)
        return known

    def answer(self, event: Taped) -> None:
        """It is known now."""
        self._answers[int(event.rest.partition(" ")[0])] = event
        self._answered.unpark_all()
