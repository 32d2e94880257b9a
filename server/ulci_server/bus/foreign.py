"""Payloads for other runs, or received before: counted, and logged once in a while."""

import math

import structlog
import trio

from .counters import Counters

LOG = structlog.get_logger("ulci_server.bus")

FOREIGN_INTERVAL = 60.0
"""Minimum seconds between two log lines about foreign payloads: their sender repeats itself."""

STRANGER = 10.0
"""Seconds for which a run is not known and goes on sending, until that is logged: one that has just
started gets known, and one that was declared dead notices."""

MOST_STRANGERS = 64
"""Unknown runs counted one by one: more than servers start at once."""

UNKNOWN_RUN = (
    "a frame of a run that is not among the living ones; do all servers use the same database?"
)

REPEATED = (
    "a frame that was heard before or was overtaken, and is dropped; after an outage of Redis a few"
    " come late, otherwise somebody publishes again what servers said: who else may publish here?"
)


class ForeignPayloads:
    """Counts and logs the foreign payloads on one channel."""

    def __init__(self, channel: str, counters: Counters) -> None:
        self._channel = channel
        self._counters = counters
        self._logged: dict[str, float] = {}  # of each kind: when last (s)
        self._strangers: dict[int, float] = {}  # runs that are not known, and since when (s)

    def note(self, what: str) -> None:
        """Note a foreign payload. what: its kind."""
        self._counters.foreign += 1
        self._log("not a frame for this server", what, self._counters.foreign)

    def note_repeated(self) -> None:
        """Note a frame that came before, or comes after a later one."""
        self._counters.repeated += 1
        self._log("not a new frame", REPEATED, self._counters.repeated)

    def note_stranger(self, run: int) -> None:
        """Note a frame of a run that is not known."""
        if run not in self._strangers and len(self._strangers) >= MOST_STRANGERS:
            self._strangers.clear()
        now = trio.current_time()
        if now < self._strangers.setdefault(run, now) + STRANGER:
            self._counters.foreign += 1
        else:
            self.note(UNKNOWN_RUN)

    def _log(self, event: str, what: str, count: int) -> None:
        now = trio.current_time()
        if now >= self._logged.get(what, -math.inf) + FOREIGN_INTERVAL:
            self._logged[what] = now
            LOG.warning(event, what=what, channel=self._channel, count=count)

    def know(self, run: int) -> None:
        """The run is known from now on."""
        self._strangers.pop(run, None)
