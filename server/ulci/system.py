"""What only some operating systems have, and what is done without it. A server needs Linux; clients
run elsewhere, too.

Each is chosen by `sys.platform`, which type checkers follow. On the other systems nothing of this
was run: their types are checked, and what is left without Linux's own is run on Linux.
"""

import contextlib
import errno
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

# Signals and processes

HANGUP: tuple[signal.Signals, ...]
"""The terminal was closed."""

KILL: signal.Signals
"""Ends a process at once. On Windows the system knows no other way."""

OWN_GROUP: Mapping[str, Any]
"""Starts a process in a group of its own: no Ctrl-C of ours reaches it."""

if sys.platform == "win32":
    HANGUP = ()
    KILL = signal.SIGTERM
    OWN_GROUP = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
else:
    HANGUP = (signal.SIGHUP,)
    KILL = signal.SIGKILL
    OWN_GROUP = {"start_new_session": True}


def kill_group(leader: int) -> None:
    """Kill the process and its group, if it still is; on Windows the process alone."""
    # All may be gone; macOS raises PermissionError for zombies, Windows for what has ended.
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            os.kill(leader, KILL)
        else:
            os.killpg(leader, KILL)


def has_group(leader: int) -> bool:
    """Whether the group has members that can be signalled; False where that is not known."""
    with contextlib.suppress(OSError):
        if sys.platform != "win32":
            os.killpg(leader, 0)
            return True
    return False


def pin_process(process: int, processors: Collection[int]) -> None:
    """Let all threads of a process run on these processors only.

    A thread inherits this from the one that starts it, so that those which a program starts
    meanwhile are found by another look. Raises OSError: there are no such processors, the process
    has ended, or this system cannot do it.
    """
    if sys.platform == "linux":
        wanted, pinned = set(processors), set[int]()
        tasks = Path(f"/proc/{process}/task")
        while threads := {int(each.name) for each in tasks.iterdir()} - pinned:
            for thread in threads:
                with contextlib.suppress(ProcessLookupError):  # it has just ended
                    os.sched_setaffinity(thread, wanted)
            pinned |= threads
    else:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))


# Sockets


class Epoll(Protocol):
    """As `select.epoll`, which only Linux has."""

    @property
    def closed(self) -> bool: ...
    def close(self) -> None: ...
    def fileno(self) -> int: ...
    def register(self, fd: int, events: int, /) -> None: ...
    def modify(self, fd: int, events: int, /) -> None: ...
    def unregister(self, fd: int, /) -> None: ...
    def poll(self, seconds: float, most: int, /) -> Sequence[tuple[int, int]]: ...


Receive = Callable[[socket.socket, int, int], tuple[bytes, list[tuple[int, int, bytes]], int, Any]]
"""Reads a socket: at most so many bytes, and so many of ancillary data."""

EPOLL: Callable[[], Epoll] | None
"""None: Trio waits for each socket by itself."""

READABLE, ONCE = 1, 1 << 30
"""Events of epoll (epoll_ctl(2))."""

RECEIVE_STAMPED: Receive | None
"""``recvmsg``, which may have the time of the last byte's arrival (SO_TIMESTAMPNS); None: there is
only the time of the read."""

TCP_INFO: int | None
"""Option that reads Linux's ``struct tcp_info``; elsewhere it is another one."""

REUSE_PORT: int | None
"""Option of sockets that listen at the same port."""

if sys.platform == "linux":
    EPOLL = select.epoll
    RECEIVE_STAMPED = socket.socket.recvmsg
    TCP_INFO = socket.TCP_INFO
else:
    EPOLL = RECEIVE_STAMPED = TCP_INFO = None

if sys.platform == "win32":
    REUSE_PORT = None

    def ancillary_size(_: int) -> int:
        """Bytes of ancillary data of that size with their head; there are none."""
        return 0

else:
    REUSE_PORT = socket.SO_REUSEPORT

    def ancillary_size(data: int) -> int:
        """Bytes of ancillary data of that size with their head."""
        return socket.CMSG_SPACE(data)


# Files

IS_BINARY: int
"""Opens a file as it is: Windows translates the ends of lines otherwise."""

NEVER_WAITS: int
"""Opens a pipe without waiting for its other end."""

if sys.platform == "win32":
    import msvcrt

    IS_BINARY, NEVER_WAITS = os.O_BINARY, 0

    def lock(file: int) -> None:
        """Keep other programs from locking it. Raises `BlockingIOError` if one has."""
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError(*error.args) from None

    def make_private(file: int) -> None:
        """Let only its owner read it: on Windows a file of the user's folder is."""

    def read_at(file: int, size: int, offset: int) -> bytes:
        """The bytes there. Moves the file's position, so not for two threads at once."""
        os.lseek(file, offset, os.SEEK_SET)
        return os.read(file, size)

else:
    import fcntl

    IS_BINARY, NEVER_WAITS = 0, os.O_NONBLOCK

    def lock(file: int) -> None:
        """Keep other programs from locking it. Raises `BlockingIOError` if one has."""
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def make_private(file: int) -> None:
        """Let only its owner read it."""
        os.fchmod(file, 0o600)

    def read_at(file: int, size: int, offset: int) -> bytes:
        """The bytes there."""
        return os.pread(file, size, offset)


# Time


def suspended_so_far() -> float:
    """Seconds since the machine was booted for which it was suspended; 0 where nobody counts.

    The kernel has two clocks that differ by just that time: CLOCK_BOOTTIME counts it,
    CLOCK_MONOTONIC, by which Trio sleeps, does not (Linux, clock_gettime(2)).
    """
    if sys.platform == "linux":
        # CLOCK_BOOTTIME is read last, so the difference is never too small.
        monotonic = time.clock_gettime(time.CLOCK_MONOTONIC)
        return time.clock_gettime(time.CLOCK_BOOTTIME) - monotonic
    else:  # noqa: RET505 - mypy holds what follows a return for unreachable here
        return 0.0
