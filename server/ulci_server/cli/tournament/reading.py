"""Reads the description of a tournament from its file, with all that is wrong at once."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from ulci_server.cli.errors import Failure
from ulci_server.config import Config
from ulci_server.hall.tournament.making import Offered, described
from ulci_server.tournament import TournamentErrors, TournamentSettings

LONGEST_FILE = 4 * 1024 * 1024
"""Bytes of a description."""


def read(path: Path) -> str:
    """The text of a description. Raises `Failure`."""
    try:
        with path.open("rb") as file:
            text = file.read(LONGEST_FILE + 1)
    except OSError as error:
        raise Failure(f"cannot read {path}: {error.strerror}") from None
    if len(text) > LONGEST_FILE:
        raise Failure(f"{path} is larger than {LONGEST_FILE} bytes")
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        raise Failure(f"{path} is not UTF-8: {error.reason} at byte {error.start}") from None


def checked(text: str, config: Config | None, where: str) -> TournamentSettings:
    """The settings of a description. config: of the server that is to play it, if it is known.
    Raises `Failure` with all that is wrong."""
    with listing_faults(where):
        offered = None if config is None else Offered(*config.offered())
        return described(text, offered, datetime.now(UTC))


@contextmanager
def listing_faults(where: str) -> Iterator[None]:
    """Turn all that is wrong into one `Failure`. where: the name of the file."""
    try:
        yield
    except TournamentErrors as error:
        raise Failure(_listed(where, error.errors)) from None


def _listed(where: str, faults: tuple[str, ...]) -> str:
    if len(faults) == 1:
        return f"{where}: {faults[0]}"
    return "\n".join([f"{where} has {len(faults)} errors:", *(f"  {fault}" for fault in faults)])
