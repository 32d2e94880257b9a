"""What an engine must answer and by when, and whether it still works during a search. Pure.

UCI wants ``isready`` answered during a search too, and most engines do. One that has done so (the
server asks now and then) is probed whenever it has been silent for a while; if nothing comes back
it hangs, and a fresh engine may still save the game. Other engines may read no input while they
search: they are probed at half of their time, and one that has never written anything during a
search gets until the last moment at which a restart makes sense. Times in s.
"""

import enum
import math

from ulci.engines.process import NEW_GAME
from ulci.protocol.messages import FromServer, IsReady
from ulci_client.engine_settings import MORE_PING


class Deadlines:
    """When the engine must have answered ``stop`` and ``isready``, or show that it works.

    patience: seconds it has for either; after ``ucinewgame`` `NEW_GAME` times as long.
    """

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._ready_patience = patience
        self._stop_due = self._ready_due = math.inf
        self._readies = self._stale_readies = 0  # stale: their answers are not for the server
        self._watchdog = Watchdog(patience)

    @property
    def due(self) -> float:
        """When to call `overdue` unless it has answered; inf: never."""
        return min(self._stop_due, self._ready_due, self._watchdog.due)

    def overdue(self, at: float) -> list[FromServer] | str:
        """`due` has come: what to tell it now, or why it counts as hung."""
        for word, due, patience in (
            ("stop", self._stop_due, self._patience),
            ("isready", self._ready_due, self._ready_patience),
        ):
            if due <= at:
                return f"no answer to `{word}` within {patience:g} s; {MORE_PING}"
        if self._watchdog.due > at:
            return []
        verdict = self._watchdog.alarm(at)
        if verdict is Verdict.HUNG:
            waited = self._watchdog.silence(at)
            return (
                f"it hangs in its search: no output and no answer to `isready` for {waited:.0f} s"
            )
        if verdict is Verdict.WAIT:
            return []
        self._stale_readies += 1  # the answer is not for the server
        return [IsReady()]

    def clock_began(self, at: float, left: float) -> None:
        """Its clock runs; `left` s remain."""
        self._watchdog.began(at, left)

    def clock_ended(self) -> None:
        """Its clock has stopped."""
        self._watchdog.ended()

    def heard(self, at: float) -> None:
        """Any output during a search."""
        self._watchdog.heard(at)

    def answered(self, at: float) -> None:
        """``readyok`` during a search."""
        self._watchdog.answered(at)

    def stop_said(self, at: float) -> None:
        self._stop_due = at + self._patience
        self._watchdog.ended()

    def search_ended(self) -> None:
        self._stop_due = math.inf
        self._watchdog.ended()

    def ready_asked(self, at: float, *, idle: bool, new_game: bool = False) -> None:
        """By the server. idle: it is not searching; some engines read nothing while they do.
        new_game: it has got one since the last ``isready``."""
        self._readies += 1
        if idle:
            patience = self._patience * (NEW_GAME if new_game else 1)
            if at + patience < self._ready_due:
                self._ready_due, self._ready_patience = at + patience, patience

    def ready_said(self) -> bool:
        """``readyok`` came; whether the server waits for it."""
        awaited = not self._stale_readies and self._readies > 0
        if self._stale_readies:
            self._stale_readies -= 1
        elif self._readies:
            self._readies -= 1
        if not self._readies:
            self._ready_due = math.inf
        return awaited

    def line_lost(self) -> None:
        """The server that asked waits no longer."""
        self._stale_readies, self._readies = self._stale_readies + self._readies, 0

    def engine_lost(self) -> int:
        """Forget it. Returns how many ``readyok`` the server still waits for."""
        waited = self._readies
        self._readies = self._stale_readies = 0
        self._stop_due = self._ready_due = math.inf
        self._watchdog.ended()
        return waited


# What a fresh engine needs to start and find a move.
RESCUE = 2.0

# An answer that comes sooner than this into a search was asked for before it.
EARLY = 0.5

# Silence after which an engine that answers probes is probed.
SILENCE = 10.0


class Verdict(enum.Enum):
    WAIT = enum.auto()
    PROBE = enum.auto()  # send `isready`
    HUNG = enum.auto()


class Watchdog:
    """Detects a hung search. `due`: when to call `alarm`; inf: never. patience: s for a
    probe's answer."""

    def __init__(self, patience: float) -> None:
        self.due = math.inf
        self._patience = patience
        self._flag = math.inf
        self._asked_at = self._began_at = 0.0
        self._armed_at = self._heard_at = 0.0
        self._probing = self._talks = self._answers = False

    def began(self, at: float, left: float) -> None:
        """A search began with `left` s on the clock."""
        self._began_at, self._heard_at = at, at - self._patience
        self._flag = at + left
        self._arm(at)

    def ended(self) -> None:
        self.due, self._probing = math.inf, False

    def heard(self, at: float) -> None:
        """Any output."""
        self._talks, self._heard_at = True, at
        if self._probing:
            self._arm(at)

    def answered(self, at: float) -> None:
        """``readyok``."""
        if at - self._began_at >= EARLY:
            self._answers = True
        self.heard(at)

    def alarm(self, at: float) -> Verdict:
        """`due` has come: what to do."""
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
        """Seconds since the unanswered probe."""
        return at - self._asked_at

    def _arm(self, at: float) -> None:
        half = (self._flag - at) / 2
        self.due = at + half if half > RESCUE else math.inf
        if self._answers and half > RESCUE:
            self.due = min(self.due, at + SILENCE)
        self._armed_at, self._probing = at, False
