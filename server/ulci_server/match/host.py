"""The lobby service of a match: nobody seeks, chats or waits in a pool."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import Protocol

import structlog
import trio

from ulci.protocol.messages import NewGame, PlayerCommand
from ulci.rules import Side
from ulci_server.hall import AbsentPlayer, LocalClient, Session
from ulci_server.hall.lobby_service import MOST_LISTED, Roster, RosterEntry
from ulci_server.hall.member import HostedMember
from ulci_server.lobby import PoolRules, Profile, lobby_lines
from ulci_server.storage import secret_hash

LOG = structlog.get_logger("ulci_server.match")

NO_LOBBY = "this is a match between engines: nothing can be asked for here"


class Seating(Protocol):
    """The director, as far as the host needs it."""

    def known_as(self, name: str) -> str:
        """The name in the match of a program that connects from elsewhere by that name."""
        ...

    def seat(self, session: Session, profile: Profile) -> str | None:
        """Give a client from elsewhere its place, or return why it has none."""
        ...

    def freed(self, session: Session) -> None:
        """A member owes no answer any more, or has left."""
        ...


class MatchHost:
    """The lobby service of a match. Its members are the processes of engines, and engines that
    connect from elsewhere. Set its `seating` before anybody connects.

    secret: makes the secrets whose hashes are stored with the games; a stored hash shows that the
    player of a game can return.
    """

    seating: Seating

    def __init__(self, rules: PoolRules, secret: Callable[[], str]) -> None:
        self.resumes: Counter[str] = Counter()
        self.reachable = True
        self._rules = rules
        self._secret = secret
        self._members: dict[HostedMember, None] = {}
        self._handles = 0

    # For the hall

    @property
    def present(self) -> Collection[HostedMember]:
        return self._members.keys()

    async def players(self) -> Roster:
        await trio.lowlevel.checkpoint()
        entries = [
            RosterEntry(
                member.handle,
                member.profile.kind,
                None if member.table is None else member.table.id,
                not member.gone,
            )
            for member in self._members
            if member.profile is not None
        ]
        return Roster(tuple(entries[:MOST_LISTED]), len(entries))

    async def introduce(self, session: Session, profile: Profile) -> None:
        """Give the member a handle of its own, because several processes of an engine may play at
        once."""
        await trio.lowlevel.checkpoint()
        self._handles += 1
        name = profile.name if profile.of_server else self.seating.known_as(profile.name)
        handle = f"{lobby_lines.word(name)}.{self._handles}"
        session.introduce(replace(profile, name=name, handle=handle, resume="", ignores=()))
        # Its game can be resumed by the next run, but not by a connection of this one.
        session.player.key = secret_hash(self._secret())
        self._members[session] = None
        if not profile.of_server and (why := self.seating.seat(session, profile)):
            session.disconnect(why)
            return
        LOG.info("joined", client=handle, peer=session.label)
        self.seating.freed(session)

    def hear(self, session: Session, command: PlayerCommand) -> None:  # noqa: ARG002
        session.send_lobby_error("not-allowed", NO_LOBBY)

    def free(self, session: LocalClient) -> None:
        if isinstance(session, Session):
            self.seating.freed(session)

    def left(self, session: Session) -> None:
        if session in self._members:
            del self._members[session]
            LOG.info("left", client=session.handle, why=session.why, peer=session.label)
        self.seating.freed(session)

    def seat(self, absent: AbsentPlayer, profile: Profile) -> None:
        absent.introduce(profile)
        self._members[absent] = None

    def remove(self, member: LocalClient) -> None:
        self._members.pop(member, None)

    def pool_rules_of(self, pool: str) -> PoolRules:  # noqa: ARG002
        return self._rules

    def close(self, why: str) -> Iterator[Callable[[], None]]:  # noqa: ARG002
        """The director begins no more games once the hall is closing."""
        yield from ()

    def reopen(self) -> Iterator[Callable[[], None]]:
        yield from ()

    # For the director

    def absent(self, game: int, side: Side) -> AbsentPlayer | None:
        """The player of a game that an earlier run began, until a process has taken the seat."""
        absent = (member for member in self._members if isinstance(member, AbsentPlayer))
        seated = (each for each in absent if each.table is not None and each.table.id == game)
        return next((each for each in seated if each.side is side), None)

    def return_to(self, session: Session, absent: AbsentPlayer) -> None:
        """Seat a fresh process of the engine in a game that an earlier run began."""
        table, side = absent.table, absent.side
        assert table is not None
        absent.lose_seat()
        self.remove(absent)
        session.player.table, session.player.side = table, side
        session.tell(*session.player.setup(), NewGame())
        session.take_seat(table, side)
