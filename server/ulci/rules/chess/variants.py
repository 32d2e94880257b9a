"""The rows of the registry: standard chess, Chess960 and the variants of UCI_Variant."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from typing import overload

import chess
import chess.variant

from ulci.rules.position import Needs, Size, StartError

from . import variant_fen
from .fen import read_start
from .position import ChessPosition
from .variant_position import VariantPosition

_LETTERS = frozenset("pnbrqk")
_CHESS_NEEDS = Needs(pieces=_LETTERS, variant="chess")
_CHESS960_NEEDS = Needs(pieces=_LETTERS, options={"UCI_Chess960": "true"}, variant="chess")
_SIZE = Size(len(chess.SQUARES), 1)


class Chess960Starts(Sequence[str]):
    """All 960 arrangements as Shredder-FEN, each created on demand; number 518 is the usual."""

    def __len__(self) -> int:
        return 960

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...

    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        number = range(960)[index]
        if isinstance(number, range):
            return [self[one] for one in number]
        return _chess960(number)


_KNIGHTS = tuple(combinations(range(5), 2))
"""Where both stand among the five squares that bishops and queen leave, by their number."""


@cache
def _chess960(number: int) -> str:
    """The start of this number (Scharnagl's), as Shredder-FEN. A server makes all of them when it
    starts, and python-chess takes thirteen times as long."""
    number, light = divmod(number, 4)
    number, dark = divmod(number, 4)
    knights, queen = divmod(number, 6)
    rank = [""] * 8
    rank[2 * light + 1] = rank[2 * dark] = "b"
    free = [file for file in range(8) if not rank[file]]
    rank[free.pop(queen)] = "q"
    for place in _KNIGHTS[knights]:
        rank[free[place]] = "n"
    for file, man in zip((file for file in range(8) if not rank[file]), "rkr", strict=True):
        rank[file] = man
    men = "".join(rank)
    rooks = "".join(chess.FILE_NAMES[file] for file in (men.rindex("r"), men.index("r")))
    return f"{men}/pppppppp/8/8/8/8/PPPPPPPP/{men.upper()} w {rooks.upper()}{rooks} - 0 1"


@dataclass(frozen=True, slots=True)
class ChessRules:
    """Standard chess (`chess960` false) or Chess960: the same game except for castling."""

    name: str
    chess960: bool
    starts: Sequence[str | None]
    named: Mapping[str, str] = field(default_factory=dict)

    def new(self, start: str | None = None, *, claims: bool = False) -> ChessPosition:
        """A game from a FEN, or from the usual start.

        A FEN may lack its two counters. `ChessPosition.start` is its normal form.

        Raises:
            StartError: the position is impossible in this game.
        """
        if start is None and not self.chess960:
            return ChessPosition(chess.Board(), None, claims=claims)
        board = (
            chess.Board(chess960=True)
            if start is None
            else read_start(start, chess960=self.chess960)
        )
        text = board.fen(shredder=self.chess960)
        usual = not self.chess960 and text == chess.STARTING_FEN
        return ChessPosition(board, None if usual else text, claims=claims)

    def to_play(self, start: str) -> ChessPosition:
        """As `new`: engines can play every valid start."""
        return self.new(start)

    def size(self, start: str | None) -> Size:  # noqa: ARG002 - every start has the same
        return _SIZE

    def needs(self, start: str | None) -> Needs:  # noqa: ARG002 - every start needs the same
        """The six kinds of men, and in Chess960 the option for it."""
        return _CHESS960_NEEDS if self.chess960 else _CHESS_NEEDS


CHESS = ChessRules("chess", chess960=False, starts=(None,))
CHESS960 = ChessRules("chess960", chess960=True, starts=Chess960Starts())


@dataclass(frozen=True, slots=True)
class VariantRules:
    """A variant with a board of python-chess; its name is the value of ``UCI_Variant``."""

    board: type[chess.Board]
    starts: Sequence[str | None] = (None,)
    named: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        assert self.board.uci_variant is not None
        return self.board.uci_variant

    def new(self, start: str | None = None, *, claims: bool = False) -> VariantPosition:
        """A game from a FEN of the variant, or from its usual start.

        Raises:
            StartError: the position cannot be played in this variant.
        """
        board = self.board() if start is None else variant_fen.read_start(start, self.board)
        return self._at(board, claims=claims)

    def to_play(self, start: str) -> VariantPosition:
        """As `new`, but a side may not have more promoted men than pawns can become: engines have
        no room for so many moves. Raises `StartError`."""
        board = variant_fen.read_start(start, self.board)
        if fault := variant_fen.promotion_fault(board):
            raise StartError(f"{fault}, {variant_fen.example(self.board)}")
        return self._at(board)

    def _at(self, board: chess.Board, *, claims: bool = False) -> VariantPosition:
        text = board.fen()
        usual = text == self.board().fen()
        return VariantPosition(board, None if usual else text, claims=claims)

    def size(self, start: str | None) -> Size:  # noqa: ARG002 - every start has the same
        return _SIZE

    def needs(self, start: str | None) -> Needs:  # noqa: ARG002 - every start needs the same
        """The six kinds of men, and the option for the variant."""
        return Needs(pieces=_LETTERS, options={"UCI_Variant": self.name})


VARIANTS = tuple(
    VariantRules(board)
    for board in (
        chess.variant.AntichessBoard,
        chess.variant.AtomicBoard,
        chess.variant.CrazyhouseBoard,
        chess.variant.GiveawayBoard,
        chess.variant.HordeBoard,
        chess.variant.KingOfTheHillBoard,
        chess.variant.RacingKingsBoard,
        chess.variant.SuicideBoard,
        chess.variant.ThreeCheckBoard,
    )
)
