"""Detects programs that hang during a search. No clock depends on it.

Only programs with a lobby are probed in a search: their authors know that ``isready`` may come
then. Any line from a program shows that it is alive.
"""

from functools import partial
from typing import TYPE_CHECKING, Literal

import trio

from ulci_server.hall.timers import Alarms

if TYPE_CHECKING:
    from .session import Session

SILENCE = 10.0
"""Seconds without a line in a search, after which a program is probed."""

READY_TIMEOUT = 10.0
"""Seconds for ``readyok``, which UCI wants at once, in a search too."""

HUNG_POLL = 1.0
"""Seconds between two checks whether a hung program has sent anything."""


State = Literal["hung", "thinking"]


class Liveness:
    """Of one session. `session.tell_state` is called when it hangs or answers again."""

    def __init__(self, session: "Session", alarms: Alarms) -> None:
        self._session: Session | None = session
        self._alarm = alarms.new(self._ring)
        self._search = 0  # number of the search; answers to earlier probes are ignored
        self._thinks = False
        self._since = 0.0
        self._probed: float | None = None
        self._hangs = False

    def begin(self, at: float) -> None:
        """A search began at `at` (s)."""
        self._search += 1
        self._since, self._probed = at, None
        self._thinks, self._hangs = True, False
        self._alarm.set(at + SILENCE)

    def stop(self) -> None:
        """The search is over."""
        self._search += 1
        self._thinks = False

    def end(self) -> None:
        """The client has gone."""
        self.stop()
        self._alarm.end()
        self._session = None

    def _ring(self) -> None:
        session = self._session
        if session is None or not self._thinks:
            return
        now = trio.current_time()
        quiet = max(self._since, session.heard_at)
        if self._probed is not None:
            self._wait(session, self._probed, quiet, now)
        elif now < quiet + SILENCE:
            self._alarm.set(quiet + SILENCE)
        else:
            self._probed = now
            session.probe(partial(self._answered, self._search))
            self._alarm.set(now + READY_TIMEOUT)

    def _wait(self, session: "Session", probed: float, heard: float, now: float) -> None:
        """The probe of `probed` (s) is not answered yet."""
        if heard > probed:
            self._alive(session, heard)
            return
        if not self._hangs:
            self._hangs = True
            session.tell_state("hung")
        self._alarm.set(now + HUNG_POLL)

    def _answered(self, search: int, at: float) -> None:
        if search == self._search and self._session is not None:
            self._alive(self._session, at)

    def _alive(self, session: "Session", at: float) -> None:
        hung, self._hangs = self._hangs, False
        self._since, self._probed = at, None
        if hung:
            session.tell_state("thinking")
        self._alarm.set(at + SILENCE)
