"""The registry of games, one row each."""

from collections.abc import Mapping
from types import MappingProxyType

from .chess import CHESS, CHESS960, VARIANTS
from .liberty import LIBERTY_CHESS
from .mnk import GOMOKU, MNK, TICTACTOE
from .position import Rules

_ROWS: tuple[Rules, ...] = (CHESS, CHESS960, LIBERTY_CHESS, *VARIANTS, TICTACTOE, MNK, GOMOKU)

GAMES: Mapping[str, Rules] = MappingProxyType({rules.name: rules for rules in _ROWS})
