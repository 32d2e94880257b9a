"""The flag of a player at another server, which falls only by a message from that server."""

import trio

from ulci_server.hall import Table

from . import messages as said
from .remote_player import RemotePlayer

LOOK_AGAIN = 0.5
"""Seconds until the player's server is asked again whether the player has answered."""


def hold_flag(table: Table) -> bool:
    """Whether the flag must wait, as only the player's server knows if the player to move has
    answered, or is ready to be asked. Asks that server until it is known."""
    player = table.seats[table.game.mover]
    if not isinstance(player, RemotePlayer) or not table.awaits_mover:
        return False
    player.look()
    table.ring_after(LOOK_AGAIN)
    return True


def looked(table: Table, player: RemotePlayer, message: said.Looked) -> None:
    """Act on the answer of the player's server: let the flag fall now, or have the table ring when
    it may."""
    left = player.turn.looked(message, trio.current_time())
    if left is None:
        return
    if left > 0:
        table.ring_after(left)
    else:
        table.ring()
