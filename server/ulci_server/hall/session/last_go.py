"""The last ``go`` of a client, and the newest info about its position."""

from ulci.protocol import Unread, read_info_untrusted
from ulci.protocol.messages import Info


class LastGo:
    """`number`: the answer to this ``go`` among all answers of the client, from 1; -1: no answer
    counts."""

    __slots__ = (
        "_newest",
        "number",
        "reported_error",
    )

    def __init__(self) -> None:
        self.number = 0
        self.reported_error = ""
        """The last error that the program reported during this search."""
        self._newest: Unread | Info | None = None

    def begin(self, number: int) -> None:
        """A ``go`` was sent; answer `number` is the one to it."""
        self.number = number
        self.reported_error = ""
        self._newest = None

    def stop(self) -> None:
        """Answers to earlier ``go`` no longer count."""
        self.number = -1

    def add_info(self, info: Unread | Info) -> bool:
        """Keep it if it has a score, and return whether it does. Newest wins. Of several variations
        (MultiPV) only the first counts: it is the one that the program means to play."""
        if isinstance(info, Unread):
            line = info.line
            tells = " score " in line and (" multipv " not in line or " multipv 1 " in line)
        else:
            tells = info.score is not None and info.multipv in (None, 1)
        if tells:
            self._newest = info
        return tells

    def take_untrusted(self) -> Info | None:
        """The newest info, once: it belongs to the move that is played now."""
        info, self._newest = self._newest, None
        return read_info_untrusted(info.line) if isinstance(info, Unread) else info
