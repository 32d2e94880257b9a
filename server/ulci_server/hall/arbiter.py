"""Is a move one of the game? Most rules know at once, a referee when it has answered."""

from collections.abc import Callable
from functools import partial

import trio

from ulci.protocol.messages import Info
from ulci.rules.outcome import Side
from ulci.rules.position import Legal
from ulci.rules.refereed import Judge, Lost, RefereedPosition, Ruling
from ulci_server.game import Game
from ulci_server.game.adjudication import is_zeroing
from ulci_server.game.events import Answered, Effect, Moved, ServerFailed

from .tablebases import Tablebases


class Arbiter:
    """Of one game. run: takes what a referee's answer leads to, however much later."""

    def __init__(
        self,
        game: Game,
        referee: Judge | None,
        tablebases: Tablebases | None,
        run: Callable[[Callable[[], list[Effect]]], None],
    ) -> None:
        self._game = game
        self._referee = referee
        self._tablebases = tablebases
        self._run = run

    def judge_untrusted(self, answered: Answered, move: str, info: Info | None) -> list[Effect]:
        """What the game makes of that move, or of the wait until a referee has judged it."""
        position = self._game.position
        if isinstance(position, RefereedPosition):
            assert self._referee is not None
            ruled = partial(self._ruled, position, answered, move, info)
            self._referee.ask(position.asks(move), ruled)
            return self._game.handle(answered)
        verdict = position.play_untrusted(move)
        can_win = (position.can_win(Side.WHITE), position.can_win(Side.BLACK))
        side, at, late = answered.side, answered.at, answered.late
        claim, zeroing, proved = position.claim(), is_zeroing(position), None
        if self._tablebases is not None and isinstance(verdict, Legal):
            proved = self._tablebases.prove(position)
        return self._game.handle(
            Moved(side, move, verdict, at, info, claim, can_win, late, zeroing, proved)
        )

    def _ruled(
        self,
        position: RefereedPosition,
        answered: Answered,
        move: str,
        info: Info | None,
        ruling: Ruling,
    ) -> None:
        """The referee's answer."""
        if isinstance(ruling, Lost):
            why = f"the referee gives no answer to go on from: {ruling.why}"
            failed = ServerFailed(trio.current_time(), why)
            self._run(lambda: self._game.handle(failed))
            return
        side, at, late = answered.side, answered.at, answered.late
        self._run(
            lambda: self._game.handle(
                Moved(side, move, position.rule(move, ruling), at, info, late=late)
            )
        )
