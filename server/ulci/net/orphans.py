"""Kill a program whose starter was killed.

Who is killed (SIGKILL, or for want of memory) ends nothing of what it has started. Most programs
leave by themselves at the end of their input; one that hangs, or thinks without reading, would run
for ever. So a shell waits beside each of them, at the end of a pipe whose other end only the
starter has: when that closes without a word, the shell kills the program's whole process group.

The kernel could do it (PR_SET_PDEATHSIG), but at the end of the thread that started the program,
and Trio's threads end after a while; it would not reach what a wrapper script has started; and it
would have to be asked between fork and exec, where Python code may find a lock held for ever.
"""

import os
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

import trio

from ulci.net import sockets
from ulci.net.errors import ProcessError

SHELL = "/bin/sh"

# The first line names the group, the last one says that it has ended.
_SCRIPT = """
read -r group && [ "$group" != ended ] && { read -r said || kill -s KILL -- "-$group"; }
"""

ARGV = (SHELL, "-c", _SCRIPT)


@asynccontextmanager
async def orphan_guard() -> AsyncIterator[Callable[[int], None]]:
    """Yields what is told, once, the process group to kill if this process ends within the block,
    however suddenly. Where there is no shell, nothing is guarded.

    Raises:
        ProcessError: there are too many open files for another pipe.
    """
    try:
        theirs, ours = os.pipe()
    except OSError as error:
        raise ProcessError(f"cannot start a program: {sockets.words(error)}") from None
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
                start_new_session=True,  # what kills our whole group does not kill it
            )
    finally:
        os.close(theirs)

    def watch(group: int) -> None:
        with suppress(BrokenPipeError):  # there is no guard (any more)
            os.write(ours, f"{group}\n".encode())

    try:
        yield watch
    finally:
        with suppress(BrokenPipeError):
            os.write(ours, b"ended\n")
        os.close(ours)
        if guard is not None:
            with trio.CancelScope(shield=True):  # brief: nothing is left for it to do
                await guard.wait()
