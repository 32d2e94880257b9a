"""From the description of a tournament to one in the database."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from ulci_server.cli.errors import Failure
from ulci_server.config import Config
from ulci_server.hall.tournament.timing import begins
from ulci_server.storage import Database, EntrantRecord
from ulci_server.tournament import (
    TournamentErrors,
    TournamentFormat,
    TournamentSettings,
    parse_tournament,
)

LONGEST_FILE = 4 * 1024 * 1024
"""Bytes of a description."""

_WORD = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


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
    try:
        settings = parse_tournament(text)
    except TournamentErrors as error:
        raise Failure(_listed(where, error.errors)) from None
    if faults := tuple(_faults(settings, config)):
        raise Failure(_listed(where, faults))
    return settings


def _faults(settings: TournamentSettings, config: Config | None) -> Iterator[str]:
    begin = begins(settings.timetable, now := datetime.now(UTC))
    if begin is not None and begin < now:
        yield f"schedule: {begin:%Y-%m-%d %H:%M} (UTC) has passed"
    if settings.openings is not None and not Path(settings.openings.file).is_absolute():
        yield "openings.file: name the whole path, as it is at the server"
    if config is None:
        return
    pools = {pool.name for pool in config.pool}
    if settings.pool not in pools:
        yield f"pool: the server has no pool {settings.pool}; it has: {' '.join(sorted(pools))}"
    engines = {table.offer().name for table in config.engine}
    for number, entrant in enumerate(settings.entrant, 1):
        if entrant.engine and entrant.engine not in engines:
            known = " ".join(sorted(engines)) or "none"
            yield f"entrant.{number}: the server has no engine {entrant.engine}; it has: {known}"


def entrants_of(settings: TournamentSettings, database: Database) -> list[EntrantRecord]:
    """Those that are listed; an account without a rating of its own here has that of the pool.
    Raises `Failure` that names all unknown accounts."""
    unknown: list[str] = []
    rows: list[EntrantRecord] = []
    for number, one in enumerate(settings.entrant, 1):
        account = None
        if one.account:
            player = database.accounts.find_player(one.account)
            if player is None:
                unknown.append(f"entrant.{number}: there is no account {one.account}")
                continue
            if settings.kind not in ("any", player.kind):
                unknown.append(f"entrant.{number}: {player.name} is of kind {player.kind}")
                continue
            account = player.id
        rows.append(
            EntrantRecord(number, one.called, account, one.engine, one.name, one.rating, one.boards)
        )
    if unknown:
        raise Failure("\n".join(unknown[:20] + ["…"] * (len(unknown) > 20)))
    accounts = [row.account for row in rows if row.account is not None]
    rated = {
        one.account: float(one.rating.rating)
        for one in database.ratings.of(accounts)
        if one.pool == settings.pool
    }
    return [
        row._replace(rating=rated.get(row.account)) if row.rating is None and row.account else row
        for row in rows
    ]


def word_of(settings: TournamentSettings, asked: str | None) -> str:
    """The name in commands. Raises `Failure`."""
    word = asked or re.sub(r"[^a-z0-9._]+", "-", settings.name.casefold()).strip("-._")[:64]
    if _WORD.fullmatch(word) is None:
        why = "is one word of at most 64 small letters, digits and . _ -"
        raise Failure(f"{word!r} cannot be its name in commands, which {why}: say --name WORD")
    return word


def _listed(where: str, faults: tuple[str, ...]) -> str:
    if len(faults) == 1:
        return f"{where}: {faults[0]}"
    return "\n".join([f"{where} has {len(faults)} errors:", *(f"  {fault}" for fault in faults)])


NEEDS_SWISS = (
    "note: a Swiss is paired by the package py4swiss, which must be installed at the server"
)


def notes(settings: TournamentSettings) -> Iterator[str]:
    """What an operator should know."""
    if settings.format is TournamentFormat.SWISS:
        yield NEEDS_SWISS
