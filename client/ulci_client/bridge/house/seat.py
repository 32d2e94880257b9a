"""One player of a bot: whether it is free, what it has agreed to, and which engine it has."""

from collections.abc import Callable

from ulci_client.bot import acceptance
from ulci_client.bot.engines import engine_for, games_of
from ulci_client.bridge.seeking import SeekCycle, SeekStage
from ulci_client.bridge.status import Console

from .agreement import Agreed, Agreement
from .bot import Bot


class Seat:
    """`number` identifies the player. engine: the number of the engine that plays next; running:
    of the one that is up. `on_engine`: called when another one is wanted."""

    def __init__(self, bot: Bot, number: int, seeking: SeekCycle, console: Console) -> None:
        self.on_engine: Callable[[], None] = lambda: None
        self.bot = bot
        self.number = number
        self.seeking = seeking
        self.console = console
        self.agreement = Agreement()
        self.engine = 0
        self.running: int | None = None

    @property
    def free_stage(self) -> bool:
        """Whether a game may begin, by its own seek at least."""
        return self.seeking.stage in (SeekStage.WAITING, SeekStage.SEEKING)

    @property
    def has_engine(self) -> bool:
        """Whether the engine that plays next is up."""
        return self.running == self.engine

    def want_engine(self, game: str) -> bool:
        """The next game is this one; whether its engine is up. If not, it will be."""
        self.engine = engine_for(game, self.bot.engines)
        if self.has_engine:
            return True
        self.on_engine()
        return False

    def agreed(self, agreed: Agreed) -> None:
        """A game with that player is about to begin."""
        self.bot.ledger.agreed(self.number, agreed.player, agreed.kind)

    def leave_game(self) -> None:
        """There is no game, and none is about to begin."""
        self.bot.ledger.free(self.number)

    def state(self) -> acceptance.BotState:
        """For the rules."""
        ledger, number = self.bot.ledger, self.number
        agreed = self.agreement.challenge is not None
        return acceptance.BotState(
            games=games_of(self.bot.engines),
            seats=self.bot.config.concurrency,
            running=ledger.running(),
            busy=agreed or self.seeking.in_game or not self.free_stage,
            free=next(ledger.free_names(number), ""),
            played=ledger.played(self.bot.now()),
            leaving=self.seeking.leaving,
            left=self.seeking.left,
        )
