"""How does a command reach a running server? By the wire, as any client does, with a token."""

import os
import ssl
import stat
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import click

from ulci.net import Address, Peer, dial
from ulci.protocol import ULCI, Connection, Role, TextCodec

from .options import LISTEN_URL, Command, applied

DEFAULT_SERVER = "tcp://127.0.0.1:25565"

TOKEN_VARIABLE = "ULCI_TOKEN"  # noqa: S105 (its name, not its value)
"""Where the token may stand: what is on the command line, every user of the machine can read."""

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
    if not address.tls and not _is_this_machine(address.host):
        raise click.UsageError(
            f"whoever is between here and {address.host} could read an admin's token;"
            " use tls:// or wss://, or the command on that machine"
        )
    context = _context(asked["cafile"], insecure=asked["insecure"])
    return Server(address, context, _token(asked["token_file"], environment))


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _context(cafile: Path | None, *, insecure: bool) -> ssl.SSLContext | None:
    if insecure:
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return context
    if cafile is None:
        return None
    try:
        return ssl.create_default_context(cafile=str(cafile))
    except ssl.SSLError as error:
        raise click.UsageError(f"{cafile} holds no certificates in PEM format") from error
    except OSError as error:
        raise click.UsageError(f"cannot read {cafile}: {error.strerror}") from error


def _token(path: Path | None, environment: Mapping[str, str]) -> str:
    if path is None:
        token = environment.get(TOKEN_VARIABLE, "").strip()
        if not token:
            text = f"an admin needs a token: --token-file FILE, or the variable {TOKEN_VARIABLE}"
            raise click.UsageError(text)
    else:
        try:
            with path.open(encoding="utf-8") as file:
                _check_rights(path, os.fstat(file.fileno()).st_mode)
                token = file.read().strip()
        except (OSError, UnicodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not a text in UTF-8"
            raise click.UsageError(f"cannot read {path}: {why}") from error
    if len(token.split()) != 1:
        where = path or TOKEN_VARIABLE
        raise click.UsageError(f"{where} must hold the token and nothing else, in one line")
    return token


def _check_rights(path: Path, mode: int) -> None:
    """Raises `click.UsageError` if others may read the file. A pipe is nobody else's."""
    if os.name == "posix" and stat.S_ISREG(mode) and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise click.UsageError(
            f"{path} may be read or changed by other users of this machine;"
            f" make it yours alone: chmod 600 {path}"
        )
