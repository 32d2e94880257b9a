"""The group of a program's commands, of which each is imported when it is run.

So ``--help`` is fast, and what a command needs only that command waits for. Imports next to nothing
itself.
"""

import atexit
import gc
import sys
from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

import click
from click.shell_completion import CompletionItem

from ulci.signals import end_at_interrupt, heed_interrupt

# Else the interpreter looks for garbage among all objects before it ends: 0.3 s for a server.
atexit.register(gc.freeze)


class Place(NamedTuple):
    """Where a command is and what it does, known without importing it."""

    module: str
    help: str
    name: str = "command"


DESCRIPTIONS: Mapping[str, Place] = {
    "completion": Place("ulci.manual", "Print what lets a shell complete commands.", "completion"),
    "manual": Place("ulci.manual", "Print or install manual pages.", "manual"),
}
"""Commands that every program has."""


class LazyCommands(MutableMapping[str, click.Command]):
    """Commands by name, each imported when it is looked up. None can be added."""

    def __init__(self, places: Mapping[str, Place]) -> None:
        self._places = places

    def __getitem__(self, name: str) -> click.Command:
        place = self._places[name]
        command = getattr(_imported(place.module), place.name)
        assert isinstance(command, click.Command)
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __setitem__(self, name: str, command: click.Command) -> None:
        raise TypeError("commands are named in a table")

    def __delitem__(self, name: str) -> None:
        raise TypeError("commands are named in a table")


def _imported(name: str) -> ModuleType:
    """The module. What it brings stays: to look for garbage among that takes an eighth of the time
    until a command begins, and afterwards as long again."""
    if name in sys.modules:
        return sys.modules[name]
    enabled = gc.isenabled()
    gc.disable()
    end_at_interrupt()
    try:
        return import_module(name)
    finally:
        heed_interrupt()
        gc.freeze()
        if enabled:
            gc.enable()


class LazyGroup(click.Group):
    """Lists its commands, in the order of `places`, without importing them."""

    def __init__(self, *, places: Mapping[str, Place], **settings: Any) -> None:
        super().__init__(commands=LazyCommands(places), **settings)
        self._places = places

    def main(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().main(*args, **kwargs)
        finally:
            end_at_interrupt()

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Commands are completed without importing them."""
        found = [
            CompletionItem(name, help=place.help)
            for name, place in self._places.items()
            if name.startswith(incomplete)
        ]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's)
        return [*self._places]

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002 (click's)
        formatter: click.HelpFormatter,
    ) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, place.help) for name, place in self._places.items()])
