"""The round-trip estimate of one connection: the least time in which an answer ever came back.

Every measurement is what the line takes and, on top of it, what the other side took for itself:
thinking, delayed acknowledgements, an engine that clears its hash table before its ``readyok``. A
smoothed estimate holds a part of that; the least measurement holds next to nothing of it, and
nobody can raise it but by never answering anything sooner.

So nothing is forgotten, either: a minimum over the last minutes would, after some minutes of a
player who thinks, consist of thinking. A line hardly ever becomes slower while its connection
lives, because a TCP connection does not outlive a change of networks; what comes back on another
one is measured anew. (Linux's own minimum has a window of five minutes, but it takes no lone short
segment for a reason to rise, since the acknowledgement may have been delayed: ``tcp_input.c``,
FLAG_ACK_MAYBE_DELAYED. Of such segments our conversations consist.)
"""

import math
from collections import deque

MOST = 16
"""Questions of a kind whose answers are awaited: of more the oldest is not measured, which may
never be answered, as the ``go`` of a game that ended by a flag."""


class RoundTripEstimate:
    """Of one connection, in s. Answers come in the order of their questions, kind by kind: moves,
    which answer ``go``, and ``readyok``."""

    __slots__ = ("_asked", "_least")

    def __init__(self) -> None:
        self._asked: dict[type, deque[float]] = {}
        self._least = math.inf

    def asked(self, question: type, at: float) -> None:
        """A question of this kind was sent."""
        if (asked := self._asked.get(question)) is None:
            asked = self._asked[question] = deque(maxlen=MOST)
        asked.append(at)

    def answered(self, question: type) -> float | None:
        """A question of this kind was answered; when it was asked. None: nobody knows."""
        asked = self._asked.get(question)
        return asked.popleft() if asked else None

    def measured(self, seconds: float) -> None:
        """Something came back after so long."""
        self._least = min(self._least, max(0.0, seconds))

    @property
    def least(self) -> float | None:
        """None until anything was measured."""
        return None if self._least == math.inf else self._least
