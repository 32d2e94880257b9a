"""Runs ``ulci`` with what is left on another system than Linux: ``without_linux.py darwin play``.

Python and its libraries have been imported before, and stay those of Linux: what they do elsewhere
is theirs to test. What they need at run time (epoll, SIGKILL) is left to them; ours asks for the
name of the system first.
"""

import asyncio  # noqa: F401 - before the system changes its name
import os
import signal
import socket
import subprocess
import sys
import time
import types
import webbrowser  # noqa: F401

import click  # noqa: F401
import trio_websocket  # noqa: F401

LINUX = ((socket, "TCP_INFO"), (time, "CLOCK_BOOTTIME"))
POSIX = (
    (os, "killpg"), (os, "pread"), (os, "fchmod"), (os, "O_NONBLOCK"), (signal, "SIGHUP"),
    (socket, "CMSG_SPACE"), (socket, "SO_REUSEPORT"), (time, "clock_gettime"),
)  # fmt: skip

if __name__ == "__main__":
    name = sys.argv.pop(1)
    sys.platform = name
    for module, missing in (*LINUX, *(POSIX if name == "win32" else ())):
        delattr(module, missing)
    if name == "win32":
        sys.modules["fcntl"] = None  # type: ignore[assignment]
        msvcrt = types.ModuleType("msvcrt")
        msvcrt.LK_NBLCK, msvcrt.locking = 2, lambda _file, _mode, _size: None
        sys.modules["msvcrt"] = msvcrt
        os.O_BINARY = subprocess.CREATE_NEW_PROCESS_GROUP = 0
    from ulci_client import cli

    cli.main()
