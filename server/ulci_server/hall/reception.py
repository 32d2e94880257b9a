"""Who comes in: as somebody new, back to their seat, or to look after the server?"""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Protocol

import structlog

from ulci_server.game import Back
from ulci_server.lobby import Lobby, Profile, lines

from .administering import NOT_ADMIN
from .announcing import Announcer
from .closing import Closing
from .door import BannedError, Door, TurnedAwayError, UnreachableError
from .guests import Guests
from .loop_monitor import look
from .session import Session
from .setup import setup
from .table import Table
from .turns import Turns

LOG = structlog.get_logger("ulci_server.hall")


class House(Protocol):
    """The hall into which it leads."""

    door: Door
    closing: Closing
    turns: Turns
    announcer: Announcer

    def queue(self, session: Session) -> None:
        """It waits for a game in the pool of its listener."""
        ...

    def do(self, chore: Callable[[], Awaitable[None]]) -> None:
        """Something that waits for the database, and for which nobody waits here."""
        ...


class Reception:
    """secret: makes the word that takes a seat back after a lost line."""

    def __init__(
        self, house: House, lobby: Lobby, guests: Guests, secret: Callable[[], str]
    ) -> None:
        self._house = house
        self._lobby = lobby
        self._guests = guests
        self._secret = secret

    async def introduce(self, session: Session, profile: Profile) -> None:
        """It said ``uciok``: it takes its seat back, waits in its pool, or looks round."""
        if self._house.closing.ended:
            # A new secret would take the place of the one that the record knows.
            session.cut(
                "the server is about to end; come back when it is there again, retry-after 5"
            )
            return
        door, host = self._house.door, session.peer.host
        try:
            if profile.administers:
                self._administer(session, await door.let_in(profile, host))
                return
            before = self._guests.of_secret(profile.resume)
            if before is None:
                profile = await self._let_in(profile, host)
                ticket = self._house.turns.ticket()
                before = await self._guests.dead_self(profile)
                await self._house.turns.take(ticket)
            else:
                assert before.profile is not None
                door.check_bans(host, before.profile.name, before.handle)
                session.entrust(profile.resume)
        except TurnedAwayError as error:
            session.cut(str(error), error.blame)
            return
        if session.gone:
            return
        began = perf_counter()
        self._let_to_its_place(session, before, profile)
        look(began, "HelloOk", session.handle)

    def _let_to_its_place(self, session: Session, before: Session | None, profile: Profile) -> None:
        if before is None:
            self._enter(session, profile)
        elif why := _lack(profile, before.table):
            session.cut(f"with this program you cannot come back to your game: {why}")
        else:
            self._take_over(session, before, profile)
            if profile.token and not profile.admin:
                self._house.do(partial(self._look_again, session, profile.token))

    # As whom

    async def _let_in(self, profile: Profile, host: str) -> Profile:
        """While the database cannot be asked, a token is known by whoever showed it before."""
        try:
            return await self._house.door.let_in(profile, host)
        except UnreachableError:
            known = self._guests.of_token(profile.token)
            if known is None:
                raise
            self._house.door.check_bans(host, known.name)
            return replace(profile, name=known.name, account=known.account)

    def _administer(self, session: Session, profile: Profile) -> None:
        """It is no player, is not in the lobby and takes no seat, not even its own."""
        if not profile.admin:
            session.cut(NOT_ADMIN)
            return
        session.profile = replace(profile, handle=lines.word(profile.name))
        LOG.info("administers", client=session.handle, peer=session.peer.label)

    async def _look_again(self, session: Session, token: str) -> None:
        """It is back at its seat by a secret, at once, as its clock may run. What the secret does
        not prove is looked up behind that: whether it may still be here, and administers."""
        known = session.profile
        assert known is not None
        asking = replace(known, token=token)
        try:
            is_admin = await self._house.door.look_again(asking, session.peer.host)
        except BannedError as error:
            if not session.gone:
                session.cut(str(error))
            return
        session.profile = replace(known, admin=is_admin)

    # Where to

    def _enter(self, session: Session, profile: Profile) -> None:
        session.profile = profile = self._lobby.enter(profile)
        self._guests.enter(session)
        LOG.info("joined", client=profile.handle, kind=profile.kind, peer=session.peer.label)
        if profile.lobby:
            self._house.announcer.join(session)
            self._welcome(session)
            session.tell_missed(self._guests.take_missed(profile.resume))
            session.tell(*self._guests.elsewhere(profile))
        else:
            self._house.queue(session)

    def _welcome(self, session: Session) -> None:
        assert session.profile is not None
        if not session.secret:
            session.entrust(self._secret())
        self._guests.know(session)
        session.tell(lines.welcome(session.profile, session.secret))

    def _take_over(self, session: Session, before: Session, profile: Profile) -> None:
        """The same player on a new line: the old one is cut, should it still seem to live."""
        known = before.profile
        assert known is not None
        session.profile = replace(
            profile,
            name=known.name,
            handle=known.handle,
            kind=known.kind,
            author=known.author,
            account=known.account,
            admin=profile.admin,
        )
        self._lobby.renew(session.profile)
        table, side = before.table, before.side
        self._guests.replace(before, session)
        self._house.announcer.part(before)
        if profile.lobby:
            self._house.announcer.join(session)
        before.table = None
        if not before.gone:
            before.cut("you came back on another connection; retry-after 5")
        self._welcome(session)
        LOG.info("resumed", client=session.handle, peer=session.peer.label)
        if table is not None:
            told = setup(session.profile, table.game.seats[side.other], table.offer)
            table.expect(side, session)
            key = session.key
            session.return_to(table, side, lambda at: table.handle(Back(side, at, told, key)))
            return
        session.tell_missed(before.missed)
        if before.resting:
            self._lobby.free(session.handle)


def _lack(profile: Profile, table: Table | None) -> str | None:
    """Why the program cannot be given the game at that table, if it cannot."""
    if table is None:
        return None
    return profile.lacks(table.offer.game.needs(table.offer.start))
