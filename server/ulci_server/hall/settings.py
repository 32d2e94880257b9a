"""What the hall is told by the configuration, apart from whom it works with."""

from dataclasses import dataclass, field

from ulci_server.game import LagQuota
from ulci_server.game import Patience as GamePatience

from .ear import Patience
from .tablebases import Tablebases


@dataclass(frozen=True, slots=True)
class Settings:
    """clients, game: how long who is waited for. claims: whether threefold repetition and fifty
    moves must be claimed. quota: what may be given back of the time that the network takes. delay:
    seconds for which watchers wait for the players' thoughts. tablebases: for the pools that use
    them."""

    clients: Patience = field(default_factory=Patience)
    game: GamePatience = field(default_factory=GamePatience)
    claims: bool = False
    quota: LagQuota = field(default_factory=LagQuota)
    delay: float = 10.0
    tablebases: Tablebases | None = None
