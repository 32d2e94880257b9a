"""``ulci-server games``: list games as a table."""

import shutil
import sys
from collections.abc import Sequence
from contextlib import closing
from typing import Any

import click

from ulci_server.storage import Database, GameRecord

from .errors import NothingFound, reporting_errors
from .options import NUMBER, database_options, filter_options, filters_from, no_games, reading
from .output import GAP, open_output, shown, table, width

HEAD = ("id", "when (UTC)", "white", "black", "game", "time", "plies", "result", "reason")
NUMBERS = ("id", "plies")

NAMES = ("white", "black")

NAME_WIDTH = 24
"""Columns of a player's name: with it a line fits into the usual 132."""

SHORTEST_NAME = 10
"""Columns of a name in a narrow terminal; before it is cut further, others are left out."""

LEFT_OUT = ("plies", "time", "when (UTC)")
"""What a narrow terminal can do without, first what is missed least."""


@click.command()
@database_options
@filter_options
@click.option(
    "--limit",
    type=NUMBER,
    default=30,
    show_default=True,
    help="At most so many, the newest.",
)
def games(**asked: Any) -> None:
    """List games, the newest first.

    Exit codes: 0 games are listed, 1 failed, 2 wrong usage, 4 there are no such
    games.
    """
    with reporting_errors(), closing(reading(asked)) as database:
        rows = [_row(game, database) for game in database.games.each(**filters_from(asked))]
        if not rows:
            raise NothingFound(no_games(database))
    with open_output() as output:
        output.write(f"{fitted(rows, _columns())}\n")


def _columns() -> int | None:
    """Of the terminal. A file or a pipe has none, and gets all."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def fitted(rows: Sequence[Sequence[str]], most: int | None) -> str:
    """The table in at most `most` columns of a terminal, if it can be so narrow."""
    for count in range(len(LEFT_OUT) + 1):
        head = [name for name in HEAD if name not in LEFT_OUT[:count]]
        columns = {name: [row[HEAD.index(name)] for row in rows] for name in head}
        wide = {name: max(map(width, [name, *cells])) for name, cells in columns.items()}
        others = sum(wide[name] for name in head if name not in NAMES) + len(GAP) * (len(head) - 1)
        room = NAME_WIDTH if most is None else (most - others) // len(NAMES)
        if room >= min(SHORTEST_NAME, max(wide[name] for name in NAMES)):
            break
    for name in NAMES:
        columns[name] = [shown(cell, max(room, len(name))) for cell in columns[name]]
    return table(head, [*zip(*columns.values(), strict=True)], right=NUMBERS)


def _row(game: GameRecord, database: Database) -> tuple[str, ...]:
    white, black = (shown(seat.called, NAME_WIDTH) for seat in game.seats)
    reason = "running" if game.outcome is None else game.outcome.reason
    return (
        str(game.id),
        f"{game.started_at:%Y-%m-%d %H:%M}",
        *(white, black),
        game.rules,
        game.control,
        str(len(game.opening) + len(database.games.moves(game.id))),
        game.result,
        str(reason),
    )
