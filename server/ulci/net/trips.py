"""How long is the way to a peer and back, where the system cannot tell? By ``isready``."""

import math
from collections import deque

MOST = 16
"""Questions whose answers are awaited; who leaves more unanswered is not measured by them."""


class Trips:
    """Of one peer, in s. The quickest answer is the nearest to the truth: every other contains some
    time that the peer took for itself, and so would one that it holds back."""

    __slots__ = ("_asked", "_quickest")

    def __init__(self) -> None:
        self._asked: deque[float] = deque()
        self._quickest = math.inf

    def asked(self, at: float) -> None:
        """It was sent an ``isready``."""
        if len(self._asked) < MOST:
            self._asked.append(at)

    def answered(self, at: float) -> None:
        """A ``readyok`` had come at that moment; they come in the order of the questions."""
        if self._asked:
            self._quickest = min(self._quickest, max(0.0, at - self._asked.popleft()))

    @property
    def quickest(self) -> float | None:
        """None until something was answered."""
        return None if self._quickest == math.inf else self._quickest
