"""Players whose server was not heard: what is lost between servers costs nobody time."""

import trio

from ulci.rules.outcome import Side
from ulci_server.bus import PING
from ulci_server.game import Away
from ulci_server.hall import Table

from .post import Post
from .remote_player import RemotePlayer

NOT_HEARD = 2 * PING
"""Seconds after which a server that says nothing is cut off: its players pay nothing since then."""


def part(table: Table, side: Side, player: RemotePlayer, heard_at: float) -> None:
    """Nothing comes from the player's server since then (s): its clock stands, unless it had left
    that server by itself and is not about to be back there."""
    if side not in table.game.absent or player.returns:
        table.handle(Away(side, trio.current_time(), heard_at))


def come_elsewhere(post: Post, table: Table, side: Side, before: RemotePlayer) -> float:
    """The player comes back, and not at the server where it was: for how many s of its turn it may
    not have been asked there, or not have been heard."""
    now, silence = trio.current_time(), post.silence_of(before.run)
    if silence > NOT_HEARD:
        part(table, side, before, now - silence)
    if table.game.mover is not side:
        return 0.0
    return post.silent(before.run, table.game.thought(now))
