"""``ulci-server replay``: replay a recording."""

from contextlib import ExitStack
from pathlib import Path

import click
import trio

from ulci_server.app.replay_factory import replayed
from ulci_server.config import Log
from ulci_server.hall import RefereeError
from ulci_server.hall.table.tablebases import TablebaseError
from ulci_server.replay.tape import TapeError, read

from . import logs
from .errors import Failure, reporting_errors

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
