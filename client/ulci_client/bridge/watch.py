"""Is an engine that thinks on a running clock still alive? Pure; times and moments in s.

UCI wants ``isready`` answered in a search, too, and most engines do: so each is asked once, early
in its first long search. One that answered is asked again whenever it has been silent for a while;
if nothing at all comes back it hangs, and a fresh one may still save the game. One that did not
answer may only be thinking in silence and reading nothing meanwhile: it is asked when half of its
time has passed, and one that has never said a word in a search is given until the last moment at
which starting anew makes sense.
"""

import enum
import math

# What a fresh engine takes to start and to find some move.
RESCUE = 2.0

# After so long in its first search an engine is asked, to learn whether it answers there.
FIRST = 1.0

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
        self._asked_at = 0.0
        self._armed_at = self._heard_at = 0.0
        self._probing = self._talks = self._answers = self._tried = False

    def began(self, at: float, left: float) -> None:
        """A search on a clock with so much left."""
        self._heard_at = at - self._patience
        self._flag = at + left
        self._arm(at)
        if not self._tried and self.due < math.inf:
            self.due = at + FIRST

    def ended(self) -> None:
        self.due, self._probing = math.inf, False

    def heard(self, at: float) -> None:
        """Anything, in a search."""
        self._talks, self._heard_at = True, at
        if self._probing:
            self._arm(at)

    def answered(self, at: float) -> None:
        """``readyok``, in a search."""
        self._answers = self._tried = True
        self.heard(at)

    def alarm(self, at: float) -> Verdict:
        """`due` has come: what is to be done."""
        if self._probing:
            return Verdict.HUNG
        if not self._tried:
            self._tried = True
            self._arm(at)
            return Verdict.PROBE
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
