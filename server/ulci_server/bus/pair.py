"""What one run knows of the way to another and back: the numbers of frames, and what waits."""

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
"""Seconds between two frames from which on the run counts as not heard meanwhile: a ping and a half
of `bus.PING`."""

MOST_SILENCES = 16
"""Silences that are kept in mind of each run: players come back within seconds."""


class Pair:
    """This run and another one.

    Both ends count from the beginning of the younger run: no run had a number before. So the first
    batch that is heard of a run must be its first, whenever it was added: an earlier one was sent
    before this run heard it, and is missing.
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
        """When the last frame of it came that was not old, or when it was added."""
        self.reachable = True
        """False from a publication that found no subscriber until the run is heard or found."""
        self.untold = False
        """Messages to it were dropped, and nobody has been told yet."""
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
        """Let a message wait. Returns how many were dropped: with this one all that wait, if they
        exceed their limit."""
        size = len(message) + OVERHEAD
        if not self._batches or self._last_bytes + size > FRAME_BYTES:
            self._batches.append([])
            self._last_bytes = 0
        self._batches[-1].append(message)
        self._bytes += size
        self._last_bytes += size
        return self.drop_waiting() if self._bytes > WAITING_BYTES else 0

    def drop(self) -> None:
        """A message is not even kept waiting."""
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
        """A batch with this number has come, which is not old. Returns whether something before it
        is missing."""
        complete = self._heard if empty else self._heard + 1
        missing = number > complete or self._incomplete
        self._heard, self._incomplete = number, False
        return missing

    def frame_came(self, serial: int, at: float) -> None:
        """A frame of it that is not old came at `at` (s)."""
        self._frames_heard = serial
        if at - self.heard_at >= SILENT:
            self._silences.append((self.heard_at, at))
        self.heard_at = at

    def silent(self, since: float, until: float) -> list[tuple[float, float]]:
        """When it was not heard while it lived: from when till when (s), all between `since` and
        `until`."""
        silences = [*self._silences]
        if self.added and until - self.heard_at >= SILENT:
            silences.append((self.heard_at, until))
        within = [(max(begin, since), min(end, until)) for begin, end in silences]
        return [(begin, end) for begin, end in within if begin < end]

    def heard_before(self, at: float) -> float:
        """The last time (s) until `at` when it was heard: `at` itself, unless that is within a
        silence."""
        silences = [*self._silences, (self.heard_at, max(at, self.heard_at))]
        begins = [begin for begin, end in silences if begin <= at - SILENT and at <= end]
        return min(begins, default=at)

    def forget(self) -> int:
        """The run is no peer any more. If it is added again, both directions have a gap. Returns
        how many waiting messages were dropped."""
        self.added = False
        dropped = self.drop_waiting()
        self.drop()
        self._incomplete = True
        return dropped
