"""The chess clock, in whole milliseconds. Every call passes the current time in.

Part of the time spent on a move may be given back: for the network (`lag`), and for the server's
own delay in reading (`stall`). Spent is rounded down in the player's favour, and after every move
left = left - (spent - lag - stall) + added.
"""

from math import floor, inf

from msgspec import Struct

from ulci.protocol.messages import Clock as ClockTold
from ulci.protocol.messages import Go
from ulci.rules import Side

from .lag import UNMEASURED, LagAccount, RoundTrips
from .side_clock import MARGIN, side_clock
from .spans import Spans
from .time_control import Controls

ROUNDING = 1e-6
"""In ms: a rounding error of a nanosecond must not cost a whole millisecond."""


class Pressed(Struct, frozen=True, gc=False):
    """One move on the clock, in ms. lag, stall: the parts of `spent` that were given back. left:
    the time that the clock then shows, None without a clock. held: how long both clocks had stood
    since the move before."""

    spent: int
    left: int | None
    lag: int = 0
    stall: int = 0
    held: int = 0


class Clock:
    """Both sides' clocks. At most one runs.

    Call `start` when the mover was asked, and `press` when the move arrived; in between the clock
    may `halt` (an arbiter elsewhere judges) and start again. All `at` are seconds.
    """

    __slots__ = (
        "_credit",
        "_delays",
        "_excused",
        "_held",
        "_lag",
        "_mover",
        "_read_until",
        "_sides",
        "_stood",
        "_thought",
        "_undoes",
        "deadline",
        "measures",
        "since",
    )

    def __init__(
        self,
        controls: Controls,
        margin: int = MARGIN,
        lag: LagAccount | None = None,
        *,
        undoes: bool = True,
        margins: tuple[int, int] = (0, 0),
    ) -> None:
        """undoes: whether a takeback takes off the time that the moves had added, as
        `GameStarted.undo_clocks`. margins: as in `Conduct`. margin: ms by which a ``movetime`` may
        be exceeded, for a side without one of `margins`."""
        self._undoes = undoes
        self._lag = lag or LagAccount()
        self.measures = self._lag.measures
        """The sides whose round trips the `start` of White and of Black needs."""
        self._sides = (
            side_clock(controls.white, margin, margins[0]),
            side_clock(controls.black, margin, margins[1]),
        )
        self._mover = Side.WHITE
        self.since: float | None = None
        """Since when (s) the mover's clock runs; None: it stands."""
        self._thought = 0.0
        self._credit = 0
        self._excused = 0.0
        self._read_until = -inf  # delays of answers before this moment (s) are not excused again
        self._delays: Spans | None = None  # excused delays of servers since the start
        self._stood: float | None = None
        self._held = 0.0
        self.deadline = inf
        """When (s) the flag of the running clock falls: a move at that moment still counts."""

    @property
    def running(self) -> Side | None:
        """The side whose clock runs."""
        return None if self.since is None else self._mover

    @property
    def had(self) -> tuple[int, int]:
        """ms that the mover may think about this move, and ms that it gets for the network."""
        return self._sides[self._mover].allowed or 0, self._credit

    def has_flag(self, side: Side) -> bool:
        """Whether the side can lose on time."""
        return self._sides[side].allowed is not None

    def allowed(self, side: Side) -> int | None:
        """ms that the side may think about its move before its flag falls; None: it has no flag."""
        return self._sides[side].allowed

    def start(self, side: Side, at: float, trips: RoundTrips = UNMEASURED) -> None:
        """Start the side's clock; it continues where it was halted. The compensation for the
        network is decided now, from the round trips that it `measures`."""
        if side is not self._mover:
            self._turn_to(side)
        self.since = self._read_until = at
        self._delays = None
        if self._stood is not None:
            self._held += max(0.0, at - self._stood)
            self._stood = None
        self._credit = self._lag.offer(side, trips)
        self._set_deadline()

    def halt(self, at: float) -> None:
        """Stop the clock until the same side starts or presses."""
        self._thought = self._seconds(at)
        self.since, self._stood = None, at
        self.deadline = inf

    def excuse(self, at: float, late: float, earlier: float = 0.0) -> None:
        """Do not charge the delay in reporting an illegal move, which was read at `at`, `late` s
        after it had arrived; nor `earlier` s before the clock was started last, when it had arrived
        already. Of several that were read together only the first one's delay counts."""
        self._excused += self._unexcused(at, late) + earlier
        self._read_until = max(self._read_until, at)
        self._set_deadline()

    def excuse_delay(self, begin: float, end: float) -> None:
        """Do not charge the delay by servers from `begin` to `end` (s) while the clock ran: each
        moment counts once. Does nothing if the clock stands."""
        if self.since is None:
            return
        if self._delays is None:
            self._delays = Spans()
        begin = max(begin, self.since)
        self._excused += self._delays.missing(begin, end)
        self._delays.add(begin, end)
        self._set_deadline()

    def press(self, side: Side, at: float, late: float = 0.0, earlier: float = 0.0) -> Pressed:
        """The side has moved: its move was read at `at`, `late` s after its arrival; for `earlier`
        s before the clock was started last it had arrived already. The clock stands until the next
        `start`."""
        if side is not self._mover:
            self._turn_to(side)
        seconds = self._thought
        if self.since is not None and at > self.since:
            seconds += at - self.since
        came = seconds - self._excused - earlier
        if late:
            came -= self._unexcused(at, late)
        # Rounded once, as the deadline is: a move in time never costs more than was left.
        spent = mine = floor(seconds * 1000 + ROUNDING)
        if came != seconds:
            mine = _ms(max(0.0, came))
        held, self._held, self._stood = floor(self._held * 1000), 0.0, at
        lag, stall = min(self._credit, mine), spent - mine
        return Pressed(spent, self._pay(side, mine - lag, lag), lag, stall, held)

    def replay(self, side: Side, spent: int, lag: int, stall: int) -> Pressed:
        """Press with the recorded times, all in ms."""
        self._turn_to(side)
        return Pressed(spent, self._pay(side, spent - lag - stall, lag), lag, stall)

    def take_back(self, moves: tuple[int, int]) -> None:
        """Undo the last moves, so many of White's and of Black's: the time that they added is taken
        off, the time that they used stays used. The mover's time for its present move is dropped,
        because that move will not be made."""
        if self._undoes:
            for side, undone in zip(self._sides, moves, strict=True):
                side.take_back(undone)
        self._rest()
        self._stood, self._held = None, 0.0

    def remember(self, side: Side, thought: int) -> None:
        """The side is to move, and had thought `thought` ms before the clock was halted."""
        self._turn_to(side)
        self._rest()
        self._thought = thought / 1000

    def resume(self, side: Side, at: float, more: int) -> int:
        """Add `more` ms to the time of the side to move, but never enough for its flag to fall
        while the server was down. Returns its whole time for this move, in ms."""
        thought = self.thought(at) + more
        allowed = self._sides[side].allowed
        if allowed is not None:
            thought = max(0, min(thought, allowed - 1))
        self.remember(side, thought)
        return thought

    @property
    def given_back(self) -> int:
        """ms of this move that are not charged, without those for the network."""
        return floor(self._excused * 1000)

    def thought(self, at: float) -> int:
        """ms that the mover has thought about this move, rounded down."""
        return _ms(self.seconds(at))

    def seconds(self, at: float) -> float:
        """Seconds that the mover has thought about this move, not rounded."""
        return max(0.0, self._seconds(at) - self._excused)

    def takes_gifts(self, side: Side) -> bool:
        """Whether the side has a clock on which time is saved from move to move."""
        return self._sides[side].saves

    def give(self, side: Side, gift: int) -> None:
        """Add `gift` ms to the clock of a side that `takes_gifts`."""
        self._sides[side].give(gift)
        self._set_deadline()

    def halves(self, side: Side) -> bool:
        """Whether the side has a clock that can be halved."""
        return self._sides[side].halves

    def halve(self, side: Side, lost: int) -> None:
        """Take `lost` ms and all increments from the clock of a side that has not moved."""
        self._sides[side].halve(lost)
        self._set_deadline()

    def left(self, side: Side, at: float) -> int | None:
        """ms that the side's clock shows at `at`, never less than 0; None: it has no clock."""
        return self._left(side, self.thought(at))

    def told(self, at: float) -> ClockTold:
        """Both clocks at `at` (s), for spectators and for the side that is not to move."""
        white, black = self._sides
        winc, binc = white.increment or None, black.increment or None
        rests = self.since is None and not self._thought
        spent = 0 if rests else self.thought(at)
        if not spent:
            return ClockTold(white.left, black.left, winc, binc)
        return ClockTold(self._left(Side.WHITE, spent), self._left(Side.BLACK, spent), winc, binc)

    def go(self, side: Side, at: float, told: ClockTold | None = None) -> Go:
        """The side's ``go``: its limits, or the clocks exactly as they stand at `at`.

        `told`: both clocks at `at`, if the caller has them already.
        """
        mine = self._sides[side]
        if mine.left is None:
            return mine.limits(self.thought(at) if side is self._mover else 0)
        told = told or self.told(at)
        return Go(told.wtime, told.btime, told.winc, told.binc, mine.moves_to_go)

    def _pay(self, side: Side, thought: int, lag: int) -> int | None:
        """Charge a move: it costs `thought` ms, and `lag` more ms are given back. Returns the time
        (ms) that the clock then shows."""
        mine, other = self._sides[side], self._sides[1 - side]
        mine.pay(thought)
        if other.gains:
            other.gain(thought)
        self._lag.take(side, lag)
        self._rest()
        return mine.left

    def _left(self, side: Side, spent: int) -> int | None:
        mine = self._sides[side]
        if side is not self._mover:
            return mine.waiting(spent)
        return None if mine.left is None else max(0, mine.left - spent)

    def _rest(self) -> None:
        """Stop the clock and clear the time of the move."""
        self.since, self._thought, self._credit, self._excused = None, 0.0, 0, 0.0
        self.deadline = inf

    def _set_deadline(self) -> None:
        """Set the deadline; call this after any change of the clock."""
        since, allowed = self.since, self._sides[self._mover].allowed
        if since is None or allowed is None:
            self.deadline = inf
        else:
            thought = self._thought - self._excused
            self.deadline = since - thought + (allowed + self._credit) / 1000

    def _unexcused(self, at: float, late: float) -> float:
        """The part of the last `late` s before `at` that was not excused yet (s)."""
        return max(0.0, min(late, at - self._read_until))

    def _turn_to(self, side: Side) -> None:
        if side is not self._mover:
            self._mover = side
            self._rest()

    def _seconds(self, at: float) -> float:
        """Seconds since the mover was asked, without the time for which its clock stood."""
        return self._thought + (0.0 if self.since is None else max(0.0, at - self.since))


def _ms(seconds: float) -> int:
    """Whole ms, rounded down."""
    return floor(seconds * 1000 + ROUNDING)
