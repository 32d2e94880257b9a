"""``ulci-server export``: write games as PGN or JSON."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from ulci_server.storage import Database, GameRecord
from ulci_server.storage.export import export_json, export_pgn

from .errors import Failure, NothingFound, reporting_errors
from .options import (
    NUMBER,
    database_options,
    filter_options,
    filters_from,
    no_games,
    reading,
    require_games,
)
from .output import STANDARD, open_output, shown

WIDTH = 400
"""Columns of the reason for leaving a game out: starts and moves stand in it."""

EPILOG = """\
PGN is written so that programs for chess read games of chess and of the variants that they know. Of
other games it has the name in the tag Variant, the start in FEN and the moves in the notation of
the game, or as the players said them where an engine judged.

\b
Exit codes: 0 games were written; standard error names those that had to be left out
            1 failed, or every game had to be left out
            2 wrong usage, or a wrong configuration
            4 there are no such games

Unless it is 0, FILE is left as it was.
"""


@click.command(epilog=EPILOG)
@database_options
@click.option(
    "--format",
    "form",
    type=click.Choice(["pgn", "json"]),
    default="pgn",
    show_default=True,
    help="PGN for other programs, or all that is recorded: a JSON object a line.",
)
@click.option(
    "--id",
    "ids",
    type=NUMBER,
    multiple=True,
    metavar="N",
    help="Only this game; may be repeated.",
)
@filter_options
@click.option("--limit", type=NUMBER, metavar="N", help="Only the newest N.")
@click.option("--site", default="?", metavar="NAME", help="What PGN shall name as the site.")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    default=STANDARD,
    metavar="FILE",
    help="Write there, and only when all is written; default: standard output.",
)
def export(**asked: Any) -> None:
    """Write games as PGN or JSON, the newest first.

    A game that still runs is written as far as it is.
    """
    with reporting_errors(), closing(reading(asked)) as database:
        require_games(database, asked["ids"])
        left_out: list[int] = []

        def skipped(game: GameRecord, why: str) -> None:
            left_out.append(game.id)
            click.echo(f"game {game.id} is left out: {shown(why, WIDTH)}", err=True)

        with open_output(asked["output"]) as output:
            some = False
            for text in _texts(database, asked, skipped):
                some = True
                output.write(text)
            if not some:
                raise _nothing(database, left_out)


def _texts(
    database: Database, asked: dict[str, Any], skipped: Callable[[GameRecord, str], None]
) -> Iterable[str]:
    games = database.games.each(**filters_from(asked))
    if asked["form"] == "json":
        return export_json(database, games)
    return export_pgn(database, games, skipped, site=asked["site"])


def _nothing(database: Database, left_out: Sequence[int]) -> click.ClickException:
    """Why nothing was written: by what was read, as games may have come since."""
    if left_out:
        return Failure("none of these games can be written as PGN; --format json takes them all")
    return NothingFound(no_games(database))
