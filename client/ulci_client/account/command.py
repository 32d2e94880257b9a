"""The command ``ulci token``: store a token, so that it is neither typed nor shown again."""

import sys
from typing import Any

import click

from ulci_client.server_address import server_option

from . import tokens


@click.group(name="token")
def command() -> None:
    """Store the token of your account at a server.

    The server's operator creates it with: ulci-server player add NAME. A token stored here is used
    by ulci play and ulci bridge for that server, unless --token-file or ULCI_TOKEN gives another.
    It is stored in a file that only you can read.
    """


@command.command()
@server_option
def save(**asked: Any) -> None:
    """Store a token, from a prompt or standard input."""
    where = [f"{address.host}:{address.port}" for address in asked["servers"]]
    if sys.stdin.isatty():
        token = click.prompt(f"Token for {', '.join(where)}", hide_input=True)
    else:
        token = sys.stdin.readline()
    for place, address in zip(where, asked["servers"], strict=True):
        try:
            path = tokens.save(address, token.strip())
        except ValueError as error:
            raise click.ClickException(str(error)) from error
        click.echo(f"The token for {place} is stored in {path}.")


@command.command()
@server_option
def forget(**asked: Any) -> None:
    """Delete the stored token. It stays valid until the server revokes it."""
    for address in asked["servers"]:
        where = f"{address.host}:{address.port}"
        if not tokens.forget(address):
            raise click.ClickException(f"there is no token for {where}; see: ulci token list")
        click.echo(f"The token for {where} is deleted here.")


@command.command(name="list")
def list_() -> None:
    """List the servers with a stored token, without the tokens."""
    for server in tokens.servers():
        click.echo(server)
