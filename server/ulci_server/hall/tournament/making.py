"""From the description of a tournament to its rows, with all that is wrong at once."""

import re
from collections.abc import Collection, Iterator
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from ulci_server.storage import Database, EntrantRecord
from ulci_server.tournament import (
    TournamentErrors,
    TournamentFormat,
    TournamentSettings,
    parse_tournament,
)

from .timing import begins

_WORD = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")

MOST_UNKNOWN = 20
"""Unknown accounts named in one error."""


class Offered(NamedTuple):
    """The names of the pools and engines of the server that is to play it."""

    pools: Collection[str]
    engines: Collection[str]


def described(text: str, offered: Offered | None, now: datetime) -> TournamentSettings:
    """The settings of a description. offered: None if it is not known. Raises
    `TournamentErrors`."""
    settings = parse_tournament(text)
    if faults := tuple(_faults(settings, offered, now)):
        raise TournamentErrors(faults)
    return settings


class Plan(NamedTuple):
    """A tournament that can be made."""

    settings: TournamentSettings
    word: str
    entrants: list[EntrantRecord]


def plan(
    text: str, word: str, offered: Offered, database: Database, now: datetime, *, from_afar: bool
) -> Plan:
    """What a description makes. word: its name in commands, or empty. from_afar: whether somebody
    wrote it who may not read this machine's files. Raises `TournamentErrors` with all that is
    wrong."""
    settings = parse_tournament(text)
    faults = [*_faults(settings, offered, now)]
    if from_afar and settings.openings is not None:
        faults.append("openings: only the operator of the server names its files; leave it out")
    entrants: list[EntrantRecord] = []
    try:
        word = word_of(settings, word)
    except TournamentErrors as error:
        faults += error.errors
    try:
        entrants = entrants_of(settings, database)
    except TournamentErrors as error:
        faults += error.errors
    if faults:
        raise TournamentErrors(tuple(faults))
    return Plan(settings, word, entrants)


def _faults(settings: TournamentSettings, offered: Offered | None, now: datetime) -> Iterator[str]:
    begin = begins(settings.timetable, now)
    if begin is not None and begin < now:
        yield f"schedule: {begin:%Y-%m-%d %H:%M} (UTC) has passed"
    if settings.openings is not None and not Path(settings.openings.file).is_absolute():
        yield "openings.file: name the whole path, as it is at the server"
    if offered is None:
        return
    if settings.pool not in offered.pools:
        known = " ".join(sorted(offered.pools))
        yield f"pool: the server has no pool {settings.pool}; it has: {known}"
    for number, entrant in enumerate(settings.entrant, 1):
        if entrant.engine and (why := no_engine(entrant.engine, offered)):
            yield f"entrant.{number}: {why}"


def no_engine(name: str, offered: Offered | None) -> str:
    """Why the server has no engine of that name; empty if it has one, or that is not known."""
    if offered is None or name in offered.engines:
        return ""
    known = " ".join(sorted(offered.engines)) or "none"
    return f"the server has no engine {name}; it has: {known}"


def entrants_of(settings: TournamentSettings, database: Database) -> list[EntrantRecord]:
    """Those that are listed; an account without a rating of its own here has that of the pool.
    Raises `TournamentErrors` that name all unknown accounts."""
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
        more = ["…"] * (len(unknown) > MOST_UNKNOWN)
        raise TournamentErrors((*unknown[:MOST_UNKNOWN], *more))
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
    """The name in commands. Raises `TournamentErrors`."""
    word = asked or re.sub(r"[^a-z0-9._]+", "-", settings.name.casefold()).strip("-._")[:64]
    if _WORD.fullmatch(word) is None:
        why = "is one word of at most 64 small letters, digits and . _ -"
        raise TournamentErrors((f"{word!r} cannot be its name in commands, which {why}",))
    return word


NEEDS_SWISS = (
    "note: a Swiss is paired by the package py4swiss, which must be installed at the server;"
    " this Python does not have it (pip install py4swiss)"
)


def notes(settings: TournamentSettings) -> Iterator[str]:
    """What an operator should know."""
    if settings.format is TournamentFormat.SWISS and find_spec("py4swiss") is None:
        yield NEEDS_SWISS
    if settings.openings is not None:
        try:
            with Path(settings.openings.file).open("rb"):
                pass
        except OSError as error:
            yield (
                f"note: the book {settings.openings.file} cannot be read here: {error.strerror};"
                " if the server cannot read it either, it pauses the tournament when it begins"
            )
