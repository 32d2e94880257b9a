"""``ulci-server why``: how one game ended, in one paragraph."""

import textwrap
from contextlib import closing
from typing import Any

import click

from .explain import explained
from .options import NUMBER, database_options, reading
from .output import written
from .problems import Failure, told
from .table import shown

WIDTH = 100
"""Columns of the paragraph."""

LONGEST = 20_000
"""Columns of it altogether: more lines lost and found than that are not read."""


@click.command()
@click.argument("game", type=NUMBER)
@database_options
def why(**asked: Any) -> None:
    """Explain how GAME (its number) ended, from the record alone.

    Of a loss on time it says what the player had, what was spent on that move, what was given back
    for the network and the server and by which rule, and when lines were lost.
    """
    with told(), closing(reading(asked)) as repository:
        found = repository.games(ids=[asked["game"]])
        if not found:
            raise Failure(f"there is no game {asked['game']}")
        text = explained(found[0], repository.history(asked["game"]))
    with written() as output:
        output.write(f"{textwrap.fill(shown(text, LONGEST), WIDTH)}\n")
