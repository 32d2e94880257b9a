"""The server and the bridges, as processes of their own: none is waited for in vain, and the whole
has a time limit."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from ulci.net import Address, clean_environment
from ulci.net.orphans import gentle_guard
from ulci_server.cli.errors import Failure

START = 20.0
"""Seconds that a server has to listen; a slow machine needs two."""

POLITE = 5.0
"""Seconds that a program has to end after it was asked, and again after it was asked twice."""

LOOK = 0.05
"""Seconds between two looks at what a program does."""

TAIL = 5
"""Lines of its output that explain why a program failed."""


class User(NamedTuple):
    """The user who runs a program: the system's numbers of the user and of its group."""

    number: int
    group: int


class Program:
    """A running program, its output kept in a file. user: another one that runs it. folder: where
    it runs, unless here. env: what is added to its clean environment."""

    def __init__(
        self,
        name: str,
        argv: Sequence[str],
        output: Path,
        user: User | None = None,
        folder: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self._output = output
        with output.open("wb") as stream:
            # In a session of its own: a Ctrl-C at the terminal is ours to handle, and what it has
            # started can be ended with it.
            self._process = subprocess.Popen(  # noqa: S603 - what was asked for
                argv,
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                cwd=folder,
                env={**clean_environment(), "PYTHONUNBUFFERED": "1", **(env or {})},
                user=user and user.number,
                group=user and user.group,
                extra_groups=None if user is None else (),
            )

    @property
    def pid(self) -> int:
        """Process id, also the id of its group."""
        return self._process.pid

    @property
    def code(self) -> int | None:
        """Its exit code, None while it runs."""
        return self._process.poll()

    @property
    def said(self) -> list[str]:
        """What it has written so far, line by line."""
        return self._output.read_text(encoding="utf-8", errors="replace").splitlines()

    @property
    def tail(self) -> str:
        """The end of it."""
        return "\n".join(f"    {line}" for line in self.said[-TAIL:]) or "    (it said nothing)"

    def wait(self, timeout: float) -> bool:
        """Whether it ended by itself within so many seconds."""
        give_up = time.monotonic() + timeout
        while self.code is None and time.monotonic() < give_up:
            leave_if_asked()
            time.sleep(LOOK)
        return self.code is not None

    def kill(self) -> None:
        """End it as a power cut would."""
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """End it: asked once, asked twice, killed with all that is in its session."""
        try:
            for _ in range(2):
                if self.code is None:
                    self._process.terminate()
                    self.wait(POLITE)
        finally:  # a second Ctrl-C spares us the wait, and leaves nothing running either
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


@contextmanager
def running(
    name: str,
    argv: Sequence[str],
    output: Path,
    user: User | None = None,
    folder: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Iterator[Program]:
    """A program that has ended when the block has, and ends soon if our own process is killed.

    Raises:
        OSError: it cannot be started.
    """
    with gentle_guard() as guard:
        program = Program(name, argv, output, user, folder, env)
        guard(program.pid)
        try:
            yield program
        finally:
            program.stop()


ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Somebody presses Ctrl-C, ends us, or closes the terminal."""

_came: list[int] = []
"""The signals that `leave_if_asked` has not answered yet, oldest first."""


@contextmanager
def ending_at_signals() -> Iterator[None]:
    """These signals leave the block, so that it cleans up, but at `leave_if_asked` alone: what a
    handler raises elsewhere may reach a destructor, where Python drops it, or the middle of a
    library's transaction. Code that waits in the block calls it several times a second."""
    before = {number: signal.getsignal(number) for number in ENDING}
    try:
        for number, handler in before.items():
            if handler is not signal.SIG_IGN:  # a shell ignores Ctrl-C for its background
                signal.signal(number, lambda number, _: _came.append(number))
        yield
        leave_if_asked()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        _came.clear()


def leave_if_asked() -> None:
    """Leave the block of `ending_at_signals` once for each signal that came.

    Raises:
        KeyboardInterrupt: for Ctrl-C.
        SystemExit: for the others, with the exit code that a shell gives to them.
    """
    if _came:
        number = _came.pop(0)
        raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(128 + number)


class Programs:
    """Programs with their output in one folder, for at most `within` s."""

    def __init__(self, folder: Path, within: float) -> None:
        self.folder = folder
        self.within = within
        self.deadline = time.monotonic() + within
        self._running: list[Program] = []

    def start(
        self,
        name: str,
        argv: Sequence[str],
        stack: ExitStack,
        user: User | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Program:
        """A program that has ended when `stack` is closed; `user` and `env` as in `Program`."""
        output = self.folder / f"{name}.log"
        program = stack.enter_context(running(name, argv, output, user, env=env))
        self._running.append(program)
        return program

    def kill(self, program: Program) -> None:
        """End it as a power cut would, and hold that against nobody."""
        self._running.remove(program)
        program.kill()

    def wait_for_line(self, program: Program, sign: Callable[[str], bool]) -> str:
        """The first line of a program that has just been started which is the sign."""
        give_up = time.monotonic() + START
        while True:
            for line in program.said:
                if sign(line):
                    return line
            self.check(early=True)
            if time.monotonic() > give_up:
                raise Failure(f"{program.name} did not start within {START:g} s:\n{program.tail}")
            time.sleep(LOOK)

    def wait_for_address(self, server: Program) -> Address:
        """Where it listens."""
        return Address.parse(
            self.wait_for_line(server, lambda line: line.strip().startswith("tcp://"))
        )

    def check(self, *, early: bool = False) -> None:
        """Raises `Failure` if there is nothing more to wait for. `early`: before the game, when
        none of the programs has any reason to end. A bridge whose game is over leaves with 0,
        perhaps before we have seen the end of it."""
        leave_if_asked()
        for program in self._running:
            if program.code or (early and program.code is not None):
                raise Failure(f"{program.name} failed:\n{program.tail}")
        if time.monotonic() > self.deadline:
            what = "no game had begun" if early else "the game was not over"
            raise Failure(f"{what} after {self.within:g} s; see --within")
