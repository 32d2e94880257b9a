"""Moves that a referee judges: it is asked at once, and the game gets its ruling later."""

from collections.abc import Callable, Sequence
from functools import partial

import trio

from ulci.rules import Illegal
from ulci.rules.refereed import Fatal, Judge, RefereedPosition, Ruling, Unanswered
from ulci_server.game import Game
from ulci_server.game.events import Answered, Effect, Judged, ServerFailed

from .interfaces import SeatedPlayer


def _ignore(_: Callable[[], list[Effect]]) -> None:
    """The game is over."""


class Arbiter:
    """The arbiter of one game. seats: its players. run: performs the effects of a ruling, whenever
    it comes."""

    def __init__(
        self,
        game: Game,
        referee: Judge,
        seats: Sequence[SeatedPlayer | None],
        run: Callable[[Callable[[], list[Effect]]], None],
    ) -> None:
        assert isinstance(game.position, RefereedPosition)
        self._game = game
        self._position = game.position
        self._referee = referee
        self._seats = seats
        self._run = run

    def end(self) -> None:
        """The game is over: ignore rulings that still come."""
        self._run = _ignore

    def judge_untrusted(self, answered: Answered) -> list[Effect]:
        """The game's effects of that move, or of the wait for the ruling. The referee is not asked
        about moves that are known to be malformed."""
        waits = self._game.handle(answered)
        question = self._position.asks_untrusted(answered.move)
        if isinstance(question, Illegal):
            return [*waits, *self._game.handle(Judged(answered.at, question))]
        if (known := self._referee.recall(question)) is not None:
            return [*waits, *self._game.handle(Judged(answered.at, known))]
        mover = self._seats[answered.side]
        suspect = mover is not None and mover.suspect
        self._referee.ask(question, partial(self._ruled, answered), suspect=suspect)
        return waits

    def _ruled(self, answered: Answered, ruling: Ruling) -> None:
        now = trio.current_time()
        if isinstance(ruling, Unanswered):
            why = f"the referee gave no usable answer: {ruling.why}"
            self._run(lambda: self._game.handle(ServerFailed(now, why)))
            return
        if isinstance(ruling, Fatal) and (mover := self._seats[answered.side]) is not None:
            mover.suspect = True
        judged = partial(self._position.rule, answered.move, ruling)
        self._run(lambda: self._game.handle(Judged(now, judged())))
