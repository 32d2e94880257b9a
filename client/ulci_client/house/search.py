"""Which move looks best? Alpha-beta, and behind the last ply the captures until it is quiet.

The search is a generator. It yields None at every node, so that whoever runs it can look at the
clock, the node count or the mail, and stop by asking no more; and a `Line` when it knows better.
Nothing in it waits, asks what time it is, or tosses a coin.
"""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic

from .board import Board, Move

MAX_DEPTH = 64  # plies; beyond any that this search reaches in a lifetime
MATE = 30_000  # the score of a mate on the board; one ply further away is one less
DECISIVE = MATE - 1_000  # from here on a score counts plies to mate
_INFINITE = MATE + 1
# A capture that would not even then reach what is already assured is not looked at.
_MARGIN = 200
# Plies behind the last one in which a check is looked at in full. Where men come back to the board,
# as in crazyhouse, captures with check and men dropped in between need have no end.
_CHECKS = 4


@dataclass(frozen=True, slots=True)
class Line(Generic[Move]):
    """The best that is known: `score` in centipawns as the side to move sees it, `moves` from the
    position that was asked about. `depth` 0 is a guess."""

    depth: int
    score: int
    moves: tuple[Move, ...]


Found = tuple[int, tuple[Move, ...]]


class Search(Generic[Move]):
    """One search of one board, which it leaves as it was only if it is run to its end."""

    def __init__(self, board: Board[Move], liking: Mapping[Move, int] | None = None) -> None:
        """`liking`: centipawns by which a move at the root is preferred; gives games variety."""
        self._board = board
        self._liking = liking or {}
        self._last_check = _CHECKS

    def deepen(
        self, moves: Sequence[Move], depth: int = MAX_DEPTH
    ) -> Generator[Line[Move] | None, None, None]:
        """Look one ply deeper again and again, at these of the legal moves, up to `depth` plies.
        Ends early when a mate is found that no deeper look can change. No moves, no line."""
        roots = list(moves)
        if not roots:
            return
        yield Line(0, self._board.evaluate(), (roots[0],))
        for plies in range(1, min(depth, MAX_DEPTH) + 1):
            self._last_check = plies + _CHECKS
            best = yield from self._root(roots, plies)
            roots.remove(best.moves[0])
            roots.insert(0, best.moves[0])
            if abs(best.score) >= MATE - plies:
                return

    def _root(
        self, roots: Sequence[Move], depth: int
    ) -> Generator[Line[Move] | None, None, Line[Move]]:
        board, best, top = self._board, None, -_INFINITE
        for move in roots:
            liking = self._liking.get(move, 0)
            board.make(move)
            score, line = yield from self._node(depth - 1, 1, -_INFINITE, liking - top)
            board.unmake()
            score = -score
            # A quicker mate is always liked better, or it might be put off for ever.
            liked = score if abs(score) >= DECISIVE else score + liking
            if liked > top:
                top = liked
                best = Line(depth, score, (move, *line))
                yield best
        assert best is not None
        return best

    def _node(
        self, depth: int, ply: int, alpha: int, beta: int
    ) -> Generator[None, None, Found[Move]]:
        """The score of the board's position and the line to it, within alpha and beta."""
        board = self._board
        yield None
        if board.drawn():
            return 0, ()
        if depth <= 0 and (ply > self._last_check or not board.in_check()):
            return (yield from self._captures(ply, alpha, beta))
        moves = board.moves()
        if not moves:
            return (ply - MATE if board.in_check() else 0), ()
        return (yield from self._best(moves, depth, ply, alpha, beta, (-_INFINITE, ())))

    def _captures(self, ply: int, alpha: int, beta: int) -> Generator[None, None, Found[Move]]:
        """Nobody has to capture, so the score is at least what the position looks like."""
        board = self._board
        standing = board.evaluate()
        if standing >= beta:
            return standing, ()
        needed = alpha - standing - _MARGIN
        moves = [move for move in board.captures() if board.gain(move) > needed]
        return (yield from self._best(moves, 0, ply, alpha, beta, (standing, ())))

    def _best(
        self,
        moves: Sequence[Move],
        depth: int,
        ply: int,
        alpha: int,
        beta: int,
        best: Found[Move],
    ) -> Generator[None, None, Found[Move]]:
        board = self._board
        for move in moves:
            board.make(move)
            floor = max(alpha, best[0])
            score, line = yield from self._node(depth - 1, ply + 1, -beta, -floor)
            board.unmake()
            if -score > best[0]:
                best = -score, (move, *line)
                if best[0] >= beta:
                    break
        return best
