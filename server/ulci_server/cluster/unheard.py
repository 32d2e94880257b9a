"""Players whose server was not heard: what is lost between servers costs nobody time."""

import trio

from ulci.rules.outcome import Side
from ulci_server.bus import PING
from ulci_server.game import Away
from ulci_server.hall import Table

from .post import Post

NOT_HEARD = 2 * PING
"""Seconds after which a server that says nothing is cut off: its players pay nothing since then."""


def part(post: Post, table: Table, side: Side, run: int) -> None:
    """Nothing of the player came since its server was heard last: its clock stands since then."""
    now = trio.current_time()
    table.handle(Away(side, now, now - post.silence_of(run)))


def come_elsewhere(post: Post, table: Table, side: Side, run: int) -> float:
    """The player comes back, and not at the server where it was: for how many s of its turn it may
    not have been asked there, or not have been heard."""
    if post.silence_of(run) > NOT_HEARD and side not in table.game.absent:
        part(post, table, side, run)
    if table.game.searching is not side:
        return 0.0
    return post.silent(run, table.game.thought(trio.current_time()))
