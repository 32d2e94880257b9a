"""Is the program that is asked for a move still there? Nobody's clock depends on the answer.

Only programs that speak of the lobby are asked in a search: their makers know that ``isready`` may
come then. Whatever a program says shows that it is there.
"""

from collections.abc import Callable
from functools import partial
from typing import Protocol

import trio

from ulci.rules.outcome import Side

from .alarms import Alarms

SILENCE = 10.0
"""Seconds of a search without a word, after which a program is asked whether it is there."""

ANSWER = 10.0
"""Seconds for its ``readyok``, which UCI wants at once, in a search too."""

GLANCE = 1.0
"""Seconds between two looks whether one that hangs has said anything."""


class Program(Protocol):
    """What is asked of whoever thinks."""

    @property
    def heard_at(self) -> float:
        """When it last said anything, s."""
        ...

    def probe(self, answered: Callable[[float], None]) -> bool:
        """Ask whether it is there; False if it is nobody who may be asked that in a search."""
        ...


def _nobody() -> None:
    """Nobody thinks any more."""


def _nothing(_: Side, how: str) -> None:
    """Nobody is told any more."""


class Liveness:
    """Of one game. thinker: who owes a move, and for which side. tell: how it does, to be called
    when that changes: ``hung`` or ``thinking``."""

    def __init__(
        self,
        alarms: Alarms,
        thinker: Callable[[], tuple[Side, Program] | None],
        tell: Callable[[Side, str], None],
    ) -> None:
        self._thinker = thinker
        self._tell = tell
        self._alarm = alarms.new(self._ring)
        self._search = 0  # of which search an answer speaks
        self._since = 0.0
        self._probed: float | None = None
        self._hung: Side | None = None

    def asked(self, at: float) -> None:
        """A search has begun: nothing is known of this one."""
        self._search += 1
        self._since, self._probed, self._hung = at, None, None
        self._alarm.set(at + SILENCE)

    def over(self) -> None:
        """There is no game any more."""
        self._search += 1
        self._alarm.end()
        self._thinker, self._tell = _nobody, _nothing

    @property
    def hung(self) -> Side | None:
        """Whose program hangs."""
        thinker = self._thinker()
        return self._hung if thinker is not None and thinker[0] is self._hung else None

    def _ring(self) -> None:
        thinker = self._thinker()
        if thinker is None:
            return  # who comes back is asked anew
        now, (side, program) = trio.current_time(), thinker
        quiet = max(self._since, program.heard_at)
        if self._probed is not None:
            self._wait(side, quiet, now)
        elif now < quiet + SILENCE:
            self._alarm.set(quiet + SILENCE)
        elif program.probe(partial(self._answered, self._search)):
            self._probed = now
            self._alarm.set(now + ANSWER)

    def _wait(self, side: Side, heard: float, now: float) -> None:
        """It has been asked, and has not answered."""
        assert self._probed is not None
        if heard > self._probed:
            self._alive(heard)
            return
        if self._hung is None:
            self._hung = side
            self._tell(side, "hung")
        self._alarm.set(now + GLANCE)

    def _answered(self, search: int, at: float) -> None:
        if search == self._search:
            self._alive(at)

    def _alive(self, at: float) -> None:
        hung, self._hung = self._hung, None
        self._since, self._probed = at, None
        if hung is not None:
            self._tell(hung, "thinking")
        self._alarm.set(at + SILENCE)
