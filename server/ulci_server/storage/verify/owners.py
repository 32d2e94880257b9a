"""Checks the owners: whether the servers of a cluster followed each other."""

from collections.abc import Sequence

from ulci_server.storage.records import Epoch, GameRecord

from .errors import DisagreementError


def check_owners(game: GameRecord, owners: Sequence[Epoch]) -> None:
    """Raises `DisagreementError` unless each owner is a known server, their epochs rise by one from
    1, and the last one is that of the game. A running game may have been claimed after it was
    read."""
    for epoch, owner in enumerate(owners, 1):
        if owner.epoch != epoch:
            raise DisagreementError(f"epoch {epoch} has no owner, and epoch {owner.epoch} has one")
        if not owner.node:
            raise DisagreementError(
                f"the owner in epoch {epoch}, run {owner.run}, is no known server of a cluster"
            )
    if len(owners) < game.epoch or (len(owners) > game.epoch and not game.running):
        raise DisagreementError(f"the game is in epoch {game.epoch}, and it had {len(owners)}")
    last = owners[game.epoch - 1].run if game.epoch else None
    if game.owner not in (None, last):
        raise DisagreementError(f"the game belongs to run {game.owner}, its last owner is {last}")
