"""``ulci-server export``: games for other programs."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any, TextIO

import click

from ulci_server.storage import GameRecord, Repository, each_game, open_repository
from ulci_server.storage.export import export_json, export_pgn

from .options import database_from, database_options, filter_options, filters_from
from .problems import told


@click.command()
@database_options
@click.option(
    "--format",
    "form",
    type=click.Choice(["pgn", "json"]),
    default="pgn",
    show_default=True,
    help="PGN for chess programs, or all that is recorded: a JSON object a line.",
)
@click.option(
    "--id",
    "ids",
    type=click.IntRange(min=1),
    multiple=True,
    metavar="N",
    help="Only this game; may be repeated.",
)
@filter_options
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only the newest N.")
@click.option("--site", default="?", metavar="NAME", help="What PGN shall name as the site.")
@click.option(
    "--output",
    "-o",
    type=click.File("w", encoding="utf-8", lazy=True, atomic=True),
    default="-",
    metavar="FILE",
    help="Write there, and only when all is written; default: standard output.",
)
def export(**asked: Any) -> None:
    """Write games as PGN or JSON, the newest first.

    A game that still runs is written as far as it is.
    """
    output: TextIO = asked["output"]
    with told(), closing(open_repository(database_from(asked), writing=False)) as repository:
        output.writelines(_texts(repository, asked))


def _texts(repository: Repository, asked: dict[str, Any]) -> Iterator[str]:
    games = each_game(repository, **filters_from(asked))
    if asked["form"] == "json":
        return export_json(repository, games)
    return export_pgn(repository, games, _skipped, site=asked["site"])


def _skipped(game: GameRecord, why: str) -> None:
    click.echo(f"game {game.id} is left out: {why}", err=True)
