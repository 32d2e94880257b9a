"""Several players in one process: shared games, signals, exit code."""

import enum
import random
import signal
from contextlib import ExitStack
from datetime import datetime

import trio

from ulci.engines.errors import EngineError, OptionRejectedError
from ulci.engines.process import open_engine
from ulci.signals import without_nohup
from ulci.system import HANGUP
from ulci_client.bot.books import Book
from ulci_client.bot.own_moves import OpeningBook, OwnMoves
from ulci_client.bot.tablebases import open_tablebases
from ulci_client.engine_settings import check_allowed
from ulci_client.reconnect import REJECTED
from ulci_client.wire_log import Follow, no_log

from .console import Console
from .games_keeper import GamesKeeper
from .house import Bot
from .player import BridgePlayer, PoolContext
from .seeking import GameBudget
from .settings import BridgeSettings, offer_of, united
from .supervisor import RejectedError, Supervisor
from .suspension import watch_suspension

# How often the engines' programs are looked at, in s: an update is taken after two looks.
PROGRAM_LOOK = 5.0

# A second Ctrl-C leaves at once, as do a service manager's stop and a closed terminal.
POLITE = (signal.SIGINT,)
FIRM = (signal.SIGTERM, *HANGUP)


class ExitCode(enum.IntEnum):
    """The bridge's exit codes."""

    DONE = 0
    FAILED = 1  # the engine or the server failed
    USAGE = 2  # as click has it
    REJECTED = REJECTED  # by the server, which says why
    INTERRUPTED = 130  # left a running game: 128 + SIGINT, as shells do


class EnginePool:
    """All players of one bridge, each with an engine of its own. `follow` logs all lines."""

    def __init__(self, settings: BridgeSettings, console: Console, follow: Follow = no_log) -> None:
        self._settings = settings
        self._console = console
        self._closing = ExitStack()
        self._games_keeper: GamesKeeper | None = None
        context = PoolContext(console, GameBudget(settings.games), follow, bot=self._bot())
        count = settings.concurrency
        if settings.games is not None:
            count = min(count, settings.games)
        self._players = [BridgePlayer(settings, context, number) for number in range(1, count + 1)]
        self._supervisors = [
            Supervisor(player, settings, console, random.random) for player in self._players
        ]
        self._code = ExitCode.DONE
        self._asked = False
        self._failures: set[str] = set()

    async def run(self) -> ExitCode:
        """Run until all games are played, every player has failed, or a signal ends it."""
        with self._closing:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._console.run)
                nursery.start_soon(watch_suspension, self.suspended)
                nursery.start_soon(self._look_at_programs)
                if self._games_keeper is not None:
                    nursery.start_soon(self._games_keeper.run)
                await nursery.start(self._obey)
                if await self._introduce_several():
                    async with trio.open_nursery() as players:
                        for supervisor in self._supervisors:
                            players.start_soon(self._run_one, supervisor)
                nursery.cancel_scope.cancel()
        self._console.clear()
        return self._code

    def suspended(self, seconds: float) -> None:
        """The machine slept for so long."""
        for supervisor in self._supervisors:
            supervisor.suspended(seconds)

    async def _look_at_programs(self) -> None:
        while True:
            await trio.sleep(PROGRAM_LOOK)
            for supervisor in self._supervisors:
                supervisor.look_at_program()

    def _bot(self) -> Bot | None:
        """The bot, if there is one. Raises BookError or TablebaseError."""
        config = self._settings.bot
        if config is None:
            return None
        openings = [OpeningBook(Book(table.path), table) for table in config.book]
        tablebases = open_tablebases(config.tablebases.paths, self._closing)
        own_moves = OwnMoves(openings, tablebases, random.random, self._console.warn)
        bot = Bot(config, self._settings.engines, own_moves, random.randrange, _local_time)
        path = self._settings.games_file
        if path is not None and (config.limits.a_day or config.limits.opponent_a_day):
            self._games_keeper = GamesKeeper(path, bot.ledger, _local_time, self._console.warn)
            self._games_keeper.restore()
        return bot

    async def _introduce_several(self) -> bool:
        """Ask all engines for the games that they play, if there are several; False if one
        fails."""
        engines = self._settings.engines
        if len(engines) < 2:
            return True
        offers = []
        for line in engines:
            try:
                async with open_engine(line.settings) as engine:
                    check_allowed(engine, line.settings)
                    await engine.prepare()
                    offers.append(offer_of(engine, line.settings))
            except EngineError as error:
                self._code = _code(error)
                self._console.fail(str(error))
                return False
        for player in self._players:
            player.introduce_as(united(offers, engines))
        return True

    async def _run_one(self, supervisor: Supervisor) -> None:
        await supervisor.run()
        failure = supervisor.failure
        if failure is None:
            return
        self._code = _code(failure)
        if str(failure) not in self._failures:  # all players may fail for one reason
            self._failures.add(str(failure))
            self._console.fail(str(failure))

    async def _obey(self, task_status: trio.TaskStatus[None]) -> None:
        with trio.open_signal_receiver(*POLITE, *without_nohup(*FIRM)) as received:
            task_status.started()
            async for number in received:
                self.signalled(number)

    def signalled(self, number: int) -> None:
        """Finish the running games on the first Ctrl-C, leave now on the second or on SIGTERM."""
        playing = sum(supervisor.in_game for supervisor in self._supervisors)
        if number in POLITE and not self._asked:
            self._asked = True
            if playing:
                self._console.warn(
                    f"finishing {_games(playing)}; press Ctrl-C again to leave at once"
                )
            for supervisor in self._supervisors:
                supervisor.leave()
            return
        if number in POLITE and playing:
            self._code = ExitCode.INTERRUPTED
        for supervisor in self._supervisors:
            supervisor.depart()


def _local_time() -> datetime:
    return datetime.now().astimezone()


def _code(failure: Exception) -> ExitCode:
    if isinstance(failure, OptionRejectedError):
        return ExitCode.USAGE
    return ExitCode.REJECTED if isinstance(failure, RejectedError) else ExitCode.FAILED


def _games(number: int) -> str:
    return "the running game" if number == 1 else f"{number} running games"
