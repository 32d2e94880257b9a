"""The options that say where the server is and who we are, the same for every command."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from ulci.net import TOKEN_VARIABLE, Address, read_token, tls_context

from .account import kept
from .dial import DEFAULT_SERVER, Server

Command = TypeVar("Command", bound=Callable[..., Any])


def _address(_: click.Context, __: click.Parameter, url: str) -> Address:
    try:
        return Address.parse(url)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


server_option = click.option(
    "--server",
    default=DEFAULT_SERVER,
    show_default=True,
    callback=_address,
    metavar="URL",
    help="Where to play: tcp://, tls://, ws:// or wss://host[:port].",
)

_OPTIONS = (
    server_option,
    click.option(
        "--token-file",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="A file with the token of your account, which others must not be able to read; or"
        f" set {TOKEN_VARIABLE}, or keep it with: ulci token save.",
    ),
    click.option(
        "--token-in-clear",
        is_flag=True,
        help="tcp, ws: say the token although anybody on the way can read it.",
    ),
    click.option(
        "--cafile",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="tls, wss: trust the certificates in this PEM file and no others.",
    ),
    click.option(
        "--insecure",
        is_flag=True,
        help="tls, wss: trust any certificate, so that anybody could be the server.",
    ),
    click.option("--msgpack", is_flag=True, help="ws, wss: speak msgpack instead of text."),
)


def server_options(command: Command) -> Command:
    """Give a click command the options that `server_from` and `token_from` read."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def server_from(asked: dict[str, Any], *, timeout: float = 10.0) -> Server:
    """The server that was asked for; `timeout` in s is for reaching it.

    Raises:
        click.UsageError: the options do not fit together, or a file cannot be used.
    """
    address: Address = asked["server"]
    for option in ("cafile", "insecure"):
        if asked[option] and not address.tls:
            raise click.UsageError(f"--{option} is for tls:// and wss://, not for {address}")
    if asked["cafile"] and asked["insecure"]:
        raise click.UsageError("--cafile and --insecure exclude each other")
    if asked["msgpack"] and not address.websocket:
        raise click.UsageError(f"--msgpack is for ws:// and wss://, not for {address}")
    try:
        context = tls_context(asked["cafile"], insecure=asked["insecure"])
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    server = Server(address, context, msgpack=asked["msgpack"], timeout=timeout)
    return replace(server, token=token_from(asked))


def token_from(asked: dict[str, Any]) -> str:
    """The token from where it was asked to be read, or else the one that is kept for the server;
    empty if there is none.

    Raises:
        click.UsageError: the file cannot be used, or others on the way could read it.
    """
    address: Address = asked["server"]
    try:
        token = read_token(asked["token_file"]) or kept(address)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if token and not (Server(address).is_private or asked["token_in_clear"]):
        raise click.UsageError(
            f"anybody on the way to {address} could read your token: use tls:// or wss://,"
            " or say --token-in-clear if you trust the whole way"
        )
    return token
