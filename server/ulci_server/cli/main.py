"""The command ``ulci-server``.

A command's module is imported when the command is run, so that what looks into a database need not
wait for what hosts games.
"""

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import NamedTuple

import click


class Place(NamedTuple):
    """Where a command is, under which name, and what it does, known without importing it."""

    module: str
    function: str
    help: str


COMMANDS: Mapping[str, Place] = {
    "serve": Place("serve", "serve", "Host games."),
    "check-config": Place("check", "check_config", "Check a configuration, and show what it does."),
    "migrate": Place("migrate", "migrate", "Create the tables of a database, or update them."),
    "games": Place("games", "games", "List games, the newest first."),
    "export": Place("export", "export", "Write games as PGN or JSON, the newest first."),
    "why": Place("why", "why", "Explain how a game ended, from the record alone."),
    "verify": Place("verify", "verify", "Check that the record agrees with itself."),
    "player": Place("players", "player", "Give players accounts, and tokens to prove them by."),
    "ban": Place("bans", "ban", "Ban an account, a guest's name or an address."),
    "admin": Place("admin", "admin", "End games, kick and ban players of a running server."),
    "replay": Place("replay", "replay", "Replay a recorded conversation, and compare."),
    "demo": Place("demo", "demo", "Show a game between two engines, from start to end."),
}


class LazyCommands(MutableMapping[str, click.Command]):
    """The commands of `COMMANDS`, each imported when it is looked up. None can be added."""

    def __getitem__(self, name: str) -> click.Command:
        place = COMMANDS[name]
        command = getattr(import_module(f"ulci_server.cli.{place.module}"), place.function)
        assert isinstance(command, click.Command)
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)

    def __setitem__(self, name: str, command: click.Command) -> None:
        raise TypeError("commands are named in COMMANDS")

    def __delitem__(self, name: str) -> None:
        raise TypeError("commands are named in COMMANDS")


class LazyGroup(click.Group):
    """Lists its commands, in the order of `COMMANDS`, without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's)
        return [*self.commands]

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002 (click's)
        formatter: click.HelpFormatter,
    ) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, place.help) for name, place in COMMANDS.items()])


@click.group(
    cls=LazyGroup,
    commands=LazyCommands(),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="ulci-relay", message="ulci-server %(version)s")
def main() -> None:
    """Host turn games between people and engines that speak UCI or ULCI.

    No configuration is needed: ulci-server serve
    """
