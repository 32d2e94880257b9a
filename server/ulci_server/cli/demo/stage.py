"""The programs of a demonstration: none is waited for in vain, and the whole has a time limit. And
the options that all demonstrations have."""

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar

import click

from ulci.net import Address
from ulci_server.cli.errors import Failure
from ulci_server.cli.options import TIME_CONTROL, Checked

from .engines import words
from .programs import LOOK, Program, User, leave_if_asked, running

Command = TypeVar("Command", bound=Callable[..., Any])

START = 20.0
"""Seconds that a server has to listen; a slow machine needs two."""

engine_option = click.option(
    "--engine",
    "engines",
    type=Checked("COMMAND", words),
    multiple=True,
    help="An engine to take instead of one that is found; may be given twice.",
)
time_option = click.option(
    "--time",
    "control",
    type=TIME_CONTROL,
    default="10+0.1",
    show_default=True,
    help="The time control.",
)


def within_option(seconds: float) -> Callable[[Command], Command]:
    """The limit of the whole; `seconds` if none is asked for."""
    return click.option(
        "--within",
        type=click.FloatRange(min=1),
        default=seconds,
        show_default=True,
        metavar="SECONDS",
        help="Give up when it takes longer.",
    )


class Stage:
    """Programs with their output in one folder, for at most `within` s."""

    def __init__(self, folder: Path, within: float) -> None:
        self.folder = folder
        self.within = within
        self.deadline = time.monotonic() + within
        self._running: list[Program] = []

    def start(
        self, name: str, argv: Sequence[str], stack: ExitStack, user: User | None = None
    ) -> Program:
        """A program that has ended when `stack` is closed; `user`: another one that runs it."""
        output = self.folder / f"{name}.log"
        program = stack.enter_context(running(name, argv, output, user))
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
