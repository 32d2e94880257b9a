"""One m,n,k-game: its stones and its end."""

from collections.abc import Sequence

from ulci.rules.outcome import Outcome, Reason, Side
from ulci.rules.position import Illegal, Legal, Over, Verdict
from ulci.rules.text import quoted

from .board import LETTERS, Board


class MnkPosition:
    """A `Position` of an m,n,k-game."""

    __slots__ = ("_board", "_moves", "_outcome", "_start")

    def __init__(self, board: Board, start: str | None) -> None:
        """The position owns `board`; `start` is the same as text."""
        self._board = board
        self._start = start
        self._moves: list[str] = []
        self._outcome = self._judge(board.lines())

    @property
    def start(self) -> str | None:
        return self._start

    @property
    def moves(self) -> Sequence[str]:
        return self._moves

    @property
    def turn(self) -> Side:
        return self._board.turn

    def play_untrusted(self, move: str) -> Verdict:
        if self._outcome is not None:
            return Illegal(f"the game is over ({self._outcome.reason}), no move can be made")
        board = self._board
        square = board.find_untrusted(move)
        if square is None or square in board.stones:
            return Illegal(self._why_not(move))
        spelled = board.name(square)
        board.put(square)
        self._moves.append(spelled)
        self._outcome = self._judge({board.turn.other} if board.line_through(square) else set())
        return Legal(spelled) if self._outcome is None else Over(spelled, self._outcome)

    def is_legal_untrusted(self, move: str) -> bool:
        square = self._board.find_untrusted(move)
        return self._outcome is None and square is not None and square not in self._board.stones

    def take_back(self, plies: int) -> None:
        """There are no more plies than squares."""
        for _ in range(plies):
            square = self._board.find_untrusted(self._moves.pop())
            assert square is not None
            self._board.take_back(square)
            self._outcome = None

    def outcome(self) -> Outcome | None:
        return self._outcome

    def claim(self) -> Reason | None:
        """Nothing can be claimed."""
        return None

    def can_win(self, side: Side) -> bool:
        """Whether a line has room, and enough moves are left."""
        if self._outcome is not None:
            return self._outcome.winner is side
        board = self._board
        left = board.width * board.height - len(board.stones)
        return board.has_room(side, (left + (board.turn is side)) // 2)

    def legal_moves(self) -> list[str]:
        """Empty once the game is over, like what `play_untrusted` accepts."""
        if self._outcome is not None:
            return []
        return [self._board.name(square) for square in self._board.empty()]

    def fen(self) -> str:
        return self._board.write()

    def san(self, move: str) -> str:
        """The name of the square: people write nothing else."""
        square = self._board.find_untrusted(move)
        if square is None or square in self._board.stones:
            raise ValueError(self._why_not(move))
        return self._board.name(square)

    def parse_untrusted(self, text: str) -> str | None:
        square = self._board.find_untrusted(text.strip())
        if self._outcome is not None or square is None or square in self._board.stones:
            return None
        return self._board.name(square)

    def squares(self) -> Sequence[Sequence[str]]:
        board = self._board
        return [
            [_letter(board.stones.get(row * board.width + column)) for column in range(board.width)]
            for row in range(board.height)
        ]

    def checked(self) -> Sequence[tuple[int, int]]:
        """Nobody is ever in check."""
        return []

    def _judge(self, lines: set[Side]) -> Outcome | None:
        """If a start has lines of both sides, the side that moved last has won."""
        for side in (self.turn.other, self.turn):
            if side in lines:
                return Outcome(side, Reason.GAME_RULE)
        return Outcome(None, Reason.GAME_RULE) if self._board.full else None

    def _why_not(self, move: str) -> str:
        board = self._board
        square = board.find_untrusted(move)
        if square is None:
            corner = board.name(board.width - 1)
            return f"{quoted(move)} is not a move, expected an empty square from a1 to {corner}"
        return f"there is a stone ({LETTERS[board.stones[square]]}) on {board.name(square)} already"


def _letter(side: Side | None) -> str:
    return "" if side is None else "X" if side is Side.WHITE else "o"
