"""The registry of games, one row each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from .chess import CHESS, CHESS960, VARIANTS
from .liberty import LIBERTY_CHESS
from .mnk import GOMOKU, MNK, TICTACTOE
from .position import Rules


@dataclass(frozen=True, slots=True)
class GameRow:
    """title: the game's name in English. stones: whether X and O put stones; otherwise White and
    Black move pieces. values: of the pieces in pawns, by lower-case letter; empty where it does not
    say who is ahead."""

    rules: Rules
    title: str
    stones: bool = False
    values: Mapping[str, int] = field(default_factory=dict)

    @property
    def typed(self) -> str:
        """Moves as people type them: the name of a square, or algebraic notation."""
        return "b2" if self.stones else "Nf3 or e2e4"


_CHESS_VALUES: Mapping[str, int] = MappingProxyType({"p": 1, "n": 3, "b": 3, "r": 5, "q": 9})
_LIBERTY_VALUES: Mapping[str, int] = MappingProxyType(
    dict(_CHESS_VALUES, m=12, c=8, a=8, u=5, i=5, h=4, e=4, x=3, z=3, l=2, w=1)
)
_WITH_VALUES = frozenset({"atomic", "kingofthehill", "racingkings", "3check"})
"""Variants in which more pieces are better, and stay taken."""

_ROWS = (
    GameRow(CHESS, "Chess", values=_CHESS_VALUES),
    GameRow(CHESS960, "Chess960", values=_CHESS_VALUES),
    GameRow(LIBERTY_CHESS, "Liberty Chess", values=_LIBERTY_VALUES),
    # python-chess's names, which it also writes into PGN's tag Variant.
    *(
        GameRow(
            rules,
            rules.board.aliases[0],
            values=_CHESS_VALUES if rules.name in _WITH_VALUES else {},
        )
        for rules in VARIANTS
    ),
    GameRow(TICTACTOE, "Tic-tac-toe", stones=True),
    GameRow(MNK, "m,n,k", stones=True),
    GameRow(GOMOKU, "Gomoku", stones=True),
)

GAME_TABLE: Mapping[str, GameRow] = MappingProxyType({row.rules.name: row for row in _ROWS})
"""All that is known of the games, by their words in the protocol."""

GAMES: Mapping[str, Rules] = MappingProxyType({name: row.rules for name, row in GAME_TABLE.items()})
"""Their rules."""


def game_title(name: str) -> str:
    """The game's name in English; that of a referee's game is its word."""
    row = GAME_TABLE.get(name)
    return name if row is None else row.title
