"""How long to wait before a program that keeps failing is started again. Pure."""

from collections.abc import Sequence

BACK_OFF = (0.0, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
"""Seconds before the next start, after so many failures in a row: at once after the first, as a
clock may be running."""


class Restarts:
    """The failures of one program."""

    def __init__(self, pauses: Sequence[float] = BACK_OFF) -> None:
        self.failures = 0
        """Failures in a row."""
        self._pauses = pauses

    def failed(self) -> float:
        """Count a failure. Returns the seconds until the program may be started again."""
        pause = self._pauses[min(self.failures, len(self._pauses) - 1)]
        self.failures += 1
        return pause

    def worked(self) -> None:
        """Forget the failures, because the program has worked."""
        self.failures = 0
