"""Checks that the move that an engine expects is legal. Pure.

Some engines guess from an old line in their hash, and crash at their own guess. The board follows
the game, so that a ply costs no more in a long game.
"""

from collections.abc import Sequence

from ulci.protocol.messages import BestMove, Position
from ulci.rules import GAMES, Illegal, StartError
from ulci.rules import Position as Board

CHESS = "chess"

MOST_REPLAYED = 100
"""Plies played at once to catch up with a game, some 5 ms; no guess is legal until then."""


class GuessCheck:
    """Checks guesses in one game at a time. game: its name in the registry."""

    def __init__(self) -> None:
        self.game = CHESS
        self._board: Board | None = None
        self._of: tuple[str, str | None] = ("", None)  # its game and start
        self._played: list[str] = []

    def is_legal(self, position: Position, answer: BestMove) -> bool:
        """Whether `answer.ponder` can follow `answer.move` there. True where the rules are not
        known here."""
        if self.game not in GAMES or answer.ponder is None:
            return True
        board = self._at(position)
        if board is None or isinstance(board.play_untrusted(answer.move), Illegal):
            return False
        try:
            return board.is_legal_untrusted(answer.ponder)
        finally:
            board.take_back(1)

    def _at(self, position: Position) -> Board | None:
        """The board there; None if the rules do not know it, or not yet."""
        moves, of = position.moves, (self.game, position.start)
        if self._board is None or of != self._of or not self._goes_on(moves):
            try:
                self._board = GAMES[self.game].new(position.start, claims=True)
            except StartError:
                self._board = None
                return None
            self._of, self._played = of, []
        begun = len(self._played)
        for move in moves[begun : begun + MOST_REPLAYED]:
            if isinstance(self._board.play_untrusted(move), Illegal):
                return None
            self._played.append(move)
        return self._board if len(self._played) == len(moves) else None

    def _goes_on(self, moves: Sequence[str]) -> bool:
        return [*moves[: len(self._played)]] == self._played
