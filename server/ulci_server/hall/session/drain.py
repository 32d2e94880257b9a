"""Makes a client free again after a game: once it owes no answer for it, and after the pause in
which a person can look at the final position."""

from collections.abc import Callable, Sequence

import trio

from ulci.net import Peer
from ulci.protocol.messages import PlayerCommand
from ulci_server.hall.timers import Alarms

from .pending import ReadyQueue

MAX_DEFERRED_COMMANDS = 10
"""Commands sent before the client is free again, kept until then."""


def _ignore(_: object) -> None:
    """The client has gone."""


class PostGameDrain:
    """Waits for the answers that a client still owes, after an ``isready``, and discards them.

    seconds: the limit. done: called with the commands that came meanwhile. timed_out: called with
    what is still owed after the limit. `end` it when the client has gone.
    """

    def __init__(
        self,
        peer: Peer,
        ready_queue: ReadyQueue,
        alarms: Alarms,
        seconds: float,
        done: Callable[[Sequence[PlayerCommand]], None],
        timed_out: Callable[[str], None],
    ) -> None:
        self.active = False
        self._peer = peer
        self._ready_queue = ready_queue
        self._alarm = alarms.new(self._ring)
        self._seconds = seconds
        self._done = done
        self._timed_out = timed_out
        self._deferred: list[PlayerCommand] = []
        self._until = self._due = 0.0

    def begin(self, *, forgive_owed: bool, pause: float = 0.0) -> None:
        """The game is over. `forgive_owed`: a ``bestmove`` still owed need not come. Takes `pause`
        s at least."""
        self.active = True
        now = trio.current_time()
        self._until, self._due = now + pause, now + self._seconds
        self._alarm.set(self._due)
        self._ready_queue.ask(self._forgive if forgive_owed else self._ready)

    def end(self) -> None:
        """The client has gone: call nobody back."""
        self.active = False
        self._alarm.end()
        self._done = self._timed_out = _ignore

    def defer(self, command: PlayerCommand) -> bool:
        """Keep a command until the drain is over; whether it was kept."""
        deferred = self.active and len(self._deferred) < MAX_DEFERRED_COMMANDS
        if deferred:
            self._deferred.append(command)
        return deferred

    def check(self) -> None:
        """An answer came: end the drain if it was the last one owed."""
        if not self.active or self._owes:
            return
        if trio.current_time() < self._until:
            self._alarm.set(self._until)
            return
        self.active = False
        self._alarm.cancel()
        commands, self._deferred = self._deferred, []
        self._done(commands)

    @property
    def _owes(self) -> bool:
        return self._ready_queue.awaits_answer or self._peer.connection.owed > 0

    def _forgive(self, at: float) -> None:
        # GUIs need not answer `stop` (the Liberty Chess GUI never does), and what they sent before
        # they read it came before this `readyok`.
        self._peer.connection.forgive()
        self._ready(at)

    def _ready(self, _: float) -> None:
        self.check()

    def _ring(self) -> None:
        if not self._owes:
            self.check()
        elif trio.current_time() < self._due:
            self._alarm.set(self._due)
        else:
            self._timed_out("bestmove" if self._peer.connection.owed else "readyok")
