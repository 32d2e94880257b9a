"""An engine's output since the ``go`` for its move."""

from collections import deque
from collections.abc import MutableMapping

from ulci.rules import Side
from ulci.wire_log import Event

Seat = tuple[int, Side]
"""A game's number in the record, and the side."""

MOST_BYTES = 64 * 1024
"""Bytes of a search's output that are kept, the last ones. Stockfish prints some 10 KiB a move,
most of them at once."""

_ENDS = b"\n", b"\r", b"\f"


class SearchOutput:
    """The output of an engine's process: a listener for `ulci.wire_log.listen`. It is in `outputs`
    while the process plays."""

    def __init__(self, outputs: MutableMapping[Seat, "SearchOutput"]) -> None:
        self._outputs = outputs
        self._seat: Seat | None = None
        self._printed = deque[bytes]()
        self._size = 0
        self._is_cut = False  # whether the first line that is kept lost its beginning

    def __call__(self, event: Event, text: str | bytes = "", game: int = 0) -> None:
        match event:
            case "heard":
                self._add(text.encode() if isinstance(text, str) else text)
            case "said":
                if _asks(text):
                    self._clear()
            case "game":
                self._leave()
                self._seat = game, Side[str(text).upper()]
                self._outputs[self._seat] = self
            case "over" | "closed":
                self._leave()

    def take(self) -> bytes:
        """Take the output of the search that has just ended, from the beginning of a line. This
        method does not parse it: a match calls it at each move, in the loop of all its games."""
        printed = b"".join(self._printed)
        if self._is_cut:
            _, _, printed = printed.partition(b"\n")
        self._clear()
        return printed

    def _add(self, printed: bytes) -> None:
        self._printed.append(printed)
        self._size += len(printed)
        while self._size > MOST_BYTES:
            first = self._printed.popleft()
            if rest := first[self._size - MOST_BYTES :]:
                self._printed.appendleft(rest)
            self._size -= len(first) - len(rest)
            self._is_cut = not first[: len(first) - len(rest)].endswith(_ENDS)

    def _clear(self) -> None:
        self._printed.clear()
        self._size = 0
        self._is_cut = False

    def _leave(self) -> None:
        if self._seat is not None and self._outputs.get(self._seat) is self:
            del self._outputs[self._seat]
        self._seat = None


def _asks(said: str | bytes) -> bool:
    """Whether a search begins by it. Lines sent at once may have a position before that."""
    if isinstance(said, bytes):
        return said.startswith(b"go")
    return said.startswith("go") or "\ngo" in said
