"""How does a command reach a running server? By the wire, as any client does, with a token."""

import os
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from ulci.net import (
    TOKEN_VARIABLE,
    Address,
    Peer,
    dial,
    is_loopback,
    is_token,
    read_token,
    tls_context,
)
from ulci.protocol import ULCI, Connection, Role, TextCodec

from .options import LISTEN_URL, Command, applied

DEFAULT_SERVER = "tcp://127.0.0.1:25565"

LONGEST_LINE = 256 * 1024
"""Bytes of the longest answer."""


@dataclass(frozen=True, slots=True)
class Server:
    """Where it is, what to trust (None: the system's certificates), and by what it knows us."""

    address: Address
    ssl_context: ssl.SSLContext | None
    token: str

    @asynccontextmanager
    async def dial(self) -> AsyncIterator[Peer]:
        """A line to it, on which we are the client.

        Raises:
            DialError: it cannot be reached.
        """
        connection = Connection(
            Role.CLIENT, TextCodec(max_line=LONGEST_LINE), ULCI.with_lobby(), defer_info=True
        )
        async with dial(self.address, connection, ssl_context=self.ssl_context) as peer:
            yield peer


def remote_options(command: Command) -> Command:
    """The options that `server_from` reads."""
    return applied(
        command,
        click.option(
            "--server",
            type=LISTEN_URL,
            default=DEFAULT_SERVER,
            show_default=True,
            help="Where the server listens: tcp://, tls://, ws:// or wss://host[:port].",
        ),
        click.option(
            "--token-file",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="A file with the token of an admin's account, which others must not be able to"
            f" read; or set {TOKEN_VARIABLE}.",
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
    )


def server_from(asked: dict[str, Any], environment: Mapping[str, str] = os.environ) -> Server:
    """The server that was asked for.

    Raises:
        click.UsageError: the options do not fit together, or a file cannot be used.
    """
    address = Address.parse(asked["server"])
    for option in ("cafile", "insecure"):
        if asked[option] and not address.tls:
            raise click.UsageError(f"--{option} is for tls:// and wss://, not for {address}")
    if asked["cafile"] and asked["insecure"]:
        raise click.UsageError("--cafile and --insecure exclude each other")
    if not address.tls and not is_loopback(address.host):
        raise click.UsageError(
            f"whoever is between here and {address.host} could read an admin's token;"
            " use tls:// or wss://, or the command on that machine"
        )
    try:
        context = tls_context(asked["cafile"], insecure=asked["insecure"])
        return Server(address, context, _token(asked["token_file"], environment))
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def _token(path: Path | None, environment: Mapping[str, str]) -> str:
    token = read_token(path, environment)
    if not token:
        raise ValueError(
            f"an admin needs a token: --token-file FILE, or the variable {TOKEN_VARIABLE}"
        )
    if not is_token(token):
        raise ValueError(f"{TOKEN_VARIABLE} must hold the token and nothing else, in one line")
    return token
