"""Detects programs that hang during a search. No clock depends on it.

Only programs with a lobby are probed in a search: their authors know that ``isready`` may come
then. Any line from a program shows that it is alive.
"""

from collections.abc import Callable
from functools import partial
from typing import Literal, Protocol

import trio

from ulci_server.hall.timers import Alarms

SILENCE = 10.0
"""Seconds without a line in a search, after which a program is probed."""

READY_TIMEOUT = 10.0
"""Seconds for ``readyok``, which UCI wants at once, in a search too."""

HUNG_POLL = 1.0
"""Seconds between two checks whether a hung program has sent anything."""


State = Literal["hung", "thinking"]


class Probed(Protocol):
    """A client whose program is probed."""

    @property
    def heard_at(self) -> float:
        """When its last line came (s)."""
        ...

    def probe(self, answered: Callable[[float], None]) -> None:
        """Send ``isready``, and call `answered` with the time of the ``readyok`` (s)."""
        ...

    def tell_state(self, state: State) -> None:
        """The program hangs, or answers again."""
        ...


class Liveness:
    """Of one client. `client.tell_state` is called when it hangs or answers again."""

    def __init__(self, client: Probed, alarms: Alarms) -> None:
        self._client: Probed | None = client
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
        self._client = None

    def _ring(self) -> None:
        client = self._client
        if client is None or not self._thinks:
            return
        now = trio.current_time()
        quiet = max(self._since, client.heard_at)
        if self._probed is not None:
            self._wait(client, self._probed, quiet, now)
        elif now < quiet + SILENCE:
            self._alarm.set(quiet + SILENCE)
        else:
            self._probed = now
            client.probe(partial(self._answered, self._search))
            self._alarm.set(now + READY_TIMEOUT)

    def _wait(self, client: Probed, probed: float, heard: float, now: float) -> None:
        """The probe of `probed` (s) is not answered yet."""
        if heard > probed:
            self._alive(client, heard)
            return
        if not self._hangs:
            self._hangs = True
            client.tell_state("hung")
        self._alarm.set(now + HUNG_POLL)

    def _answered(self, search: int, at: float) -> None:
        if search == self._search and self._client is not None:
            self._alive(self._client, at)

    def _alive(self, client: Probed, at: float) -> None:
        hung, self._hangs = self._hangs, False
        self._since, self._probed = at, None
        if hung:
            client.tell_state("thinking")
        self._alarm.set(at + SILENCE)
