"""What to ponder on, who is to move, and what a `go` would say at another moment. Pure; times in
ms."""

from dataclasses import replace

from ulci.protocol.messages import BestMove, Go, Position
from ulci.rules.outcome import Side

# An engine that is told it has no time at all may refuse to think or divide by it.
LEAST = 1

# What engines send when they have no move, so that there is nothing to expect after it.
NO_MOVES = frozenset({"0000", "(none)", "none", "null"})

# How FEN spells who is to move.
_LETTERS = {"w": Side.WHITE, "b": Side.BLACK}


def expected(
    position: Position, go: Go, answer: BestMove, ms: int, side: Side | None
) -> tuple[Position, Go] | None:
    """What to search while the opponent thinks, after `answer` was found in `ms`; None: nothing."""
    if answer.ponder is None or {answer.move.lower(), answer.ponder.lower()} & NO_MOVES:
        return None
    ponder_go = while_pondering(go, ms, side)
    if ponder_go is None:
        return None
    return Position(position.start, (*position.moves, answer.move, answer.ponder)), ponder_go


def after_waiting(go: Go, ms: int, side: Side | None) -> Go:
    """The same question, asked `ms` later: for an engine that has to be asked again.

    `side` is who is to move; where nobody told us (None) both clocks are taken to have run, which
    errs on the safe side.
    """
    return replace(
        go,
        wtime=_spend(go.wtime, ms) if side is not Side.BLACK else go.wtime,
        btime=_spend(go.btime, ms) if side is not Side.WHITE else go.btime,
        movetime=_spend(go.movetime, ms),
    )


def while_pondering(go: Go, ms: int, side: Side | None) -> Go | None:
    """The ``go ponder`` after a move that answered `go` in `ms`; None if it had no clocks.

    ``ponderhit`` brings no clocks (UCI), so these are the ones that count if it comes: one's own is
    what it will be when the opponent moves, with the increment for the move just made.
    """
    if go.wtime is None and go.btime is None:
        return None
    left = after_waiting(Go(go.wtime, go.btime, go.winc, go.binc), ms, side)
    if side is Side.WHITE:
        left = replace(left, wtime=_add(left.wtime, go.winc))
    elif side is Side.BLACK:
        left = replace(left, btime=_add(left.btime, go.binc))
    # The move before the control was the last one: what the next session brings is not known here.
    movestogo = go.movestogo - 1 if go.movestogo is not None and go.movestogo > 1 else None
    return replace(left, movestogo=movestogo, ponder=True)


def to_move(position: Position) -> Side | None:
    """Who is to move; None if that cannot be told. White begins, unless the second field of the
    start says otherwise, as it does in FEN."""
    first: Side | None = Side.WHITE
    if position.start is not None:
        first = next((_LETTERS.get(each) for each in position.start.split()[1:2]), None)
    return first.other if first is not None and len(position.moves) % 2 else first


def is_only_clocks(go: Go) -> bool:
    """Whether nothing but clocks limits the search, so that ``ponderhit`` can say the same."""
    return go == Go(go.wtime, go.btime, go.winc, go.binc, go.movestogo)


def left_of(go: Go, side: Side | None) -> int | None:
    """What is on the clock of who is to move, of both the less where nobody told us the side; None
    if it is not a clock that ends the search."""
    if go.infinite or go.movetime is not None:
        return None
    clocks = {Side.WHITE: (go.wtime,), Side.BLACK: (go.btime,), None: (go.wtime, go.btime)}[side]
    return min((left for left in clocks if left is not None), default=None)


def _spend(time: int | None, ms: int) -> int | None:
    return None if time is None else max(LEAST, time - ms)


def _add(time: int | None, increment: int | None) -> int | None:
    return None if time is None else time + (increment or 0)
