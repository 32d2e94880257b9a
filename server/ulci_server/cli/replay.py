"""``ulci-server replay``: replay a recording, and the file of a new one."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click
import structlog
import trio

from ulci_server.app import replayed
from ulci_server.config import Config, Log
from ulci_server.hall import RefereeError
from ulci_server.hall.table.tablebases import TablebaseError
from ulci_server.replay.tape import TapeError, read

from . import logs
from .errors import Failure, reporting_errors
from .writer import RecordWriter

LOG = structlog.get_logger("ulci_server.cli")

CAPACITY = 1 << 24
"""Characters of a recording that may wait for a slow disk: a minute of some hundred quick games."""

LAST_WRITE = 5.0
"""Seconds that the disk has for the last of a recording."""

CUT_SHORT = "it was cut short: its server was killed, or could not write any more"

_NO_TEXT = "this is no text in UTF-8, so no recording; they are made by: ulci-server serve --record"


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
def replay(file: Path) -> None:
    """Replay a recorded conversation, and compare what the server says byte by byte.

    FILE was written by serve --record. Only FILE is opened: the recording moves the clock, and
    there are no sockets, no database and no randomness.

    Exit codes: 0 every byte was the same, 1 one was not, 2 FILE is not a recording.
    """
    logs.set_up(Log(level="error"))
    with reporting_errors(RefereeError, TablebaseError, TapeError):
        try:
            with file.open(encoding="utf-8") as lines:
                recording = read(lines)
            with ExitStack() as closing:
                again = replayed(recording, closing)
                difference = trio.run(again.run, clock=again.clock)
        except OSError as error:
            raise click.UsageError(f"cannot read {file}: {error.strerror}") from None
        except UnicodeError:
            raise click.UsageError(f"{file}: {_NO_TEXT}") from None
        except TapeError as error:
            raise click.UsageError(f"{file}: {error}") from None
    if difference is not None:
        raise Failure(f"{file}: {difference}")
    same = f"every byte of {again.lines} lines on {again.connections} is the same"
    click.echo(f"{file}: {same}" if recording.whole else f"{file}: {same}; {CUT_SHORT}")


@contextmanager
def new_record(path: Path, config: Config) -> Iterator[RecordWriter]:
    """A file for a recording that only its owner can read: there are tokens and secrets in it. When
    it cannot be written any more, the log says so and the server plays on.

    Raises:
        Failure: it exists or cannot be made, or what is hosted cannot be held again.
    """
    if config.game:
        text = f"what the referee of {config.game[0].name} says cannot be recorded; leave out"
        raise Failure(f"{text} --record, or the game")
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        text = f"there is a file {path} already, and a recording replaces none"
        raise Failure(f"{text}; name another, or move that one away") from None
    except OSError as error:
        raise Failure(f"cannot write {path}: {error.strerror}") from None

    def ended(why: str) -> None:
        advice = "the games go on; what was recorded until now can be replayed"
        LOG.error("recording stopped", file=str(path), why=why, advice=advice)

    record = RecordWriter(handle, ended, capacity=CAPACITY)
    try:
        yield record
    finally:
        if record.close(LAST_WRITE):
            os.close(handle)
