"""Options and their types that several commands share."""

from collections.abc import Callable, Collection
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import click

from ulci.net import Address
from ulci.time_control import with_units
from ulci_server.config import load, without_password
from ulci_server.game import Controls
from ulci_server.lobby.admin_commands import NO_SPAN, seconds_untrusted
from ulci_server.storage import (
    MEMORY,
    Database,
    Filters,
    SchemaStatus,
    StorageError,
    check_url,
    open_database,
    schema_state,
)

from .errors import NothingFound
from .words import words

Command = TypeVar("Command", bound=Callable[..., Any])

DATABASE_VARIABLE = "ULCI_DATABASE"
"""Where a service may put the address of its database: other users of the machine can see the
command line, with the password in it."""

BUS_VARIABLE = "ULCI_BUS"
"""Where a service may put the address of its bus, for the same reason."""


class Checked(click.ParamType[str]):
    """A word with a notation of its own, which is read only to see whether it can be."""

    def __init__(self, name: str, read: Callable[[str], object]) -> None:
        self.name = name
        self._read = read

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        try:
            self._read(str(value))
        except (ValueError, StorageError) as error:
            self.fail(without_password(str(error)), param, ctx)
        return str(value)


class Number(click.ParamType[int]):
    """A number that a row of the database can have."""

    name = "N"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        text = str(value)
        digits = text.isascii() and text.isdigit() and len(text) < 20
        if not digits or not 1 <= int(text) < 2**63:
            self.fail(f"{text!r} is not a number from 1 on", param, ctx)
        return int(text)


NUMBER = Number()
LISTEN_URL = Checked("URL", Address.parse)
ENGINE = Checked("COMMAND", words)
TIME_CONTROL = Checked("TC", lambda text: Controls.parse(with_units(text)))
DATABASE_URL = Checked("URL", check_url)


class Moment(click.ParamType[datetime]):
    """A day or a time of day, UTC unless it says otherwise: 2026-11-20, 2026-11-20T18:30."""

    name = "TIME"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime:
        if isinstance(value, datetime):
            return value
        try:
            moment = datetime.fromisoformat(str(value))
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, OverflowError):
            text = f"{value!r} is no time: write 2026-11-20 or 2026-11-20T18:30 (UTC)"
            self.fail(text, param, ctx)


class Span(click.ParamType[timedelta]):
    """How long something shall last: 30m, 12h, 7d, 4w; as an administrator says it to a server."""

    name = "SPAN"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> timedelta:
        if isinstance(value, timedelta):
            return value
        seconds = seconds_untrusted(str(value))
        if seconds is None:
            self.fail(f"{value!r} {NO_SPAN}", param, ctx)
        return timedelta(seconds=seconds)


config_option = click.option(
    "--config",
    "-c",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The configuration (TOML); without one, everything has its default.",
)

database_option = click.option(
    "--database",
    type=DATABASE_URL,
    envvar=DATABASE_VARIABLE,
    show_envvar=True,
    help="Where games are kept: sqlite:///FILE, postgresql://USER@HOST/NAME or memory:.",
)


def cluster_option(help_text: str) -> Callable[[Command], Command]:
    """Where the bus is: by option or by environment."""
    return click.option(
        "--cluster", metavar="URL", envvar=BUS_VARIABLE, show_envvar=True, help=help_text
    )


def applied(command: Command, *options: Callable[[Command], Command]) -> Command:
    """Give a command options, which then stand in its help in that order."""
    for option in reversed(options):
        command = option(command)
    return command


def database_options(command: Command) -> Command:
    """The options that `database_from` reads."""
    return applied(command, config_option, database_option)


def database_from(asked: dict[str, Any]) -> str:
    """The address that was asked for, by option, by configuration or by default.

    Raises:
        ConfigError: the configuration is wrong.
    """
    if asked["database"] is not None:
        return str(asked["database"])
    return load(asked["config"], books=False).database.url


def reading(asked: dict[str, Any]) -> Database:
    """The database that was asked for, only to read from.

    Raises:
        ConfigError: the configuration is wrong.
        StorageError: the database cannot be read.
    """
    url = database_from(asked)
    if url == MEMORY:
        text = f"what a server keeps in {MEMORY} nobody else can read; name a database"
        raise click.UsageError(f"{text}: --database URL")
    return open_database(url, writing=False)


def writing(asked: dict[str, Any]) -> Database:
    """The database that was asked for, to change what people decide: also while a server runs.

    Raises:
        ConfigError: the configuration is wrong.
        StorageError: the database cannot be written.
    """
    url = database_from(asked)
    if url == MEMORY:
        text = f"what a server keeps in {MEMORY} nobody else can change; name a database"
        raise click.UsageError(f"{text}: --database URL")
    # A file that isn't there yet may be made; tables are not changed below a running server.
    empty = url.startswith("sqlite") and schema_state(url).standing is SchemaStatus.EMPTY
    return open_database(url, migrating=empty)


def filter_options(command: Command) -> Command:
    """The options that `filters_from` reads."""
    return applied(
        command,
        click.option(
            "--player", metavar="NAME", help="Only games of this player (the whole name)."
        ),
        click.option("--since", type=Moment(), help="Only games begun then or later (UTC)."),
        click.option("--until", type=Moment(), help="Only games begun before then (UTC)."),
        click.option(
            "--running/--finished",
            default=None,
            help="Only games that are still played, or only those that are over.",
        ),
    )


def filters_from(asked: dict[str, Any]) -> Filters:
    """Which games were asked for."""
    return Filters(
        player=asked["player"],
        since=asked["since"],
        until=asked["until"],
        running=asked["running"],
        ids=asked.get("ids") or None,
        limit=asked["limit"],
    )


def require_games(database: Database, ids: Collection[int]) -> None:
    """Raises `NothingFound` if there is none of one of these numbers."""
    there = {game.id for game in database.games.find(ids=ids)} if ids else ()
    if missing := sorted(set(ids) - set(there)):
        raise NothingFound(f"there is no game {', '.join(map(str, missing))}")


def no_games(database: Database) -> str:
    """Why none was found."""
    if not database.games.last_id():
        return "there are no games in this database yet"
    return "no game passes these filters"
