"""Does the server say the same when everybody else does? A recording held again, on a clock that
only the recording moves, against the real hall, tables, lobby and protocol."""

import math
from collections import defaultdict
from collections.abc import Callable

import trio
import trio.testing

from ulci.protocol import Connection

from .difference import Difference, first_difference
from .hall import Hall
from .recording import TappedCodec, Works
from .replayed import Drawn, ReplayedDoor, ReplayedJournal, ReplayedPeer, VirtualClock
from .tape import Recording, Taped, unescape

FROM_OUTSIDE = frozenset({"open", "<", "<+", "eof", "end", "settled", "known", "refused"})
"""Events that the server does not bring about itself."""

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
        self._drawn = Drawn(recording.events)
        self._make_hall = hall
        self._make_connection = connection
        self._plays = plays
        self._peers: dict[str, ReplayedPeer] = {}
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
        journal = ReplayedJournal(self._drawn)
        door = ReplayedDoor()
        drawn = self._drawn
        hall = self._make_hall(Works(journal, door, drawn.choose, drawn.secret, drawn.vitals))
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
            # What is said because everybody goes now was not said then.
            said, self._said = self._said, defaultdict(list)
            nursery.cancel_scope.cancel()
        wanted = [event for event in self._events if event.what == ">"]
        return first_difference(wanted, said, self._cut_short_at)

    @property
    def _cut_short_at(self) -> float:
        """When the recorded server was killed, or the recording copied from one that ran: what was
        said in that moment may be missing. Infinite if the recording has its end."""
        if not self._events or any(event.what == "over" for event in self._events):
            return math.inf
        return self._events[-1].at

    async def _settle(self) -> None:
        """Let the server do all that it has to do at this moment."""
        if self._unsettled:
            self._unsettled = False
            await trio.testing.wait_all_tasks_blocked()

    def _happen(
        self,
        event: Taped,
        hall: Hall,
        journal: ReplayedJournal,
        door: ReplayedDoor,
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
        self._peers[who] = peer = ReplayedPeer(who, host, connection, self._drawn)
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
