"""Which shell to use, and how the program ends. Only this module looks at the process."""

import asyncio
import importlib.metadata
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from secrets import token_hex

import trio

from ulci.net import RemoteServer
from ulci.protocol.messages import Terms
from ulci_client.server_list import ServerList
from ulci_client.standard_streams import give_up_stdout, read_stdin
from ulci_client.terminal.model.state import ClientState, Leave
from ulci_client.terminal.view.theme import theme_for

from .client import Client
from .plain import Plain


@dataclass(frozen=True, slots=True)
class PlaySettings:
    """What was asked for. terms: what to seek at once, None to
    enter the lobby. plain: lines in, lines out. ascii: letters, no colours."""

    servers: tuple[RemoteServer, ...]
    name: str
    terms: Terms | None = None
    plain: bool = False
    ascii: bool = False


# 128 + SIGINT, as shells do.
INTERRUPTED = 130


# Kinds of terminals that cannot move their cursor, as editors have.
DUMB = frozenset({"", "dumb", "unknown"})


def run_play(settings: PlaySettings) -> int:
    """Play until the person leaves; the exit code."""
    plain = settings.plain or not _has_screen()
    end = None
    try:
        end = _plain(settings) if plain else _full_screen(settings)
    except* KeyboardInterrupt:
        pass
    if end is None:
        return INTERRUPTED
    if end.why:
        print(end.why, file=sys.stderr)  # noqa: T201 (a program's last words)
    return end.code


def _has_screen() -> bool:
    can_move = os.environ.get("TERM", "") not in DUMB
    return can_move and sys.stdin.isatty() and sys.stdout.isatty()


def _client(settings: PlaySettings, *, shows_lists: bool) -> Client:
    program = f"ulci-play {importlib.metadata.version('ulci-relay')}"
    server = settings.servers[0]
    return Client(
        ClientState(
            *(settings.name, str(server.address), program, server.token, shows_lists),
            wanted=settings.terms,
            chance=token_hex(),
        )
    )


def _full_screen(settings: PlaySettings) -> Leave:
    # Imported late: a pipe needs no prompt_toolkit, and loading it takes longest.
    from .full_screen import FullScreen

    unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    theme = theme_for(os.environ, ascii_only=settings.ascii or not unicode)
    return asyncio.run(
        FullScreen(_client(settings, shows_lists=True), ServerList(settings.servers), theme).run()
    )


def _plain(settings: PlaySettings) -> Leave | None:
    """None: Ctrl-C ended it."""
    plain = Plain(
        _client(settings, shows_lists=False),
        ServerList(settings.servers),
        read_stdin,
        _Writer(),
        hold=not sys.stdin.isatty(),
        spoken=settings.ascii,
    )
    return trio.run(_unless_interrupted, plain.run)


async def _unless_interrupted(run: Callable[[], Awaitable[Leave]]) -> Leave | None:
    """Ctrl-C cancels it: as an exception it would be raised anywhere."""
    end = None
    with trio.open_signal_receiver(signal.SIGINT) as interrupts:
        async with trio.open_nursery() as nursery:

            async def obey() -> None:
                await anext(interrupts)
                nursery.cancel_scope.cancel()

            nursery.start_soon(obey)
            end = await run()
            nursery.cancel_scope.cancel()
    return end


class _Writer:
    """Prints lines; raises BrokenPipeError once the reader is gone."""

    def __init__(self) -> None:
        self._encoding = sys.stdout.encoding or "ascii"

    def __call__(self, line: str) -> None:
        # What the terminal cannot encode must not end the game.
        shown = line.encode(self._encoding, "replace").decode(self._encoding)
        try:
            sys.stdout.write(f"{shown}\n")
            sys.stdout.flush()
        except BrokenPipeError:
            give_up_stdout()
            raise
