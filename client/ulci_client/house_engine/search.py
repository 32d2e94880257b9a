"""Alpha-beta with a quiescence search of captures.

The search is a generator. It yields None at every node, so that the caller can check clock, node
count and input, and stop by not continuing; and a `Variation` when it finds a better one. It never
waits, reads no clock and uses no randomness.
"""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic

from .board import Board, Move

MAX_DEPTH = 64  # plies; never reached in practice
MATE = 30_000  # the score of a mate on the board; one ply further away is one less
DECISIVE = MATE - 1_000  # from here on a score counts plies to mate
_INFINITE = MATE + 1
# Delta pruning: captures that cannot raise alpha by this margin are skipped.
_MARGIN = 200
# Plies of quiescence search in which checks are fully searched. Bounded: in crazyhouse captures
# with check and drops in between might never end.
_CHECKS = 4


@dataclass(frozen=True, slots=True)
class Variation(Generic[Move]):
    """The best variation so far: score in centipawns from the side to move's view, moves from the
    root. depth 0: a guess."""

    depth: int
    score: int
    moves: tuple[Move, ...]


Found = tuple[int, tuple[Move, ...]]


class Search(Generic[Move]):
    """One search of one board, which is restored only if the search runs to its end."""

    def __init__(self, board: Board[Move], liking: Mapping[Move, int] | None = None) -> None:
        """liking: centipawns added to root moves, for variety."""
        self._board = board
        self._liking = liking or {}
        self._last_check = _CHECKS

    def deepen(
        self, moves: Sequence[Move], depth: int = MAX_DEPTH
    ) -> Generator[Variation[Move] | None, None, None]:
        """Iterative deepening over these root moves, up to `depth` plies. Ends early at a mate that
        no deeper search can change. Yields nothing without moves."""
        roots = list(moves)
        if not roots:
            return
        yield Variation(0, self._board.evaluate(), (roots[0],))
        for plies in range(1, min(depth, MAX_DEPTH) + 1):
            self._last_check = plies + _CHECKS
            best = yield from self._root(roots, plies)
            roots.remove(best.moves[0])
            roots.insert(0, best.moves[0])
            if abs(best.score) >= MATE - plies:
                return

    def _root(
        self, roots: Sequence[Move], depth: int
    ) -> Generator[Variation[Move] | None, None, Variation[Move]]:
        board, best, top = self._board, None, -_INFINITE
        for move in roots:
            liking = self._liking.get(move, 0)
            board.make(move)
            score, line = yield from self._node(depth - 1, 1, -_INFINITE, liking - top)
            board.unmake()
            score = -score
            # Preferences must not delay a mate.
            liked = score if abs(score) >= DECISIVE else score + liking
            if liked > top:
                top = liked
                best = Variation(depth, score, (move, *line))
                yield best
        assert best is not None
        return best

    def _node(
        self, depth: int, ply: int, alpha: int, beta: int
    ) -> Generator[None, None, Found[Move]]:
        """The position's score within alpha and beta, and its variation."""
        board = self._board
        yield None
        if board.drawn():
            return 0, ()
        if depth <= 0 and (ply > self._last_check or not board.in_check()):
            return (yield from self._captures(ply, alpha, beta))
        moves = board.moves()
        if not moves:
            if board.in_check():
                return ply - MATE, ()
            return (MATE - ply if board.won() else 0), ()
        return (yield from self._best(moves, depth, ply, alpha, beta, (-_INFINITE, ())))

    def _captures(self, ply: int, alpha: int, beta: int) -> Generator[None, None, Found[Move]]:
        """Quiescence search: captures are optional, so the static evaluation is a lower bound."""
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
