"""What went over a line, and when: the evidence on which every judgement here rests.

All times are `time.monotonic`, s. The proxy (or, without one, the player) writes it down at the
server's end of the line: what the server said counts as told even if it never arrived.
"""

import time
from dataclasses import dataclass, field
from math import inf

now = time.monotonic

LEAVES_BEHIND = frozenset({"freeze", "cut-pg", "cut-redis", "restart-redis"})
"""What befalls a server so that it knows less than others."""

THAWED = 1.0
"""s within which a server that was frozen finds out that others have gone on without it."""


@dataclass(slots=True)
class Line:
    """One line of text. `at`: when its last byte came by, `since`: at the earliest if nobody looked
    for a while; `until`: when it was handed on."""

    at: float
    text: str
    until: float = 0.0
    since: float = 0.0

    def __post_init__(self) -> None:
        self.until = self.until or self.at
        self.since = self.since or self.at


@dataclass(frozen=True, slots=True)
class Fault:
    """Something done to a line on purpose, from `since` until `until`."""

    kind: str
    since: float
    until: float


class Handshake:
    """Makes lines of bytes; the last one, if it was cut off, is never one."""

    def __init__(self, lines: list[Line]) -> None:
        self._lines = lines
        self._rest = b""

    def hear(self, data: bytes, stall: float = 0.0) -> list[Line]:
        """The lines that end in these bytes, which may have come up to `stall` s ago."""
        *whole, self._rest = (self._rest + data).split(b"\n")
        at = now()
        texts = (text.rstrip(b"\r").decode("utf-8", "replace") for text in whole)
        lines = [Line(at, text, since=at - stall) for text in texts]
        self._lines += lines
        return lines


@dataclass(eq=False)
class Wire:
    """One connection. `told`: what the server said; `heard`: what was handed over to it."""

    opened: float = field(default_factory=now)
    closed: float = inf
    told: list[Line] = field(default_factory=list)
    heard: list[Line] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    server: str = ""
    """The name of the one of several servers to which it leads."""
    hung_up: float = inf
    """When the server ended it by itself."""
    as_of: float = 0.0
    """Since when its server may not know what others do: since it was opened, or before that."""

    def __post_init__(self) -> None:
        self.as_of = self.as_of or self.opened
        self.server_said = Handshake(self.told).hear
        self.player_said = Handshake(self.heard).hear

    @property
    def owner(self) -> str:
        """The name with which somebody introduced themselves; empty if nobody did."""
        for line in self.heard[:12]:
            words = line.text.split()
            if words[:2] in (["id", "name"], ["id", "username"]):
                return " ".join(words[2:])
        return ""

    def meet(self, kind: str, since: float, until: float) -> None:
        """Something befell its server, the latest first. One that was frozen, or does not reach the
        database or the others, knows for a moment only what it knew before."""
        if kind in LEAVES_BEHIND and since <= self.as_of <= until + THAWED:
            self.as_of = since

    @property
    def ready(self) -> float:
        """When the server first heard that it may go on: until then its owner was not here."""
        return next((line.until for line in self.heard if line.text == "readyok"), inf)

    @property
    def welcomed(self) -> float:
        """When its server had let its owner in."""
        words = "lobby welcome "
        return next((line.at for line in self.told if line.text.startswith(words)), inf)


def plain(handle: str) -> str:
    """The name behind a handle: ``p7-2`` is somebody who is p7 on another line as well."""
    return handle.partition("-")[0]
