"""When is a client free again after a game? Once it owes nothing for it any more."""

from collections.abc import Callable, Sequence

import trio

from ulci.net import Peer

from .alarms import Alarms
from .barrier import Barrier
from .said import SaidOutside

MAX_EARLY_WORDS = 10
"""Words said between the end of a game and the client's being free again, kept until then."""


class Rest:
    """Whatever one client owes is awaited and thrown away behind an ``isready`` barrier.

    seconds: for how long at most. over: told what it said meanwhile. tired: told what it owes still
    when the time is over.
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

    def begin(self, *, forgiving: bool) -> None:
        """Its game is over. `forgiving`: what was asked for before need not be answered."""
        self.on = True
        self._alarm.set(trio.current_time() + self._seconds)
        self._barrier.ask(self._forgive if forgiving else self._ready)

    def keep(self, word: SaidOutside) -> bool:
        """Whether that word waits until the rest is over."""
        kept = self.on and len(self._early) < MAX_EARLY_WORDS
        if kept:
            self._early.append(word)
        return kept

    def look(self) -> None:
        """Something has been answered: that may have been the last."""
        if self.on and not self._barrier.up and self._peer.connection.owed == 0:
            self.on = False
            self._alarm.cancel()
            words, self._early = self._early, []
            self._over(words)

    def _forgive(self, at: float) -> None:
        # People's programs need not answer `stop` (the Liberty Chess GUI never does), and what
        # they said before they read it has come before this `readyok`.
        self._peer.connection.forgive()
        self._ready(at)

    def _ready(self, _: float) -> None:
        self.look()

    def _ring(self) -> None:
        self._tired("bestmove" if self._peer.connection.owed else "readyok")
