"""The log of a client's conversations (``--wire-log``), as `ulci.wire_log` writes it."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import click

from ulci.net import Peer
from ulci.wire_log import TakenError, WireLog, WireLogError

MOST_AT_ONCE = 100
"""Programs that may get one file: a GUI starts each of its engines alike."""

Follow = Callable[[Peer, str], object]
"""Logs the lines sent to a peer and received from it, under this name."""

wire_log_option = click.option(
    "--wire-log",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Append every line sent or received, with its time and without secrets; `ulci-server"
    " wire FILE` shows them. While another program writes FILE.log, it is FILE-2.log.",
)


def no_log(peer: Peer, name: str) -> None:
    """Follows nobody."""


def no_note(event: str, text: str | bytes = "", game: int = 0) -> None:
    """Notes nothing."""


def open_wire_log(
    path: Path | None, program: str, complain: Callable[[str], object], stack: ExitStack
) -> WireLog | None:
    """The log, closed with the stack; None without a path. `complain` is called when it ends early.

    Raises:
        click.UsageError: the file cannot be written to.
    """
    if path is None:
        return None

    def ended(why: str) -> None:
        complain(f"the wire log ends here: {why}")

    try:
        log = _first_free(path, program, ended)
    except WireLogError as error:
        raise click.UsageError(str(error)) from error
    stack.callback(log.close)
    return log


def _first_free(path: Path, program: str, ended: Callable[[str], object]) -> WireLog:
    for number in range(1, MOST_AT_ONCE):
        name = path if number == 1 else path.with_stem(f"{path.stem}-{number}")
        try:
            return WireLog(name, program=program, on_end=ended)
        except TakenError:
            continue
    return WireLog(path, program=program, on_end=ended)
