"""``ulci-server verify``: check that the record agrees with itself."""

import sys
from contextlib import closing
from typing import Any

import click

from ulci_server.storage import Database, Filters
from ulci_server.storage.verify import (
    DisagreementError,
    check_encounters,
    check_ratings,
    check_tournaments,
    verify_game,
)

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
from .output import counted, shown

PROGRESS = 25
"""Games from one word of progress to the next: about a second."""

WIDTH = 400
"""Columns of what is found: moves and players' words stand in it."""

MOST_FOUND = 20
"""Games that disagree, after which no more are looked for: something else is wrong then."""

_WHICH = ("player", "since", "until", "running")
"""The filters of which something is expected; without one, a database may well be empty."""


@click.command()
@click.argument("ids", metavar="[GAME]...", nargs=-1, type=NUMBER)
@database_options
@filter_options
@click.option("--limit", type=NUMBER, metavar="N", help="Only the newest N.")
def verify(**asked: Any) -> None:
    """Check that the record agrees with itself: of these games, or of all.

    Every game is rebuilt from its facts: are all there, are the moves legal, do the clocks add up,
    does the result follow, do PGN and JSON say the same when they are read again? Of chess and its
    variants python-chess is asked, not the server's own rules. Each game that disagrees is named
    with what and where (the first twenty of them), and the exit code is 1.

    Without a choice of games the ratings are rebuilt, too, from all games in the order in which
    these changed them.

    May run beside a server; games that are still played are checked as far as they are.

    Exit codes: 0 all agree, 1 some do not or it failed, 2 wrong usage, 4 there are no such games.
    """
    with reporting_errors(), closing(reading(asked)) as database:
        require_games(database, asked["ids"])
        filters = filters_from(asked)
        games, plies = _verified(database, filters)
        _check_encounters(database)
        whole = all(value is None for value in filters.values())
        changes = _check_ratings(database) if whole else 0
        if not games and any(filters.get(name) is not None for name in _WHICH):
            raise NothingFound(no_games(database))
    checked = [counted(games, "game"), *([_plies(plies)] if games else [])]
    if changes:
        checked.append(counted(changes, "rating change"))
    click.echo(f"{', '.join(checked)}: all agree")


def _verified(database: Database, filters: Filters) -> tuple[int, int]:
    """How many games and plies there were. Raises `Failure` if any game disagrees."""
    games = plies = found = 0
    for game in database.games.each(**filters):
        games += 1
        try:
            plies += verify_game(database, game)
        except DisagreementError as error:
            _progress("")
            click.echo(f"game {game.id}: {shown(str(error), WIDTH)}")
            found += 1
            if found == MOST_FOUND:
                raise Failure(f"{found} games disagree; the others were not checked") from None
        if games % PROGRESS == 0:
            _progress(f"{games} games, {_plies(plies)} checked")
    _progress("")
    if found:
        disagree = "disagrees" if found == 1 else "disagree"
        raise Failure(f"of {counted(games, 'game')} {found} {disagree}")
    return games, plies


def _check_encounters(database: Database) -> None:
    try:
        check_encounters(database)
        check_tournaments(database)
    except DisagreementError as error:
        raise Failure(shown(str(error), WIDTH)) from None


def _check_ratings(database: Database) -> int:
    try:
        return check_ratings(database)
    except DisagreementError as error:
        raise Failure(shown(str(error), WIDTH)) from None


def _plies(number: int) -> str:
    """Half-moves: a move of chess is two."""
    return "1 ply" if number == 1 else f"{number} plies"


def _progress(text: str) -> None:
    """On one line of a terminal, which an empty text clears."""
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[K{text}", nl=False, err=True)
