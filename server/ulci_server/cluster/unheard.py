"""Players whose server was not heard: what is lost between servers costs nobody time."""

from collections.abc import Sequence

import trio

from ulci.rules import Side
from ulci_server.game import Away, Span
from ulci_server.hall import LocalSeat, Table

from . import messages as said
from .post import Post
from .remote_player import RemotePlayer, Unheard

NOT_HEARD = 1.0
"""Seconds after which a server that says nothing is cut off: its players pay nothing since then."""


def silent(
    post: Post, table: Table, side: Side, player: RemotePlayer, until: float
) -> tuple[Span, ...]:
    """When in its turn before `until` (s) the player's server was not heard, and has not said since
    what that held up."""
    since = table.game.running_since
    if table.game.mover is not side or since is None:
        return ()
    return (*post.silent(player.run, max(since, player.told_until), until),)


def unreachable(
    post: Post, table: Table, side: Side, before: LocalSeat, run: int
) -> Sequence[Span]:
    """When the player could not come back at server `run` in its turn, because that server was not
    heard: since `before`, its connection to this server, said something last. That connection may
    have been broken from then on."""
    since = table.game.running_since
    if table.game.mover is not side or since is None:
        return ()
    return post.silent(run, max(since, before.heard_at), trio.current_time())


def part(post: Post, table: Table, side: Side, player: RemotePlayer, heard_at: float) -> None:
    """Nothing comes from the player's server since then (s): its clock stands, unless it had left
    that server by itself and is not about to be back there."""
    if side not in table.game.absent or player.returns:
        delays = silent(post, table, side, player, heard_at)
        table.handle(Away(side, trio.current_time(), heard_at, delays))


def comes_back(post: Post, table: Table, side: Side, before: RemotePlayer, run: int) -> Unheard:
    """The player comes back at server `run`. Returns when it may not have been asked at the server
    where it was, or not have been heard; also where it was before, if it was not `Back` there
    yet."""
    now, silence = trio.current_time(), post.silence_of(before.run)
    is_there = side not in table.game.absent or before.returns
    if silence > NOT_HEARD:
        part(post, table, side, before, now - silence)
    if table.game.mover is not side:
        return Unheard(post)
    unheard = before.unheard if before.returns else Unheard(post)
    unheard.was_silent(silent(post, table, side, before, now))
    if is_there and run != before.run:
        # It did not say that the player left it. If it says nothing before the player is asked
        # here, it has died, though nobody knows that yet.
        post.send(before.run, said.Ping())
        unheard.may_have_died(before.run, now, silence)
    return unheard
