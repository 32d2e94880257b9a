"""The rows of the registry: tic-tac-toe, gomoku, and boards of every size."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ulci.rules.position import Needs, Size, StartError

from .board import Board, read_start
from .position import MnkPosition

_TICTACTOE = Board()


@dataclass(frozen=True, slots=True)
class MnkRules:
    """A game on a board of `width` x `height` with lines of `length`, or with `any_board` on the
    start's."""

    name: str
    width: int
    height: int
    length: int
    any_board: bool = False
    named: Mapping[str, str] = field(default_factory=dict)

    @property
    def starts(self) -> Sequence[str | None]:
        """The empty board."""
        return (self._normal(self._usual()),)

    def new(self, start: str | None = None, *, claims: bool = False) -> MnkPosition:  # noqa: ARG002 - nothing is to be claimed
        """A game from a start, or from the empty board.

        `MnkPosition.start` is None for tic-tac-toe's empty board only: a client that receives
        ``position startpos`` need not know which of these games is played.

        Raises:
            StartError: it cannot be read, or has another board than this game.
        """
        board = self._usual() if start is None else read_start(start)
        if not self.any_board and _measures(board) != (self.width, self.height, self.length):
            raise StartError(
                f"the board is {board.width}x{board.height} with lines of {board.length}, expected"
                f" {self.width}x{self.height} with lines of {self.length} in {self.name}"
            )
        return MnkPosition(board, self._normal(board))

    def to_play(self, start: str) -> MnkPosition:
        """As `new`: engines can play every valid start."""
        return self.new(start)

    def size(self, start: str | None) -> Size:
        board = self._usual() if start is None else read_start(start)
        return Size(board.width * board.height)

    def needs(self, start: str | None) -> Needs:  # noqa: ARG002 - every start needs the same
        """A client that offers the game as a variant; a UTI client has it by its protocol."""
        return Needs(options={"UCI_Variant": self.name})

    def _usual(self) -> Board:
        return Board(self.width, self.height, self.length)

    def _normal(self, board: Board) -> str | None:
        return None if board == self._usual() == _TICTACTOE else board.write()


def _measures(board: Board) -> tuple[int, int, int]:
    return board.width, board.height, board.length


TICTACTOE = MnkRules("tictactoe", 3, 3, 3)
GOMOKU = MnkRules("gomoku", 15, 15, 5)
MNK = MnkRules("mnk", 5, 5, 4, any_board=True)  # unless the start differs
