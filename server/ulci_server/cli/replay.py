"""``ulci-server replay``: does the server still say what it said?"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TextIO

import click
import trio

from ulci_server.app import replayed
from ulci_server.config import Config, Log
from ulci_server.hall.tape import TapeError, read

from . import logs
from .problems import Failure, told


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
def replay(file: Path) -> None:
    """Hold a recorded conversation again, and compare what is said byte by byte.

    FILE was written by serve --record. Nothing is opened but FILE: a clock that only the recording
    moves, no socket, no database, no chance.

    Exit codes: 0 every byte was the same, 1 one was not, 2 FILE is no recording.
    """
    logs.set_up(Log(level="error"))
    with told():
        try:
            with file.open(encoding="utf-8") as lines:
                recording = read(lines)
            with ExitStack() as closing:
                again = replayed(recording, closing)
                difference = trio.run(again.run, clock=again.clock)
        except OSError as error:
            raise click.UsageError(f"cannot read {file}: {error.strerror}") from None
        except (TapeError, UnicodeError) as error:
            raise click.UsageError(f"{file}: {error}") from None
    if difference is not None:
        raise Failure(f"{file}: {difference}")
    click.echo(f"{file}: every byte of {again.lines} lines on {again.connections} is the same")


@contextmanager
def new_record(path: Path, config: Config) -> Iterator[TextIO]:
    """A file for a recording that only its owner can read: there are tokens and secrets in it.

    Raises:
        Failure: it exists or cannot be made, or what is hosted cannot be held again.
    """
    if config.game:
        text = f"what the referee of {config.game[0].name} says cannot be recorded; leave out"
        raise Failure(f"{text} --record, or the game")
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise Failure(f"cannot write {path}: {error.strerror}") from None
    with os.fdopen(handle, "w", encoding="utf-8", buffering=1) as file:
        yield file
