"""How much time is left? A chess clock in whole milliseconds that is told what time it is.

Of what was spent on a move a part may be given back: for the network (`lag`), and for the server's
own lateness in reading (`stall`). Spent is rounded down in the player's favour, and after every
move left = left - (spent - lag - stall) + added.
"""

import math
from dataclasses import dataclass, replace

from ulci.protocol.messages import Clock as ClockTold
from ulci.protocol.messages import Go
from ulci.rules.outcome import Side

from .control import Controls
from .halves import MARGIN, half_clock
from .lag import UNMEASURED, LagAccount, RoundTrips


@dataclass(frozen=True, slots=True)
class Pressed:
    """One move on the clock, in ms. `lag` and `stall` are the parts of `spent` that were given
    back; `left` is after `added`, None where no clock is shown. `held`: for how long both clocks
    had stood since the move before."""

    spent: int
    added: int
    left: int | None
    lag: int = 0
    stall: int = 0
    held: int = 0


class Clock:
    """Both sides' clocks. At most one runs.

    `start` it when the mover was asked, `press` it when the move arrived; in between it may `halt`
    (an arbiter elsewhere is judging) and start again. All `at` are seconds.
    """

    def __init__(
        self, controls: Controls, margin: int = MARGIN, lag: LagAccount | None = None
    ) -> None:
        self._lag = lag or LagAccount()
        self._halves = (
            half_clock(controls.white, margin),
            half_clock(controls.black, margin),
        )
        self._mover = Side.WHITE
        self._since: float | None = None
        self._thought = 0.0
        self._credit = 0
        self._excused = 0.0
        self._read_until = -math.inf  # for being late before this moment nobody is excused (again)
        self._stood: float | None = None
        self._held = 0.0

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
        thought = self._thought - self._excused
        return self._since - thought + (allowed + self._credit) / 1000

    @property
    def had(self) -> tuple[int, int]:
        """ms that the mover may think about this move, and ms that it is given for the network."""
        return self._halves[self._mover].allowed or 0, self._credit

    def has_flag(self, side: Side) -> bool:
        """Whether the side can lose on time at all."""
        return self._halves[side].allowed is not None

    def allowed(self, side: Side) -> int | None:
        """ms that the side may think about its move before its flag falls; None: it has no flag."""
        return self._halves[side].allowed

    def measures(self, side: Side) -> tuple[Side, ...]:
        """Whose round trips the side's `start` needs."""
        return self._lag.rule.measures(side)

    def start(self, side: Side, at: float, trips: RoundTrips = UNMEASURED) -> None:
        """The side may think from now on; it goes on where it was halted. What it will be given
        back for the network is decided now, from the round trips that it `measures`."""
        self._turn_to(side)
        self._since = self._read_until = at
        if self._stood is not None:
            self._held += max(0.0, at - self._stood)
            self._stood = None
        self._credit = self._lag.offer(side, trips)

    def halt(self, at: float) -> None:
        """Stand still, until the same side starts or presses."""
        self._thought = self._seconds(at)
        self._since, self._stood = None, at

    def excuse(self, at: float, late: float) -> None:
        """What the mover said was no move and was read at `at`, `late` s after it had come: that it
        was not told so at once was not its fault. Of many that came and were read together only the
        first was waited for."""
        self._excused += self._unexcused(at, late)
        self._read_until = max(self._read_until, at)

    def press(self, side: Side, at: float, late: float = 0.0) -> Pressed:
        """The side has moved: we read it at `at`, `late` s after it had come. The clock stands
        until somebody starts."""
        self._turn_to(side)
        spent = _ms(self._seconds(at))
        # Rounded once, as the deadline is: what came in time never costs more than there was.
        came = self._spent(at, self._unexcused(at, late))
        pressed = self._pay(side, spent, min(self._credit, came), spent - came)
        held, self._held, self._stood = math.floor(self._held * 1000), 0.0, at
        return replace(pressed, held=held)

    def replay(self, side: Side, spent: int, lag: int, stall: int) -> Pressed:
        """Press as the record says that it was pressed, all in ms."""
        self._turn_to(side)
        return self._pay(side, spent, lag, stall)

    def forget(self) -> None:
        """What the mover has thought about this move costs nothing: it is not to be made."""
        self._rest()
        self._stood, self._held = None, 0.0

    def remember(self, side: Side, thought: int) -> None:
        """The side is to move, and has thought so many ms about it before the clock was halted."""
        self._turn_to(side)
        self._rest()
        self._thought = thought / 1000

    def resume(self, side: Side, at: float, more: int) -> int:
        """The side to move had thought `more` ms than is known: never so many that its flag would
        have fallen while nobody looked. Returns what it has thought altogether."""
        thought = self._spent(at) + more
        allowed = self._halves[side].allowed
        if allowed is not None:
            thought = max(0, min(thought, allowed - 1))
        self.remember(side, thought)
        return thought

    def thought(self, at: float) -> int:
        """ms that the mover has thought about this move."""
        return self._spent(at)

    def takes_gifts(self, side: Side) -> bool:
        """Whether the side has a clock on which time is saved from move to move."""
        return self._halves[side].saves

    def give(self, side: Side, gift: int) -> None:
        """The side's clock, which `takes_gifts`, shows `gift` ms more from now on."""
        self._halves[side].give(gift)

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

    def _pay(self, side: Side, spent: int, lag: int, stall: int) -> Pressed:
        half, thought = self._halves[side], spent - lag - stall
        before = half.left
        half.pay(thought)
        self._halves[side.other].gain(thought)
        self._lag.take(side, lag)
        self._rest()
        if before is None or half.left is None:
            return Pressed(spent, 0, None, lag, stall)
        return Pressed(spent, half.left - before + thought, half.left, lag, stall)

    def _left(self, side: Side, spent: int) -> int | None:
        half = self._halves[side]
        if side is not self._mover:
            return half.waiting(spent)
        return None if half.left is None else max(0, half.left - spent)

    def _rest(self) -> None:
        """Nobody has thought about anything yet."""
        self._since, self._thought, self._credit, self._excused = None, 0.0, 0, 0.0

    def _unexcused(self, at: float, late: float) -> float:
        """How much of `late` s before `at` was not excused yet."""
        return max(0.0, min(late, at - self._read_until))

    def _turn_to(self, side: Side) -> None:
        if side is not self._mover:
            self._mover = side
            self._rest()

    def _seconds(self, at: float) -> float:
        """Since the mover was asked, without the time for which its clock stood."""
        return self._thought + (0.0 if self._since is None else max(0.0, at - self._since))

    def _spent(self, at: float, late: float = 0.0) -> int:
        """ms of its own that the mover has thought about this move."""
        return _ms(max(0.0, self._seconds(at) - self._excused - late))


def _ms(seconds: float) -> int:
    """Whole ms that have passed; a nanosecond is not what makes one less of them."""
    return math.floor(seconds * 1000 + 1e-6)
