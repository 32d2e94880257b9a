"""``ulci``: the programs that people run at their end.

A command's module is imported when the command is run, so that ``ulci --help`` stays fast.
"""

from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import version

import click

from ulci.command_group import DESCRIPTIONS, LazyGroup, Place

COMMANDS: Mapping[str, Place] = {
    "bridge": Place("ulci_client.bridge.command", "Let a local engine play at a server."),
    "opponent": Place(
        "ulci_client.opponent.command",
        "Be a player of the server as a local engine of a GUI.",
    ),
    "play": Place("ulci_client.terminal.shell.command", "Play, challenge and watch at a terminal."),
    "token": Place("ulci_client.account.command", "Store the token of your account."),
    "doctor": Place(
        "ulci_client.doctor.command", "Check how well an engine keeps to its protocol."
    ),
    "engine": Place(
        "ulci_client.house_engine.command", "Run a small engine on standard input and output."
    ),
    **DESCRIPTIONS,
}


GREETINGS: Mapping[str, str] = {"opponent": "ulci_client.opponent.greeting"}
"""By command: a module whose `greet` gets the command's arguments before that is imported."""


class Commands(LazyGroup):
    """Greets before it imports."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] in GREETINGS and not ctx.resilient_parsing:
            import_module(GREETINGS[args[0]]).greet(args[1:])
        return super().resolve_command(ctx, args)


def _show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo(f"ulci {version('ulci-relay')}")
        ctx.exit()


@click.group(
    cls=Commands, places=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]}
)
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
