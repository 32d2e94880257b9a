"""``ulci-server admin``: say one word to a running server, and show what it answers."""

from collections.abc import Sequence
from typing import Any

import click
import trio

from ulci.net import Peer
from ulci.protocol import RemoteProtocolError, Unread
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
from ulci_server.lobby import admin as words_of_admins
from ulci_server.lobby.admin import USAGE
from ulci_server.lobby.terms import Refusal

from .problems import Failure, told
from .remote import Server, remote_options, server_from
from .table import shown

PATIENCE = 30.0
"""Seconds for the whole conversation: a server that is busy still answers within one."""

WIDEST = 400
"""Columns of an answer that are shown: names and texts in it were written by others."""

EPILOG = "\b\nWords:\n" + "\n".join(f"  {usage}" for usage in USAGE.values()) + """

WHY is told to the players and kept in the record. DURATION is a number with s, m, h, d, w or y,
such as 30m. PLIES are single moves of one side.

\b
Exit codes: 0 it was done
            1 the server could not be reached, or refused
            2 wrong usage
"""  # fmt: skip


@click.command(epilog=EPILOG, context_settings={"allow_interspersed_args": False})
@remote_options
@click.option(
    "--name", default="admin", show_default=True, help="By which name to be known meanwhile."
)
@click.argument("words", nargs=-1, required=True, metavar="WORD...")
def admin(words: tuple[str, ...], name: str, **asked: Any) -> None:
    """Look after a running server: end games, send people away, tell them something.

    It takes the token of an account with the scope admin.
    """
    said = " ".join(words).split()
    try:
        words_of_admins.read_untrusted(said)
    except Refusal as refusal:
        raise click.UsageError(str(refusal)) from None
    if not all(word.isprintable() for word in said):
        raise click.UsageError("there are control characters in it")
    server = server_from(asked)
    with told():
        for line in trio.run(ask, server, name, said):
            click.echo(shown(line, WIDEST))


async def ask(server: Server, name: str, words: Sequence[str]) -> list[str]:
    """Say one word; the lines of the answer.

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
            case Lobby(("admin", "done")):
                return answer
            case Lobby(("admin", *said)):
                answer.append(" ".join(said))
            case Lobby(("error", _code, *text)):
                raise Failure(shown(" ".join(text), WIDEST))
            case Report(_, text):
                raise Failure(shown(text, WIDEST))
            case Quit():
                break
            case _:
                pass  # what everybody in the lobby hears
    raise Failure(f"the server hung up without an answer{peer.why and ': '}{peer.why}")


async def _next(peer: Peer) -> Message | None:
    """What the server says next that can be understood; None when it has hung up."""
    while True:
        try:
            heard = await peer.receive()
        except RemoteProtocolError as error:
            raise Failure(f"this is not a server of ours: {error}") from None
        if heard is None:
            return None
        if not isinstance(heard.message, Unread):
            return heard.message
