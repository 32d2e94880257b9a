"""What stands for the world when a recording is held again? A clock, chance, clients, the disk and
the door: each does what the recording says that it did."""

import json
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import trio

from ulci.net import Heard, Limits
from ulci.net.peer import BytePeer
from ulci.protocol import Connection
from ulci_server.game import Fact
from ulci_server.lobby import Profile, admin
from ulci_server.storage import Journal, MemoryRepository, Noted, StorageError

from .door import BannedError, Door, TurnedAwayError
from .tape import SERVER, Taped
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
        self.durable: set[int] = set()
        self.read: dict[tuple[str, int], tuple[float, float]] = {}
        for event in events:
            if event.what in ("choose", "secret", "trip", "vitals"):
                self._left[event.who, event.what].append(event.rest)
            elif event.what == "durable":
                self.durable.add(int(event.rest))
            elif event.what == "read":
                number, at, late = event.rest.split()
                self.read[event.who, int(number)] = float(at), float(late)

    def next(self, who: str, what: str) -> str | None:
        """None: it was not drawn again, so something else happens than did."""
        left = self._left[who, what]
        return left.popleft() if left else None

    def choose(self, among: int) -> int:
        drawn = self.next(SERVER, "choose")
        return int(drawn.split()[0]) % among if drawn is not None else 0

    def secret(self) -> str:
        return self.next(SERVER, "secret") or "undrawn"

    def vitals(self) -> Vitals:
        up, tasks = (self.next(SERVER, "vitals") or "0 0").split()
        return Vitals(int(up), int(tasks))


class ReplayedPeer(BytePeer):
    """A peer that hears what the recording says, and whose words go nowhere."""

    __slots__ = ("_arrived", "_drawn", "_heard", "_inbox", "_who")

    def __init__(self, who: str, host: str, connection: Connection, drawn: Drawn) -> None:
        host = "" if host == SERVER else host
        super().__init__(connection, label=f"recorded {who}", limits=Limits(), host=host)
        self._who = who
        self._drawn = drawn
        self._heard = 0
        self._inbox: deque[bytes | str] = deque()
        self._arrived = trio.lowlevel.ParkingLot()

    def hear(self, said: bytes | str) -> None:
        """Bytes; none: the end of the stream. A text: why the line was lost."""
        self._inbox.append(said)
        self._arrived.unpark()

    async def receive(self) -> Heard | None:
        heard = await super().receive()
        if heard is None:
            return None
        self._heard += 1
        at, late = self._drawn.read.get((self._who, self._heard), (heard.at, 0.0))
        return heard._replace(at=at, late=late)

    def round_trip(self) -> float | None:
        trip = self._drawn.next(self._who, "trip")
        return None if trip in (None, "-") else float(trip)

    async def _feed(self) -> None:
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

    async def _finish(self) -> None:
        await trio.lowlevel.checkpoint()

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

    async def ban(self, asked: admin.Ban, by: str) -> None:  # noqa: ARG002
        await self._known(StorageError)

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
