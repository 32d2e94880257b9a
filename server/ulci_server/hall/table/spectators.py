"""Spectators, who must cost the players nothing.

Messages to them are only queued here; the `SpectatorBroadcaster`, one task for all games, sends
them to a few watchers at a time, so that no move waits for its thousandth spectator. The players'
info is delayed by the setting, so that nobody can feed it to the opponent; the newest replaces
older info.
"""

from collections import deque
from collections.abc import Callable
from typing import Protocol

import structlog
import trio

from ulci.protocol import Unread, read_info_untrusted
from ulci.protocol.lobby.lines import ErrorLine, GameOver, WatchStart
from ulci.protocol.messages import Clock, FromServer, Info, Lobby, Position
from ulci.rules import Side
from ulci_server.game import GameStarted, Seat
from ulci_server.hall.gradual_work import send_gradually
from ulci_server.lobby import Agreement

from .state import LatestMove, TableState

LOG = structlog.get_logger("ulci_server.hall")

AT_A_TIME = 16
"""Watchers between two pauses: half a millisecond's work."""

LONGEST_QUEUE = 64
"""Queued messages: a game makes a few a move, and each position includes earlier ones."""

MOST_TALK = 16
"""Queued lines of spectators' talk: they are sent at once, so that only a flood is longer."""

PACE = 1.0
"""Seconds between two infos of one player: nobody can read more."""

MAX_DELAYED = 100
"""Delayed infos a game, should the delay be long."""


_WHOLE = (Position, Clock)
"""The newest of each replaces all before it."""


class Watcher(Protocol):
    """Somebody who watches a game."""

    def tell(self, *messages: FromServer) -> None:
        """Send messages; never waits."""
        ...

    def hear_chat(self, line: Lobby) -> None:
        """Another spectator says so: send it, unless that one is ignored; never waits."""
        ...

    def stop_watching(self) -> None:
        """The game is over: leave its spectators."""
        ...

    def watch(self, table: "WatchedTable") -> None:
        """The game goes on at another server: watch it there."""
        ...


class WatchedTable(Protocol):
    """A running game as its watchers see it. Nothing here waits."""

    id: int
    """The number of the game."""
    agreement: Agreement
    spectators: "Spectators"

    def watch(self, watcher: Watcher) -> None: ...

    def unwatch(self, watcher: Watcher) -> None: ...

    @property
    def started(self) -> GameStarted:
        """How it began."""
        ...

    def listed(self) -> Lobby:
        """Its line in the list of games."""
        ...

    def heading(self) -> Lobby:
        """The line that names the players to a watcher."""
        ...

    def snapshot(self) -> tuple[FromServer, ...]:
        """What a new watcher gets at once."""
        ...

    def state(self) -> TableState | None:
        """None: it is not known here. It is as soon as a watcher has been told something."""
        ...

    def latest(self) -> LatestMove | None:
        """None: there is no move, or none is known here."""
        ...

    @property
    def over(self) -> Lobby | None:
        """The lobby's line about the result; None during the game."""
        ...

    def seat(self, side: Side) -> Seat:
        """The side's player, as it is stored."""
        ...


class Spectators:
    """The watchers of one game. `wake` is called when there is something to send, or somebody new
    wants to know what the players' programs think."""

    __slots__ = (
        "_delayed",
        "_newest",
        "_queue",
        "_readers",
        "_talk",
        "_wake",
        "_watchers",
        "over",
        "position",
        "thoughts",
    )

    def __init__(self, wake: "Callable[[Spectators], None]") -> None:
        self.position: Position | None = None
        """The position that watchers know; moves that are not durable are not in it."""
        self.thoughts: dict[Side, Info] = {}
        """The newest info of each side that watchers know."""
        self._wake = wake
        # Each with whether it knows which game it watches, and how that stands.
        self._watchers: dict[Watcher, bool] = {}
        self._readers: dict[Side, Callable[[Info], None]] = {}
        self._queue: deque[FromServer] = deque(maxlen=LONGEST_QUEUE)
        self._talk: deque[Lobby] = deque(maxlen=MOST_TALK)
        self._newest: dict[Side, Unread | Info] = {}
        self._delayed: deque[tuple[float, Side, Info]] = deque(maxlen=MAX_DELAYED)
        self.over = False

    def close(self) -> None:
        """The game is over: release the watchers after its last messages."""
        self.over = True
        self._wake(self)

    def read_thoughts(self, side: Side, read: Callable[[Info], None] | None) -> None:
        """Call `read` with the info of that side's program, delayed as for watchers: the opponent
        asked for it. None: no more."""
        if read is None:
            self._readers.pop(side, None)
        else:
            self._readers[side] = read
            self._wake(self)

    @property
    def wants_info(self) -> bool:
        """Whether anybody wants to know what the players' programs think."""
        return bool(self._watchers or self._readers)

    def __contains__(self, watcher: Watcher) -> bool:
        return watcher in self._watchers

    def __len__(self) -> int:
        return len(self._watchers)

    @property
    def watchers(self) -> tuple[Watcher, ...]:
        return tuple(self._watchers)

    def join(self, watcher: Watcher, *, waits: bool = False) -> None:
        """waits: the line that names the game, and how it stands, are still to come, and what is
        queued before them is for the others."""
        self._watchers[watcher] = not waits
        self._wake(self)

    def part_for(
        self, watcher: Watcher, messages: tuple[FromServer, ...]
    ) -> tuple[FromServer, ...]:
        """What of these messages that watcher is to get."""
        if self._watchers[watcher]:
            return messages
        for place, message in enumerate(messages):
            if isinstance(message, Lobby) and isinstance(message.line, WatchStart):
                self._watchers[watcher] = True
                return messages[place:]
        return tuple(one for one in messages if isinstance(one, Lobby) and _ends(one))

    def leave(self, watcher: Watcher) -> None:
        self._watchers.pop(watcher, None)

    def send(self, *messages: FromServer) -> None:
        """Queue messages to all watchers."""
        for message in messages:
            if isinstance(message, Position):
                self.position = message
        if messages and self._watchers:
            self._queue.extend(messages)
            self._wake(self)

    def chat(self, line: Lobby) -> None:
        """Queue what a spectator says to all watchers. In a flood the oldest lines are dropped, and
        nothing else."""
        if self._watchers:
            self._talk.append(line)
            self._wake(self)

    def show(self, position: Position, clocks: Clock) -> None:
        """Queue a position and its clocks."""
        self.position = position
        if self._watchers:
            self.send(position, clocks)

    def add_info(self, side: Side, analysis: Unread | Info) -> None:
        """The newest info of the side's program; it replaces older ones."""
        if self._watchers or side in self._readers:
            self._newest[side] = analysis

    def release_delayed_info(self, at: float, delay: float) -> None:
        """Delay the newest info by `delay` s, and queue delayed info that is due."""
        for side, analysis in self._newest.items():
            if (info := _read_untrusted(analysis)) is not None:
                self._delayed.append((at + delay, side, info))
        self._newest.clear()
        while self._delayed and self._delayed[0][0] <= at:
            _, side, info = self._delayed.popleft()
            self.show_thought(side, info)
            if side in self._readers:
                self._readers[side](info)

    def show_thought(self, side: Side, info: Info) -> None:
        """Queue info of the side's program that watchers may know now."""
        self.thoughts[side] = info
        self.send(info)

    def thinker(self, message: FromServer) -> Side | None:
        """Whose newest thought the message is; None: it is nobody's."""
        return next((side for side, info in self.thoughts.items() if info is message), None)

    def take(self) -> tuple[FromServer, ...]:
        """Take the queued messages; of positions and clocks only the newest."""
        said = tuple(self._queue)
        self._queue.clear()
        newest = {type(message): message for message in said if isinstance(message, _WHOLE)}
        return tuple(m for m in said if not isinstance(m, _WHOLE) or newest[type(m)] is m)

    def take_talk(self) -> tuple[Lobby, ...]:
        """Take the queued lines of spectators."""
        talk = tuple(self._talk)
        self._talk.clear()
        return talk


def _ends(message: Lobby) -> bool:
    """Whether nothing follows for a watcher who waits: the game is over, or cannot be watched."""
    return isinstance(message.line, ErrorLine | GameOver)


def _read_untrusted(analysis: Unread | Info) -> Info | None:
    """Parsed, to be encoded again: a player's bytes must not reach other terminals as they came."""
    info = read_info_untrusted(analysis.line) if isinstance(analysis, Unread) else analysis
    return info if info.string is None else None


class SpectatorBroadcaster:
    """Sends to the spectators of all games. `delay`: of the players' info, s."""

    def __init__(self, delay: float) -> None:
        self._delay = delay
        self._awake: dict[Spectators, None] = {}
        self._watched: dict[Spectators, None] = {}
        self._wakeup = trio.Event()
        self._released = -PACE

    def open(self) -> Spectators:
        """The spectators of a new game."""
        return Spectators(self._wake)

    def _wake(self, spectators: Spectators) -> None:
        self._awake[spectators] = None
        self._wakeup.set()

    async def run(self) -> None:
        """Send queued messages, for ever."""
        while True:
            with trio.move_on_after(PACE if self._watched else float("inf")):
                await self._wakeup.wait()
            self._wakeup = trio.Event()
            awake, self._awake = self._awake, {}
            for spectators in awake:
                if spectators.wants_info:
                    self._watched[spectators] = None
                await self._tell(spectators)
            self._release_delayed(trio.current_time())

    async def _tell(self, spectators: Spectators) -> None:
        said, talk, over = spectators.take(), spectators.take_talk(), spectators.over
        if not (said or talk or over):
            return

        def tell(watcher: Watcher) -> None:
            if watcher in spectators:  # it may have left meanwhile
                self._tell_one(watcher, spectators.part_for(watcher, said), talk, over=over)

        await send_gradually(tell, spectators.watchers, AT_A_TIME, "watchers")

    def _tell_one(
        self,
        watcher: Watcher,
        said: tuple[FromServer, ...],
        talk: tuple[Lobby, ...],
        *,
        over: bool,
    ) -> None:
        """A bug here ends the watching of one, and nothing else."""
        try:
            watcher.tell(*said)
            for line in talk:
                watcher.hear_chat(line)
        except Exception:
            LOG.exception("spectator not told")
            watcher.stop_watching()
        if over:
            watcher.stop_watching()

    def _release_delayed(self, at: float) -> None:
        if at < self._released + PACE:
            return
        self._released = at
        for spectators in [*self._watched]:
            if spectators.wants_info:
                spectators.release_delayed_info(at, self._delay)
            else:
                del self._watched[spectators]
