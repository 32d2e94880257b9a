"""The registry of games, one row each."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from .chess import CHESS, CHESS960, VARIANTS
from .liberty import LIBERTY_CHESS
from .mnk import GOMOKU, MNK, TICTACTOE
from .position import Rules


@dataclass(frozen=True, slots=True)
class GameRow:
    """title: the game's name in English. stones: whether X and O put stones; otherwise White and
    Black move pieces."""

    rules: Rules
    title: str
    stones: bool = False

    @property
    def typed(self) -> str:
        """Moves as people type them: the name of a square, or algebraic notation."""
        return "b2" if self.stones else "Nf3 or e2e4"


_ROWS = (
    GameRow(CHESS, "Chess"),
    GameRow(CHESS960, "Chess960"),
    GameRow(LIBERTY_CHESS, "Liberty Chess"),
    # python-chess's names, which it also writes into PGN's tag Variant.
    *(GameRow(rules, rules.board.aliases[0]) for rules in VARIANTS),
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
