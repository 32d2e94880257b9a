"""What an engine owes, and until when: its answers to ``stop`` and ``isready``, and a sign of life
while it thinks. Pure; moments in s."""

import math

from ulci.protocol import FromServer, IsReady

from .watch import Verdict, Watch


class Owed:
    """patience: seconds in which an engine must answer ``stop``, or ``isready``."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._stop_due = self._ready_due = math.inf
        self._readies = self._stale_readies = 0  # the stale ones are not for the server
        self._watch = Watch(patience)

    @property
    def due(self) -> float:
        """When `overdue` is to be called unless it has answered; inf if it owes nothing."""
        return min(self._stop_due, self._ready_due, self._watch.due)

    def overdue(self, at: float) -> list[FromServer] | str:
        """`due` has come: what it is to be told now, or why it counts as hung."""
        for word, due in (("stop", self._stop_due), ("isready", self._ready_due)):
            if due <= at:
                return f"no answer to `{word}` within {self._patience:g} s"
        if self._watch.due > at:
            return []
        verdict = self._watch.alarm(at)
        if verdict is Verdict.HUNG:
            waited = self._watch.silence(at)
            return f"it thinks no more: not a word, nor an answer to `isready` in {waited:.0f} s"
        if verdict is Verdict.WAIT:
            return []
        self._stale_readies += 1  # the answer is for us alone
        return [IsReady()]

    def clock_began(self, at: float, left: float) -> None:
        """What it does from now on costs it time, of which it has so much left."""
        self._watch.began(at, left)

    def clock_ended(self) -> None:
        """Nothing that it does costs it time any more."""
        self._watch.ended()

    def heard(self, at: float) -> None:
        """Anything, while it thinks."""
        self._watch.heard(at)

    def answered(self, at: float) -> None:
        """``readyok``, while it thinks."""
        self._watch.answered(at)

    def stop_said(self, at: float) -> None:
        self._stop_due = at + self._patience
        self._watch.ended()

    def search_ended(self) -> None:
        self._stop_due = math.inf
        self._watch.ended()

    def ready_asked(self, at: float, *, idle: bool) -> None:
        """By the server. idle: it does not think; some engines read nothing while they do."""
        self._readies += 1
        if idle:
            self._ready_due = min(self._ready_due, at + self._patience)

    def ready_said(self) -> bool:
        """Whether the server waits for it."""
        awaited = not self._stale_readies and self._readies > 0
        if self._stale_readies:
            self._stale_readies -= 1
        elif self._readies:
            self._readies -= 1
        if not self._readies:
            self._ready_due = math.inf
        return awaited

    def line_lost(self) -> None:
        """Who waited on the old line does not wait on the new one."""
        self._stale_readies, self._readies = self._stale_readies + self._readies, 0

    def engine_lost(self) -> int:
        """It owes nothing more. How often the server still waits for ``readyok``."""
        waited = self._readies
        self._readies = self._stale_readies = 0
        self._stop_due = self._ready_due = math.inf
        self._watch.ended()
        return waited
