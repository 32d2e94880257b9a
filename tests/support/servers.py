"""The real server as a process, and the real programs that connect to it."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import trio

from deploy.bench import watched_server
from ulci_server.cli.errors import ExitCode

# Debian puts games where a service's PATH does not look, and nginx where a user's does not.
PATH = f"{os.environ['PATH']}:/usr/games:/usr/sbin"

# A hang guard, far beyond what anything here takes on a slow machine.
PATIENCE = 120

# A server whose event loop is watched.
SERVE = [sys.executable, watched_server.__file__, "serve"]


class Server:
    """``ulci-server serve`` with its database in a folder of the test's; `program` serves."""

    def __init__(self, folder: Path, *options: str, program: Sequence[str] = SERVE) -> None:
        self.program = program
        self.folder = folder
        self.database = f"sqlite:///{folder}/ulci.db"
        self.options = options
        self.addresses: list[str] = []
        self.log = folder / "server.log"
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Return when it listens."""
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                [*self.program, "--database", self.database, *self.options],
                stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True,
            )  # fmt: skip
        assert self.process.stdout is not None
        self.addresses = []
        for line in self.process.stdout:
            if found := re.fullmatch(
                r"\s+((?:tcp|tls|ws|wss)://\S+)(?: in \w+)?(?: \(pool \S+\))?\s*", line
            ):
                self.addresses.append(found[1])
            elif self.addresses:
                return
        self.stop()
        raise AssertionError(f"the server did not start: {self.log.read_text()}")

    def port(self, scheme: str = "tcp") -> int:
        [address] = [a for a in self.addresses if a.startswith(f"{scheme}://")]
        return int(re.search(r":(\d+)", address.partition("//")[2])[1])

    def kill(self) -> None:
        """As a power cut would, but for the disk."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(PATIENCE)
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
            assert self.process.stdout is not None
            self.process.stdout.close()

    def run(self, *argv: str) -> str:
        """What another command of ``ulci-server`` says of the same database."""
        done = self._done(*argv)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def games(self, *options: str) -> list[dict[str, Any]]:
        """Those that ``export`` finds with these options."""
        done = self._done("export", "--format", "json", *options)
        assert done.returncode in (0, ExitCode.NOTHING_FOUND), done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    def _done(self, *argv: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "ulci_server.cli", *argv, "--database", self.database],
            capture_output=True, text=True, check=False, timeout=PATIENCE,
        )  # fmt: skip

    def resident(self) -> int:
        """kB of memory."""
        assert self.process is not None
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1])


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[Server]:
    """A running server, ended with the block. Nothing may have held its loop."""
    server = Server(folder, *options)
    server.start()
    try:
        yield server
    finally:
        server.stop()
    assert not watched_server.held_loop(server.log.read_text())


def program(name: str) -> str:
    """The path of a program; the test is skipped where it is not installed."""
    path = shutil.which(name, path=PATH)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


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
    """These programs, each in a process group of its own that is killed with the block. `folder`:
    where they run and find their settings."""
    processes: list[trio.Process] = []
    try:
        for argv in argvs:
            processes.append(await _open(argv, folder))  # noqa: PERF401 (what is open is ended)
        yield processes
    finally:
        for process in processes:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        with trio.CancelScope(shield=True):
            for process in processes:
                await process.wait()


async def until(condition, what: str, every: float = 0.1) -> None:
    """Wait for something that another process does; there is nothing to be told by."""
    with trio.move_on_after(PATIENCE):
        while not condition():  # noqa: ASYNC110
            await trio.sleep(every)
        return
    raise AssertionError(f"waited {PATIENCE} s in vain until {what}")
