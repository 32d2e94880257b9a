"""What all players of a bot share."""

from collections.abc import Callable, Sequence
from datetime import datetime

from ulci_client.bot.acceptance import AcceptanceRules
from ulci_client.bot.decline_queue import LineLimit
from ulci_client.bot.engines import EngineLine
from ulci_client.bot.ledger import Ledger
from ulci_client.bot.own_moves import OwnMoves
from ulci_client.bot.sections import Config


class Bot:
    """choose(n): a random number below n. now: the local time. on_changed: called with the time
    when one of the players has begun a game, or is about to."""

    def __init__(
        self,
        config: Config,
        engines: Sequence[EngineLine],
        own_moves: OwnMoves,
        choose: Callable[[int], int],
        now: Callable[[], datetime],
    ) -> None:
        self.config = config
        self.engines = engines
        self.own_moves = own_moves
        self.choose = choose
        self.now = now
        self.rules = AcceptanceRules(config)
        self.ledger = Ledger()
        self.log = LineLimit()
        self.on_changed: list[Callable[[float], None]] = []

    def changed(self, at: float) -> None:
        """One of the players has begun a game, or is about to."""
        for call in self.on_changed:
            call(at)
