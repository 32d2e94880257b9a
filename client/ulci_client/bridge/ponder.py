"""Pondering: what to search on the opponent's time, and `go` at a later moment. ms. Pure."""

from msgspec.structs import replace

from ulci.protocol.messages import BestMove, Go, Position
from ulci.rules import Side

# An engine that is told that it has no time may refuse to search, or divide by it.
LEAST = 1

# What engines send when they have no move: there is nothing to ponder on after it.
NO_MOVES = frozenset({"0000", "(none)", "none", "null"})

# FEN's letters for the side to move.
_LETTERS = {"w": Side.WHITE, "b": Side.BLACK}


def ponder_search(
    position: Position, go: Go, answer: BestMove, ms: int, side: Side | None
) -> tuple[Position, Go] | None:
    """The ponder search after `answer` was found in `ms`; None if there is none."""
    if answer.ponder is None or {answer.move.lower(), answer.ponder.lower()} & NO_MOVES:
        return None
    searched = ponder_go(go, ms, side)
    if searched is None:
        return None
    return Position(position.start, (*position.moves, answer.move, answer.ponder)), searched


def go_after(go: Go, ms: int, side: Side | None) -> Go:
    """This `go`, `ms` later: for an engine that has been restarted.

    `side` is to move; if unknown (None) both clocks are taken to have run, which is safe.
    """
    return replace(
        go,
        wtime=_spend(go.wtime, ms) if side is not Side.BLACK else go.wtime,
        btime=_spend(go.btime, ms) if side is not Side.WHITE else go.btime,
        movetime=_spend(go.movetime, ms),
    )


def ponder_go(go: Go, ms: int, side: Side | None) -> Go | None:
    """The ``go ponder`` after a move that answered `go` in `ms`; None if it had no clocks.

    ``ponderhit`` carries no clocks (UCI), so these hold after it: our own clock is what it will be
    when the opponent moves, with the increment for the move just made.
    """
    if go.wtime is None and go.btime is None:
        return None
    left = go_after(Go(go.wtime, go.btime, go.winc, go.binc), ms, side)
    if side is Side.WHITE:
        left = replace(left, wtime=_add(left.wtime, go.winc))
    elif side is Side.BLACK:
        left = replace(left, btime=_add(left.btime, go.binc))
    # At 1 the time control was reached: the next period is unknown here.
    movestogo = go.movestogo - 1 if go.movestogo is not None and go.movestogo > 1 else None
    return replace(left, movestogo=movestogo, ponder=True)


def to_move(position: Position) -> Side | None:
    """The side to move; None if unknown. White begins unless the second field of the start, as in
    FEN, says otherwise."""
    first: Side | None = Side.WHITE
    if position.start is not None:
        first = next((_LETTERS.get(each) for each in position.start.split()[1:2]), None)
    return first.other if first is not None and len(position.moves) % 2 else first


def has_only_clocks(go: Go) -> bool:
    """Whether only clocks limit the search, as after ``ponderhit``."""
    return go == Go(go.wtime, go.btime, go.winc, go.binc, go.movestogo)


def time_left(go: Go, side: Side | None) -> int | None:
    """The time left to the side to move, the lesser of both if the side is unknown; None if no
    clock ends the search."""
    if go.infinite or go.movetime is not None:
        return None
    clocks = {Side.WHITE: (go.wtime,), Side.BLACK: (go.btime,), None: (go.wtime, go.btime)}[side]
    return min((left for left in clocks if left is not None), default=None)


def _spend(time: int | None, ms: int) -> int | None:
    return None if time is None else max(LEAST, time - ms)


def _add(time: int | None, increment: int | None) -> int | None:
    return None if time is None else time + (increment or 0)
