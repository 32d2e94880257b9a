"""``ulci-server admin``: send one admin command to a running server, and show the answer."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import trio

from ulci.net import (
    DEFAULT_SERVER,
    TOKEN_VARIABLE,
    Address,
    NetError,
    Peer,
    RemoteServer,
    context_for,
    read_token,
)
from ulci.protocol import RemoteProtocolError, Unread
from ulci.protocol.lobby.lines import AdminAnswer, AdminDone, ErrorLine
from ulci.protocol.messages import (
    Admin,
    Hello,
    HelloOk,
    Id,
    Lobby,
    Message,
    Quit,
    Report,
)
from ulci_server.lobby.admin_commands import USAGE, read_untrusted
from ulci_server.lobby.terms import Refusal

from .errors import Failure, reporting_errors
from .options import LISTEN_URL, Command, applied
from .output import shown

PATIENCE = 30.0
"""Seconds for the whole conversation: a server that is busy still answers within one."""

WIDEST = 400
"""Columns of an answer that are shown: names and texts in it were written by others."""

EPILOG = "\b\nCommands:\n" + "\n".join(f"  {usage}" for usage in USAGE.values()) + """

WHY is shown to the players and recorded. DURATION is a number with s, m, h, d, w or y,
such as 30m. PLIES are single moves of one side.

\b
Exit codes: 0 done
            1 the server could not be reached, or refused
            2 wrong usage
"""  # fmt: skip


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


def server_from(asked: dict[str, Any]) -> RemoteServer:
    """The server that was asked for.

    Raises:
        click.UsageError: the options do not fit together, or a file cannot be used.
    """
    address = Address.parse(asked["server"])
    server = RemoteServer(address)
    if not server.is_private:
        raise click.UsageError(
            f"whoever is between here and {address.host} could read an admin's token;"
            " use tls:// or wss://, or the command on that machine"
        )
    try:
        context = context_for(address, asked["cafile"], insecure=asked["insecure"])
        token = read_token(asked["token_file"], os.environ)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if not token:
        raise click.UsageError(
            f"an admin needs a token: --token-file FILE, or the variable {TOKEN_VARIABLE}"
        )
    return replace(server, ssl_context=context, token=token)


@click.command(epilog=EPILOG, context_settings={"allow_interspersed_args": False})
@remote_options
@click.option("--name", default="admin", show_default=True, help="The name to connect under.")
@click.argument("words", nargs=-1, required=True, metavar="COMMAND...")
def admin(words: tuple[str, ...], name: str, **asked: Any) -> None:
    """Administer a running server: end games, kick and ban players, send messages.

    It needs the token of an account with the scope admin.
    """
    said = " ".join(words).split()
    try:
        read_untrusted(said)
    except Refusal as refusal:
        raise click.UsageError(str(refusal)) from None
    if not all(word.isprintable() for word in said):
        raise click.UsageError("there are control characters in it")
    server = server_from(asked)
    with reporting_errors(NetError):
        for line in trio.run(ask, server, name, said):
            click.echo(shown(line, WIDEST))


async def ask(server: RemoteServer, name: str, words: Sequence[str]) -> list[str]:
    """Send one command; returns the lines of the answer.

    Raises:
        Failure: the server refused, or did not answer.
        DialError: it cannot be reached.
    """
    answer: list[str] | None = None
    with trio.move_on_after(PATIENCE):
        async with server.dial() as peer:
            answer = await _converse(peer, server.token, name, words)
            peer.put(Quit())
    if answer is None:
        raise Failure(f"no answer from {server.address} within {PATIENCE:g} s")
    return answer


async def _converse(peer: Peer, token: str, name: str, words: Sequence[str]) -> list[str]:
    answer: list[str] = []
    while (message := await _next(peer)) is not None:
        match message:
            case Hello():
                who = (Id("username", name), Id("feature", "lobby admin"), Id("token", token))
                peer.put(*who, HelloOk(), Admin(tuple(words)))
            case Lobby(AdminDone()):
                return answer
            case Lobby(AdminAnswer(said)):
                answer.append(" ".join(said))
            case Lobby(ErrorLine(_, text)):
                raise Failure(shown(text, WIDEST))
            case Report(_, text):
                raise Failure(shown(text, WIDEST))
            case Quit():
                break
            case _:
                pass  # what everybody in the lobby hears
    raise Failure(f"the server hung up without an answer{peer.why and ': '}{peer.why}")


async def _next(peer: Peer) -> Message | None:
    """The next readable message; None when the server has hung up."""
    while True:
        try:
            heard = await peer.receive()
        except RemoteProtocolError as error:
            raise Failure(f"this is not a ulci-server: {error}") from None
        if heard is None:
            return None
        if not isinstance(heard.message, Unread):
            return heard.message
