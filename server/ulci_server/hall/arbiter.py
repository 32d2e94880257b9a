"""Is a move one of the game? Most rules know at once, a referee when it has answered."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import trio

from ulci.protocol.messages import Info
from ulci.rules.outcome import Side
from ulci.rules.position import Illegal, Legal, Verdict
from ulci.rules.refereed import Fatal, Judge, Lost, RefereedPosition, Ruling
from ulci.rules.words import NO_MOVE
from ulci_server.game import Game
from ulci_server.game.adjudication import is_zeroing
from ulci_server.game.events import Answered, Effect, Moved, ServerFailed

from .tablebases import Tablebases

LONGEST_REASON = 200
"""Characters of a program's own words in the record of how a game ended."""


class Mover(Protocol):
    """What is asked of who sits at a table."""

    suspect: bool
    """Whether referees died of what it played."""


def _nothing(_: Callable[[], list[Effect]]) -> None:
    """There is no game any more."""


class Arbiter:
    """Of one game. seats: who plays. run: takes what a referee's answer leads to, however much
    later."""

    def __init__(
        self,
        game: Game,
        referee: Judge | None,
        tablebases: Tablebases | None,
        seats: Sequence[Mover | None],
        run: Callable[[Callable[[], list[Effect]]], None],
    ) -> None:
        self._game = game
        self._referee = referee
        self._tablebases = tablebases
        self._seats = seats
        self._run = run

    def end(self) -> None:
        """The game is over: what a referee still answers leads to nothing."""
        self._run = _nothing

    def judge_untrusted(
        self, answered: Answered, move: str, info: Info | None, said: str = ""
    ) -> list[Effect]:
        """What the game makes of that move, or of the wait until a referee has judged it. `said`:
        why its program may have none."""
        position = self._game.position
        if isinstance(position, RefereedPosition):
            return self._ask_untrusted(position, _Answer(answered, move, info, said))
        verdict = _explained(position.play_untrusted(move), move, said)
        can_win = (position.can_win(Side.WHITE), position.can_win(Side.BLACK))
        side, at, late = answered.side, answered.at, answered.late
        claim, zeroing, proved = position.claim(), is_zeroing(position), None
        if self._tablebases is not None and isinstance(verdict, Legal):
            proved = self._tablebases.prove(position)
        return self._game.handle(
            Moved(side, move, verdict, at, info, claim, can_win, late, zeroing, proved)
        )

    def _ask_untrusted(self, position: RefereedPosition, answer: "_Answer") -> list[Effect]:
        """The referee, unless it is known without it that the move is none."""
        assert self._referee is not None
        question = position.asks_untrusted(answer.move)
        if isinstance(question, Illegal):
            return self._game.handle(answer.judged(question))
        if (known := self._referee.recall(question)) is not None:
            return self._game.handle(answer.judged(known))
        mover = self._seats[answer.answered.side]
        suspect = mover is not None and mover.suspect
        self._referee.ask(question, partial(self._ruled, position, answer), suspect=suspect)
        return self._game.handle(answer.answered)

    def _ruled(self, position: RefereedPosition, answer: "_Answer", ruling: Ruling) -> None:
        """The referee's answer."""
        if isinstance(ruling, Lost):
            why = f"the referee gives no answer to go on from: {ruling.why}"
            failed = ServerFailed(trio.current_time(), why)
            self._run(lambda: self._game.handle(failed))
            return
        if isinstance(ruling, Fatal) and (mover := self._seats[answer.answered.side]) is not None:
            mover.suspect = True
        self._run(lambda: self._game.handle(answer.judged(position.rule(answer.move, ruling))))


@dataclass(frozen=True, slots=True)
class _Answer:
    """A ``bestmove`` to the side's ``go``, what its program thought of it, and what it said was
    wrong."""

    answered: Answered
    move: str
    info: Info | None
    said: str

    def judged(self, verdict: Verdict) -> Moved:
        """What the game is told."""
        side, at, late = self.answered.side, self.answered.at, self.answered.late
        verdict = _explained(verdict, self.move, self.said)
        return Moved(side, self.move, verdict, at, self.info, late=late)


def _explained(verdict: Verdict, move: str, said: str) -> Verdict:
    """Of who made no move: with why, in the words of its program."""
    if not said or not isinstance(verdict, Illegal) or move.lower() not in NO_MOVE:
        return verdict
    shown = said if len(said) <= LONGEST_REASON else f"{said[: LONGEST_REASON - 1]}…"
    return Illegal(f"{verdict.why}; its program said: {shown}")
