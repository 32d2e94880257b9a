"""The machine has nothing left for a newcomer: no file descriptor, no memory for a socket.

Whoever knocks stays in the system's queue meanwhile, and the listening socket stays readable: a
try that fails makes way for the next at once, so there is a pause, and one word a minute.
"""

import errno
import os
from collections.abc import Mapping

from ulci.net.errors import ExhaustedError

SHORTEST = 0.1
"""s until the next try: time for one connection to close."""

LONGEST = 2.0
"""s between two tries, as far as it doubles: nobody should wait much longer than the shortage."""

SILENCE = 60.0
"""s from one report to the next."""

SHORTAGES: Mapping[int, str] = {
    errno.EMFILE: "out of file descriptors: this process may have no more of them (see LimitNOFILE"
    " in ulci-server.service, or ulimit -n)",
    errno.ENFILE: "out of file descriptors: this machine has no more of them (see fs.file-max)",
    errno.ENOBUFS: "out of memory for sockets",
    errno.ENOMEM: "out of memory for sockets",
}


class Exhaustion:
    """How long to wait, and what to say of it. Times in s."""

    def __init__(self) -> None:
        self._pause = SHORTEST
        self._failures = 0  # since the last report
        self._reported: float | None = None

    def pause(self) -> float:
        """Until the next try, since one has failed."""
        pause, self._pause = self._pause, min(2 * self._pause, LONGEST)
        return pause

    def over(self) -> None:
        """One has not."""
        self._pause = SHORTEST

    def report(self, error: OSError, at: float) -> ExhaustedError | None:
        """What to say of this failure, if it is time to say anything."""
        self._failures += 1
        if self._reported is not None and at < self._reported + SILENCE:
            return None
        again = self._reported is not None
        more = f" ({self._failures} times since it was last said)" if again else ""
        self._failures, self._reported = 0, at
        number = error.errno or 0
        said = SHORTAGES.get(number, os.strerror(number))
        return ExhaustedError(number, f"nobody can connect, {said}{more}")
