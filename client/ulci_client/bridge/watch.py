"""Is an engine that thinks on a running clock still alive? Pure; times and moments in s.

UCI wants ``isready`` answered in a search, too, and most engines do. One that has done so (the
server asks now and then) is asked whenever it has been silent for a while; if nothing at all comes
back it hangs, and a fresh one may still save the game. Of others nobody knows whether they read
anything while they think: they are asked when half of their time has passed, and one that has never
said a word in a search is given until the last moment at which starting anew makes sense.
"""

import enum
import math

# What a fresh engine takes to start and to find some move.
RESCUE = 2.0

# What comes sooner than that after the beginning of a search was asked for before it.
EARLY = 0.5

# Silence after which an engine is asked that is known to answer.
SILENCE = 10.0


class Verdict(enum.Enum):
    WAIT = enum.auto()
    PROBE = enum.auto()  # ask it whether it is there
    HUNG = enum.auto()


class Watch:
    """`due`: when `alarm` is to be called; inf if never. patience: for the answer to a probe."""

    def __init__(self, patience: float) -> None:
        self.due = math.inf
        self._patience = patience
        self._flag = math.inf
        self._asked_at = self._began_at = 0.0
        self._armed_at = self._heard_at = 0.0
        self._probing = self._talks = self._answers = False

    def began(self, at: float, left: float) -> None:
        """A search on a clock with so much left."""
        self._began_at, self._heard_at = at, at - self._patience
        self._flag = at + left
        self._arm(at)

    def ended(self) -> None:
        self.due, self._probing = math.inf, False

    def heard(self, at: float) -> None:
        """Anything, in a search."""
        self._talks, self._heard_at = True, at
        if self._probing:
            self._arm(at)

    def answered(self, at: float) -> None:
        """``readyok``, in a search."""
        if at - self._began_at >= EARLY:
            self._answers = True
        self.heard(at)

    def alarm(self, at: float) -> Verdict:
        """`due` has come: what is to be done."""
        if self._probing:
            return Verdict.HUNG
        if at - self._heard_at < min(self._patience, (at - self._armed_at) / 2):
            self._arm(at)
            return Verdict.WAIT
        last = self._flag - RESCUE
        self._probing, self._asked_at = True, at
        self.due = min(at + self._patience, last) if self._talks else last
        return Verdict.PROBE

    def silence(self, at: float) -> float:
        """How long it has not answered the probe."""
        return at - self._asked_at

    def _arm(self, at: float) -> None:
        half = (self._flag - at) / 2
        self.due = at + half if half > RESCUE else math.inf
        if self._answers and half > RESCUE:
            self.due = min(self.due, at + SILENCE)
        self._armed_at, self._probing = at, False
