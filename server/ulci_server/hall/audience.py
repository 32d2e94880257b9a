"""Who watches a game, without costing its players anything?

What is cast is only put aside here; the `Gallery`, one task for all games, says it to the watchers,
a few at a time, so that a move never waits for its thousandth spectator. The players' thoughts are
kept back for as long as the setting says, so that nobody can feed them to the opponent, and the
newest replaces the older.
"""

from collections import deque
from collections.abc import Callable
from time import perf_counter
from typing import Protocol

import structlog
import trio

from ulci.protocol import Unread, read_info_untrusted
from ulci.protocol.messages import Clock, FromServer, Info, Position
from ulci.rules.outcome import Side

from .loop_monitor import look
from .steps import released
from .turns import Turns

LOG = structlog.get_logger("ulci_server.hall")

AT_A_TIME = 16
"""Watchers told between two rests: half a millisecond's work."""

REST = 3
"""Times as long as it takes to tell a few is rested before the next few. While a thousand are told
without a rest, the thread that writes the record waits for the interpreter (5 ms at a time), and
every move for the record."""

LONGEST_QUEUE = 64
"""Messages put aside: a game says a few a move, and each position tells all that came before."""

PACE = 1.0
"""Seconds between two thoughts of one player: more nobody can read."""

MOST_THOUGHTS = 100
"""Thoughts kept back a game, should the delay be long."""


_WHOLE = (Position, Clock)
"""Each tells all that those before it did."""


class Watcher(Protocol):
    """What an audience needs of whoever watches."""

    def tell(self, *messages: FromServer) -> None:
        """Say it; never waits."""
        ...

    def look_away(self) -> None:
        """There is nothing more to be seen: `Audience.part`."""
        ...


class Audience:
    """The watchers of one game. `wake` is called when there is something to be said."""

    def __init__(self, wake: "Callable[[Audience], None]") -> None:
        self.position: Position | None = None
        """As the watchers know it: what is not durable yet is not in it."""
        self._wake = wake
        self._watchers: dict[Watcher, None] = {}
        self._queue: deque[FromServer] = deque(maxlen=LONGEST_QUEUE)
        self._newest: dict[Side, Unread | Info] = {}
        self._thoughts: deque[tuple[float, Info]] = deque(maxlen=MOST_THOUGHTS)
        self.over = False

    def close(self) -> None:
        """The game is over: when they have been told so, those who watch are free again."""
        self.over = True
        self._wake(self)

    def __contains__(self, watcher: Watcher) -> bool:
        return watcher in self._watchers

    def __len__(self) -> int:
        return len(self._watchers)

    @property
    def watchers(self) -> tuple[Watcher, ...]:
        return tuple(self._watchers)

    def join(self, watcher: Watcher) -> None:
        self._watchers[watcher] = None

    def part(self, watcher: Watcher) -> None:
        self._watchers.pop(watcher, None)

    def hear(self, *messages: FromServer) -> None:
        """This is to be told."""
        for message in messages:
            if isinstance(message, Position):
                self.position = message
        if messages and self._watchers:
            self._queue.extend(messages)
            self._wake(self)

    def think(self, side: Side, analysis: Unread | Info) -> None:
        """The side's program thinks this now: newest wins."""
        if self._watchers:
            self._newest[side] = analysis

    def mull(self, at: float, delay: float) -> None:
        """Put the newest thoughts aside until `delay` s from now, and say those that are due."""
        for analysis in self._newest.values():
            if (info := _read_untrusted(analysis)) is not None:
                self._thoughts.append((at + delay, info))
        self._newest.clear()
        due = []
        while self._thoughts and self._thoughts[0][0] <= at:
            due.append(self._thoughts.popleft()[1])
        self.hear(*due)

    def take(self) -> tuple[FromServer, ...]:
        """All that is to be said now; of boards and clocks the newest tell all."""
        said = tuple(self._queue)
        self._queue.clear()
        newest = {type(message): message for message in said if isinstance(message, _WHOLE)}
        return tuple(m for m in said if not isinstance(m, _WHOLE) or newest[type(m)] is m)


def _read_untrusted(analysis: Unread | Info) -> Info | None:
    """Parsed and written anew: a player's bytes don't go to strangers' terminals as they came."""
    info = read_info_untrusted(analysis.line) if isinstance(analysis, Unread) else analysis
    return info if info.string is None else None


class Gallery:
    """Tells all audiences. `delay`: seconds for which thoughts are kept back."""

    def __init__(self, delay: float, turns: Turns | None = None) -> None:
        self._delay = delay
        self._turns = turns or Turns()
        self._ticket = self._turns.ticket()
        self._awake: dict[Audience, None] = {}
        self._audiences: dict[Audience, None] = {}
        self._something = trio.Event()
        self._mulled = -PACE

    def open(self) -> Audience:
        """An audience for a new game."""
        return Audience(self._wake)

    def _wake(self, audience: Audience) -> None:
        self._awake[audience] = None
        self._something.set()

    def watched(self, audience: Audience) -> None:
        """Its players' thoughts are of interest from now on."""
        self._audiences[audience] = None
        self._something.set()

    async def run(self) -> None:
        """Tell what is to be told, for ever."""
        while True:
            with trio.move_on_after(PACE if self._audiences else float("inf")):
                await self._something.wait()
            await self._take_turn()
            self._something = trio.Event()
            awake, self._awake = self._awake, {}
            for audience in awake:
                await self._tell(audience)
            self._mull(trio.current_time())

    async def _tell(self, audience: Audience) -> None:
        said, over = audience.take(), audience.over
        began, working = trio.current_time(), perf_counter()
        for number, watcher in enumerate(released(audience.watchers), 1):
            if watcher in audience:  # it may have turned to its own game meanwhile
                self._tell_one(watcher, said, over=over)
            if number % AT_A_TIME == 0:
                look(working, "watchers")
                await trio.sleep(REST * (trio.current_time() - began))
                await self._take_turn()
                began, working = trio.current_time(), perf_counter()

    async def _take_turn(self) -> None:
        await self._turns.take(self._ticket)
        self._ticket = self._turns.ticket()

    def _tell_one(self, watcher: Watcher, said: tuple[FromServer, ...], *, over: bool) -> None:
        """A bug behind this door ends the watching of one, and nothing else."""
        try:
            watcher.tell(*said)
        except Exception:
            LOG.exception("watcher not told")
            watcher.look_away()
        if over:
            watcher.look_away()

    def _mull(self, at: float) -> None:
        if at < self._mulled + PACE:
            return
        self._mulled = at
        for audience in [*self._audiences]:
            if audience:
                audience.mull(at, self._delay)
            else:
                del self._audiences[audience]
