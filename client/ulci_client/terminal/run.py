"""Which shell suits, and how the program ends. The only module here that looks at the process."""

import asyncio
import functools
import importlib.metadata
import os
import sys

import trio

from .look import look_for
from .model import Model
from .plain import Plain, read_descriptor
from .settings import Settings
from .state import Leave

# What a shell says of a program that was ended by Ctrl-C.
INTERRUPTED = 130


def run_play(settings: Settings) -> int:
    """Play until the person leaves; the exit code."""
    plain = settings.plain or not (sys.stdin.isatty() and sys.stdout.isatty())
    try:
        end = _plain(settings) if plain else _full_screen(settings)
    except KeyboardInterrupt:
        return INTERRUPTED
    if end.why:
        print(end.why, file=sys.stderr)  # noqa: T201 (a program's last words)
    return end.code


def _model(settings: Settings, *, curious: bool) -> Model:
    program = f"ulci-play {importlib.metadata.version('ulci-relay')}"
    return Model(
        settings.name,
        str(settings.server.address),
        program=program,
        token=settings.token,
        wanted=settings.terms,
        curious=curious,
    )


def _full_screen(settings: Settings) -> Leave:
    # A pipe has no use for the toolkit, and loading it takes longer than everything else.
    from .full_screen import FullScreen

    unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    look = look_for(os.environ, ascii_only=settings.ascii or not unicode)
    return asyncio.run(FullScreen(_model(settings, curious=True), settings.server.dial, look).run())


def _plain(settings: Settings) -> Leave:
    plain = Plain(
        _model(settings, curious=False),
        settings.server.dial,
        functools.partial(read_descriptor, sys.stdin.fileno()),
        _Writer(),
        hold=not sys.stdin.isatty(),
        spoken=settings.ascii,
    )
    return trio.run(plain.run)


class _Writer:
    """Prints lines until nobody reads them any more."""

    def __init__(self) -> None:
        self._encoding = sys.stdout.encoding or "ascii"

    def __call__(self, line: str) -> None:
        # What the terminal cannot show must not end the game.
        shown = line.encode(self._encoding, "replace").decode(self._encoding)
        try:
            sys.stdout.write(f"{shown}\n")
            sys.stdout.flush()
        except BrokenPipeError:
            # What could not be written would be tried again, and complained of, at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise
