"""When is a client free again after a game? Once it owes nothing for it, and its person has had the
time to look at how it ended."""

from collections.abc import Callable, Sequence

import trio

from ulci.net import Peer

from .alarms import Alarms
from .barrier import Barrier
from .said import SaidOutside

MAX_EARLY_WORDS = 10
"""Words said between the end of a game and the client's being free again, kept until then."""


def _nothing(_: object) -> None:
    """There is nobody to be told."""


class Rest:
    """Whatever one client owes is awaited and thrown away behind an ``isready`` barrier.

    seconds: for how long at most. over: told what it said meanwhile. tired: told what it owes still
    when the time is over. `end` it when the client has gone: nobody owes anything any more.
    """

    def __init__(
        self,
        peer: Peer,
        barrier: Barrier,
        alarms: Alarms,
        seconds: float,
        over: Callable[[Sequence[SaidOutside]], None],
        tired: Callable[[str], None],
    ) -> None:
        self.on = False
        self._peer = peer
        self._barrier = barrier
        self._alarm = alarms.new(self._ring)
        self._seconds = seconds
        self._over = over
        self._tired = tired
        self._early: list[SaidOutside] = []
        self._until = self._due = 0.0

    def begin(self, *, forgiving: bool, pause: float = 0.0) -> None:
        """Its game is over. `forgiving`: what was asked for before need not be answered. It rests
        for `pause` s at least."""
        self.on = True
        now = trio.current_time()
        self._until, self._due = now + pause, now + self._seconds
        self._alarm.set(self._due)
        self._barrier.ask(self._forgive if forgiving else self._ready)

    def end(self) -> None:
        """It has gone: nobody is told anything any more."""
        self.on = False
        self._alarm.end()
        self._over = self._tired = _nothing

    def keep(self, word: SaidOutside) -> bool:
        """Whether that word waits until the rest is over."""
        kept = self.on and len(self._early) < MAX_EARLY_WORDS
        if kept:
            self._early.append(word)
        return kept

    def look(self) -> None:
        """Something has been answered: that may have been the last."""
        if not self.on or self._owes:
            return
        if trio.current_time() < self._until:
            self._alarm.set(self._until)
            return
        self.on = False
        self._alarm.cancel()
        words, self._early = self._early, []
        self._over(words)

    @property
    def _owes(self) -> bool:
        return self._barrier.up or self._peer.connection.owed > 0

    def _forgive(self, at: float) -> None:
        # People's programs need not answer `stop` (the Liberty Chess GUI never does), and what
        # they said before they read it has come before this `readyok`.
        self._peer.connection.forgive()
        self._ready(at)

    def _ready(self, _: float) -> None:
        self.look()

    def _ring(self) -> None:
        if not self._owes:
            self.look()
        elif trio.current_time() < self._due:
            self._alarm.set(self._due)
        else:
            self._tired("bestmove" if self._peer.connection.owed else "readyok")
