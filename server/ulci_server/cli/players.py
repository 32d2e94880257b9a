"""``ulci-server player``: accounts and their tokens."""

import secrets
from collections import defaultdict
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import click

from ulci_server.lobby.account_names import name_fault
from ulci_server.storage import TOKEN, Database, Player, Scope, Token, secret_hash

from .errors import Failure, reporting_errors
from .options import NUMBER, database_options, reading, writing
from .output import minute, open_output, shown, table

LENGTH = 32
"""Random bytes of a token: nobody guesses so many, so that a fast hash is enough."""

INVITE_LENGTH = 18
"""Random bytes of the code of an invitation."""

WIDTH = 24
"""Columns of a name or a label in a list."""

HEAD = ("name", "kind", "since (UTC)", "tokens", "last used (UTC)")
TOKENS = ("id", "scope", "label", "since (UTC)", "last used (UTC)", "revoked (UTC)")


class Name(click.ParamType[str]):
    """The name of an account: one word, so that it stands in the lobby as it is."""

    name = "NAME"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        name = str(value)
        if fault := name_fault(name):
            self.fail(fault, param, ctx)
        return name


label_option = click.option(
    "--label", default="", metavar="TEXT", help="What the token is for, e.g. the machine it is on."
)
admin_option = click.option(
    "--admin", is_flag=True, help="A token that may also send admin commands."
)


@click.group()
def player() -> None:
    """Give players accounts, and tokens to prove them by.

    Works on the database of a running server, too.
    """


@player.command()
@click.argument("name", type=Name())
@database_options
@click.option(
    "--kind",
    type=click.Choice(["human", "engine"]),
    default="human",
    show_default=True,
    help="Whether a person or an engine plays under that name.",
)
@admin_option
@label_option
def add(**asked: Any) -> None:
    """Make an account, and print a token for it.

    The token is the only line on standard output, and is shown only once: the database keeps
    only its hash.
    """
    with reporting_errors(), closing(writing(asked)) as database:
        account = database.accounts.add_player(asked["name"], asked["kind"])
        token = _new_token(database, account, asked)
    _show(token, f"{account.name} has an account now ({account.kind}).")


@player.command("list")
@click.argument("name", required=False)
@database_options
def list_players(**asked: Any) -> None:
    """List all accounts, or the tokens of one."""
    with reporting_errors(), closing(reading(asked)) as database:
        if asked["name"] is None:
            accounts = database.accounts.players()
            tokens_of = defaultdict[int, list[Token]](list)
            for token in database.accounts.tokens():
                tokens_of[token.player].append(token)
            rows = [_row(account, tokens_of[account.id]) for account in accounts]
            text = table(HEAD, rows, right=("tokens",)) if rows else "no accounts"
        else:
            tokens = database.accounts.tokens(_known(database, asked["name"]).id)
            text = table(TOKENS, [*map(_token_row, tokens)], right=("id",)) if tokens else "none"
    with open_output() as output:
        output.write(f"{text}\n")


@player.command()
@click.argument("name")
@database_options
@admin_option
@label_option
def token(**asked: Any) -> None:
    """Print one more token for an account; its other tokens stay valid."""
    with reporting_errors(), closing(writing(asked)) as database:
        account = _known(database, asked["name"])
        text = _new_token(database, account, asked)
    _show(text, f"{account.name} has one more token now.")


@player.command()
@click.argument("name", required=False)
@database_options
@click.option(
    "--days",
    type=click.IntRange(1, 365),
    default=14,
    show_default=True,
    help="How long it can be used.",
)
def invite(**asked: Any) -> None:
    """Print a code with which one person may sign up on the page /account.

    If NAME has an account, the code sets the password of that account, also in place of a forgotten
    one. The server's configuration must allow it ([clients] sign_up). The code is the only line on
    standard output, and is shown only once; the page takes it from a link, too:
    https://SERVER/account#invite=CODE.
    """
    code, now = secrets.token_urlsafe(INVITE_LENGTH), datetime.now(UTC)
    with reporting_errors(), closing(writing(asked)) as database:
        account = None if asked["name"] is None else _known(database, asked["name"])
        expires_at = now + timedelta(days=asked["days"])
        database.sign_ins.add_invite(
            secret_hash(code), now, expires_at, None if account is None else account.id
        )
    whom = "somebody may sign up" if account is None else f"{account.name} gets a password"
    click.echo(f"By this code {whom}, once, until {minute(expires_at)} UTC:", err=True)
    with open_output() as output:
        output.write(f"{code}\n")


@player.command()
@click.argument("name")
@click.argument("pool")
@click.argument("rating", required=False, type=click.IntRange(0, 9999))
@database_options
@click.option("--free", is_flag=True, help="Let games change it again.")
def anchor(**asked: Any) -> None:
    """Fix the rating of an account in a pool: games change it no more.

    Others are measured by it, so that the ratings of a pool do not drift when strong players leave.
    A running server shows it after the player's next game or login.
    """
    name, pool, rating = asked["name"], asked["pool"], asked["rating"]
    if asked["free"] == (rating is not None):
        raise click.UsageError("give a rating, or --free")
    with reporting_errors(), closing(writing(asked)) as database:
        account = _known(database, name)
        changed = database.ratings.anchor(account.id, pool, rating, datetime.now(UTC))
    where = f"{shown(account.name, WIDTH)} in the pool {shown(pool, WIDTH)}"
    if not changed:
        click.echo(f"nothing to do: {where} is so already")
    elif rating is None:
        click.echo(f"games change the rating of {where} again")
    else:
        click.echo(f"the rating of {where} is {rating} from now on")


@player.command()
@click.argument("name")
@database_options
@click.option(
    "--token", "id_", type=NUMBER, metavar="ID", help="Only this one (see: player list NAME)."
)
def revoke(**asked: Any) -> None:
    """Revoke the tokens of an account.

    Open connections stay; nobody can connect with these tokens from now on.
    """
    with reporting_errors(), closing(writing(asked)) as database:
        account = _known(database, asked["name"])
        gone = _revoke(database, account, asked["id_"])
    if not gone:
        click.echo(f"nothing to do: {account.name} has no such token that is still good")
        return
    tokens = "1 token" if gone == 1 else f"{gone} tokens"
    click.echo(f"revoked {tokens} of {account.name}")


def _revoke(database: Database, account: Player, token: int | None) -> int:
    if token is None:
        return database.accounts.revoke_all(account.id)
    if all(one.id != token for one in database.accounts.tokens(account.id)):
        raise Failure(
            f"{account.name} has no token {token}; see: ulci-server player list {account.name}"
        )
    return int(database.accounts.revoke(token))


def _known(database: Database, name: str) -> Player:
    account = database.accounts.find_player(name)
    if account is None:
        raise Failure(f"there is no account {shown(name, WIDTH)!r}; see: ulci-server player list")
    return account


def _new_token(database: Database, account: Player, asked: dict[str, Any]) -> str:
    text = TOKEN + secrets.token_urlsafe(LENGTH)
    scope: Scope = "admin" if asked["admin"] else "play"
    database.accounts.add_token(account.id, secret_hash(text), scope, asked["label"])
    return text


def _show(token: str, what: str) -> None:
    click.echo(f"{what} This is its token, which is shown only now; keep it secret:", err=True)
    with open_output() as output:
        output.write(f"{token}\n")


def _row(account: Player, tokens: list[Token]) -> tuple[str, ...]:
    good = [token for token in tokens if token.revoked_at is None]
    used = max((token.last_used_at for token in tokens if token.last_used_at), default=None)
    return (
        shown(account.name, WIDTH),
        account.kind,
        minute(account.created_at),
        str(len(good)),
        minute(used),
    )


def _token_row(token: Token) -> tuple[str, ...]:
    return (
        str(token.id),
        token.scope,
        shown(token.label, WIDTH),
        minute(token.created_at),
        minute(token.last_used_at),
        minute(token.revoked_at),
    )
