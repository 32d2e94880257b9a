"""For how long nobody played a claimed game, as far as the server that claimed it knows."""

from collections.abc import Mapping
from datetime import datetime, timedelta

import trio

from ulci_server.hall import Downtime
from ulci_server.storage import Claimed

from .post_office import PostOffice
from .remote_table import RemoteTable


def downtime_of(
    claimed: Claimed, post: PostOffice, tables: Mapping[int, RemoteTable], now: datetime
) -> Downtime:
    """The downtime of a claimed game. tables: the games of other servers, as they are known here.
    now: the time of the claim."""
    before = claimed.before
    if before is None:
        return Downtime(None, now)
    heard_at = post.heard_at(before.id)
    heard_ago = None if heard_at is None else trio.current_time() - heard_at
    alive = min(before.last_alive, now)
    table = tables.get(claimed.unfinished.started.game)
    players = (0, 0) if table is None else table.players
    heard = _heard(post, players, before.id, alive, now)
    return Downtime(alive, now, before.slowest, alive, heard, heard_ago)


def _heard(
    post: PostOffice, players: tuple[int, int], owner: int, alive: datetime, now: datetime
) -> tuple[datetime, datetime]:
    """When White and Black could last move before their owner died: the owner, or the server of
    their connection, may have been cut off from then on without notice."""
    at = trio.current_time() - (now - alive).total_seconds()

    def heard(player: int) -> datetime:
        before = min(post.heard_before(run, at) for run in (player, owner))
        return alive - timedelta(seconds=at - before)

    white, black = players
    return heard(white), heard(black)
