"""``ulci-server ban``: bans of accounts, names and addresses."""

import getpass
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import click

from ulci_server.config import load
from ulci_server.hall.login.bans import too_wide
from ulci_server.lobby.names import is_address
from ulci_server.storage import Ban, Banned, Database, ban_value

from .errors import Failure, reporting_errors
from .options import NUMBER, Checked, Moment, Span, database_options, reading, writing
from .output import minute, open_output, shown, table

HEAD = ("id", "who", "until (UTC)", "why", "by", "since (UTC)", "lifted (UTC)")
WIDTH = 32
"""Columns of what somebody wrote."""

ADDRESS = Checked("ADDRESS", lambda text: ban_value("address", text))


@click.group()
def ban() -> None:
    """Ban an account, a guest's name or an address.

    Works on the database of a running server, too.
    """


@ban.command()
@database_options
@click.option("--account", metavar="NAME", help="A player, whatever the token.")
@click.option("--name", metavar="NAME", help="Guests who call themselves so.")
@click.option("--address", type=ADDRESS, help="An address or network: 192.0.2.7, 2001:db8::/32.")
@click.option("--for", "span", type=Span(), help="How long: 30m, 12h, 7d, 4w.")
@click.option("--until", type=Moment(), help="Until then (UTC); without either, for good.")
@click.option("--wide", is_flag=True, help="Even if the network is huge, or exempt from limits.")
@click.option("--why", default="", metavar="TEXT", help="The reason, which is recorded.")
def add(**asked: Any) -> None:
    """Ban somebody. Say one of --account, --name and --address."""
    kind, value = _whom(asked)
    until = _until(asked)
    _check(kind, value, asked)
    with reporting_errors(), closing(writing(asked)) as database:
        if kind == "account" and database.accounts.find_player(value) is None:
            name = shown(value, WIDTH)
            raise Failure(f"there is no account {name!r}; see: ulci-server player list")
        made = database.accounts.add_ban(kind, value, by=_me(), why=asked["why"], until=until)
    end = "for good" if until is None else f"until {until:%Y-%m-%d %H:%M} UTC"
    click.echo(f"ban {made.id}: {_who(made)}, {end}")


@ban.command("list")
@database_options
@click.option("--all", "everything", is_flag=True, help="Also those that were lifted or are over.")
def list_bans(**asked: Any) -> None:
    """List the bans in force."""
    with reporting_errors(), closing(reading(asked)) as database:
        rows = _rows(database, everything=asked["everything"])
    with open_output() as output:
        output.write(f"{table(HEAD, rows, right=('id',))}\n" if rows else "nobody is banned\n")


@ban.command()
@click.argument("id_", metavar="ID", type=NUMBER)
@database_options
def lift(**asked: Any) -> None:
    """End a ban; it stays in the record."""
    with reporting_errors(), closing(writing(asked)) as database:
        if not database.accounts.lift_ban(asked["id_"]):
            raise Failure(f"there is no ban {asked['id_']} in force; see: ulci-server ban list")
    click.echo(f"ban {asked['id_']} is lifted")


def _whom(asked: dict[str, Any]) -> tuple[Banned, str]:
    kinds: tuple[Banned, ...] = ("account", "name", "address")
    said = [(kind, str(asked[kind])) for kind in kinds if asked[kind]]
    if len(said) != 1:
        raise click.UsageError("say one of --account, --name and --address")
    return said[0]


def _check(kind: Banned, value: str, asked: dict[str, Any]) -> None:
    """Raises `UsageError` if that would ban more people, or nobody, than was meant."""
    if kind == "name" and is_address(value):
        raise click.UsageError(f"nobody is called {value!r}: it is an address; say --address")
    if kind != "address" or asked["wide"]:
        return
    with reporting_errors():
        exempt = load(asked["config"], books=False).exempt()
    if why := too_wide(value, "", exempt):
        raise click.UsageError(f"{why}; if you mean it, say --wide")


def _until(asked: dict[str, Any]) -> datetime | None:
    if asked["span"] is None:
        until: datetime | None = asked["until"]
        if until is not None and until <= datetime.now(UTC):
            raise click.UsageError(f"{until:%Y-%m-%d %H:%M} UTC is over: the ban would bar nobody")
        return until
    if asked["until"] is not None:
        raise click.UsageError("say --for or --until, not both")
    end: datetime = datetime.now(UTC) + asked["span"]
    return end


def _me() -> str:
    """The system's name of the operator who decided."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user without a name
        return "shell"


def _rows(database: Database, *, everything: bool) -> list[tuple[str, ...]]:
    now = datetime.now(UTC)
    bans = database.accounts.bans(lifted=everything)
    return [_row(one) for one in bans if everything or one.holds(now)]


def _row(one: Ban) -> tuple[str, ...]:
    return (
        str(one.id),
        _who(one),
        "for good" if one.until is None else minute(one.until),
        shown(one.why, WIDTH),
        shown(one.by, WIDTH),
        minute(one.at),
        minute(one.lifted_at),
    )


def _who(one: Ban) -> str:
    return f"{one.kind} {shown(one.value, WIDTH)}"
