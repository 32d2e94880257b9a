"""Recognises a line that holds small writes back, for which the client's clock pays.

A program writes its last analysis and then its move. With Nagle's algorithm on its side and delayed
acknowledgements on the other, the move waits for the acknowledgement of the first analysis that is
not acknowledged: 40 ms on Linux. This server acknowledges at once (`ulci.net`), but a proxy or
tunnel before it may not. After the first move that came so late, each part of an answer is answered
by an empty line, which takes the acknowledgement along the way (`Peer.empty_lines`). A client that
still writes late gets a notice.
"""

from ulci.net import Heard

LEAST, MOST = 0.038, 0.050
"""s from an analysis to the piece with the move after it: 40, and a timer's tick or a busy machine
more. Measured with socat as it comes: 41 to 48 ms."""

MOVES = 16
"""Moves with analysis after which it is judged: one such move says nothing, as a program may just
have thought on."""

ENOUGH = 6
"""Late ones among them: six of a line that holds a third of its moves back. A program whose last
analysis comes anywhere in the 150 ms before its move has six once in a thousand times."""


class LateWrites:
    """Of one client in one game."""

    __slots__ = ("_before", "_late", "_moves", "_told", "analysed_at", "was_late")

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """A game begins."""
        self._moves = self._late = 0
        self._told = False
        self._before: float | None = None
        self.was_late = False
        """Whether the last move came as late as one that was held back."""
        self.analysed_at: float | None = None
        """When the last analysis of this search came (s)."""

    def analysed(self, heard: Heard) -> None:
        """An analysis came."""
        arrived = heard.at - heard.late
        if arrived != self.analysed_at:
            self._before, self.analysed_at = self.analysed_at, arrived

    def moved(self, heard: Heard) -> bool:
        """A move came. True once in a game: the line holds writes back."""
        arrived = heard.at - heard.late
        # What came in one piece with the move was held back with it.
        before = self._before if self.analysed_at == arrived else self.analysed_at
        self._before = self.analysed_at = None
        if before is None or self._told:
            return False
        self._moves += 1
        self.was_late = LEAST <= arrived - before <= MOST
        self._late += self.was_late
        if self._moves < MOVES:
            return False
        self._told = self._late >= ENOUGH
        self._moves = self._late = 0
        return self._told
