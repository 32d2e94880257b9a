"""The flag of a player at another server, which falls only by what that server says."""

from functools import partial

import trio

from ulci_server.hall import Table

from .remote_player import RemotePlayer

LOOK_AGAIN = 0.5
"""Seconds until the player's server is asked again whether an answer has come there."""


def hold_flag(table: Table) -> bool:
    """Whether it is not known here if the player to move has answered, or is ready to be asked; its
    server is asked again until that is known."""
    player = table.seats[table.game.mover]
    if not isinstance(player, RemotePlayer) or not table.awaits_mover:
        return False
    player.look(partial(_looked, table, table.game.turn_number))
    table.ring_after(LOOK_AGAIN)
    return True


def _looked(table: Table, turn_number: int, thought: float) -> None:
    """The player had not answered after `thought` s; infinitely many if it is not ready."""
    if turn_number != table.game.turn_number or not table.awaits_mover:
        return
    left = table.game.left_to_think(trio.current_time(), thought)
    if left > 0:
        table.ring_after(left)
    else:
        table.ring()
