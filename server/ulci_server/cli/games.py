"""``ulci-server games``: what was played, as a table."""

from contextlib import closing
from typing import Any

import click

from ulci_server.storage import GameRecord, Repository, each_game

from .options import database_options, filter_options, filters_from, reading
from .output import written
from .problems import told
from .table import shown, table

HEAD = ("id", "when (UTC)", "white", "black", "game", "time", "plies", "result", "reason")
NUMBERS = ("id", "plies")

NAME_WIDTH = 24
"""Columns of a player's name: with it a line fits into the usual 132."""


@click.command()
@database_options
@filter_options
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=30,
    show_default=True,
    help="At most so many, the newest.",
)
def games(**asked: Any) -> None:
    """List games, the newest first."""
    with told(), closing(reading(asked)) as repository:
        rows = [_row(game, repository) for game in each_game(repository, **filters_from(asked))]
    with written() as output:
        output.write(f"{table(HEAD, rows, right=NUMBERS)}\n" if rows else "no such games\n")


def _row(game: GameRecord, repository: Repository) -> tuple[str, ...]:
    white, black = (shown(seat.name, NAME_WIDTH) for seat in game.seats)
    reason = "running" if game.outcome is None else game.outcome.reason
    return (
        str(game.id),
        f"{game.started_at:%Y-%m-%d %H:%M}",
        *(white, black),
        game.rules,
        game.control,
        str(len(repository.moves(game.id))),
        game.result,
        str(reason),
    )
