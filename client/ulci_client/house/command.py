"""``ulci engine``: from the command line to the engine."""

import click

from ulci.protocol import DIALECTS
from ulci_client.options import describe

from .console import run_house_engine
from .settings import OFFERED, SettingError

# \b keeps click from running the lines together.
EPILOG = "\b\nThe options and their defaults:\n" + "\n".join(
    f"  {describe(option)}" for option in OFFERED
)


@click.command(epilog=EPILOG)
@click.option(
    "--dialect",
    type=click.Choice([*DIALECTS]),
    default="uci",
    show_default=True,
    help="The protocol that it speaks.",
)
@click.argument("options", nargs=-1, metavar="[NAME=VALUE]...")
def command(dialect: str, options: tuple[str, ...]) -> None:
    """Be a small engine that speaks UCI, or another protocol, on standard input and output.

    It plays every game of this project: chess, Chess960 and the variants of UCI, Liberty Chess
    (with --dialect ulci), tic-tac-toe on boards of any size. It looks two plies and the captures
    behind them ahead, and is meant as a partner for people and for tests. Options are what
    `setoption` would set: Depth=3 "Move Overhead=100" UCI_Variant=atomic. In UTI it plays
    tic-tac-toe unless told otherwise.
    """
    try:
        run_house_engine(options, dialect)
    except SettingError as error:
        raise click.UsageError(str(error)) from None
