"""How does a game stand that only the record knows? Facts in, the game as it was left out.

The same steps as in play are gone again, with the times that the record has. What cannot have been
is a `ContradictionError`: that is how a record is verified, too.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ulci.rules.outcome import Side
from ulci.rules.position import Over

from .adjudication import Played, is_zeroing
from .clock import Clock
from .facts import Happened, MovePlayed, What
from .line import ContradictionError, Line

Step = MovePlayed | Happened


@dataclass(slots=True)
class Rebuilt:
    """A game between two of its steps. `over`: the rules ended it with the last move; `finished`:
    it ended with that step."""

    line: Line
    clock: Clock
    seq: int = 0
    over: Over | None = None
    finished: Happened | None = None
    offer: Side | None = None
    takeback: tuple[Side, int] | None = None
    away: set[Side] = field(default_factory=set)
    have_moved: set[Side] = field(default_factory=set)
    played: list[Played] = field(default_factory=list)
    """Since moves were last taken back."""


def rebuild(line: Line, clock: Clock, steps: Iterable[Step]) -> Rebuilt:
    """`line` and `clock` are new; `steps` is all that happened, by `seq`.

    Raises:
        ContradictionError: the steps cannot have followed each other.
    """
    game = Rebuilt(line, clock)
    known = [*steps]
    for index, step in enumerate(known):
        game.seq += 1
        if step.seq != game.seq:
            raise ContradictionError(f"step {game.seq} is missing: after it comes {step.seq}")
        if game.finished is not None:
            raise ContradictionError(f"step {step.seq}: the game had ended")
        if isinstance(step, MovePlayed):
            _move(game, step, _turn_after(known, index))
        else:
            _STEPS.get(step.what, _nothing)(game, step)
    return game


def _turn_after(steps: list[Step], index: int) -> Side:
    """Who moved next, as far as the record tells; a side after the other if it doesn't."""
    this = steps[index]
    assert isinstance(this, MovePlayed)
    for later in range(index + 1, len(steps)):
        step = steps[later]
        if isinstance(step, MovePlayed):
            return step.side
        if step.what is What.TAKEN_BACK:
            break  # whoever moved it had moved before
        if step.what in OF_THE_MOVER and step.side is not None:
            return step.side
    return this.side.other


OF_THE_MOVER = frozenset({What.AGAIN, What.PAUSED, What.RESUMED})
"""Events whose side is that of the mover."""


def _move(game: Rebuilt, step: MovePlayed, then: Side) -> None:
    where = f"ply {step.ply}, {step.move}"
    if game.over is not None:
        raise ContradictionError(f"{where}: the game was over")
    if step.ply != len(game.line.moves) + 1:
        raise ContradictionError(f"{where}: {len(game.line.moves)} plies were made before it")
    if min(step.spent, step.lag, step.stall) < 0 or step.lag + step.stall > step.spent:
        raise ContradictionError(f"{where}: of {step.spent} ms more was given back than spent")
    verdict = game.line.replay(step.side, step.move, then)
    pressed = game.clock.replay(step.side, step.spent, step.lag, step.stall)
    if pressed.left != step.left:
        raise ContradictionError(
            f"{where}: the clock shows {pressed.left} ms, and {step.left} ms are recorded"
        )
    game.over = verdict if isinstance(verdict, Over) else None
    game.have_moved.add(step.side)
    game.played.append(Played(step.side, step.ply, step.info, is_zeroing(game.line.position)))
    if game.offer is step.side.other:
        game.offer = None
    game.takeback = None


def _nothing(game: Rebuilt, step: Happened) -> None:
    """Told in the record, and of no consequence for how the game stands."""


def _offer(game: Rebuilt, step: Happened) -> None:
    game.offer = step.side


def _no_offer(game: Rebuilt, _: Happened) -> None:
    game.offer = None


def _takeback(game: Rebuilt, step: Happened) -> None:
    assert step.side is not None
    game.takeback = (step.side, step.amount)


def _no_takeback(game: Rebuilt, _: Happened) -> None:
    game.takeback = None


def _taken_back(game: Rebuilt, step: Happened) -> None:
    if not 0 < step.amount <= len(game.line.moves):
        raise ContradictionError(
            f"{step.amount} plies were taken back when {len(game.line.moves)} were made"
        )
    game.line.take_back(step.amount)
    game.clock.forget()
    game.played.clear()
    game.over = game.offer = game.takeback = None


def _time_given(game: Rebuilt, step: Happened) -> None:
    if step.side is None or not game.clock.takes_gifts(step.side):
        raise ContradictionError(f"after ply {step.ply}: there is no clock to give time on")
    game.clock.give(step.side, step.amount)


def _again(game: Rebuilt, step: Happened) -> None:
    if game.line.turn is not step.side:
        raise ContradictionError(
            f"step {step.seq}: {game.line.turn.word} is to move, and not the same side again"
        )


def _paused(game: Rebuilt, step: Happened) -> None:
    game.clock.remember(game.line.turn, step.amount)


def _resumed(game: Rebuilt, step: Happened) -> None:
    """The server's end cut off both."""
    game.clock.remember(game.line.turn, step.amount)
    game.away |= {*Side}


def _away(game: Rebuilt, step: Happened) -> None:
    assert step.side is not None
    game.away.add(step.side)


def _back(game: Rebuilt, step: Happened) -> None:
    assert step.side is not None
    game.away.discard(step.side)


def _finished(game: Rebuilt, step: Happened) -> None:
    game.finished = step


_STEPS: Mapping[What, Callable[[Rebuilt, Any], None]] = {
    What.AWAY: _away,
    What.LEFT: _away,
    What.BACK: _back,
    What.DRAW_OFFERED: _offer,
    What.DRAW_DECLINED: _no_offer,
    What.TAKEBACK_OFFERED: _takeback,
    What.TAKEBACK_DECLINED: _no_takeback,
    What.TAKEN_BACK: _taken_back,
    What.TIME_GIVEN: _time_given,
    What.AGAIN: _again,
    What.PAUSED: _paused,
    What.RESUMED: _resumed,
    What.FINISHED: _finished,
}
