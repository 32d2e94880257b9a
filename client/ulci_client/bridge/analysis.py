"""An engine's output during a search: what the server gets of it, and its score. Pure.

Some engines write thousands of lines a second. A server shows and stores only the newest of a
search, and its limits would cut off a client that sends more. So lines beyond a rate are dropped;
the newest analysis and the newest complaint among them are sent just before the move, so that the
move is recorded with them. Times in s, sizes in bytes.
"""

from collections.abc import Sequence

from ulci.net import TokenBucket
from ulci.protocol import Unread, read_info_untrusted
from ulci.protocol.messages import BestMove, FromClient, Info, Report

RATE = 8 * 1024
"""Bytes a second on average: some twenty lines. A server's limit may count all engines of one
address together."""

BURST = 64 * 1024
"""Bytes at once: the first output of several searches in a row."""

LINE = 256
"""Bytes that a line costs in addition: for a server it is more work than reading them."""

MOST_WAITING = 16 * 1024
"""Bytes in our outbox above which the server is not reading: then all analysis is dropped. The
connection is cut at sixteen times that, and a move must always fit."""


class AnalysisFilter:
    """The rate limit for one engine's output. `left_out`: lines dropped so far."""

    def __init__(self) -> None:
        self.left_out = 0
        self._bucket = TokenBucket(RATE, BURST, 0.0)
        # Of those left out in this search.
        self._analysis: Unread | Info | None = None
        self._complaint: Report | None = None

    def begin(self) -> None:
        """Begin a new search: dropped lines of the last one do not belong to its move."""
        self._analysis = self._complaint = None

    def passed(
        self, said: Sequence[FromClient | Unread], at: float, waiting: int
    ) -> list[FromClient | Unread]:
        """The lines to send now, in order. waiting: bytes in our outbox."""
        passed: list[FromClient | Unread] = []
        for message in said:
            if isinstance(message, Unread | Info | Report):
                cost = LINE + _size(message)
                passes = waiting <= MOST_WAITING and not self._bucket.take(at, cost)
                self.left_out += not passes
                self._keep(message, None if passes else message)
                passed += [message] if passes else []
                continue
            if isinstance(message, BestMove):
                if waiting <= MOST_WAITING:
                    passed += filter(None, (self._analysis, self._complaint))
                self.begin()
            passed.append(message)
        return passed

    def _keep(self, said: Unread | Info | Report, left_out: Unread | Info | Report | None) -> None:
        """The newest of its kind replaces what was dropped before."""
        if isinstance(said, Report):
            self._complaint = left_out if isinstance(left_out, Report) else None
        elif is_best_line(said):
            self._analysis = None if isinstance(left_out, Report) else left_out


def _size(message: Unread | Info | Report) -> int:
    """Bytes, roughly."""
    if isinstance(message, Unread):
        return len(message.line)
    return len(message.text) if isinstance(message, Report) else 0


def centipawns_untrusted(analysis: Unread | Info | None) -> int | None:
    """The score in centipawns, a mate above any other score; None if there is none."""
    info = read_info_untrusted(analysis.line) if isinstance(analysis, Unread) else analysis
    if info is None or info.score is None:
        return None
    if info.score.mate is not None:
        return 100_000 if info.score.mate > 0 else -100_000
    return info.score.cp


def is_best_line(analysis: Unread | Info) -> bool:
    """Whether it has a score, and of the best line (UCI, multipv 1)."""
    if isinstance(analysis, Info):
        return analysis.score is not None and analysis.multipv in (None, 1)
    if " score " not in analysis.line:
        return False
    _, several, rest = analysis.line.partition(" multipv ")
    return not several or rest.split(maxsplit=1)[:1] == ["1"]


def format_score(analysis: Unread | Info | None) -> str:
    """``+0.35 depth 12``, ``#-3``; empty if there is none."""
    info = read_info_untrusted(analysis.line) if isinstance(analysis, Unread) else analysis
    if info is None or info.score is None:
        return ""
    cp, mate = info.score.cp, info.score.mate
    said = f"#{mate}" if mate is not None else f"{(cp or 0) / 100:+.2f}"
    return said if info.depth is None else f"{said} depth {info.depth}"
