"""Who comes and goes, and who plays whom?"""

from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import structlog
import trio

from ulci.net import Peer
from ulci.protocol.messages import Admin, Blame, Info, Report
from ulci.rules import GAMES, Rules
from ulci.rules.refereed import Judge
from ulci_server.game import Away, Back, Hindered, Left, Seat
from ulci_server.lobby import (
    Lobby,
    LobbyEffect,
    LobbyWord,
    Pair,
    Profile,
    Refused,
    TellOne,
    Unmatched,
    lines,
)
from ulci_server.storage import Journal, Unfinished

from . import words
from .administering import NOT_ADMIN
from .alarms import Alarms
from .closing import Closing
from .door import BannedError, Door, TurnedAwayError, UnreachableError
from .guests import Guests
from .hearing import listen
from .pace import Pace
from .returning import Downtime, newest_keys
from .said import AtTable, SaidOutside
from .session import Session
from .settings import Settings
from .setup import setup
from .table import Table
from .tables import Tables

LOG = structlog.get_logger("ulci_server.hall")

UNSAVED = "the database of this server does not answer just now"
"""All that players are told of its troubles."""


class Hall:
    """ids: numbers for new games. secret: makes the word that takes a seat back after a lost line.
    games: all that can be played. referees: who judges those that are not in `ulci.rules`."""

    def __init__(
        self,
        journal: Journal,
        lobby: Lobby,
        door: Door,
        *,
        ids: Iterator[int],
        secret: Callable[[], str],
        settings: Settings | None = None,
        games: Mapping[str, Rules] = GAMES,
        referees: Iterable[Judge] = (),
    ) -> None:
        self.alarms = Alarms()
        self._lobby = lobby
        self.door = door
        self._secret = secret
        self._settings = settings or Settings()
        self._tables = Tables(
            journal, self.alarms, self._settings, ids=ids, games=games, referees=referees
        )
        self._guests = Guests()
        self._pace = Pace()
        self._pools: dict[Session, str] = {}  # of everybody whose line is open
        self._chores: trio.Nursery | None = None
        self.opened = trio.current_time()
        self.closing = Closing(lobby, self._tables, self._guests, self._pools.keys())

    @property
    def tables(self) -> Mapping[int, Table]:
        """Those that stand, by the number of their game."""
        return self._tables.standing

    async def keep_time(self) -> None:
        """Ring the alarms and tell those who watch, for ever."""
        async with trio.open_nursery() as nursery:
            self._chores = nursery
            nursery.start_soon(self.alarms.run)
            nursery.start_soon(self._tables.gallery.run)

    def do(self, chore: Callable[[], Awaitable[None]]) -> None:
        """Something that waits for the database, and for which nobody waits here."""
        assert self._chores is not None
        self._chores.start_soon(self._guarded, chore)

    async def _guarded(self, chore: Callable[[], Awaitable[None]]) -> None:
        try:
            await chore()
        except Exception:
            LOG.exception("chore failed")

    async def welcome(self, peer: Peer, pool: str, *, plays: str = "") -> None:
        """Look after one connection for as long as it lasts; it waits in `pool` unless it seeks.

        `plays`: the game that those of this dialect are known to play, though they cannot say so.
        """
        session = Session(peer, self, self.alarms, self._settings.clients)
        self._pools[session] = pool
        LOG.debug("connected", peer=peer.label)
        try:
            await listen(self, session, self._settings.clients, plays)
        finally:
            self._lose(session)

    # Coming

    async def introduce(self, session: Session, profile: Profile) -> None:
        """It said ``uciok``: it takes its seat back, waits in its pool, or looks round."""
        if self.closing.ended:
            # A new secret would take the place of the one that the record knows.
            session.cut(
                "the server is about to end; come back when it is there again, retry-after 5"
            )
            return
        try:
            if profile.administers:
                self._administer(session, await self.door.let_in(profile, session.peer.host))
                return
            before = self._guests.of_secret(profile.resume)
            if before is None:
                profile = await self._let_in(profile, session.peer.host)
                before = await self._guests.dead_self(profile)
            else:
                assert before.profile is not None
                self.door.check_bans(session.peer.host, before.profile.name, before.handle)
                session.entrust(profile.resume)
        except TurnedAwayError as error:
            session.cut(str(error), error.blame)
            return
        if session.gone:
            return
        if before is None:
            self._enter(session, profile)
            return
        if why := _lack(profile, before.table):
            session.cut(f"with this program you cannot come back to your game: {why}")
            return
        self._take_over(session, before, profile)
        if profile.token and not profile.admin:
            self.do(partial(self._look_again, session, profile.token))

    async def _let_in(self, profile: Profile, host: str) -> Profile:
        """While the database cannot be asked, a token is known by whoever showed it before."""
        try:
            return await self.door.let_in(profile, host)
        except UnreachableError:
            known = self._guests.of_token(profile.token)
            if known is None:
                raise
            self.door.check_bans(host, known.name)
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
        try:
            is_admin = await self.door.look_again(replace(known, token=token), session.peer.host)
        except BannedError as error:
            if not session.gone:
                session.cut(str(error))
            return
        session.profile = replace(known, admin=is_admin)

    def _enter(self, session: Session, profile: Profile) -> None:
        session.profile = profile = self._lobby.enter(profile)
        self._guests.enter(session)
        LOG.info("joined", client=profile.handle, kind=profile.kind, peer=session.peer.label)
        if profile.lobby:
            self._welcome(session)
            session.tell_missed(self._guests.take_missed(profile.resume))
            session.tell(*self._guests.elsewhere(profile))
        else:
            self._perform(self._lobby.wait(profile.handle, self._pools[session]))

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
        before.table = None
        if not before.gone:
            before.cut("you came back on another connection")
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

    # Going

    def _lose(self, session: Session) -> None:
        """Its connection is over."""
        session.gone = True
        session.look_away()
        del self._pools[session]
        self.closing.lose()
        if session not in self._guests:
            return  # never introduced, or replaced by a newer connection
        LOG.info("left", client=session.handle, why=session.why, peer=session.peer.label)
        now = trio.current_time()
        if session.table is None:
            self._forget(session)
        elif session.can_return and not session.farewell:
            session.table.handle(Away(session.side, now))
        else:
            session.table.handle(Left(session.side, now, session.why))

    def _forget(self, session: Session) -> None:
        self._guests.leave(session)
        self._perform(self._lobby.leave(session.handle))

    def free(self, session: Session) -> None:
        """It has left its table and owes nothing: it waits again, unless it seeks for itself."""
        if session not in self._guests:
            return
        if session.gone:
            self._forget(session)
            return
        assert session.profile is not None
        self._lobby.free(session.handle)
        if not session.profile.lobby:
            pool, front = self._pools[session], session.front
            self._perform(self._lobby.wait(session.handle, pool, front=front))

    # What players say

    def hear(self, session: Session, word: SaidOutside) -> None:
        """A word of the lobby."""
        if session not in self._guests and not isinstance(word, Admin):
            session.tell(lines.error("not-allowed", "this connection is for admin words alone"))
        elif isinstance(word, LobbyWord):
            self._perform(self._lobby.hear(session.handle, word))
        else:
            words.OF_HALL[type(word)](self, session, word)

    def wait(self, session: Session, word: SaidOutside | AtTable) -> float:
        """Seconds until it may say that; 0 is now."""
        host, now = session.peer.host, trio.current_time()
        return self._pace.wait(word, session.words, host, len(self._guests.all), now)

    @property
    def connected(self) -> Collection[Session]:
        """Everybody whose line is open, also who was not introduced yet."""
        return self._pools.keys()

    @property
    def present(self) -> Collection[Session]:
        """Everybody who was introduced, also those whose line is lost for the moment."""
        return self._guests.all

    def find(self, handle: str) -> Session | None:
        """Who is here under that name, in whatever case."""
        known = self._lobby.find(handle)
        return None if known is None else self._guests.get(known)

    def watch(self, session: Session, table: Table) -> None:
        """It sees that game from now on."""
        session.watch(table)
        self._tables.gallery.watched(table.audience)

    def _perform(self, effects: Iterable[LobbyEffect]) -> None:
        for effect in effects:
            match effect:
                case TellOne(handle, line):
                    self._guests[handle].tell(line)
                case Pair(white, black, offer):
                    pair = self._guests[white], self._guests[black]
                    self._tables.open(offer, pair, partial(self._not_begun, pair))
                case Refused(handle, why):
                    self._guests[handle].refuse(why)
                case Unmatched(handles, why):
                    LOG.info("cannot meet", clients=" ".join(handles), why=why)
                    for handle in handles:
                        self._guests[handle].note(why)

    def _not_begun(self, sessions: Sequence[Session], why: str) -> None:
        for session in sessions:
            if not session.gone:
                session.tell(lines.error("no-game", f"the game does not begin: {why}"))
                self.free(session)

    # The server's own end, and what came before it

    def resume(self, unfinished: Iterable[Unfinished], down: Downtime, nobody: Peer) -> int:
        """Go on with the games of an earlier server; their players are to come back by themselves.

        `nobody` is a peer that is gone. Returns how many games go on.
        """
        return sum(self._resume_one(game, down, nobody) for game in unfinished)

    def _resume_one(self, unfinished: Unfinished, down: Downtime, nobody: Peer) -> bool:
        started = unfinished.started
        offer = self._tables.offer_again(started, self._lobby.house_of(started.pool))
        if offer is None:
            return False
        seats = newest_keys(started.seats, unfinished.history)
        white, black = (self._ghost(seat, nobody) for seat in seats)
        if self._tables.resume(unfinished, offer, (white, black), down):
            return True
        for ghost in (white, black):
            ghost.table = None
            self._forget(ghost)
        return False

    def _ghost(self, seat: Seat, nobody: Peer) -> Session:
        """Somebody who plays here and whose line ended with the server that it led to."""
        ghost = Session(nobody, self, self.alarms, self._settings.clients)
        ghost.gone = True
        ghost.key = seat.key
        known = Profile(
            name=seat.name,
            handle=seat.handle,
            kind=seat.kind,
            author=seat.author,
            features=frozenset({"lobby"}),
            account=seat.account,
        )
        ghost.profile = self._lobby.seat(known)
        self._guests.enter(ghost)
        return ghost

    def hindered(self, seconds: float) -> None:
        """Nothing ran here for so long: who wanted to come back could not."""
        now = trio.current_time()
        for table in [*self.tables.values()]:
            table.handle(Hindered(now, seconds))

    def trouble(self, why: str | None) -> None:
        """The database refuses (`why`, which is for the log alone), or is back (None): no new games
        until then."""
        message: Report | Info
        if why is not None:
            self._lobby.close(f"no new games: {UNSAVED}")
            message = Report(Blame.SERVER, f"{UNSAVED}; moves wait, and nobody's clock pays for it")
        else:
            if not self.closing.begun:
                self._perform(self._lobby.reopen())
            message = Info(string="the database is back and the game goes on")
        for table in self.tables.values():
            table.warn(message)


def _lack(profile: Profile, table: Table | None) -> str | None:
    """Why the program cannot be given the game at that table, if it cannot."""
    if table is None:
        return None
    return profile.lacks(table.offer.game.needs(table.offer.start))
