"""Does the server say the same when everybody else does? A recording held again, on a clock that
only the recording moves, against the real hall, tables, lobby and protocol."""

import json
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import trio
import trio.testing

from ulci.net import Heard, Limits
from ulci.net.peer import BytePeer
from ulci.protocol import Connection
from ulci_server.game import Fact
from ulci_server.lobby import Profile, admin
from ulci_server.storage import Journal, MemoryRepository, Noted, StorageError

from .door import BannedError, Door, TurnedAwayError
from .hall import Hall
from .recording import TappedCodec, Works
from .tape import SERVER, Recording, Taped, unescape

BEGIN = datetime(2000, 1, 1, tzinfo=UTC)
"""What the calendar shows at second 0 of every replay."""


FROM_OUTSIDE = frozenset({"open", "<", "<+", "eof", "end", "settled", "known", "refused"})
"""Events that the server does not bring about itself."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first line that is not the same; None where one side has no line."""

    at: float
    who: str
    expected: str | None
    got: str | None

    def __str__(self) -> str:
        lines = (f"  expected  {_shown(self.expected)}", f"  got       {_shown(self.got)}")
        return "\n".join((f"connection {self.who} at {self.at:.6f} s:", *lines))


def _shown(line: str | None) -> str:
    return "nothing" if line is None else line


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


class _Drawn:
    """What the server will draw and measure, in the order in which it did."""

    def __init__(self, events: Iterable[Taped]) -> None:
        self._left: defaultdict[tuple[str, str], deque[str]] = defaultdict(deque)
        self.durable: set[int] = set()
        self.read: dict[tuple[str, int], tuple[float, float]] = {}
        for event in events:
            if event.what in ("choose", "secret", "trip"):
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


class _ReplayedPeer(BytePeer):
    """A peer that hears what the recording says, and whose words go nowhere."""

    __slots__ = ("_arrived", "_drawn", "_heard", "_inbox", "_who")

    def __init__(self, who: str, host: str, connection: Connection, drawn: _Drawn) -> None:
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


class _ReplayedJournal(Journal):
    """Durable when the recording says so; what is noted is kept in memory."""

    def __init__(self, drawn: _Drawn) -> None:
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


class _ReplayedDoor(Door):
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


MakeHall = Callable[[Works], Hall]
"""A hall as the recorded server had it."""

MakeConnection = Callable[[str, str], Connection]
"""The server's end of a connection in that dialect, over that codec."""

Plays = Callable[[str, str], str]
"""The game that clients of that pool and dialect are known to play."""


class Replay:
    """One recording being held again; `run` it in a Trio run with this `clock`."""

    def __init__(
        self, recording: Recording, hall: MakeHall, connection: MakeConnection, plays: Plays
    ) -> None:
        self.clock = VirtualClock()
        self._events = recording.events
        self._drawn = _Drawn(recording.events)
        self._make_hall = hall
        self._make_connection = connection
        self._plays = plays
        self._peers: dict[str, _ReplayedPeer] = {}
        self._unsettled = False
        self._fed_at = -1.0
        self._said: defaultdict[str, list[Taped]] = defaultdict(list)

    @property
    def lines(self) -> int:
        """That are compared."""
        return sum(event.what == ">" for event in self._events)

    @property
    def connections(self) -> str:
        """How many there are, in words."""
        count = sum(event.what == "open" for event in self._events)
        return "1 connection" if count == 1 else f"{count} connections"

    async def run(self) -> Difference | None:
        """None if every byte was the same."""
        journal = _ReplayedJournal(self._drawn)
        door = _ReplayedDoor()
        hall = self._make_hall(Works(journal, door, self._drawn.choose, self._drawn.secret))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(hall.keep_time)
            for event in self._events:
                if event.at > self.clock.now:
                    await self._settle()
                    self.clock.now = event.at
                    self._unsettled = True
                if event.what == "over":
                    break
                if event.what in FROM_OUTSIDE:
                    # What is due now rings only after what is read now, unless it is said before.
                    if self._fed_at == event.at:
                        await self._settle()
                    self._happen(event, hall, journal, door, nursery)
                    self._unsettled, self._fed_at = True, event.at
                elif event.what == ">":
                    await self._settle()
            await self._settle()
            nursery.cancel_scope.cancel()
        return _first_difference([event for event in self._events if event.what == ">"], self._said)

    async def _settle(self) -> None:
        """Let the server do all that it has to do at this moment."""
        if self._unsettled:
            self._unsettled = False
            await trio.testing.wait_all_tasks_blocked()

    def _happen(
        self,
        event: Taped,
        hall: Hall,
        journal: _ReplayedJournal,
        door: _ReplayedDoor,
        nursery: trio.Nursery,
    ) -> None:
        """What came from outside comes again."""
        match event.what:
            case "open":
                nursery.start_soon(self._welcome, hall, event)
            case "known" | "refused":
                door.answer(event)
            case "settled":
                journal.settle(int(event.rest))
            case _:
                self._peers[event.who].hear(_heard(event))

    async def _welcome(self, hall: Hall, opened: Taped) -> None:
        who = opened.who
        pool, dialect, codec, host = opened.rest.split()
        connection = self._make_connection(dialect, codec)

        def write(what: str, rest: str) -> None:
            if what == ">":
                self._said[who].append(Taped(self.clock.now, who, what, rest))

        connection.codec = TappedCodec(connection.codec, write)
        self._peers[who] = peer = _ReplayedPeer(who, host, connection, self._drawn)
        async with peer:
            await hall.welcome(peer, pool, plays=self._plays(pool, dialect))


def _heard(event: Taped) -> bytes | str:
    match event.what:
        case "end":
            return unescape(event.rest).decode(errors="replace")
        case "<":
            return unescape(event.rest) + b"\n"
        case _:
            return unescape(event.rest)


def _first_difference(
    expected: Sequence[Taped], said: Mapping[str, Sequence[Taped]]
) -> Difference | None:
    """The earliest; of each connection the lines are compared in their order."""
    wanted: defaultdict[str, list[Taped]] = defaultdict(list)
    for event in expected:
        wanted[event.who].append(event)
    found = [
        difference
        for who in dict.fromkeys((*wanted, *said))
        if (difference := _differs(who, wanted[who], said.get(who, ()))) is not None
    ]
    return min(found, key=lambda difference: difference.at, default=None)


def _differs(who: str, wanted: Sequence[Taped], said: Sequence[Taped]) -> Difference | None:
    for one, other in zip(wanted, said, strict=False):
        if one.rest != other.rest:
            return Difference(one.at, who, one.rest, other.rest)
    both = min(len(wanted), len(said))
    if len(wanted) > both:
        return Difference(wanted[both].at, who, wanted[both].rest, None)
    if len(said) > both:
        return Difference(said[both].at, who, None, said[both].rest)
    return None
