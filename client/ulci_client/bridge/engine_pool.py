"""Several players in one process: shared games, signals, exit code."""

import enum
import random
import signal

import trio

from ulci_client.engine_process import SettingError
from ulci_client.reconnect import REJECTED

from .player import Player, PoolContext
from .seeking import GameBudget
from .settings import Settings
from .status import Console
from .supervisor import RejectedError, Supervisor
from .transcript import Transcript

# A second Ctrl-C leaves at once, as do a service manager's stop and a closed terminal.
POLITE = (signal.SIGINT,)
FIRM = (signal.SIGTERM, signal.SIGHUP)


class ExitCode(enum.IntEnum):
    """The bridge's exit codes."""

    DONE = 0
    FAILED = 1  # the engine or the server failed
    USAGE = 2  # as click has it
    REJECTED = REJECTED  # by the server, which says why
    INTERRUPTED = 130  # left a running game: 128 + SIGINT, as shells do


class EnginePool:
    """All players of one bridge, each with an engine of its own."""

    def __init__(self, settings: Settings, console: Console, transcript: Transcript) -> None:
        self._settings = settings
        self._console = console
        context = PoolContext(console, transcript, GameBudget(settings.games))
        count = settings.concurrency
        if settings.games is not None:
            count = min(count, settings.games)
        self._supervisors = [
            Supervisor(Player(settings, context, number), settings, console, random.random)
            for number in range(1, count + 1)
        ]
        self._code = ExitCode.DONE
        self._asked = False
        self._failures: set[str] = set()

    async def run(self) -> ExitCode:
        """Until all games are played, every player has failed, or a signal ends it."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._console.run)
            await nursery.start(self._obey)
            async with trio.open_nursery() as players:
                for supervisor in self._supervisors:
                    players.start_soon(self._run_one, supervisor)
            nursery.cancel_scope.cancel()
        self._console.clear()
        return self._code

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
        with trio.open_signal_receiver(*POLITE, *FIRM) as received:
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


def _code(failure: Exception) -> ExitCode:
    if isinstance(failure, SettingError):
        return ExitCode.USAGE
    return ExitCode.REJECTED if isinstance(failure, RejectedError) else ExitCode.FAILED


def _games(number: int) -> str:
    return "the running game" if number == 1 else f"{number} running games"
