"""Kill the programs of a process that was killed.

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
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

import trio

from ulci.net import sockets
from ulci.net.errors import ProcessError

SHELL = "/bin/sh"

# The first line is the group, the last one says that it has ended.
_SCRIPT = """
read -r group && [ "$group" != ended ] || exit
read -r said || {{ {first}kill -s KILL -- "-$group"; }}
"""

ARGV = (SHELL, "-c", _SCRIPT.format(first=""))

GENTLE = (SHELL, "-c", _SCRIPT.format(first='kill -s INT -- "-$group"; sleep 2; '))
"""Of a program that cleans up when it is interrupted: PostgreSQL leaves shared memory otherwise."""


@asynccontextmanager
async def orphan_guard() -> AsyncIterator[Callable[[int], None]]:
    """Yields a function to call once with the process group to kill if this process dies within the
    block. Without a shell nothing is guarded.

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
                start_new_session=True,  # survives a kill of our group
            )
    finally:
        os.close(theirs)

    def watch(group: int) -> None:
        with suppress(BrokenPipeError):  # no guard, or no longer
            os.write(ours, f"{group}\n".encode())

    try:
        yield watch
    finally:
        with suppress(BrokenPipeError):
            os.write(ours, b"ended\n")
        os.close(ours)
        if guard is not None:
            with trio.CancelScope(shield=True):  # brief: it exits at once
                await guard.wait()


@contextmanager
def gentle_guard() -> Iterator[Callable[[int], None]]:
    """The same without Trio. The group has 2 s to end by SIGINT before it is killed.

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
