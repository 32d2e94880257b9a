"""Takes players' complaints about others, for administrators. Nothing follows from one by itself,
and whom it is about does not hear of it."""

import math
from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial

import structlog
import trio

from ulci.net import Buckets, network
from ulci.protocol.messages import Complain
from ulci_server.game import Seat
from ulci_server.lobby import lobby_lines
from ulci_server.storage import Askers, Complaints, RefusedError, StorageError

from .member import HostedMember

LOG = structlog.get_logger("ulci_server.hall")

COMPLAINTS_A_SECOND = 1 / 600
"""Of one account, or of one address without one: a player with more to say writes it into one."""

COMPLAINTS_BURST = 3
"""The same at once."""

WRITERS = 1
"""Threads: a crowd that complains keeps no others waiting for the database."""


class ComplaintDesk:
    """start: runs a task in the background. complaints: None, and there are none here. find: the
    player who is here under that name."""

    def __init__(
        self,
        start: Callable[[Callable[[], Awaitable[None]]], None],
        complaints: Complaints | None,
        find: Callable[[str], HostedMember | None],
        now: Callable[[], datetime],
    ) -> None:
        self.kept = complaints
        self.askers = Askers(WRITERS)
        self.now = now
        self._start = start
        self._find = find
        self._heard = Buckets[int | str](COMPLAINTS_A_SECOND, COMPLAINTS_BURST)

    def hear(self, member: HostedMember, command: Complain) -> None:
        """Keep what the member complains about."""
        profile = member.profile
        if self.kept is None or profile is None:
            member.tell(lobby_lines.error("not-allowed", "this server keeps no complaints"))
            return
        other = self._find(command.name)
        if other is member:
            member.tell(lobby_lines.error("bad-name", "you cannot complain about yourself"))
            return
        who = profile.account if profile.account is not None else network(member.host)
        wait = math.ceil(self._heard.take(who, trio.current_time()))
        if wait:
            text = f"you have complained enough for now; retry-after {wait}"
            member.tell(lobby_lines.error("too-fast", text))
            return
        known = None if other is None or other.profile is None else other.profile.seat
        about = command.name if known is None else known
        self._start(partial(self._keep, self.kept, member, profile.seat, about, command.text))

    async def _keep(
        self, kept: Complaints, member: HostedMember, by: Seat, about: Seat | str, text: str
    ) -> None:
        try:
            made = await self.askers.ask(partial(kept.add, by, about, text, self.now()))
        except RefusedError as refusal:
            member.tell(lobby_lines.error("not-heard", str(refusal)))
        except StorageError as error:
            LOG.warning("complaint not stored", client=member.handle, error=str(error))
            member.tell(lobby_lines.error("database", "the database does not answer; try again"))
        else:
            LOG.info("complaint", client=member.handle, about=made.about, number=made.id)
            games = " ".join(map(str, made.games)) or "none"
            text = f"the administrators will read it, with your last games against {made.about}"
            member.tell(lobby_lines.note("complaint", f"{text}: {games}"))
