"""The options that say where the server is and who we are, the same for every command."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from ulci.net import Address

from .dial import DEFAULT_SERVER, TOKEN_VARIABLE, Server, read_token, tls_context

Command = TypeVar("Command", bound=Callable[..., Any])


def _address(_: click.Context, __: click.Parameter, url: str) -> Address:
    try:
        return Address.parse(url)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


_OPTIONS = (
    click.option(
        "--server",
        default=DEFAULT_SERVER,
        show_default=True,
        callback=_address,
        metavar="URL",
        help="Where to play: tcp://, tls://, ws:// or wss://host[:port].",
    ),
    click.option(
        "--token-file",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help=f"A file with the token of your account; or set {TOKEN_VARIABLE}.",
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
    return Server(address, context, msgpack=asked["msgpack"], timeout=timeout)


def token_from(asked: dict[str, Any]) -> str:
    """The token from where it was asked to be read; empty if from nowhere.

    Raises:
        click.UsageError: the file cannot be used.
    """
    try:
        return read_token(asked["token_file"])
    except ValueError as error:
        raise click.UsageError(str(error)) from error
