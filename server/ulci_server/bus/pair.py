"""The traffic between this run and another one: the numbers of frames, and the messages that
wait."""

from collections import deque
from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from .frames import FRAME_BYTES, OVERHEAD, WAITING_BYTES


class Batch(NamedTuple):
    """What one frame carries, and its numbers, as in `frames`."""

    serial: int
    number: int
    messages: Sequence[bytes]


SILENT = 0.4
"""Seconds between two frames from which the run counts as silent in between: one and a half
`bus.PING`."""

MOST_SILENCES = 16
"""Silences that are remembered of each run: players come back within seconds."""


class Pair:
    """This run and another one.

    Both ends count from the start of the younger run, which no run could send to before. So the
    first batch that comes from a run must have number 1, whenever the run was added: otherwise a
    batch was sent before this run listened, and is missing.
    """

    __slots__ = (
        "_batches",
        "_bytes",
        "_frames_heard",
        "_frames_sent",
        "_heard",
        "_incomplete",
        "_last_bytes",
        "_sent",
        "_silences",
        "added",
        "heard_at",
        "reachable",
        "run",
        "untold",
    )

    def __init__(self, run: int) -> None:
        self.run = run
        self.added = False
        self.heard_at = -inf
        """When (s) its last frame that was not old came, or it was added."""
        self.reachable = True
        """False from a publication that found no subscriber until one finds it, or the run is
        heard."""
        self.untold = False
        """Whether messages to it were dropped, which `Bus` has not reported yet."""
        self._frames_sent = 0
        self._frames_heard = 0  # the serial of its last frame
        self._sent = 0  # the number of our last batch, published or dropped
        self._heard = 0  # the number of its last batch, delivered or missing
        self._incomplete = False  # something of its last batch was not delivered
        self._batches: list[list[bytes]] = []  # what waits, as it will be sent
        self._bytes = self._last_bytes = 0  # of all of them, and of the last one
        self._silences = deque[tuple[float, float]](maxlen=MOST_SILENCES)

    @property
    def waits(self) -> bool:
        """Whether messages wait for the next publication."""
        return bool(self._batches)

    def put(self, message: bytes) -> int:
        """Let a message wait. Returns how many were dropped: all that wait, this one included, if
        they exceed their limit."""
        size = len(message) + OVERHEAD
        if not self._batches or self._last_bytes + size > FRAME_BYTES:
            self._batches.append([])
            self._last_bytes = 0
        self._batches[-1].append(message)
        self._bytes += size
        self._last_bytes += size
        return self.drop_waiting() if self._bytes > WAITING_BYTES else 0

    def drop(self) -> None:
        """Count a message that is dropped without waiting."""
        self._sent += 1
        self.untold = True

    def drop_waiting(self) -> int:
        """Drop all that waits. Returns how many messages that was."""
        dropped = sum(map(len, self._batches))
        if dropped:
            self.drop()
        self._batches, self._bytes = [], 0
        return dropped

    def take(self) -> Sequence[Batch]:
        """The next batches: what waits, or an empty one with the last number."""
        batches, self._batches, self._bytes = self._batches, [], 0
        if not batches:
            return [self._batch(())]
        taken = []
        for messages in batches:
            self._sent += 1
            taken.append(self._batch(messages))
        return taken

    def _batch(self, messages: Sequence[bytes]) -> Batch:
        self._frames_sent += 1
        return Batch(self._frames_sent, self._sent, messages)

    def is_old(self, serial: int) -> bool:
        """Whether the frame with this serial was doubled, overtaken or published again."""
        return serial <= self._frames_heard

    def hear(self, number: int, *, empty: bool) -> bool:
        """Note a batch with this number, which is not old. Returns whether an earlier message is
        missing."""
        complete = self._heard if empty else self._heard + 1
        missing = number > complete or self._incomplete
        self._heard, self._incomplete = number, False
        return missing

    def frame_came(self, serial: int, at: float) -> None:
        """Note a frame of the run that is not old, which came at `at` (s)."""
        self._frames_heard = serial
        if at - self.heard_at >= SILENT:
            self._silences.append((self.heard_at, at))
        self.heard_at = at

    def silent(self, since: float, until: float) -> list[tuple[float, float]]:
        """The spans between `since` and `until` (s) in which the run was silent while it lived."""
        silences = [*self._silences]
        if self.added and until - self.heard_at >= SILENT:
            silences.append((self.heard_at, until))
        within = [(max(begin, since), min(end, until)) for begin, end in silences]
        return [(begin, end) for begin, end in within if begin < end]

    def heard_before(self, at: float) -> float:
        """The last time (s) up to `at` when the run was heard: `at` itself, unless that is within a
        silence."""
        silences = [*self._silences, (self.heard_at, max(at, self.heard_at))]
        begins = [begin for begin, end in silences if begin <= at - SILENT and at <= end]
        return min(begins, default=at)

    def forget(self) -> int:
        """Treat the run as a peer no longer. If it is added again, both directions have a gap.
        Returns how many waiting messages were dropped."""
        self.added = False
        dropped = self.drop_waiting()
        self.drop()
        self._incomplete = True
        return dropped
