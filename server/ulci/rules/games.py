"""The registry of games: each is a row."""

from collections.abc import Mapping
from types import MappingProxyType

from .chess import CHESS, CHESS960
from .liberty import LIBERTY_CHESS
from .position import Rules

_ROWS: tuple[Rules, ...] = (CHESS, CHESS960, LIBERTY_CHESS)

GAMES: Mapping[str, Rules] = MappingProxyType({rules.name: rules for rules in _ROWS})
