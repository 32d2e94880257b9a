"""``ulci engine``: from the command line to the engine."""

import click

from ulci_client.options import describe

from .console import run_house_engine
from .settings import OFFERED, SettingError

# \b keeps click from running the lines together.
EPILOG = "\b\nThe options and their defaults:\n" + "\n".join(
    f"  {describe(option)}" for option in OFFERED
)


@click.command(epilog=EPILOG)
@click.argument("options", nargs=-1, metavar="[NAME=VALUE]...")
def command(options: tuple[str, ...]) -> None:
    """Be a small engine that speaks UCI and ULCI on standard input and output.

    It plays chess, Chess960 and Liberty Chess, looks two plies and the captures behind them ahead,
    and is meant as a partner for people and for tests. Options are what `setoption` would set:
    Depth=3 "Move Overhead=100".
    """
    try:
        run_house_engine(options)
    except SettingError as error:
        raise click.UsageError(str(error)) from None
