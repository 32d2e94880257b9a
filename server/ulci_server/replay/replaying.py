"""Replays a recording on a clock that only the recording moves, against the real hall, tables,
lobby, authenticator and protocol."""

import json
import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import trio
import trio.testing

from ulci.protocol import Connection
from ulci_server.hall.hall import Hall
from ulci_server.hall.task_order import TaskOrder

from .recording import RecordingCodec, Services
from .replay_diff import Difference, first_difference
from .stand_ins import (
    Measurements,
    MessageTurn,
    ReplayInputs,
    ReplayJournal,
    ReplayPeer,
    ReplayTaskOrder,
    VirtualClock,
)
from .tape import OVER, SERVER, Recording, TapeEvent, unescape

READ_ONLY = frozenset({"<", "<+", "eof"})
"""Dealt with in turns of their own."""

FROM_OUTSIDE = READ_ONLY | {
    "open", "end", "turn", "fault", "settled", "known", "refused", "hindered", "trouble",
}  # fmt: skip
"""Events that the server does not bring about itself."""

MakeHall = Callable[[Services], Hall]
"""A hall as the recorded server had it."""

MakeConnection = Callable[[str, str], Connection]
"""The server's end of a connection in that dialect, over that codec."""

Plays = Callable[[str, str], str]
"""The game that clients of that pool and dialect are known to play."""


@dataclass(frozen=True, slots=True)
class _World:
    """What events are applied to."""

    hall: Hall
    journal: ReplayJournal
    inputs: ReplayInputs
    task_order: ReplayTaskOrder
    nursery: trio.Nursery


class Replay:
    """One recording being held again; `run` it in a Trio run with this `clock`."""

    def __init__(
        self, recording: Recording, hall: MakeHall, connection: MakeConnection, plays: Plays
    ) -> None:
        self.clock = VirtualClock()
        self._events = recording.events
        self._in_turn = recording.version > 1
        self._whole = recording.whole
        self._measured = Measurements(recording.events)
        self._make_hall = hall
        self._make_connection = connection
        self._plays = plays
        self._peers: dict[str, ReplayPeer] = {}
        self._unsettled = False
        self._fed_at = -1.0
        self._said: defaultdict[str, list[TapeEvent]] = defaultdict(list)

    @property
    def lines(self) -> int:
        """How many are compared."""
        return sum(event.what == ">" for event in self._events)

    @property
    def connections(self) -> str:
        """How many there are, in words."""
        count = sum(event.what == "open" for event in self._events)
        return "1 connection" if count == 1 else f"{count} connections"

    async def run(self) -> Difference | None:
        """None if every byte was the same."""
        journal, inputs = ReplayJournal(self._events), ReplayInputs(self._events)
        task_order = ReplayTaskOrder()
        hall = self._make_hall(
            Services(journal, inputs, task_order if self._in_turn else TaskOrder())
        )
        async with trio.open_nursery() as nursery:
            nursery.start_soon(hall.run)
            happen = partial(self._happen, _World(hall, journal, inputs, task_order, nursery))
            await (self._take_turns(happen) if self._in_turn else self._guess_turns(happen))
            # What is said because everybody goes now was not said then.
            said, self._said = self._said, defaultdict(list)
            nursery.cancel_scope.cancel()
        wanted = [event for event in self._events if event.what == ">"]
        return first_difference(wanted, said, self._cut_short_at)

    async def _take_turns(self, happen: Callable[[TapeEvent], None]) -> None:
        """Everything in the order in which it happened."""
        for event in self._events:
            if event.at > self.clock.now:
                self.clock.now = event.at
                if event.who == SERVER:
                    await trio.testing.wait_all_tasks_blocked()  # who waits for this moment
            if event.what == OVER:
                return
            happen(event)
            if event.what in FROM_OUTSIDE and event.what not in READ_ONLY:
                await trio.testing.wait_all_tasks_blocked()

    async def _guess_turns(self, happen: Callable[[TapeEvent], None]) -> None:
        """The same where the recording does not say it."""
        for event in self._events:
            if event.at > self.clock.now:
                await self._settle()
                self.clock.now = event.at
                self._unsettled = True
            if event.what == OVER:
                break
            if event.what in FROM_OUTSIDE:
                # What is due now rings only after what is read now, unless it is said before.
                if self._fed_at == event.at:
                    await self._settle()
                happen(event)
                self._unsettled, self._fed_at = True, event.at
            elif event.what == ">":
                await self._settle()
        await self._settle()

    @property
    def _cut_short_at(self) -> float:
        """When the recorded server was killed, or the recording copied from one that ran: what was
        said in that moment may be missing. Infinite if the recording has its end."""
        if self._whole or not self._events:
            return math.inf
        return self._events[-1].at

    async def _settle(self) -> None:
        """Let the server do all that it has to do at this moment."""
        if self._unsettled:
            self._unsettled = False
            await trio.testing.wait_all_tasks_blocked()

    def _happen(self, world: _World, event: TapeEvent) -> None:
        """What came from outside comes again."""
        match event.what:
            case "open":
                world.nursery.start_soon(self._welcome, world.hall, event)
            case "known" | "refused":
                world.inputs.answer(event)
            case "settled":
                world.journal.settle(int(event.rest))
            case "hindered":
                world.hall.hindered(float(event.rest))
            case "trouble":
                world.hall.trouble(json.loads(event.rest))
            case "turn" if event.who == SERVER:
                world.task_order.call(int(event.rest))
            case "turn":
                self._peers[event.who].call(_turn(event))
            case "fault":
                self._peers[event.who].call(MessageTurn(fault=_text(event)))
            case "<" | "<+" | "eof":
                self._peers[event.who].hear(_heard(event))
            case "end" if self._in_turn:
                self._peers[event.who].call(MessageTurn(end=_text(event)))
            case "end":
                self._peers[event.who].hear(_text(event))

    async def _welcome(self, hall: Hall, opened: TapeEvent) -> None:
        who = opened.who
        pool, dialect, codec, host = opened.rest.split()
        connection = self._make_connection(dialect, codec)

        def write(what: str, rest: str) -> None:
            if what == ">":
                self._said[who].append(TapeEvent(self.clock.now, who, what, rest))

        connection.codec = RecordingCodec(connection.codec, write)
        self._peers[who] = peer = ReplayPeer(
            who, host, connection, self._measured, in_turn=self._in_turn
        )
        async with peer:
            await hall.welcome(peer, pool, plays=self._plays(pool, dialect))


def _turn(event: TapeEvent) -> MessageTurn:
    if not event.rest:
        return MessageTurn()
    at, late = map(float, event.rest.split())
    return MessageTurn(at, late)


def _heard(event: TapeEvent) -> bytes:
    return unescape(event.rest) + (b"\n" if event.what == "<" else b"")


def _text(event: TapeEvent) -> str:
    return unescape(event.rest).decode(errors="replace")
