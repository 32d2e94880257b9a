"""The rows of the registry: standard chess and Chess960."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import overload

import chess

from ulci.rules.position import Needs

from .fen import read_start
from .position import ChessPosition

_LETTERS = frozenset("pnbrqk")


class Chess960Starts(Sequence[str]):
    """All 960 arrangements as Shredder-FEN, each made when asked for; number 518 is the usual."""

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
        return chess.Board.from_chess960_pos(number).fen(shredder=True)


@dataclass(frozen=True, slots=True)
class ChessRules:
    """Standard chess (`chess960` false) or Chess960: the same game but for castling."""

    name: str
    chess960: bool
    starts: Sequence[str | None]
    named: Mapping[str, str] = field(default_factory=dict)

    def new(self, start: str | None = None, *, claims: bool = False) -> ChessPosition:
        """A game from a FEN, or from the usual start.

        A FEN may lack its two counters. What `ChessPosition.start` gives back is its normal form.

        Raises:
            StartError: no such position can come about in this game.
        """
        board = (
            chess.Board(chess960=self.chess960)
            if start is None
            else read_start(start, chess960=self.chess960)
        )
        text = board.fen(shredder=self.chess960)
        usual = not self.chess960 and text == chess.STARTING_FEN
        return ChessPosition(board, None if usual else text, claims=claims)

    def needs(self, start: str | None) -> Needs:  # noqa: ARG002 - every start needs the same
        """The six kinds of men, and in Chess960 an engine that can be told so."""
        options = {"UCI_Chess960": "true"} if self.chess960 else {}
        return Needs(pieces=_LETTERS, options=options)


CHESS = ChessRules("chess", chess960=False, starts=(None,))
CHESS960 = ChessRules("chess960", chess960=True, starts=Chess960Starts())
