"""``ulci``: the programs that people run at their end.

A command's module is imported when the command is run, so that ``ulci --help`` stays fast.
"""

from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import version
from typing import NamedTuple

import click


class Place(NamedTuple):
    """Where a command is and what it does, known without importing it. `greeting`: a module whose
    `greet` gets the command's arguments before that."""

    module: str
    help: str
    greeting: str = ""


COMMANDS: Mapping[str, Place] = {
    "bridge": Place("ulci_client.bridge.command", "Let a local engine play at a server."),
    "opponent": Place(
        "ulci_client.opponent.command",
        "Be a player of the server as a local engine of a GUI.",
        "ulci_client.opponent.greeting",
    ),
    "play": Place("ulci_client.terminal.shell.command", "Play, challenge and watch at a terminal."),
    "token": Place("ulci_client.account.command", "Store the token of your account."),
    "doctor": Place(
        "ulci_client.doctor.command", "Check how well an engine keeps to its protocol."
    ),
    "engine": Place(
        "ulci_client.house_engine.command", "Run a small engine on standard input and output."
    ),
}


class LazyGroup(click.Group):
    """A group whose commands are the `command` of the modules in `COMMANDS`."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's)
        return [*COMMANDS]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        place = COMMANDS.get(args[0])
        if place is not None and place.greeting:
            import_module(place.greeting).greet(args[1:])
        return super().resolve_command(ctx, args)

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002 (click's)
        cmd_name: str,
    ) -> click.Command | None:
        place = COMMANDS.get(cmd_name)
        if place is None:
            return None
        command = import_module(place.module).command
        assert isinstance(command, click.Command)
        return command

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002 (click's)
        formatter: click.HelpFormatter,
    ) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, place.help) for name, place in COMMANDS.items()])


def _show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo(f"ulci {version('ulci-relay')}")
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version and exit.",
)
def main() -> None:
    """Play turn games at a ULCI server: in person, or with an engine."""


if __name__ == "__main__":
    main(prog_name="ulci")
