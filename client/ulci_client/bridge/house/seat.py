"""The state that all players of a bot share; and the state of one player: whether it is free, its
agreement, and its engine."""

from collections.abc import Callable, Sequence
from datetime import datetime

from ulci_client.bot.acceptance import AcceptanceRules, BotState
from ulci_client.bot.decline_queue import LineLimit
from ulci_client.bot.engines import EngineLine, engine_for, games_of
from ulci_client.bot.ledger import Ledger
from ulci_client.bot.own_moves import OwnMoves
from ulci_client.bot.sections import Config
from ulci_client.bridge.console import Console
from ulci_client.bridge.seeking import CycleStage, SeekCycle

from .agreement import Agreed, Agreement


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


class Seat:
    """One player. number: identifies it. engine: the number of the engine that plays next. running:
    the number of the engine that is up. on_engine: called when another engine is wanted."""

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
        return self.seeking.stage in (CycleStage.WAITING, CycleStage.SEEKING)

    @property
    def has_engine(self) -> bool:
        """Whether the engine that plays next is up."""
        return self.running == self.engine

    def want_engine(self, game: str) -> bool:
        """Prepare the engine for the next game. Returns whether it is up; else it will be
        started."""
        self.engine = engine_for(game, self.bot.engines)
        if self.has_engine:
            return True
        self.on_engine()
        return False

    def agreed(self, agreed: Agreed) -> None:
        """A game with that player is about to begin."""
        self.bot.ledger.agreed(self.number, agreed.player, agreed.kind)

    def leave_game(self) -> None:
        """Note that there is no game, and that none is about to begin."""
        self.bot.ledger.free(self.number)

    def state(self) -> BotState:
        """The state for the rules."""
        ledger, number = self.bot.ledger, self.number
        agreed = self.agreement.challenge is not None
        return BotState(
            games=games_of(self.bot.engines),
            seats=self.bot.config.concurrency,
            running=ledger.running(),
            busy=agreed or self.seeking.in_game or not self.free_stage,
            free=next(ledger.free_names(number), ""),
            played=ledger.played(self.bot.now()),
            leaving=self.seeking.leaving,
            left=self.seeking.left,
        )
