"""``ulci-server why``: how one game ended, in one paragraph."""

import shlex
import textwrap
from collections.abc import Mapping
from contextlib import closing
from typing import Any

import click

from ulci_server.config import load
from ulci_server.storage.explain import NOBODY, explained

from .errors import reporting_errors
from .options import NUMBER, database_options, reading, require_games
from .output import open_output, shown

WIDTH = 100
"""Columns of the paragraph."""

LONGEST = 20_000
"""Maximum columns of the whole text: nobody reads a longer one."""


@click.command()
@click.argument("game", type=NUMBER)
@database_options
def why(**asked: Any) -> None:
    """Explain how GAME (its number) ended, from the record alone.

    For a loss on time it says what the player had, what that move took, what was given back for the
    network and the server and by which rule, and when players were disconnected; for a game of a
    cluster, which servers held it, if there were several. The record does not have the name of the
    program that judges a game with a referee: --config names the configured one.

    Exit codes: 0 explained, 1 failed, 2 wrong usage, 4 there is no such game.
    """
    with reporting_errors(), closing(reading(asked)) as database:
        require_games(database, [asked["game"]])
        (game,) = database.games.find(ids=[asked["game"]])
        history, owners = database.games.history(game.id), database.ownership.epochs(game.id)
        reports = database.games.reports(game.id)
        text = explained(game, history, _referees(asked), owners, reports)
    with open_output() as output:
        output.write(f"{textwrap.fill(shown(text, LONGEST), WIDTH)}\n")


def _referees(asked: dict[str, Any]) -> Mapping[str, str]:
    """The programs that judge, as the configuration has them."""
    if asked["config"] is None:
        return NOBODY
    return {game.name: shlex.join(game.referee) for game in load(asked["config"], books=False).game}
