"""How much time is left? A chess clock in whole milliseconds that is told what time it is.

Spent is rounded down in the player's favour, and after every move left = left - spent + added.
"""

import math
from dataclasses import dataclass

from ulci.protocol.messages import Clock as ClockTold
from ulci.protocol.messages import Go
from ulci.rules.outcome import Side

from .control import Controls
from .halves import MARGIN, half_clock


@dataclass(frozen=True, slots=True)
class Pressed:
    """One move on the clock, in ms. `left` is after `added`; None where no clock is shown."""

    spent: int
    added: int
    left: int | None


class Clock:
    """Both sides' clocks. At most one runs.

    `start` it when the mover was asked, `press` it when the move arrived; in between it may `halt`
    (an arbiter elsewhere is judging) and start again. All `at` are seconds.
    """

    def __init__(self, controls: Controls, margin: int = MARGIN) -> None:
        self._halves = (
            half_clock(controls.white, margin),
            half_clock(controls.black, margin),
        )
        self._mover = Side.WHITE
        self._since: float | None = None
        self._thought = 0.0

    @property
    def running(self) -> Side | None:
        """Whose clock runs."""
        return None if self._since is None else self._mover

    @property
    def deadline(self) -> float:
        """When the flag of the clock that runs falls: a move at that moment still counts."""
        allowed = self._halves[self._mover].allowed
        if self._since is None or allowed is None:
            return math.inf
        return self._since - self._thought + allowed / 1000

    def has_flag(self, side: Side) -> bool:
        """Whether the side can lose on time at all."""
        return self._halves[side].allowed is not None

    def start(self, side: Side, at: float) -> None:
        """The side may think from now on; it goes on where it was halted."""
        self._turn_to(side)
        self._since = at

    def halt(self, at: float) -> None:
        """Stand still, until the same side starts or presses."""
        self._thought = self._seconds(at)
        self._since = None

    def press(self, side: Side, at: float) -> Pressed:
        """The side has moved. The clock stands until somebody starts."""
        self._turn_to(side)
        half, spent = self._halves[side], self._spent(at)
        before = half.left
        half.pay(spent)
        self._halves[side.other].gain(spent)
        self._since, self._thought = None, 0.0
        if before is None or half.left is None:
            return Pressed(spent, 0, None)
        return Pressed(spent, half.left - before + spent, half.left)

    def left(self, side: Side, at: float) -> int | None:
        """ms that the side's clock shows at `at`, never less than 0; None: it has no clock."""
        return self._left(side, self._spent(at))

    def told(self, at: float) -> ClockTold:
        """Both clocks, for whoever is not asked to move."""
        spent = self._spent(at)
        white, black = self._halves
        return ClockTold(
            wtime=self._left(Side.WHITE, spent),
            btime=self._left(Side.BLACK, spent),
            winc=white.increment or None,
            binc=black.increment or None,
        )

    def go(self, side: Side, at: float, told: ClockTold | None = None) -> Go:
        """What the side is asked: its limits, or the clocks exactly as they stand at `at`.

        Who has `told` the other of that moment already need not have it worked out twice.
        """
        half = self._halves[side]
        if half.left is None:
            return half.limits(self._spent(at) if side is self._mover else 0)
        told = told or self.told(at)
        return Go(told.wtime, told.btime, told.winc, told.binc, half.moves_to_go)

    def _left(self, side: Side, spent: int) -> int | None:
        half = self._halves[side]
        if side is not self._mover:
            return half.waiting(spent)
        return None if half.left is None else max(0, half.left - spent)

    def _turn_to(self, side: Side) -> None:
        if side is not self._mover:
            self._mover, self._since, self._thought = side, None, 0.0

    def _seconds(self, at: float) -> float:
        """What the mover has thought about this move."""
        return self._thought + (0.0 if self._since is None else max(0.0, at - self._since))

    def _spent(self, at: float) -> int:
        return math.floor(self._seconds(at) * 1000)
