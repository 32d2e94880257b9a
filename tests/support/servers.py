"""The real server as a process, and the real programs that connect to it."""

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import (
    AbstractContextManager,
    AsyncExitStack,
    asynccontextmanager,
    contextmanager,
    suppress,
)
from pathlib import Path
from typing import IO, Any

import pytest
import trio
from click.testing import CliRunner, Result

from deploy.bench import watched_server
from tests.support.forks import Fork
from tests.support.ports import HOST, KeptPorts
from ulci.net.orphans import gentle_guard, orphan_guard
from ulci_server.cli import main
from ulci_server.cli.cluster.services import DEBIAN
from ulci_server.cli.errors import ExitCode
from ulci_server.game.facts import WRITES_LATE

# Debian puts games where a service's PATH does not look, and nginx where a user's does not.
PATH = f"{os.environ['PATH']}:/usr/games:/usr/sbin"

# A hang guard, far beyond what anything here takes on a slow machine.
PATIENCE = 120

# A server whose event loop is watched.
SERVE = [watched_server.__file__, "serve"]


class Server:
    """``ulci-server serve`` with its database in a folder of the test's; `program` serves, if it is
    not one of the forks of `SERVE`. It has no engine of its own unless the options or
    `own_engine` say so."""

    def __init__(
        self, folder: Path, *options: str, program: Sequence[str] = (), own_engine: bool = False
    ) -> None:
        self.program = program
        self.own_engine = own_engine
        self.folder = folder
        self.database = f"sqlite:///{folder}/ulci.db"
        self.options = options
        self.addresses: list[str] = []
        self.log = folder / "server.log"
        self.process: subprocess.Popen[str] | Fork | None = None
        self._kept = KeptPorts()

    def start(self) -> None:
        """Return when it listens."""
        options = ["--database", self.database, *self.options]
        if not (self.own_engine or {"-c", "--config", "--engine"} & {*options}):
            options.append("--no-engine")
        with self.log.open("a") as log:
            if self.program:
                self.process = subprocess.Popen(
                    [*self.program, *options],
                    stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True,
                )  # fmt: skip
            else:
                self.process = Fork([*SERVE, *options], stdout=subprocess.PIPE, stderr=log)
        assert self.process.stdout is not None
        self.addresses = []
        for line in self.process.stdout:
            if found := re.fullmatch(
                r"\s+((?:tcp|tls|ws|wss)://\S+)(?: in \w+)?(?: \(pool \S+\))?\s*", line
            ):
                self.addresses.append(found[1])
            elif self.addresses:
                self._kept.release()
                return
        self.stop()
        raise AssertionError(f"the server did not start: {self.log.read_text()}")

    def start_again(self) -> None:
        """At the port at which it listened."""
        self.options = tuple(
            f"tcp://127.0.0.1:{self.port()}" if option == "tcp://127.0.0.1:0" else option
            for option in self.options
        )
        self.start()

    def port(self, scheme: str = "tcp") -> int:
        [address] = [a for a in self.addresses if a.startswith(f"{scheme}://")]
        return int(re.search(r":(\d+)", address.partition("//")[2])[1])

    def kill(self) -> None:
        """As a power cut would, but for the disk."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(PATIENCE)
        self._keep_ports()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def stop(self) -> int:
        """Ask it to end, and say how it ended."""
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            self._keep_ports()
            assert self.process.stdout is not None
            self.process.stdout.close()

    def _keep_ports(self) -> None:
        """For itself, until it listens again."""
        found = (re.match(rf"\w+://{re.escape(HOST)}:(\d+)", each) for each in self.addresses)
        self._kept.keep(int(each[1]) for each in found if each)

    def run(self, *argv: str) -> str:
        """What another command of ``ulci-server`` says of the same database."""
        done = self._done(*argv)
        assert done.exit_code == 0, done.stderr
        return done.stdout

    def games(self, *options: str) -> list[dict[str, Any]]:
        """Those that ``export`` finds with these options."""
        done = self._done("export", "--format", "json", *options)
        assert done.exit_code in (0, ExitCode.NOTHING_FOUND), done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    def finished(self, count: int) -> list[dict[str, Any]]:
        """Its finished games, of which there must be so many, in the order of their beginning."""
        games = sorted(self.games("--finished"), key=lambda game: game["id"])
        assert len(games) == count
        return games

    def _done(self, *argv: str) -> Result:
        """In this process: an interpreter that imports all of it takes a second to start, and some
        tests ask until there is something."""
        done = CliRunner().invoke(main, [*argv, "--database", self.database])
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done

    def resident(self) -> int:
        """kB of memory."""
        assert self.process is not None
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1])


@contextmanager
def serving(folder: Path, *options: str, own_engine: bool = False) -> Iterator[Server]:
    """A running server, ended with the block. Nothing may have held its loop."""
    server = Server(folder, *options, own_engine=own_engine)
    server.start()
    try:
        yield server
    finally:
        server.stop()
    assert not watched_server.held_loop(server.log.read_text())


def hosting(folder: Path, time: str) -> AbstractContextManager[Server]:
    """A running server with this time control at a port of its choice."""
    return serving(folder, "--listen", "tcp://127.0.0.1:0", "--time", time)


def program(name: str) -> str:
    """The path of a program; the test is skipped where it is not installed."""
    path = shutil.which(name, path=PATH)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


def require_services() -> None:
    """Skip the test unless PostgreSQL and Redis can be started here."""
    program("redis-server")
    if shutil.which("initdb") is None and not [*Path("/").glob(DEBIAN)]:
        pytest.skip("PostgreSQL's server is not installed")


async def _open(argv: Sequence[str], folder: Path | None) -> trio.Process:
    home = {} if folder is None else {"HOME": str(folder)}
    return await trio.lowlevel.open_process(
        [*argv],
        cwd=folder,
        env={**os.environ, **home, "PATH": PATH},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


@asynccontextmanager
async def running(
    *argvs: Sequence[str], folder: Path | None = None
) -> AsyncIterator[list[trio.Process]]:
    """These programs, each in a process group of its own that is killed with the block; also if
    whoever started them is killed. `folder`: where they run and find their settings."""
    processes: list[trio.Process] = []
    async with AsyncExitStack() as guards:
        try:
            for argv in argvs:
                guard = await guards.enter_async_context(orphan_guard())
                processes.append(await _open(argv, folder))
                guard(processes[-1].pid)
            yield processes
        finally:
            for process in processes:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
            with trio.CancelScope(shield=True):
                for process in processes:
                    await process.wait()


@contextmanager
def standing(
    argv: Sequence[str], output: IO[str], keep: Sequence[int] = ()
) -> Iterator[subprocess.Popen[bytes]]:
    """A program that is asked to end at the end of the block, so that it cleans up; also if
    whoever started it is killed. `output`: where it writes; `keep`: files that it gets open."""
    with gentle_guard() as guard:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=keep,
            start_new_session=True,
        )
        guard(process.pid)
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(PATIENCE)
            finally:
                process.kill()
                process.wait()


async def until(condition, what: str, every: float = 0.1) -> None:
    """Wait for something that another process does; there is nothing to be told by."""
    with trio.move_on_after(PATIENCE):
        while not condition():  # noqa: ASYNC110
            await trio.sleep(every)
        return
    raise AssertionError(f"waited {PATIENCE} s in vain until {what}")


def complaints(game: dict[str, Any]) -> list[dict[str, Any]]:
    """The reports of an exported game, but for a line that writes late: a busy machine delays a
    program's writes just as such a line does."""
    return [report for report in game["reports"] if report["text"] != WRITES_LATE]
