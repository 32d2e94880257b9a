"""Which ``go`` of a client still counts, and what does its program think of that position?"""

from ulci.protocol import Unread, read_info_untrusted
from ulci.protocol.messages import Info


class Search:
    """The newest of one client. `number`: which of all its answers is the one to this ``go``,
    counted from 1; -1 if none counts."""

    def __init__(self) -> None:
        self.number = 0
        self.complaint = ""
        """The last that its program said of what was wrong with this search."""
        self._newest: Unread | Info | None = None

    def begin(self, number: int) -> None:
        """A ``go`` was said."""
        self.number = number
        self.complaint = ""
        self._newest = None

    def stop(self) -> None:
        """No answer to what was asked before counts any more."""
        self.number = -1

    def hear(self, thought: Unread | Info) -> bool:
        """Whether it says how the side stands. Newest wins. Of several variations (MultiPV) the
        first is the one that it means to play."""
        if isinstance(thought, Unread):
            line = thought.line
            tells = " score " in line and (" multipv " not in line or " multipv 1 " in line)
        else:
            tells = thought.score is not None and thought.multipv in (None, 1)
        if tells:
            self._newest = thought
        return tells

    def take_untrusted(self) -> Info | None:
        """The newest thought, once: it belongs to the move that is said now."""
        thought, self._newest = self._newest, None
        return read_info_untrusted(thought.line) if isinstance(thought, Unread) else thought
