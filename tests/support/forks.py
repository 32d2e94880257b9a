"""Programs of ours as processes that need not import everything: forks of one that has.

An interpreter takes most of a second until it has imported a server, and tests start hundreds. What
is forked is a process of its own with its own session, memory, signals and exit code; only its
start is shared, and its end if whoever asked for it ends first, as a process with a test that hangs
does. Where the start is what is tested, `subprocess` starts it.

    python -m tests.support.forks NUMBER

is the process that they are forked from. It reads requests from the socket of that number, and ends
with it.
"""

import json
import os
import runpy
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import IO, Any

PRELOADED = (
    "sqlalchemy.dialects.sqlite",
    "ulci_client.bridge.command",
    "ulci_server.app",
    "ulci_server.cli.serve",
)
"""What servers and bridges import."""

REQUEST = 1 << 18
"""Bytes at most: an environment stands in it."""

NUMBER = struct.Struct("=i")


class Fork:
    """What tests need of `subprocess.Popen`. `argv` is what stands behind ``python``: a script, or
    ``-m`` and a module, and arguments."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        stdout: IO[str] | int,
        stderr: IO[str] | int,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.args = argv
        self.returncode: int | None = None
        self.stdout, out = _opened(stdout)
        self.stderr, err = _opened(stderr)
        self._lock = threading.Lock()
        self._report, told = os.pipe()
        request = json.dumps({"argv": argv, "env": dict(os.environ if env is None else env)})
        try:
            _mother().ask(request, (out, err, told))
        finally:
            os.close(told)
            for number, stream in ((out, stdout), (err, stderr)):
                if stream == subprocess.PIPE:
                    os.close(number)
        self.pid = self._read()

    def _read(self) -> int:
        return int(NUMBER.unpack(os.read(self._report, NUMBER.size))[0])

    def poll(self) -> int | None:
        return self._wait(0)

    def wait(self, timeout: float | None = None) -> int:
        """Raises `subprocess.TimeoutExpired`."""
        code = self._wait(timeout)
        if code is None:
            assert timeout is not None
            raise subprocess.TimeoutExpired(self.args, timeout)
        return code

    def _wait(self, timeout: float | None) -> int | None:
        if self.returncode is None:
            poll = select.poll()
            poll.register(self._report, select.POLLIN)
            if poll.poll(None if timeout is None else 1000 * timeout):
                with self._lock:  # several threads may have waited
                    if self.returncode is None:
                        self.returncode = self._read()
                        os.close(self._report)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):  # it has ended, and we are not told yet
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def _opened(stream: IO[str] | int) -> tuple[IO[str] | None, int]:
    """Our end of a pipe, if that is what is asked for, and the end of the fork."""
    if stream == subprocess.PIPE:
        near, far = os.pipe()
        return os.fdopen(near, encoding="utf-8"), far
    return None, stream if isinstance(stream, int) else stream.fileno()


class _Mother:
    """The process that all are forked from, and who asks it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, REQUEST)
        with far:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__, str(far.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=(far.fileno(),),
                start_new_session=True,
            )

    def ask(self, request: str, files: Sequence[int]) -> None:
        with self._lock:
            socket.send_fds(self._socket, [request.encode()], [*files])


@cache
def _mother() -> _Mother:
    return _Mother()


def serve(requests: socket.socket) -> list[str] | None:
    """Fork whenever that is asked for. Returns in a fork what it shall run, and otherwise None at
    the end of the requests."""
    for name in PRELOADED:
        import_module(name)
    woken, wake = os.pipe2(os.O_NONBLOCK)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake)
    reports: dict[int, int] = {}
    while True:
        ready = select.select([requests, woken], [], [])[0]
        if woken in ready:
            os.read(woken, REQUEST)
            _report_ended(reports)
        if requests not in ready:
            continue
        request, files, *_ = socket.recv_fds(requests, REQUEST, 3)
        if not request:
            _kill(reports)
            return None
        if (pid := os.fork()) == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for number in (woken, wake, *reports.values()):
                os.close(number)
            return _become(json.loads(request), *files)
        out, err, report = files
        os.close(out)
        os.close(err)
        os.write(report, NUMBER.pack(pid))
        reports[pid] = report


def _report_ended(reports: dict[int, int]) -> None:
    while reports:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        report = reports.pop(pid)
        with suppress(BrokenPipeError):  # nobody waits for it any more
            os.write(report, NUMBER.pack(os.waitstatus_to_exitcode(status)))
        os.close(report)


def _kill(pids: Iterable[int]) -> None:
    """With all that is in their groups; a fork that has just begun has none yet."""
    for pid in pids:
        for kill in (os.killpg, os.kill):
            with suppress(ProcessLookupError):
                kill(pid, signal.SIGKILL)


def _become(request: dict[str, Any], out: int, err: int, report: int) -> list[str]:
    os.close(report)
    os.setsid()
    for number, standard in ((out, 1), (err, 2)):
        os.dup2(number, standard)
        os.close(number)
    os.environ.clear()
    os.environ.update(request["env"])
    return list(request["argv"])


def run(argv: list[str]) -> None:
    """As ``python ARGV`` does."""
    if argv[0] == "-m":
        sys.argv = argv[1:]
        runpy.run_module(argv[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = argv
        runpy.run_path(argv[0], run_name="__main__")


def main(number: int) -> None:
    with socket.socket(fileno=number) as requests:
        program = serve(requests)
    if program is not None:
        run(program)


if __name__ == "__main__":
    main(int(sys.argv[1]))
