"""Settings of the tables of a hall."""

from dataclasses import dataclass, field

from ulci_server.game import Timeouts
from ulci_server.game.adjudication import MOST_PLIES

from .tablebases import Tablebases


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSettings:
    """game: timeouts. claims: whether threefold repetition and fifty moves must be claimed in new
    games. delay: seconds by which spectators get the players' info later. tablebases: for the
    pools that use them. most_plies: length at which any game is a draw."""

    game: Timeouts = field(default_factory=Timeouts)
    claims: bool = False
    delay: float = 10.0
    tablebases: Tablebases | None = None
    most_plies: int = MOST_PLIES
