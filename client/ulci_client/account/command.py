"""The command ``ulci token``: keep a token, so that nobody has to type or show it again."""

import sys
from typing import Any

import click

from ulci_client.server_options import server_option

from . import tokens


@click.group(name="token")
def command() -> None:
    """Keep the token of your account at a server.

    Whoever runs the server gives you one, with: ulci-server player add NAME. What is kept here is
    used by ulci play and ulci bridge whenever they go to that server, unless --token-file or
    ULCI_TOKEN says another. It lies in a file that only you can read.
    """


@command.command()
@server_option
def save(**asked: Any) -> None:
    """Keep a token, asked for here or read from standard input."""
    address = asked["server"]
    if sys.stdin.isatty():
        token = click.prompt(f"Token for {address.host}:{address.port}", hide_input=True)
    else:
        token = sys.stdin.readline()
    try:
        path = tokens.save(address, token.strip())
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"The token for {address.host}:{address.port} is kept in {path}.")


@command.command()
@server_option
def forget(**asked: Any) -> None:
    """Keep it no longer. The server still knows it: only there can it be revoked."""
    address = asked["server"]
    where = f"{address.host}:{address.port}"
    if not tokens.forget(address):
        raise click.ClickException(f"there is no token for {where}; see: ulci token list")
    click.echo(f"The token for {where} is forgotten here.")


@command.command(name="list")
def list_() -> None:
    """Show for which servers a token is kept, and no token."""
    for server in tokens.servers():
        click.echo(server)
