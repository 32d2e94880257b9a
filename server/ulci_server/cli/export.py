"""``ulci-server export``: games for other programs."""

from collections.abc import Collection, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from ulci_server.storage import GameRecord, Repository, each_game
from ulci_server.storage.export import export_json, export_pgn

from .options import database_options, filter_options, filters_from, reading
from .output import STANDARD, written
from .problems import Failure, told


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
    type=click.Path(path_type=Path),
    default=STANDARD,
    metavar="FILE",
    help="Write there, and only when all is written; default: standard output.",
)
def export(**asked: Any) -> None:
    """Write games as PGN or JSON, the newest first.

    A game that still runs is written as far as it is.
    """
    with told(), closing(reading(asked)) as repository:
        _all_there(repository, asked["ids"])
        with written(asked["output"]) as output:
            some = False
            for text in _texts(repository, asked):
                some = True
                output.write(text)
    if not some:
        click.echo("no such games", err=True)


def _all_there(repository: Repository, ids: Collection[int]) -> None:
    """Raises `Failure` if one that was asked for by its number does not exist."""
    there = {game.id for game in repository.games(ids=ids)} if ids else ()
    if missing := sorted(set(ids) - set(there)):
        raise Failure(f"there is no game {', '.join(map(str, missing))}")


def _texts(repository: Repository, asked: dict[str, Any]) -> Iterator[str]:
    games = each_game(repository, **filters_from(asked))
    if asked["form"] == "json":
        return export_json(repository, games)
    return export_pgn(repository, games, _skipped, site=asked["site"])


def _skipped(game: GameRecord, why: str) -> None:
    click.echo(f"game {game.id} is left out: {why}", err=True)
