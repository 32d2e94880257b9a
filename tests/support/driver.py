"""A game that tests can drive: it keeps the position, the effects, and the table's part."""

from ulci.protocol.messages import FromServer, Info
from ulci.rules.outcome import Reason, Side
from ulci_server.game import (
    ClockStarted,
    Controls,
    Effect,
    Event,
    Game,
    Moved,
    Patience,
    Ready,
    Seat,
    Show,
    StartClock,
    Tell,
)
from ulci_server.game.scene import Setup

from .toy import ToyPosition

W, B = Side.WHITE, Side.BLACK
ADA = Seat("Ada", "human")
BOB = Seat("Bob", "engine")


class Driver:
    """A game with White `ADA` and Black `BOB`, unless told otherwise, begun at second 0."""

    def __init__(
        self,
        control: str = "300+3",
        *,
        position: ToyPosition | None = None,
        seats: tuple[Seat, Seat] = (ADA, BOB),
        patience: Patience | None = None,
        setup: Setup = ((), ()),
        rated: bool = False,
    ) -> None:
        self.position = position or ToyPosition()
        self.game = Game(
            42,
            self.position,
            "toy",
            Controls.parse(control),
            seats,
            patience=patience,
            setup=setup,
            rated=rated,
        )
        self.opening = self.game.begin(0.0)

    def happen(self, *events: Event) -> list[Effect]:
        """All effects of these events; a clock is only started by saying so."""
        return [effect for event in events for effect in self.game.handle(event)]

    def play(self, at: float = 0.0) -> list[Effect]:
        """Both are ready, and the mover's clock runs, since `at`."""
        effects = self.happen(Ready(W, at), Ready(B, at))
        return effects + self.hand_over(effects, at)

    def hand_over(self, effects: list[Effect], at: float) -> list[Effect]:
        """What the table answers when it has performed the effects at `at`."""
        starts = [effect.side for effect in effects if isinstance(effect, StartClock)]
        return self.happen(*(ClockStarted(side, at) for side in starts))

    def judge(
        self,
        move: str,
        at: float,
        *,
        claim: Reason | None = None,
        can_win: tuple[bool, bool] = (True, True),
        info: Info | None = None,
    ) -> Moved:
        """The mover's move, made on the position: what the referee hands to the game."""
        side = self.position.turn
        verdict = self.position.play_untrusted(move)
        return Moved(side, move, verdict, at, info, claim, can_win)

    def move(
        self,
        move: str,
        at: float,
        *,
        claim: Reason | None = None,
        can_win: tuple[bool, bool] = (True, True),
        info: Info | None = None,
    ) -> list[Effect]:
        """A move whose successor's clock starts at once."""
        judged = self.judge(move, at, claim=claim, can_win=can_win, info=info)
        effects = self.game.handle(judged)
        return effects + self.hand_over(effects, at)


def told(effects: list[Effect], side: Side) -> list[FromServer]:
    """What the side reads, as somebody who follows the game."""
    messages: list[FromServer] = []
    for effect in effects:
        if isinstance(effect, Tell) and effect.side is side:
            messages.append(effect.message)
        elif isinstance(effect, Show) and effect.side is side:
            messages += effect.messages
    return messages
