"""Command-line options for the server's address and the account's token, shared by all commands."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from ulci.net import TOKEN_VARIABLE, RemoteServer, context_for, read_token

from .account import kept_for_all
from .server_address import server_option

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    server_option,
    click.option(
        "--token-file",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="A file with your account's token, readable only by you; or set"
        f" {TOKEN_VARIABLE}, or store it with: ulci token save.",
    ),
    click.option(
        "--token-in-clear",
        is_flag=True,
        help="tcp, ws: send the token although anybody on the way can read it.",
    ),
    click.option(
        "--cafile",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="tls, wss: trust only the certificates in this PEM file.",
    ),
    click.option(
        "--insecure",
        is_flag=True,
        help="tls, wss: trust any certificate; anybody could pose as the server.",
    ),
    click.option("--msgpack", is_flag=True, help="ws, wss: use msgpack instead of text."),
)


def server_options(command: Command) -> Command:
    """Give a click command the options that `servers_from` reads."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def servers_from(asked: dict[str, Any]) -> tuple[RemoteServer, ...]:
    """The servers by these options, all with the same token.

    Raises:
        click.UsageError: the options do not fit together, a file cannot be used, others on the way
            could read the token, or the servers have different ones.
    """
    token = _token(asked)
    found = []
    for address in asked["servers"]:
        if asked["msgpack"] and not address.websocket:
            raise click.UsageError(f"--msgpack is for ws:// and wss://, not for {address}")
        try:
            context = context_for(address, asked["cafile"], insecure=asked["insecure"])
        except ValueError as error:
            raise click.UsageError(str(error)) from error
        found.append(RemoteServer(address, context, msgpack=asked["msgpack"], token=token))
    return tuple(found)


def _token(asked: dict[str, Any]) -> str:
    """By these options, or else the one stored for the servers; empty if none."""
    try:
        token = read_token(asked["token_file"]) or kept_for_all(asked["servers"])
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    for address in asked["servers"]:
        if token and not (RemoteServer(address).is_private or asked["token_in_clear"]):
            raise click.UsageError(
                f"anybody on the way to {address} could read your token: use tls:// or wss://,"
                " or --token-in-clear if you trust the whole way"
            )
    return token
