"""What the hall is told by the configuration, apart from whom it works with."""

from dataclasses import dataclass, field

from ulci_server.game import LagQuota
from ulci_server.game import Patience as GamePatience
from ulci_server.game.adjudication import MOST_PLIES

from .ear import Patience
from .tablebases import Tablebases


@dataclass(frozen=True, slots=True)
class Settings:
    """clients, game: how long who is waited for. claims: whether threefold repetition and fifty
    moves must be claimed in games that begin now. quota: what may be given back of the time that
    the network takes. delay: seconds for which watchers wait for the players' thoughts. tablebases:
    for the pools that use them. most_plies: of any game; then it is a draw. listed: lines of a list
    that are told at once."""

    clients: Patience = field(default_factory=Patience)
    game: GamePatience = field(default_factory=GamePatience)
    claims: bool = False
    quota: LagQuota = field(default_factory=LagQuota)
    delay: float = 10.0
    tablebases: Tablebases | None = None
    most_plies: int = MOST_PLIES
    listed: int = 50
