"""Run an engine, or any program that talks on standard input and output, as a peer."""

import contextlib
import errno
import os
import re
import shutil
import signal
import subprocess
from collections import deque
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import trio

from ulci.net import sockets
from ulci.net.errors import ProcessError
from ulci.net.limits import Limits
from ulci.net.orphans import kill_marked, marked_environment, new_mark, orphan_guard
from ulci.net.pipes import pipes_of
from ulci.net.streams import StreamPeer, background_tasks
from ulci.protocol import Connection, LocalProtocolError
from ulci.protocol.messages import Quit
from ulci.system import OWN_GROUP, has_group, kill_group, pin_process

QUIT_GRACE = 1.0
"""Seconds between ``quit`` and the kill: enough for an engine to save what it learned."""

EXIT_GRACE = 1.0
"""Seconds between the end of a program's output and its exit, whose code is reported."""

STDERR_LINES = 50
STDERR_WIDTH = 500
"""Limits of the kept standard error: enough for a traceback."""

LONGEST_LINE = 64 * 1024
"""Bytes passed on from one line of output: more than any codec accepts, so the codec reports the
line, and less than it takes for an endless line. Some engines print ten megabytes."""

OURS = "ULCI_"
"""Prefix of the relay's own environment variables."""

GAMES = "/usr/games"
"""Debian's folder for engines; often not in a service's PATH."""


_LINE_END = re.compile(rb"[\n\r\f]")  # as the text codec reads them


class ProcessPeer(StreamPeer):
    """A child process as a peer; created by `open_process`."""

    __slots__ = (
        "_column",
        "_exited",
        "_lines",
        "_mark",
        "_name",
        "_over",
        "_partial",
        "_pipes",
        "_process",
        "_stdin",
        "returncode",
        "survivors",
    )

    over_network = False

    def __init__(
        self,
        process: trio.Process,
        connection: Connection,
        *,
        name: str,
        mark: str,
        limits: Limits,
    ) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        label = f"{name} (process {process.pid})"
        self._stdin = process.stdin
        self._pipes = pipes_of(process)
        stream = self._pipes or trio.StapledStream(process.stdin, process.stdout)
        super().__init__(stream, connection, label=label, limits=limits)
        self._name = name
        self._mark = mark
        self._process = process
        self._over = trio.Event()  # the program has ended
        self._exited = trio.Event()  # and so has all that it has started
        self._lines: deque[str] = deque(maxlen=STDERR_LINES)
        self._partial = b""
        self._column = 0  # bytes of the unfinished line of output
        self.returncode: int | None = None
        """Exit code, or minus the signal that killed the process; None while it runs."""
        self.survivors: Sequence[int] = ()
        """Processes that the program has started and that outlived it, and were killed then."""

    @property
    def pid(self) -> int:
        """Process id, also the id of its group."""
        return self._process.pid

    @property
    def stderr_tail(self) -> Sequence[str]:
        """The last lines of the program's standard error."""
        last = [self._partial.decode("utf-8", "replace")] if self._partial else []
        return (*self._lines, *last)

    async def watch(self) -> None:
        """Wait for the exit, then kill all that is left of what the program has started."""
        # `quit` waits for this task, and kills what it waits for.
        with trio.CancelScope(shield=True):
            await self._process.wait()
        self._over.set()
        # At once: the id of a group is not reused while it has members, nor for a long time after.
        survivors = _members(self._process.pid)
        self.kill()
        with trio.CancelScope(shield=True):
            daemons = await trio.to_thread.run_sync(kill_marked, self._mark)
        self.survivors = [*dict.fromkeys((*survivors, *daemons))]
        self.returncode = self._process.returncode
        self._exited.set()

    def kill(self) -> None:
        """Kill the whole group, with wrapper scripts and helpers."""
        if not self._exited.is_set():
            kill_group(self._process.pid)

    async def drain_stderr(self) -> None:
        """Read standard error, because a full pipe would block the program."""
        stderr = self._process.stderr
        assert stderr is not None
        async with stderr:
            async for data in stderr:
                *lines, partial = (self._partial + data).split(b"\n")
                self._partial = partial[:STDERR_WIDTH]
                said = [line[:STDERR_WIDTH].decode("utf-8", "replace").rstrip() for line in lines]
                self._lines.extend(said)
                if said:
                    self.remark("stderr", "\n".join(said))

    async def quit(self, grace: float) -> None:
        """Send ``quit``, and kill the program after `grace` seconds; cancelled, kill at once."""
        try:
            with contextlib.suppress(LocalProtocolError):  # the end of its input says the same
                self.put(Quit())
            with trio.move_on_after(grace):
                await self.aclose()
                await self._exited.wait()
        finally:
            self.kill()
            self._abort()
            with trio.CancelScope(shield=True):  # brief: the process was killed
                await self._exited.wait()

    async def _hear(self) -> None:
        await super()._hear()
        if self._ended and not self._deaf:
            with trio.move_on_after(EXIT_GRACE):
                await self._over.wait()
            if self._over.is_set():  # to look at all processes takes a busy machine long
                await self._exited.wait()
            self.why = f"{self._name} {exit_text(self.returncode)}"

    def _read(self, data: bytes, at: float, late: float = 0.0) -> None:
        """Truncate over-long lines: the peer must survive them."""
        if self._column > LONGEST_LINE and data:
            end = _LINE_END.search(data)
            if end is None:
                return
            data = data[end.start() :]
        newline = max(data.rfind(b"\n"), data.rfind(b"\r"), data.rfind(b"\f"))
        self._column = len(data) - newline - 1 + (self._column if newline < 0 else 0)
        super()._read(data, at, late)

    def _write(self, data: bytes) -> None:
        """At once if nothing waits: the program's turn begins without one of the loop."""
        sent = 0
        if self._pipes is not None and not self._queued:
            try:
                sent = self._pipes.send_now(data)
            except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
                self._lost(error)
                return
        if sent < len(data):
            super()._write(data[sent:])

    async def _close(self) -> None:
        """Close its input and read its output to the end: closing the output would kill it too
        early."""
        await self._stdin.aclose()
        with contextlib.suppress(trio.BusyResourceError):  # another task reads it to the end
            while await self._bytes.receive_some():
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
    processors: Collection[int] = (),
) -> AsyncIterator[ProcessPeer]:
    """Start a program as a peer. At the end of the block it gets ``quit``, and is killed.

    All that it has started is killed, even what has become a daemon: after `quit_grace` seconds, at
    once if the block was cancelled, and also if our own process is killed. `env` is added to
    `clean_environment`. `processors`: numbers of those that it may run on; empty: all. Raises
    `ProcessError`.
    """
    async with orphan_guard() as guard, background_tasks() as nursery:
        mark = new_mark()
        process = await _start(argv, {**marked_environment(mark), **(env or {})}, cwd)
        guard(process.pid, mark)
        name = Path(argv[0]).name
        peer = ProcessPeer(process, connection, name=name, mark=mark, limits=limits or Limits())
        nursery.start_soon(peer.watch)
        nursery.start_soon(peer.drain_stderr)
        nursery.start_soon(peer.run)
        try:
            if processors:
                _pin(peer, argv[0], processors)
            yield peer
        finally:
            await peer.quit(quit_grace)


def clean_environment() -> dict[str, str]:
    """The environment without the relay's own variables, which hold tokens and the database's
    address."""
    return {name: value for name, value in os.environ.items() if not name.startswith(OURS)}


def exit_text(returncode: int | None) -> str:
    """How a process ended, for people."""
    if returncode is None:
        return "closed its output but is still running"
    if returncode >= 0:
        return f"ended with exit code {returncode}"
    try:
        name = signal.Signals(-returncode).name
    except ValueError:  # a real-time signal
        name = f"signal {-returncode}"
    meaning = signal.strsignal(-returncode)
    return f"was killed by {name}" + (f" ({meaning.lower()})" if meaning else "")


def _members(group: int) -> list[int]:
    """Processes of a group; empty without ``/proc``."""
    if not has_group(group):  # mostly: skip the scan of all processes
        return []
    found = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # the process has just ended
            # pid (name) state parent group …; the name may hold anything
            state, _, its_group = place.read_text("utf-8", "replace").rpartition(")")[2].split()[:3]
            if int(its_group) == group and state != "Z":
                found.append(int(place.parent.name))
    return found


async def _start(argv: Sequence[str], env: Mapping[str, str], cwd: str | None) -> trio.Process:
    if not argv:
        raise ProcessError("the command is empty")
    try:
        return await trio.lowlevel.open_process(
            list(argv),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            # A Python engine would buffer its answers, as its output is no terminal
            env={**clean_environment(), "PYTHONUNBUFFERED": "1", **env},
            **OWN_GROUP,  # to be killed together
        )
    except (OSError, ValueError) as error:
        why = _advice(error, argv[0], cwd)
        raise ProcessError(f"cannot start {argv[0]!r}: {why}") from error


def _pin(peer: ProcessPeer, program: str, processors: Collection[int]) -> None:
    try:
        pin_process(peer.pid, processors)
    except OSError as error:
        peer.kill()
        which = " ".join(map(str, sorted(processors)))
        why = f"it cannot run on the processors {which}: {sockets.error_text(error)}"
        raise ProcessError(f"cannot start {program!r}: {why}") from error


def _advice(error: Exception, program: str, cwd: str | None) -> str:
    if cwd is not None and not Path(cwd).is_dir():
        return f"the folder {cwd!r} does not exist"
    if isinstance(error, FileNotFoundError):
        return _missing(program)
    if isinstance(error, PermissionError):
        if Path(program).is_dir():
            return "it is a folder, not a program"
        return f"permission denied; if it is a program, try: chmod +x {program}"
    if isinstance(error, OSError) and error.errno == errno.ENOEXEC:
        return "not a program for this machine; a script must begin with a line like #!/bin/sh"
    return sockets.error_text(error)


def _missing(program: str) -> str:
    first, *arguments = program.split() or [""]
    if arguments and shutil.which(first) is not None:
        return f"it does not exist, but {first!r} does: quote each argument by itself, or none"
    if os.sep not in program:
        there = Path(GAMES, program)
        if there.exists():
            return f"it is in {GAMES}, not in PATH: write {there}"
        return f"it is not in PATH; write its full path (Debian installs games in {GAMES})"
    if Path(program).exists():
        return "it exists, but its interpreter or loader does not"
    return "it does not exist"
