"""Servers as children of one process: they are started again when they die, and end with it."""

import signal
import subprocess
from collections.abc import Awaitable, Callable, Mapping, Sequence

import click
import trio

from ulci.net import clean_environment
from ulci.net.orphans import orphan_guard
from ulci.net.process import exit_text
from ulci.signals import without_nohup
from ulci_server.cli.errors import ExitCode

SHORTEST_PAUSE = 0.5
"""Seconds before a server that died is started again."""

LONGEST_PAUSE = 30.0
"""What the doubling pause grows to: a database that is down for an hour is not asked all the time,
and not waited for long when it is back."""

STEADY = 60.0
"""Seconds after which the death of a server has nothing to do with the one before."""

BACK = 60.0
"""Seconds that a server has to be back in a rolling restart; then the others are left as they are.
It takes three, and one that was killed is waited for until it is known to be dead."""

BANNER = b" listens at"
"""How the line ends that a server prints when it can be connected to."""

LOOK_EVERY = 0.2
"""Seconds between two looks whether a server is back: it beats twice as slowly."""

Listed = Callable[[str], Awaitable[int]]
"""The number of the newest living run of the server of that name in the database; 0: none."""


class ServerProcess:
    """One child, started again and again until the group ends. `env` is added to its clean
    environment."""

    def __init__(self, name: str, argv: Sequence[str], env: Mapping[str, str], width: int) -> None:
        self.name = name
        self._argv = argv
        self._env = {**clean_environment(), "PYTHONUNBUFFERED": "1", **env}
        self._label = f"{name:{width}} | "
        self._process: trio.Process | None = None
        self._pause = SHORTEST_PAUSE
        self._restarting = False
        self.listens = False

    async def live(self, is_ending: Callable[[], bool]) -> int:
        """Run it until it has ended while the group ends, or cannot be run at all. Returns its exit
        code."""
        while True:
            begun = trio.current_time()
            code = await self._run(is_ending)
            if is_ending() or code == ExitCode.USAGE:
                return code
            if self._restarting:
                self._restarting = False
                continue
            if trio.current_time() - begun >= STEADY:
                self._pause = SHORTEST_PAUSE
            self.say(f"{exit_text(code)}; it is started again in {self._pause:g} s")
            await trio.sleep(self._pause)
            self._pause = min(2 * self._pause, LONGEST_PAUSE)
            if is_ending():
                return code

    def end(self) -> None:
        """Ask it to end: once for a grace, twice for at once."""
        if self._process is not None and self._process.returncode is None:
            self._process.terminate()

    def restart(self) -> None:
        """End it and start it again without a pause."""
        self._restarting = self._process is not None and self._process.returncode is None
        self.end()

    def say(self, line: str) -> None:
        """Print a line about it or by it."""
        click.echo(f"{self._label}{line}")

    async def _run(self, is_ending: Callable[[], bool]) -> int:
        # If this process is killed, its servers are, too: they would go on, seen by nobody, and
        # keep the port. Their games go on with the next ones.
        async with orphan_guard() as watch:
            return await self._watched(watch, is_ending)

    async def _watched(self, watch: Callable[[int], None], is_ending: Callable[[], bool]) -> int:
        # In a session of its own: a Ctrl-C at the terminal is the group's to handle.
        self._process = await trio.lowlevel.open_process(
            [*self._argv],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=self._env,
        )
        watch(self._process.pid)
        if is_ending():  # since the start of this one began: `end` did not know it yet
            self.end()
        self.listens = False
        try:
            await self._read(self._process)
            return await self._process.wait()
        finally:
            if self._process.returncode is None:
                self._process.kill()
                with trio.CancelScope(shield=True):
                    await self._process.wait()

    async def _read(self, process: trio.Process) -> None:
        assert process.stdout is not None
        rest = b""
        async for data in process.stdout:
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                self.say(line.decode(errors="replace"))
                self.listens = self.listens or line.endswith(BANNER)
        if rest:
            self.say(rest.decode(errors="replace"))


class ServerGroup:
    """The servers of one command: they end together, and are restarted one after the other."""

    def __init__(self, servers: Sequence[ServerProcess], listed: Listed) -> None:
        self._servers = servers
        self._listed = listed
        self._ending = False
        self._rolling = False
        self._codes: list[int] = []

    async def run(self) -> int:
        """Run all until they have been asked to end, or one of them says that it is called wrongly.
        Returns the highest exit code."""
        async with trio.open_nursery() as nursery:
            await nursery.start(self._hear_signals, nursery)
            async with trio.open_nursery() as living:
                for server in self._servers:
                    living.start_soon(self._live, server)
            nursery.cancel_scope.cancel()
        return max(self._codes)

    async def _live(self, server: ServerProcess) -> None:
        code = await server.live(lambda: self._ending)
        self._codes.append(code)
        if not self._ending:  # what is wrong with one is wrong with all
            self._end()

    def _end(self) -> None:
        self._ending = True
        for server in self._servers:
            server.end()

    async def _hear_signals(
        self, nursery: trio.Nursery, *, task_status: trio.TaskStatus[None]
    ) -> None:
        heard = without_nohup(signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
        with trio.open_signal_receiver(*heard) as signals:
            task_status.started()
            async for number in signals:
                if number != signal.SIGHUP:
                    self._end()
                elif not (self._rolling or self._ending):
                    nursery.start_soon(self._restart_all)

    async def _restart_all(self) -> None:
        """Each only when the one before is back."""
        self._rolling = True
        for server in self._servers:
            before = await self._listed(server.name)
            server.say("is restarted")
            server.listens = False
            server.restart()
            with trio.move_on_after(BACK) as waiting:
                while not await self._is_back(server, before):  # noqa: ASYNC110
                    await trio.sleep(LOOK_EVERY)
            if self._ending:
                break
            if waiting.cancelled_caught:
                server.say(f"is not back after {BACK:g} s; the others are not restarted")
                break
            server.say("is back")
        self._rolling = False

    async def _is_back(self, server: ServerProcess, before: int) -> bool:
        return server.listens and await self._listed(server.name) not in (0, before)
