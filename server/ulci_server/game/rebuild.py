"""Rebuilds a game from its recorded facts.

It replays every step with its recorded times. An impossible step raises `ContradictionError`; the
verification of records uses that, too.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ulci.rules import Over, Side

from .adjudication import Played, is_zeroing
from .clock import Clock
from .facts import EventKind, Happened, MovePlayed
from .move_list import ContradictionError, MoveList

RecordedStep = MovePlayed | Happened


@dataclass(slots=True)
class Rebuilt:
    """A game between two of its steps. over: the verdict, if the last move ended the game by the
    rules. finished: the step that ended the game."""

    move_list: MoveList
    clock: Clock
    seq: int = 0
    over: Over | None = None
    finished: Happened | None = None
    offer: Side | None = None
    takeback: tuple[Side, int] | None = None
    away: set[Side] = field(default_factory=set)
    disconnections: list[int] = field(default_factory=lambda: [0, 0])
    """The disconnections of White and of Black, without those that a server caused."""
    late: set[Side] = field(default_factory=set)
    """The sides that were absent before the first move and have not come yet."""
    keys: dict[Side, str] = field(default_factory=dict)
    """The new keys of players who came back, as in `EventKind.BACK`."""
    have_moved: set[Side] = field(default_factory=set)
    berserk: set[Side] = field(default_factory=set)
    played: list[Played] = field(default_factory=list)
    """The moves since the last takeback."""


def rebuild(move_list: MoveList, clock: Clock, steps: Iterable[RecordedStep]) -> Rebuilt:
    """`move_list` and `clock` are new; `steps` are all steps of the game, by `seq`.

    Raises:
        ContradictionError: the steps are no possible sequence.
    """
    game = Rebuilt(move_list, clock)
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


def _turn_after(steps: list[RecordedStep], index: int) -> Side:
    """The side that moved next if the record tells; otherwise the other side."""
    this = steps[index]
    assert isinstance(this, MovePlayed)
    for later in range(index + 1, len(steps)):
        step = steps[later]
        if isinstance(step, MovePlayed):
            return step.side
        if step.what is EventKind.TAKEN_BACK:
            break  # this move was taken back: later movers do not tell
        if step.what in OF_THE_MOVER and step.side is not None:
            return step.side
    return this.side.other


OF_THE_MOVER = frozenset({EventKind.AGAIN, EventKind.PAUSED, EventKind.RESUMED})
"""Events whose side is the mover."""


def _move(game: Rebuilt, step: MovePlayed, then: Side) -> None:
    where = f"ply {step.ply}, {step.move}"
    if game.over is not None:
        raise ContradictionError(f"{where}: the game was over")
    if step.ply != len(game.move_list.moves) + 1:
        raise ContradictionError(f"{where}: {len(game.move_list.moves)} plies were made before it")
    if min(step.spent, step.lag, step.stall) < 0 or step.lag + step.stall > step.spent:
        raise ContradictionError(f"{where}: of {step.spent} ms more was given back than spent")
    verdict = game.move_list.replay(step.side, step.move, then)
    pressed = game.clock.replay(step.side, step.spent, step.lag, step.stall)
    if pressed.left != step.left:
        raise ContradictionError(
            f"{where}: the clock shows {pressed.left} ms, and {step.left} ms are recorded"
        )
    game.over = verdict if isinstance(verdict, Over) else None
    game.have_moved.add(step.side)
    game.played.append(Played(step.side, step.ply, step.info, is_zeroing(game.move_list.position)))
    if game.offer is step.side.other:
        game.offer = None
    game.takeback = None


def _nothing(game: Rebuilt, step: Happened) -> None:
    """A step that changes nothing about the state of the game."""


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
    made = game.move_list.played
    if not 0 < step.amount <= made:
        raise ContradictionError(f"{step.amount} plies were taken back when {made} were made")
    game.clock.take_back(game.move_list.movers_of_last(step.amount))
    game.move_list.take_back(step.amount)
    game.played.clear()
    game.over = game.offer = game.takeback = None


def _time_given(game: Rebuilt, step: Happened) -> None:
    if step.side is None or not game.clock.takes_gifts(step.side):
        raise ContradictionError(f"after ply {step.ply}: there is no clock to give time on")
    game.clock.give(step.side, step.amount)


def _berserk(game: Rebuilt, step: Happened) -> None:
    side = step.side
    where = f"after ply {step.ply}"
    if side is None or not game.clock.halves(side):
        raise ContradictionError(f"{where}: there is no clock to halve")
    if side in game.have_moved or side in game.berserk:
        raise ContradictionError(f"{where}: {side.word} had moved or halved its clock before")
    game.berserk.add(side)
    game.clock.halve(side, step.amount)


def _again(game: Rebuilt, step: Happened) -> None:
    if game.move_list.turn is not step.side:
        raise ContradictionError(
            f"step {step.seq}: {game.move_list.turn.word} is to move, and not the same side again"
        )


def _paused(game: Rebuilt, step: Happened) -> None:
    game.clock.remember(game.move_list.turn, step.amount)


def _resumed(game: Rebuilt, step: Happened) -> None:
    """Replay a restart, which disconnected both players."""
    game.clock.remember(game.move_list.turn, step.amount)
    game.away |= {*Side}


def _away(game: Rebuilt, step: Happened) -> None:
    assert step.side is not None
    game.away.add(step.side)
    if step.what is not EventKind.AWAY:
        return
    if not game.move_list.played:
        game.late.add(step.side)
    if not step.text:
        game.disconnections[step.side] += 1
    elif step.side is game.move_list.turn:
        game.clock.remember(step.side, step.amount)


def _back(game: Rebuilt, step: Happened) -> None:
    assert step.side is not None
    game.away.discard(step.side)
    game.late.discard(step.side)
    if step.text:
        game.keys[step.side] = step.text


def _finished(game: Rebuilt, step: Happened) -> None:
    game.finished = step


_STEPS: Mapping[EventKind, Callable[[Rebuilt, Any], None]] = {
    EventKind.AWAY: _away,
    EventKind.LEFT: _away,
    EventKind.BACK: _back,
    EventKind.DRAW_OFFERED: _offer,
    EventKind.DRAW_DECLINED: _no_offer,
    EventKind.TAKEBACK_OFFERED: _takeback,
    EventKind.TAKEBACK_DECLINED: _no_takeback,
    EventKind.TAKEN_BACK: _taken_back,
    EventKind.TIME_GIVEN: _time_given,
    EventKind.BERSERK: _berserk,
    EventKind.AGAIN: _again,
    EventKind.PAUSED: _paused,
    EventKind.RESUMED: _resumed,
    EventKind.FINISHED: _finished,
}
