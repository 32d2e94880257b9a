"""Failed connections that are reported: some of each kind, and how many are left out.

A stranger can let connections fail as fast as the server takes them, and each would be a line in
the log. A flood of one kind hides no other kind.
"""

from collections.abc import Hashable, Mapping

from ulci.net.errors import Failed, HandshakeError
from ulci.net.token_bucket import Buckets

A_SECOND = 0.1
AT_ONCE = 20
"""Reported failures of one kind: enough to see what goes wrong, and 9,000 lines a day at most."""

_RARE: Mapping[Failed, tuple[float, int]] = {Failed.PAGE: (1 / 60, 1)}
"""Kinds that are reported less: a page that was refused tries again and again, and one line a
minute tells the operator what the configuration lacks."""


class Sample:
    """Chooses which events of each kind are reported. Times are of any one clock, s."""

    def __init__(self, a_second: float = A_SECOND, at_once: int = AT_ONCE) -> None:
        self._buckets: Buckets[Hashable] = Buckets(a_second, at_once)
        self._left_out: dict[Hashable, int] = {}

    def take(self, kind: Hashable, at: float) -> int | None:
        """How many of this kind were left out before this event; None if it is left out, too."""
        if self._buckets.take(kind, at):
            self._left_out[kind] = self._left_out.get(kind, 0) + 1
            return None
        return self._left_out.pop(kind, 0)


class Failures:
    """The failures of one listener. Times are of any one clock, s."""

    def __init__(self) -> None:
        self._usual = Sample()
        self._rare = {kind: Sample(*rate) for kind, rate in _RARE.items()}

    def of(self, error: Exception, at: float) -> Exception | None:
        """The report of this failure: the failure, with the number of those that were left out, or
        none. Errors that are no peer's fault are always reported."""
        if not isinstance(error, HandshakeError):
            return error
        kind = error.failed
        more = self._rare.get(kind, self._usual).take(kind, at)
        if more is None:
            return None
        if not more:
            return error
        return HandshakeError(f"{error} (and {more} more of this kind before)", kind)
