"""Settings of the hall."""

from dataclasses import dataclass, field

from ulci_server.game import Timeouts
from ulci_server.game.adjudication import MOST_PLIES
from ulci_server.hall.login.handshake import ClientTimeouts
from ulci_server.hall.table.tablebases import Tablebases


@dataclass(frozen=True, slots=True)
class Settings:
    """clients, game: timeouts. claims: whether threefold repetition and fifty moves must be claimed
    in new games. delay: seconds by which spectators get the players' info later. tablebases: for
    the pools that use them. most_plies: length at which any game is a draw. listed: lines of one
    page of a list; 50 are half a millisecond's work."""

    clients: ClientTimeouts = field(default_factory=ClientTimeouts)
    game: Timeouts = field(default_factory=Timeouts)
    claims: bool = False
    delay: float = 10.0
    tablebases: Tablebases | None = None
    most_plies: int = MOST_PLIES
    listed: int = 50
