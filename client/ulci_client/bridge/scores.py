"""How did an engine see its own moves, and would it have a draw? Pure."""

from collections import deque

from ulci.protocol import Info, Unread, read_info_untrusted

# As match runners judge draws (cutechess: -draw movenumber=40 movecount=8 score=10): from so many
# moves of ours on, when the engine has not been better off than that (in centipawns) for so long.
MOVES = 40
IN_A_ROW = 8
EVEN = 10

# An engine that has seen itself behind by so much for so long is glad of a draw, however early.
BEHIND = -100


class Scores:
    """Of our moves in one game, as the engine saw them when it made them."""

    def __init__(self) -> None:
        self._moves = 0
        self._last: deque[int | None] = deque(maxlen=IN_A_ROW)

    def moved(self, analysis: Unread | Info | None) -> None:
        """It made a move after this, the newest that it said of it; None if it said nothing."""
        self._moves += 1
        self._last.append(_centipawns_untrusted(analysis))

    def agree_to_draw(self) -> bool:
        """Whether a draw is as much as it hopes for."""
        most = EVEN if self._moves >= MOVES else BEHIND
        enough = len(self._last) == IN_A_ROW
        return enough and all(score is not None and score <= most for score in self._last)


def _centipawns_untrusted(analysis: Unread | Info | None) -> int | None:
    info = read_info_untrusted(analysis.line) if isinstance(analysis, Unread) else analysis
    if info is None or info.score is None:
        return None
    if info.score.mate is not None:
        return 100_000 if info.score.mate > 0 else -100_000
    return info.score.cp
