"""Several players as one program: the games they share, signals, and the exit code."""

import enum
import random
import signal

import trio

from ulci_client.closing import REJECTED
from ulci_client.engine import SettingError

from .keeping import Keeper, RejectedError
from .player import Desk, Player
from .record import Record
from .seeking import Budget
from .settings import Settings
from .status import View

# A second Ctrl-C means now; a service manager's stop and a closed terminal always do.
POLITE = (signal.SIGINT,)
FIRM = (signal.SIGTERM, signal.SIGHUP)


class ExitCode(enum.IntEnum):
    """What the bridge's end means to whoever started it."""

    DONE = 0
    FAILED = 1  # the engine or the server cannot be used
    USAGE = 2  # as click has it
    REJECTED = REJECTED  # by the server, which says why
    INTERRUPTED = 130  # left in the middle of a game: 128 + SIGINT, as shells have it


class Crew:
    """All players of one bridge."""

    def __init__(self, settings: Settings, view: View, record: Record) -> None:
        self._settings = settings
        self._view = view
        desk = Desk(view, record, Budget(settings.games))
        count = settings.concurrency
        if settings.games is not None:
            count = min(count, settings.games)
        self._keepers = [
            Keeper(Player(settings, desk, number), settings, view, random.random)
            for number in range(1, count + 1)
        ]
        self._code = ExitCode.DONE
        self._asked = False
        self._failures: set[str] = set()

    async def run(self) -> ExitCode:
        """Until all games are played, every player has failed, or somebody says stop."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._view.run)
            await nursery.start(self._obey)
            async with trio.open_nursery() as players:
                for keeper in self._keepers:
                    players.start_soon(self._run_one, keeper)
            nursery.cancel_scope.cancel()
        self._view.clear()
        return self._code

    async def _run_one(self, keeper: Keeper) -> None:
        await keeper.run()
        failure = keeper.failure
        if failure is None:
            return
        self._code = _code(failure)
        if str(failure) not in self._failures:  # the same engine fails everywhere alike
            self._failures.add(str(failure))
            self._view.fail(str(failure))

    async def _obey(self, task_status: trio.TaskStatus[None]) -> None:
        with trio.open_signal_receiver(*POLITE, *FIRM) as received:
            task_status.started()
            async for number in received:
                self.signalled(number)

    def signalled(self, number: int) -> None:
        """Finish the running games on the first Ctrl-C, leave now on the second or on SIGTERM."""
        playing = sum(keeper.in_game for keeper in self._keepers)
        if number in POLITE and not self._asked:
            self._asked = True
            if playing:
                self._view.warn(f"finishing {_games(playing)}; Ctrl-C again leaves at once")
            for keeper in self._keepers:
                keeper.leave()
            return
        if number in POLITE and playing:
            self._code = ExitCode.INTERRUPTED
        for keeper in self._keepers:
            keeper.depart()


def _code(failure: Exception) -> ExitCode:
    if isinstance(failure, SettingError):
        return ExitCode.USAGE
    return ExitCode.REJECTED if isinstance(failure, RejectedError) else ExitCode.FAILED


def _games(number: int) -> str:
    return "the running game" if number == 1 else f"{number} running games"
