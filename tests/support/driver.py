"""A game that tests can drive: it keeps the position, the effects, and the table's part."""

from collections.abc import Callable, Iterable
from typing import Any

from tests.support.lobby import lobby_line
from ulci.protocol.messages import FromServer, Info, Lobby
from ulci.rules import Outcome, Reason, Side
from ulci_server.game import (
    Answered,
    Controls,
    Event,
    EventKind,
    Fact,
    Game,
    GameFinished,
    GameStarted,
    Happened,
    LagQuota,
    LagRule,
    MovePlayed,
    Ready,
    Seat,
    Timeouts,
)
from ulci_server.game.adjudication import NONE, Adjudication, Proved
from ulci_server.game.context import Setup
from ulci_server.game.events import Cast, Effect, Judged, Note, Settle, Show, StartClock, Tell, Turn

from .toy import ToyPosition

W, B = Side.WHITE, Side.BLACK
ADA = Seat("Ada", "human")
BOB = Seat("Bob", "engine")
CY = Seat("Cy", "human")
DI = Seat("Di", "human", key="5ec2e7")
"""Whose program speaks of the lobby, and who decides itself what becomes of an absence."""


class Driver:
    """A game with White `ADA` and Black `BOB`, unless told otherwise, begun at second 0."""

    def __init__(
        self,
        control: str = "300+3",
        *,
        position: Callable[[], ToyPosition] = ToyPosition,
        seats: tuple[Seat, Seat] = (ADA, BOB),
        timeouts: Timeouts | None = None,
        setup: Setup = ((), ()),
        rated: bool = False,
        lag: LagRule = LagRule.NONE,
        quota: LagQuota | None = None,
        adjudication: Adjudication = NONE,
        most_plies: int | None = None,
        known: list[Fact] | None = None,
        downtime: int | None = 0,
        thought: int = 0,
        at: float = 0.0,
        conduct: str = "",
        book: str = "",
    ) -> None:
        """With `known` the game goes on from these facts, at second `at`. `book`: the moves with
        which it begins."""
        control = str(Controls.parse(control))
        board = position()
        for move in book.split():
            board.play_untrusted(move)
        self.proved: Proved | None = None
        started = GameStarted(
            *(42, "toy", board.start, control, seats, rated),
            lag=lag.value,
            conduct=conduct,
            opening=(*book.split(),),
        )
        self.game = Game(
            started,
            board,
            timeouts=timeouts,
            setup=setup,
            quota=quota,
            adjudication=adjudication,
            most_plies=most_plies,
            prove=lambda _: self.proved,
        )
        if known is None:
            self.opening = self.game.begin(at)
            return
        steps = [fact for fact in known if isinstance(fact, MovePlayed | Happened)]
        self.opening = self.game.resume(steps, at, downtime, thought)

    @property
    def position(self) -> ToyPosition:
        """On which the game is played."""
        position = self.game.position
        assert isinstance(position, ToyPosition)
        return position

    def happen(self, *events: Event) -> list[Effect]:
        """All effects of these events; a clock is only started by saying so."""
        return unfolded(effect for event in events for effect in self.game.handle(event))

    def play(self, at: float = 0.0) -> list[Effect]:
        """Both are ready, and the mover's clock runs, since `at`."""
        effects = self.happen(Ready(W, at), Ready(B, at))
        self.hand_over(effects, at)
        return effects

    def hand_over(self, effects: list[Effect], at: float) -> None:
        """What the table answers when it has performed the effects at `at`."""
        for effect in effects:
            if isinstance(effect, StartClock):
                self.game.handed_over(at)

    def answer(
        self,
        move: str,
        at: float,
        *,
        claim: Reason | None = None,
        can_win: tuple[bool, bool] = (True, True),
        info: Info | None = None,
        proved: Proved | None = None,
        late: float = 0.0,
    ) -> list[Effect]:
        """The mover's answer to its ``go``. claim, can_win: what the position says after it."""
        self.position.claimable, self.position.winners, self.proved = claim, can_win, proved
        after = self.game.move(Answered(self.position.turn, move, at, info, late))
        return unfolded([after] if isinstance(after, Turn) else after)

    def judged(self, move: str, at: float) -> list[Effect]:
        """What was `Answered` has been judged elsewhere, and been made if it is a move."""
        return self.happen(Judged(at, self.position.play_untrusted(move)))

    def move(self, move: str, at: float, **what: Any) -> list[Effect]:
        """An answer whose successor's clock starts at once."""
        effects = self.answer(move, at, **what)
        self.hand_over(effects, at)
        return effects


def unfolded(effects: Iterable[Effect]) -> list[Effect]:
    """The effects, a `Turn` as all that it stands for."""
    each: list[Effect] = []
    for effect in effects:
        if not isinstance(effect, Turn):
            each.append(effect)
            continue
        if effect.played is not None:
            each += [Note(effect.played), Settle()]
        shown = (effect.position, effect.clocks)
        each += [Tell(effect.side, effect.position), Tell(effect.side, effect.go)]
        each += [Show(effect.side.other, shown), Cast(shown)]
        each.append(StartClock(effect.side, effect.measures))
    return each


def told(effects: list[Effect], side: Side) -> list[FromServer]:
    """What the side reads, as somebody who follows the game."""
    messages: list[FromServer] = []
    for effect in effects:
        if isinstance(effect, Tell) and effect.side is side:
            messages.append(effect.message)
        elif isinstance(effect, Show) and effect.side is side:
            messages += effect.messages
    return messages


def playing(control: str = "300+3", **options: Any) -> Driver:
    """White's clock runs since second 0."""
    driver = Driver(control, **options)
    driver.play()
    return driver


def both_moved(control: str = "300+3", **options: Any) -> Driver:
    """White is to move since second 2, as the third ply."""
    driver = playing(control, **options)
    driver.move("a", 1.0)
    driver.move("b", 2.0)
    return driver


def lobby(text: str) -> Lobby:
    return lobby_line(text)


def facts(effects: list[Effect]) -> list[Fact]:
    return [effect.fact for effect in effects if isinstance(effect, Note)]


def finished(effects: list[Effect]) -> GameFinished | None:
    """How the game ended, if it did."""
    ends = [fact for fact in facts(effects) if isinstance(fact, GameFinished)]
    return ends[0] if ends else None


def ended(winner: Side | None, reason: Reason, detail: str = "") -> GameFinished:
    """An abort is the fault of the sides that its evidence names."""
    named = {side: f"{side.name.title()} (" for side in Side}
    fault = [side for side, name in named.items() if name in detail or "both players" in detail]
    aborted = reason is Reason.ABORTED
    return GameFinished(42, Outcome(winner, reason), detail, frozenset(fault if aborted else ()))


def happened(
    seq: int, ply: int, what: EventKind, side: Side | None = None, amount: int = 0, text: str = ""
) -> Note:
    return Note(Happened(42, seq, ply, what, side, amount, text))
