"""All that there is to judge by."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from .chronicle import Chronicle, Story
from .history import clocks

TOLERANCE = 0.25
"""s by which a move may cost more than player and line used: a busy machine looks at its sockets
late, and so does the proxy that measures."""

ENDS = frozenset({"kill", "restart", "clock", "term"})
"""What befalls a server so that it is gone for a while."""

AFTER_A_PAUSE = 0.2
"""s until all has been read that came while nobody looked."""


class Trouble(NamedTuple):
    """Something that was done to the server itself; of several, to that of this name, or to all."""

    kind: str
    since: float
    until: float
    server: str = ""


@dataclass
class Case:
    """What was said, what was done, and the rules. Times of the control in ms, others in s."""

    chronicle: Chronicle
    troubles: Sequence[Trouble] = ()
    base: int = 10_000
    increment: int = 100
    away: float = 8.0
    harmed: Mapping[str, Sequence[Trouble]] = field(default_factory=dict)
    """What was done to the players themselves, by name."""
    answer: float = 1.0
    """s after which a player has answered whom and whose line nobody touched, however busy the
    machine."""
    asks: float = 2.0
    """s after which the server has asked whoever is there and to move, however busy the machine."""
    pauses: Sequence[tuple[float, float]] = ()
    """From when until when the proxy did not look at its lines: the machine was busy."""
    unexplained: list[float] = field(default_factory=list)
    """s that moves cost beyond what they took, as far as it is known."""

    @cached_property
    def ends(self) -> list[Trouble]:
        """What befell servers so that they were gone for a while, in order."""
        ends = [trouble for trouble in self.troubles if trouble.kind in ENDS]
        return sorted(ends, key=lambda trouble: trouble.since)

    def harm(self, name: str, server: str) -> list[Trouble]:
        """What was done to a player, and to the server to which its line leads."""
        servers = ("", server)
        of_server = [trouble for trouble in self.troubles if trouble.server in servers]
        return [*of_server, *self.harmed.get(name, ())]

    def earliest(self, at: float) -> float:
        """When something had come at the earliest that was read at that time, or so it seems: of
        what is read together after a pause only the last is dated."""
        lain = [since for since, until in self.pauses if since <= at <= until + AFTER_A_PAUSE]
        return min([at, *lain])

    def clocks(self, story: Story) -> list[tuple[int, int]]:
        """ms that White and Black have when each state of the game begins."""
        return clocks(story.states, self.base, self.increment)
