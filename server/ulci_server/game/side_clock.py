"""The clock of one side: one class for each kind of time control.

A side's time left is always the time until its flag falls: it includes a delay and the byo-yomi
periods. So ``go`` never gives more than is left, and never ``wtime 0`` while time is left
(Stockfish 15 takes two zeros for a game without a clock and thinks for ever).
"""

from array import array
from collections.abc import Callable, Mapping
from typing import Any

from ulci.protocol.messages import Go

from .time_control import (
    DAY,
    Bonus,
    ByoYomi,
    Control,
    Correspondence,
    Hourglass,
    Limit,
    LimitName,
    Stage,
    Staged,
)

MARGIN = 500
"""ms by which a ``movetime`` may be exceeded before the flag falls: the engine thinks exactly that
long, and its answer takes time to arrive."""


LEAST_LEFT = 10_000
"""The least time in ms that a takeback leaves on a clock, unless the clock shows less or had less
before the first undone move. Moves may have used more time than the clock had before them, out of
the time that they added: then a side whose moves are taken back would lose on time at once."""


class SideClock:
    """One side of a clock. This base class gives the same time for every move."""

    __slots__ = ("allowed", "increment", "left", "moves_to_go")

    saves = False
    """Whether time is saved from move to move, so that more of it can be given."""

    gains = False
    """Whether the opponent's thinking adds to its time."""

    halves = False
    """Whether its player may halve its time (berserk)."""

    def __init__(self, left: int | None, moves_to_go: int | None = None) -> None:
        self.left = left
        """ms that the clock shows before the side begins to think; None: the side has no clock."""
        self.allowed = left
        """ms that the side may think before its flag falls; None: it has no flag."""
        self.increment = 0
        """ms that a move adds or may add."""
        self.moves_to_go = moves_to_go
        """Moves until more time is added, or the time left is lost."""

    def pay(self, spent: int) -> None:
        """Charge a move that took `spent` ms, at most the time left."""

    def gain(self, spent: int) -> None:
        """Add the time of an opponent's move that took `spent` ms."""

    def give(self, gift: int) -> None:
        """Add `gift` ms, where time is saved from move to move."""
        raise NotImplementedError

    def halve(self, lost: int) -> None:
        """Take `lost` ms and all increments from a clock that `halves`, before the side's first
        move. Later sessions get half of their time, rounded up."""
        raise NotImplementedError

    def take_back(self, moves: int) -> None:
        """Undo the side's last `moves` moves: the time that they added is taken off, the time that
        they used stays used."""

    def waiting(self, spent: int) -> int | None:
        """The time left when the opponent has thought `spent` ms."""
        del spent
        return self.left

    def limits(self, spent: int) -> Go:
        """The ``go`` without a clock, `spent` ms into the move."""
        raise NotImplementedError


class StagedSideClock(SideClock):
    """A bank of time, refilled when a session is done.

    A delay is a Bronstein clock that starts with the delay on top: 2 s without running, or up to
    2 s given back, leave the same bank.
    """

    __slots__ = ("_added", "_bank", "_before", "_delay", "_index", "_is_fischer", "_stages")

    saves = True
    halves = True

    def __init__(self, control: Staged) -> None:
        super().__init__(None)
        self._stages = control.stages
        self._bank = 0
        self._added = 0  # ms, by moves: increments and the time of later sessions
        self._before = array("q")  # `_bank` and `_added` before each move
        self._pay_in(0)
        self._enter(0)
        self.left = self.allowed = self._bank + self._delay

    def _pay_in(self, index: int) -> None:
        """Add the time of a session that begins."""
        base = self._stages[index].base
        self._bank += base
        self._added += base

    def _enter(self, index: int) -> None:
        stage = self._stages[index]
        self._index = index
        self._delay = stage.amount if stage.bonus is Bonus.DELAY else 0
        self._is_fischer = stage.bonus is Bonus.FISCHER  # adds the whole amount, however fast
        self.increment = stage.amount
        self.moves_to_go = stage.moves

    def pay(self, spent: int) -> None:
        self._before.append(self._bank)
        self._before.append(self._added)
        bonus = self.increment
        if self._is_fischer:
            self._added += bonus
        elif spent < bonus:
            bonus = spent
        self._bank += bonus - spent
        if self.moves_to_go is not None:
            self.moves_to_go -= 1
            if self.moves_to_go == 0:
                following = min(self._index + 1, len(self._stages) - 1)
                self._pay_in(following)
                self._enter(following)
        self.left = self.allowed = self._bank + self._delay

    def give(self, gift: int) -> None:
        self._bank += gift
        self.left = self.allowed = self._bank + self._delay

    def halve(self, lost: int) -> None:
        self._bank += self._delay - lost
        self._stages = tuple(
            Stage((stage.base + 1) // 2, moves=stage.moves) for stage in self._stages
        )
        self._enter(0)
        self.left = self.allowed = self._bank

    def take_back(self, moves: int) -> None:
        if not moves:
            return
        kept = len(self._before) // 2 - moves
        bank, added = self._before[2 * kept : 2 * kept + 2]
        del self._before[2 * kept :]
        less = self._bank - (self._added - added)
        self._bank = max(less, min(bank, self._bank, LEAST_LEFT))
        self._added = added
        self._return_to(kept)
        self.left = self.allowed = self._bank + self._delay

    def _return_to(self, made: int) -> None:
        """Return to the session in which so many moves have been made."""
        index = 0
        while (moves := self._stages[index].moves) is not None and made >= moves:
            made -= moves
            index = min(index + 1, len(self._stages) - 1)
        self._enter(index)
        if self.moves_to_go is not None:
            self.moves_to_go -= made


class ByoYomiSideClock(SideClock):
    """A bank, then periods; a period is lost only when it is exceeded."""

    __slots__ = ("_bank", "_period", "_periods")

    saves = True

    def __init__(self, control: ByoYomi) -> None:
        super().__init__(None)
        self._bank = control.base
        self._periods = control.periods
        self._period = control.period
        self._count()

    def _count(self) -> None:
        self.left = self.allowed = self._bank + self._periods * self._period
        # No engine knows periods. Once the bank is used up, they give this time for so many moves.
        self.moves_to_go = None if self._bank else self._periods

    def pay(self, spent: int) -> None:
        over = spent - self._bank
        self._bank = max(0, -over)
        if over > 0:
            self._periods -= (over - 1) // self._period
        self._count()

    def give(self, gift: int) -> None:
        self._bank += gift
        self._count()


class HourglassSideClock(SideClock):
    """A clock on which a side gains the time that its opponent spends, even while it is spent."""

    __slots__ = ("_sand",)

    saves = True
    gains = True

    def __init__(self, control: Hourglass) -> None:
        self._sand = control.base
        super().__init__(self._sand)

    def pay(self, spent: int) -> None:
        self.left = self.allowed = self._sand = self._sand - spent

    def gain(self, spent: int) -> None:
        self.left = self.allowed = self._sand = self._sand + spent

    def give(self, gift: int) -> None:
        self.left = self.allowed = self._sand = self._sand + gift

    def waiting(self, spent: int) -> int:
        return self._sand + spent


class CorrespondenceSideClock(SideClock):
    """A fixed number of days for every move."""

    __slots__ = ()

    def __init__(self, control: Correspondence) -> None:
        super().__init__(control.days * DAY, moves_to_go=1)


class LimitSideClock(SideClock):
    """No clock. Only ``movetime`` has a flag, `margin` ms after its time."""

    __slots__ = ("_amount", "_name")

    def __init__(self, control: Limit, margin: int) -> None:
        super().__init__(None)
        self._name = control.name
        self._amount = control.amount
        self.allowed = control.amount + margin if control.name == "movetime" else None

    def limits(self, spent: int) -> Go:
        done = 0 if self.allowed is None else spent
        return _GO[self._name](max(1, self._amount - done))


class LenientSideClock(SideClock):
    """A clock that may be overstepped by `margin` ms. A move that oversteps it costs all but the
    last millisecond, so that ``go`` never has an empty clock."""

    __slots__ = ("_clock", "_margin", "gains", "halves", "saves")

    def __init__(self, clock: SideClock, margin: int) -> None:
        super().__init__(None)
        self._clock = clock
        self._margin = margin
        self.saves = clock.saves
        self.gains = clock.gains
        self.halves = clock.halves
        self._show()

    def _show(self) -> None:
        clock = self._clock
        self.left, self.increment, self.moves_to_go = clock.left, clock.increment, clock.moves_to_go
        self.allowed = None if clock.allowed is None else clock.allowed + self._margin

    def pay(self, spent: int) -> None:
        had = self._clock.allowed
        self._clock.pay(spent if had is None or spent < had else max(0, had - 1))
        self._show()

    def gain(self, spent: int) -> None:
        self._clock.gain(spent)
        self._show()

    def give(self, gift: int) -> None:
        self._clock.give(gift)
        self._show()

    def halve(self, lost: int) -> None:
        self._clock.halve(lost)
        self._show()

    def take_back(self, moves: int) -> None:
        self._clock.take_back(moves)
        self._show()

    def waiting(self, spent: int) -> int | None:
        return self._clock.waiting(spent)


_GO: Mapping[LimitName, Callable[[int], Go]] = {
    "movetime": lambda amount: Go(movetime=amount),
    "depth": lambda amount: Go(depth=amount),
    "nodes": lambda amount: Go(nodes=amount),
    "mate": lambda amount: Go(mate=amount),
    "infinite": lambda _: Go(infinite=True),
}

_CLOCKS: Mapping[type[Control], Callable[[Any, int], SideClock]] = {
    Staged: lambda control, _: StagedSideClock(control),
    ByoYomi: lambda control, _: ByoYomiSideClock(control),
    Hourglass: lambda control, _: HourglassSideClock(control),
    Correspondence: lambda control, _: CorrespondenceSideClock(control),
    Limit: LimitSideClock,
}


def side_clock(control: Control, margin: int = MARGIN, lenient: int = 0) -> SideClock:
    """One side's clock before its first move. lenient: ms by which the side may overstep it; 0:
    only a ``movetime`` may be overstepped, by `margin` ms."""
    if not lenient:
        return _CLOCKS[type(control)](control, margin)
    clock = _CLOCKS[type(control)](control, lenient)
    return clock if isinstance(control, Limit) else LenientSideClock(clock, lenient)
