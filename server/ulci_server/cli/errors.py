"""Errors of commands: a few lines for people, an exit code for scripts."""

import enum
from collections.abc import Iterator
from contextlib import contextmanager

import click

from ulci_server.config import ConfigError
from ulci_server.storage import StorageError


class ExitCode(enum.IntEnum):
    """What the shell is told."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    GAMES_CUT = 3
    NOTHING_FOUND = 4


class Failure(click.ClickException):
    """The command failed; the text says why, and what may help."""

    exit_code = ExitCode.FAILED


class NothingFound(click.ClickException):
    """The database has nothing that matches; the text says of what."""

    exit_code = ExitCode.NOTHING_FOUND


class BadConfig(click.ClickException):
    """The configuration is wrong."""

    exit_code = ExitCode.USAGE


@contextmanager
def reporting_errors(*expected: type[Exception]) -> Iterator[None]:
    """Turn errors of the configuration, of the database and of these kinds into errors that `click`
    reports.

    Exception groups of a nursery are unwrapped: every error in them is reported.
    """
    problems: list[str] = []
    kinds: tuple[type[Exception], ...] = (StorageError, *expected)
    try:
        yield
    except* ConfigError as group:
        raise BadConfig(_texts(group)) from None
    except* kinds as group:
        problems.append(_texts(group))
    if problems:
        raise Failure("\n".join(problems))


def _texts(group: BaseExceptionGroup[BaseException]) -> str:
    """What the errors in it say, without the groups around them."""
    return "\n".join(
        _texts(error) if isinstance(error, BaseExceptionGroup) else str(error)
        for error in group.exceptions
    )
