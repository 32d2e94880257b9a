"""The file of a new recording (``ulci-server serve --record``)."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import structlog

from ulci_server.config import Config

from .errors import Failure
from .writer import RecordWriter

LOG = structlog.get_logger("ulci_server.cli")

CAPACITY = 1 << 24
"""Characters of a recording that may wait for a slow disk: a minute of some hundred quick games."""

LAST_WRITE = 5.0
"""Seconds that the disk has for the last of a recording."""


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
