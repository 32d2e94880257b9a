"""Who was asked, and what is on offer? The game between two events, and how it asks."""

from ulci.protocol.messages import Stop
from ulci.rules.outcome import Reason, Side

from . import telling
from .clock import Clock
from .events import Announce, Cast, Settle, Show, StartClock, Tell
from .scene import Scene, Step


class Play:
    """What every event of a game that is being played may need.

    offer: who has a draw on offer. takeback: who offers to take back how many plies. claim: the
    draw that the rules would let be claimed. can_win: whether White and Black could, should a flag
    fall. have_moved: who has made a move. cut_off: who has not come back since the server did, and
    for how many ms the server was away. standing: whether the mover's clock waits for it.
    """

    def __init__(self, scene: Scene, clock: Clock) -> None:
        self.scene = scene
        self.clock = clock
        self.offer: Side | None = None
        self.takeback: tuple[Side, int] | None = None
        self.claim: Reason | None = None
        self.can_win = (True, True)
        self.have_moved: set[Side] = set()
        self.cut_off: dict[Side, int] = {}
        self.standing = False
        self._owed = False
        self._starting = 0
        self._look()

    @property
    def mover(self) -> Side:
        return self.scene.mover

    @property
    def begun(self) -> bool:
        """Whether both have moved: until then nobody loses by leaving."""
        return len(self.have_moved) == len(Side)

    @property
    def asked(self) -> Side | None:
        """Who is sent ``go``, as soon as the record allows, on a line that still stands."""
        return self.mover if self._owed and self.scene.presence.here(self.mover) else None

    @property
    def searching(self) -> Side | None:
        """Who was sent ``go`` and has not answered it. What it says before it is asked answers
        something else: what was asked before moves were taken back."""
        return None if self._starting else self.asked

    def ask(self, at: float) -> list[Step]:
        """Ask whoever the rules say is to move; the clock starts when that was handed over."""
        mover = self.scene.line.ask()
        self.standing = False
        position, clocks = self.scene.told(), self.clock.told(at)
        return [
            Tell(mover, position),
            Tell(mover, self.clock.go(mover, at, clocks)),
            Show(mover.other, (position, clocks)),
            Cast((position, clocks)),
            self._start_clock(),
        ]

    def ask_again(self, at: float) -> list[Step]:
        """The same question once more, with the time that is left."""
        return [
            Tell(self.mover, self.scene.told()),
            Tell(self.mover, self.clock.go(self.mover, at)),
            self._start_clock(),
        ]

    def _start_clock(self) -> StartClock:
        self._owed = True
        self._starting += 1
        return StartClock(self.mover, self.clock.measures(self.mover))

    def handed_over(self) -> bool:
        """A `StartClock` was performed; whether it was that of the last question."""
        self._starting = max(0, self._starting - 1)
        return not self._starting and self._owed

    def unasked(self) -> None:
        """Nothing is owed any more: it was answered, or the line that was asked is gone."""
        self._owed = False

    def take_back(self, plies: int, at: float) -> list[Step]:
        """`plies` moves are gone. What the mover has thought meanwhile costs nobody anything; what
        was paid for the moves stays paid."""
        # Also to who is away: the question may still be on its way, and reach a line that is new.
        stop: list[Step] = [Tell(self.mover, Stop())] if self._owed else []
        self.clock.forget()
        self.scene.line.take_back(plies)
        self.scene.adjudicator.take_back()
        self.offer = self.takeback = None
        self._look()
        done = telling.taken_back(self.scene.id, plies, self.scene.ply)
        return [*stop, Settle(), Announce(done), *self.ask(at)]

    def _look(self) -> None:
        """What the rules say of the position as it stands."""
        position = self.scene.line.position
        self.claim = position.claim()
        self.can_win = (position.can_win(Side.WHITE), position.can_win(Side.BLACK))
