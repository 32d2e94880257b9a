"""Kill all that a program has started, and the programs of a process that was killed.

A program that becomes a daemon leaves its process group and its parent, but keeps its environment.
So each program is started with a mark in it, by which all that it has started is found, where there
is ``/proc``.

A killed process (SIGKILL, out of memory) leaves its children running. Most programs exit at the end
of their input; one that hangs, or searches without reading, would run for ever. So a shell waits
beside each program, on a pipe whose other end only the parent has: when the pipe closes without a
word, the shell kills the program's whole process group.

The kernel's PR_SET_PDEATHSIG is no alternative: it fires at the end of the thread that started the
program, and Trio's threads end after a while; it does not reach children of a wrapper script; and
it must be set between fork and exec, where Python code may deadlock on a lock.
"""

import os
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Protocol
from uuid import uuid4

import trio

from ulci.net import sockets
from ulci.net.errors import ProcessError
from ulci.system import KILL, OWN_GROUP

SHELL = "/bin/sh"

MARK = "STARTED_BY_ULCI"
"""The variable with a program's mark, after those of the programs that have started it."""

ROUNDS = 10
"""How often marked processes are looked for: one may start another while it is killed."""

# The first line is the group and the mark, the last one says that it has ended.
_SCRIPT = """
read -r group mark && [ "$group" != ended ] || exit
read -r said && exit
{first}kill -s KILL -- "-$group"
[ -n "$mark" ] || exit
for place in $(grep -las -e "$mark" /proc/[0-9]*/environ); do
    place=${{place#/proc/}}
    kill -s KILL "${{place%/environ}}"
done
"""

ARGV = (SHELL, "-c", _SCRIPT.format(first=""))

GENTLE = (SHELL, "-c", _SCRIPT.format(first='kill -s INT -- "-$group"; sleep 2; '))
"""Of a program that cleans up when it is interrupted: PostgreSQL leaves shared memory otherwise."""


class GuardedGroup(Protocol):
    """Called with the process group, and with the mark."""

    def __call__(self, group: int, mark: str = "") -> None: ...


@asynccontextmanager
async def orphan_guard() -> AsyncIterator[GuardedGroup]:
    """Yields a function to call once with the process group to kill if this process dies within the
    block, and with the program's mark, if it has one. Without a shell nothing is guarded.

    Raises:
        ProcessError: too many open files for another pipe.
    """
    try:
        theirs, ours = os.pipe()
    except OSError as error:
        raise ProcessError(f"cannot start a program: {sockets.error_text(error)}") from None
    guard: trio.Process | None = None
    try:
        with suppress(OSError):
            guard = await trio.lowlevel.open_process(
                ARGV,
                stdin=theirs,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={},
                **OWN_GROUP,  # survives a kill of our group
            )
    finally:
        os.close(theirs)

    def watch(group: int, mark: str = "") -> None:
        with suppress(BrokenPipeError):  # no guard, or no longer
            os.write(ours, f"{group} {mark}\n".encode())

    try:
        yield watch
    finally:
        with suppress(BrokenPipeError):
            os.write(ours, b"ended\n")
        os.close(ours)
        if guard is not None:
            with trio.CancelScope(shield=True):  # brief: it exits at once
                await guard.wait()


def new_mark() -> str:
    """The mark of a program that is about to be started."""
    return uuid4().hex


def marked_environment(mark: str) -> dict[str, str]:
    """The variable that all of the program's processes inherit."""
    return {MARK: " ".join((*os.environ.get(MARK, "").split(), mark))}


def kill_marked(mark: str) -> Sequence[int]:
    """Kill all processes with this mark; their ids. Scans ``/proc``: for a worker thread."""
    killed: dict[int, None] = {}
    for _ in range(ROUNDS):
        found = [*_marked(mark)]
        for pid in found:
            killed[pid] = None
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, KILL)
        if not found:
            break
    return [*killed]


def _marked(mark: str) -> Iterator[int]:
    wanted = mark.encode()
    for place in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):  # it has just ended, or is somebody else's
            if wanted in place.read_bytes():
                yield int(place.parent.name)


@contextmanager
def gentle_guard() -> Iterator[Callable[[int], None]]:
    """End a process group, without Trio. The group has 2 s to end by SIGINT before it is killed.

    Raises:
        OSError: there is no shell, or too many open files for another pipe.
    """
    guard = subprocess.Popen(  # noqa: S603 - a constant
        GENTLE,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env={},
        text=True,
        start_new_session=True,
    )

    def watch(group: int) -> None:
        assert guard.stdin is not None
        with suppress(BrokenPipeError):  # no longer
            guard.stdin.write(f"{group}\n")
            guard.stdin.flush()

    try:
        yield watch
    finally:
        guard.communicate("ended\n")
