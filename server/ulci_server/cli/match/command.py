"""``ulci-server match``: a match between engines, by the command line of other match runners."""

import errno
import os
import subprocess
import sys
from importlib.metadata import version

import click
import trio

from ulci.net import NetError
from ulci_server.app import UnsavedError
from ulci_server.cli import logs
from ulci_server.config import ConfigError, Log
from ulci_server.hall.table.tablebases import TablebaseError
from ulci_server.match import EngineFailedError, OtherMatchError
from ulci_server.openings import BookError
from ulci_server.storage import StorageError
from ulci_server.storage.export import GameFileError

from . import lines
from .help import help_text
from .match_log import MatchLog
from .parser import Compliance, Question, parse
from .run import play
from .screen import Screen
from .settings import MatchSettings
from .values import MatchError

PROGRAM = "ulci-server match"

_EXPECTED = (
    BookError,
    ConfigError,
    GameFileError,
    MatchError,
    NetError,
    OtherMatchError,
    StorageError,
    TablebaseError,
    UnsavedError,
)


@click.command(
    "match",
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def match(ctx: click.Context, words: tuple[str, ...]) -> None:
    """Play a match between engines; -help lists the options."""
    try:
        asked = parse(words, os.cpu_count() or 1)
    except MatchError as error:
        click.echo(str(error))
        ctx.exit(1)
    if asked is Question.HELP:
        click.echo(help_text(PROGRAM))
    elif asked is Question.VERSION:
        click.echo(f"{PROGRAM} {version('ulci-relay')}")
    elif isinstance(asked, MatchSettings):
        ctx.exit(_play(asked))
    else:
        assert isinstance(asked, Compliance)
        ctx.exit(_examine(asked))


PASSED = "Engine passed all compliance checks."


def _examine(asked: Compliance) -> int:
    """By ``ulci doctor``, a program of its own. Returns the exit code."""
    doctor = [sys.executable, "-m", "ulci_client.cli", "doctor", "--", *asked.argv]
    code = subprocess.run(doctor, check=False).returncode  # noqa: S603 - as the user asks for
    if not code:
        click.echo(PASSED)
    return min(code, 1)


def _play(asked: MatchSettings) -> int:
    logs.set_up(Log(level="error"), sys.stderr)
    code = 1
    try:
        log = _open_log(asked)
    except MatchError as refused:
        click.echo(str(refused))
        return code
    screen, unread = Screen(shows=not asked.test_environment, log=log), False
    try:
        code = trio.run(play, asked, screen, log)
    except* EngineFailedError as group:
        failures = [error for error in _leaves(group) if isinstance(error, EngineFailedError)]
        # Several boards may have begun to start it.
        for engine, why in dict.fromkeys((error.engine, str(error)) for error in failures):
            screen.say(lines.startup_failure(asked.entrants[engine].name, why))
    except* _EXPECTED as group:
        for error in _leaves(group):
            screen.say(str(error))
    except* BrokenPipeError:
        unread = True
    finally:
        screen.show("")
        if log is not None:
            log.close()
    if unread:  # click ends the program without a word, as others end in a pipe
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))
    return code


def _open_log(asked: MatchSettings) -> MatchLog | None:
    """Raises `MatchError`: it cannot be opened."""
    if (output := asked.log) is None or output.file is None:
        return None
    return MatchLog(output, lambda why: click.echo(f"Warning; the log {output.file} ends: {why}"))


def _leaves(group: BaseExceptionGroup[BaseException]) -> list[BaseException]:
    found: list[BaseException] = []
    for error in group.exceptions:
        found += _leaves(error) if isinstance(error, BaseExceptionGroup) else [error]
    return found
