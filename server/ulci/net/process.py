"""Run an engine, or any program that speaks over its standard input and output, as a peer."""

import contextlib
import errno
import os
import re
import signal
import subprocess
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import trio

from ulci.net import sockets
from ulci.net.errors import ProcessError
from ulci.net.limits import Limits
from ulci.net.orphans import orphan_guard
from ulci.net.streams import StreamPeer
from ulci.net.tasks import servants
from ulci.protocol import Connection, LocalProtocolError
from ulci.protocol.messages import Quit

QUIT_GRACE = 1.0
"""Seconds that a program gets between ``quit`` and being killed: enough to save what it learned."""

EXIT_GRACE = 1.0
"""Seconds between the end of a program's output and its exit, of which we want to know the code."""

STDERR_LINES = 50
STDERR_WIDTH = 500
"""What is kept of a program's last words: a traceback, but not as much as it likes."""

LONGEST_LINE = 64 * 1024
"""Bytes of one line of output that are passed on: more than any codec reads, so that it complains,
and less than what it takes for a line that will never end. Some engines print ten megabytes."""

OURS = "ULCI_"
"""With which the names of our own variables begin."""

GAMES = "/usr/games"
"""Where Debian puts engines; often not in a service's PATH."""


_LINE_END = re.compile(rb"[\n\r\f]")  # as the text codec reads them


class ProcessPeer(StreamPeer):
    """A program of ours at the other end; made by `open_process`."""

    __slots__ = (
        "_column",
        "_exited",
        "_lines",
        "_name",
        "_partial",
        "_process",
        "_stdin",
        "_stdout",
        "returncode",
        "survivors",
    )

    def __init__(
        self, process: trio.Process, connection: Connection, *, name: str, limits: Limits
    ) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        label = f"{name} (process {process.pid})"
        self._stdin, self._stdout = process.stdin, process.stdout
        pipes = trio.StapledStream(process.stdin, process.stdout)
        super().__init__(pipes, connection, label=label, limits=limits)
        self._name = name
        self._process = process
        self._exited = trio.Event()
        self._lines: deque[str] = deque(maxlen=STDERR_LINES)
        self._partial = b""
        self._column = 0  # bytes of the line of output that has not ended
        self.returncode: int | None = None
        """Its exit code, or minus the signal that killed it; None while it runs."""
        self.survivors: Sequence[int] = ()
        """The processes of its group that outlived it, and were killed then."""

    @property
    def pid(self) -> int:
        """The process's number, which is its group's, too."""
        return self._process.pid

    @property
    def stderr_tail(self) -> Sequence[str]:
        """The last lines that it wrote to its standard error."""
        last = [self._partial.decode("utf-8", "replace")] if self._partial else []
        return (*self._lines, *last)

    async def watch(self) -> None:
        """Wait for its exit, then kill whatever it left behind in its group."""
        with trio.CancelScope(
            shield=True
        ):  # `quit` needs us to the end, and kills what we wait for
            await self._process.wait()
        # At once: while the group has members its number is not given to anybody else, and after
        # the last one has gone it is not given again for a long time.
        self.survivors = _members(self._process.pid)
        self.kill()
        self.returncode = self._process.returncode
        self._exited.set()

    def kill(self) -> None:
        """Kill the whole group: wrapper scripts and helpers die with the engine."""
        if not self._exited.is_set():
            # All may be gone; macOS says the second for zombies
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    async def drain_stderr(self) -> None:
        """Read its standard error, or it would wait for us once the pipe is full."""
        stderr = self._process.stderr
        assert stderr is not None
        async with stderr:
            async for data in stderr:
                *lines, partial = (self._partial + data).split(b"\n")
                self._partial = partial[:STDERR_WIDTH]
                self._lines.extend(
                    line[:STDERR_WIDTH].decode("utf-8", "replace").rstrip() for line in lines
                )

    async def quit(self, grace: float) -> None:
        """Ask it to leave, then make it; cancelled, make it at once."""
        try:
            with contextlib.suppress(LocalProtocolError):  # the end of its input says it, too
                self.put(Quit())
            with trio.move_on_after(grace):
                await self.aclose()
                await self._exited.wait()
        finally:
            self.kill()
            self._abort()
            with trio.CancelScope(shield=True):  # brief: it has been killed
                await self._exited.wait()

    async def _hear(self) -> None:
        await super()._hear()
        if self._ended and not self._deaf:
            with trio.move_on_after(EXIT_GRACE):
                await self._exited.wait()
            self.why = f"{self._name} {exit_words(self.returncode)}"

    def _read(self, data: bytes, at: float, late: float = 0.0) -> None:
        """An over-long line loses its tail: a program of ours is not thrown out for it."""
        if self._column > LONGEST_LINE and data:
            end = _LINE_END.search(data)
            if end is None:
                return
            data = data[end.start() :]
        newline = max(data.rfind(b"\n"), data.rfind(b"\r"), data.rfind(b"\f"))
        self._column = len(data) - newline - 1 + (self._column if newline < 0 else 0)
        super()._read(data, at, late)

    async def _close(self) -> None:
        """End its input and hear it out: closing its output would kill it before it is done."""
        await self._stdin.aclose()
        with contextlib.suppress(trio.BusyResourceError):  # somebody else hears it out
            async for _ in self._stdout:
                pass


@asynccontextmanager
async def open_process(
    argv: Sequence[str],
    connection: Connection,
    *,
    limits: Limits | None = None,
    quit_grace: float = QUIT_GRACE,
    env: Mapping[str, str] | None = None,
    cwd: str | None = None,
) -> AsyncIterator[ProcessPeer]:
    """Start a program and talk to it. It is told to quit at the end of the block, and killed.

    Killed are all processes of its group, after `quit_grace` seconds, at once if the block was
    cancelled, and also if our own process is killed. `env` is added to `clean_environment`. Raises
    `ProcessError`.
    """
    async with orphan_guard() as guard, servants() as nursery:
        process = await _start(argv, env or {}, cwd)
        guard(process.pid)
        name = Path(argv[0]).name
        peer = ProcessPeer(process, connection, name=name, limits=limits or Limits())
        nursery.start_soon(peer.watch)
        nursery.start_soon(peer.drain_stderr)
        nursery.start_soon(peer.run)
        try:
            yield peer
        finally:
            await peer.quit(quit_grace)


def clean_environment() -> dict[str, str]:
    """Our own without what is meant for us alone: tokens and the address of the database stand in
    variables whose names begin so."""
    return {name: value for name, value in os.environ.items() if not name.startswith(OURS)}


def exit_words(returncode: int | None) -> str:
    """How a process ended, for people."""
    if returncode is None:
        return "closed its output but goes on running"
    if returncode >= 0:
        return f"ended with exit code {returncode}"
    try:
        name = signal.Signals(-returncode).name
    except ValueError:  # a real-time signal
        name = f"signal {-returncode}"
    meaning = signal.strsignal(-returncode)
    return f"was killed by {name}" + (f" ({meaning.lower()})" if meaning else "")


def _members(group: int) -> list[int]:
    """Who runs in a process group; nobody is found where there is no ``/proc``."""
    try:
        os.killpg(group, 0)  # nearly always nobody is left: no need to look at every process
    except OSError:
        return []
    found = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has just ended
            # pid (name) state parent group …; the name may hold anything
            state, _, its_group = place.read_text("utf-8", "replace").rpartition(")")[2].split()[:3]
            if int(its_group) == group and state != "Z":
                found.append(int(place.parent.name))
    return found


async def _start(argv: Sequence[str], env: Mapping[str, str], cwd: str | None) -> trio.Process:
    if not argv:
        raise ProcessError("there is no program to start: the command is empty")
    try:
        return await trio.lowlevel.open_process(
            list(argv),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            # An engine in Python would keep its answers back, its output being no terminal
            env={**clean_environment(), "PYTHONUNBUFFERED": "1", **env},
            start_new_session=True,  # a group of its own to kill, and no Ctrl-C meant for us
        )
    except (OSError, ValueError) as error:
        why = _advice(error, argv[0], cwd)
        raise ProcessError(f"cannot start {argv[0]!r}: {why}") from error


def _advice(error: Exception, program: str, cwd: str | None) -> str:
    if cwd is not None and not Path(cwd).is_dir():
        return f"there is no folder {cwd!r} to start it in"
    if isinstance(error, FileNotFoundError):
        return _missing(program)
    if isinstance(error, PermissionError):
        if Path(program).is_dir():
            return "it is a folder, not a program"
        return f"it may not be executed; if it is a program, try: chmod +x {program}"
    if isinstance(error, OSError) and error.errno == errno.ENOEXEC:
        return "it is no program for this machine; a script must begin with a line like #!/bin/sh"
    return sockets.words(error)


def _missing(program: str) -> str:
    if os.sep not in program:
        there = Path(GAMES, program)
        if there.exists():
            return f"it is not in PATH but in {GAMES}: write {there}"
        return f"there is none in PATH; write its full path (Debian keeps games in {GAMES})"
    if Path(program).exists():
        return "it is there, but the interpreter or loader that it asks for is not"
    return "there is no such file"
