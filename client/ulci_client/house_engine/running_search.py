"""One ``go`` being searched: messages are read meanwhile, a limit or ``stop`` ends it."""

import random
from collections.abc import Callable, Sequence
from typing import Generic

import trio

from ulci.protocol.messages import NO_MOVE, BestMove, Go, Info, Score

from .board import Board, Move
from .search import Search, Variation
from .search_limits import limits_of, moves_to_mate
from .settings import HouseSettings

# Nodes between checkpoints: about a millisecond, of which a checkpoint takes 1 %.
STRIDE = 32
# Centipawns within which moves count as equal.
VARIETY = 12

Say = Callable[[Info | BestMove], None]


class RunningSearch(Generic[Move]):
    """One ``go``. `run` answers it; the other methods may be called meanwhile."""

    def __init__(self, board: Board[Move], go: Go, settings: HouseSettings, say: Say) -> None:
        """`board` becomes the object's own."""
        self._board = board
        self._limits = limits_of(go, white=board.white_to_move(), settings=settings)
        self._random_moves = settings.random_moves
        # No secret: it only has to differ between games.
        of = f"{settings.seed} {board.name()}" if settings.seed else None
        self._chance = random.Random(of)  # noqa: S311
        self._searchmoves = go.searchmoves
        self._say = say
        self._patient = self._limits.patient or go.ponder
        self._free = trio.Event()
        self._stopped = False
        self._nodes = 0
        self._began = 0.0
        self._until = float("inf")

    def stop(self) -> None:
        """Answer as soon as possible."""
        self._stopped = True
        self._free.set()

    def ponder_hit(self) -> None:
        """The expected move was played: the clock runs from now on."""
        if not self._limits.patient:
            self._until = trio.current_time() + self._limits.seconds
            self._patient = False
            self._free.set()

    async def run(self) -> None:
        """Search and answer: exactly one ``bestmove``, whatever happens."""
        self._began = trio.current_time()
        if not self._patient:
            self._until = self._began + self._limits.seconds
        line = await self._search()
        if self._patient and not self._stopped:
            await self._free.wait()
        self._answer(line)

    async def _search(self) -> Variation[Move] | None:
        """The best variation found; None if there is no legal move."""
        best: Variation[Move] | None = None
        search = Search(self._board, self._liking())
        for line in search.deepen(self._roots(), self._limits.depth):
            if line is not None:
                best = line
                if line.depth:
                    self._say(self._info(line))
                if self._limits.reached(line.score):
                    break
                continue
            self._nodes += 1
            if self._nodes % STRIDE == 0:
                await trio.lowlevel.checkpoint()
            if self._over():
                break
        return best

    def _over(self) -> bool:
        return (
            self._stopped or self._nodes >= self._limits.nodes or trio.current_time() >= self._until
        )

    def _roots(self) -> Sequence[Move]:
        moves = self._board.moves()
        wanted = {self._board.find_untrusted(text) for text in self._searchmoves}
        chosen = [move for move in moves if move in wanted]
        if self._searchmoves and not chosen:
            why = f"error: no legal move among searchmoves {' '.join(self._searchmoves)}"
            self._say(Info(string=f"{why}, so all are searched"))
        roots = chosen or moves
        if roots and self._random_moves and self._chance.random() < self._random_moves:
            return (self._chance.choice(roots),)
        return roots

    def _liking(self) -> dict[Move, int]:
        """Random preferences, the same for the same seed and position."""
        return {move: self._chance.randint(0, VARIETY) for move in self._board.moves()}

    def _answer(self, line: Variation[Move] | None) -> None:
        if line is None:
            # Mated or stalemated: ULCI and UCI spell "no move" as 0000.
            score = Score(mate=0) if self._board.in_check() else Score(cp=0)
            self._say(Info(depth=0, score=score))
            self._say(BestMove(NO_MOVE))
            return
        self._say(self._info(line))
        spelled = [self._board.spell(move) for move in line.moves]
        self._say(BestMove(spelled[0], spelled[1] if len(spelled) > 1 else None))

    def _info(self, line: Variation[Move]) -> Info:
        spent = trio.current_time() - self._began
        mate = moves_to_mate(line.score)
        return Info(
            depth=line.depth,
            score=Score(cp=line.score) if mate is None else Score(mate=mate),
            time=round(spent * 1000),
            nodes=self._nodes,
            nps=round(self._nodes / spent) if spent > 0 else None,
            pv=tuple(self._board.spell(move) for move in line.moves),
        )


class FailedSearch:
    """A ``go`` without a valid position: UCI still wants a ``bestmove``."""

    def __init__(self, why: str, say: Say) -> None:
        self._why = why
        self._say = say

    async def run(self) -> None:
        await trio.lowlevel.checkpoint()
        self._say(Info(string=self._why))
        self._say(BestMove(NO_MOVE))

    def stop(self) -> None:
        """Nothing to stop."""

    def ponder_hit(self) -> None:
        """Nothing to ponder on."""
