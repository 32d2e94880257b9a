"""Empty lines to a program whose line holds small writes back.

A system on the way, such as a proxy's, may delay its acknowledgement of an analysis, and socat
waits for it before it writes the move. Whatever is written to the program takes the acknowledgement
along. An empty line means nothing in every dialect. But some programs complain of it (Stockfish up
to 11, Glaurung, Fairy-Stockfish), which is one more small write: they get no more of them. A blank
without a line's end does not serve instead: Glaurung stops thinking until the line ends, and Toga,
GNU Chess and Ethereal do not recognise a command that begins with a blank.

Some complain by an ``info``, which cannot be told from an analysis. So only so many a second are
sent: no complaint is answered by an empty line for ever.
"""

from .token_bucket import TokenBucket

A_SECOND, AT_ONCE = 50, 200
"""Empty lines to one peer: enough for all analyses of a search of some seconds."""

COMPLAINTS = 3
"""A peer complains of empty lines if it sent at least this many unknown lines, and at least one
for every two empty lines."""

LINES = 32
"""Lines that one complaint may have, such as a whole help text."""


class EmptyLines:
    """The empty lines to one peer. at: the time (s)."""

    __slots__ = ("_bucket", "_complaints", "_sent")

    def __init__(self, at: float) -> None:
        self._bucket = TokenBucket(A_SECOND, AT_ONCE, at)
        self._sent = self._complaints = 0

    def send(self, at: float) -> bool:
        """Record one that is sent now. False: none is, as the peer complains of them, or had too
        many in a short time."""
        complains = self._complaints >= COMPLAINTS and 2 * self._complaints >= self._sent
        if complains or self._bucket.take(at) > 0:
            return False
        self._sent += 1
        return True

    def complained(self) -> bool:
        """Record that the peer sent an unknown line. Returns whether that may be its complaint of
        one of these."""
        if not self._sent:
            return False
        self._complaints += 1
        return self._complaints <= LINES * self._sent
