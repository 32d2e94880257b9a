"""Who comes and goes, and who plays whom?"""

from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter

import structlog
import trio

from ulci.net import Peer
from ulci.protocol.messages import Admin, Blame, Info, Report
from ulci.rules import GAMES, Rules
from ulci.rules.refereed import Judge
from ulci_server.game import Away, Hindered, Left, Seat
from ulci_server.lobby import (
    Lobby,
    LobbyEffect,
    LobbyWord,
    Pair,
    Profile,
    Refused,
    TellAll,
    TellList,
    TellOne,
    Unmatched,
    lines,
)
from ulci_server.storage import Journal, Unfinished

from . import words
from .alarms import Alarms
from .announcing import Announcer
from .closing import Closing
from .door import Door
from .guests import Guests
from .hearing import listen
from .listing import Lists
from .loop_monitor import look
from .pace import Pace
from .reception import Reception
from .returning import Downtime, newest_keys
from .said import AtTable, SaidOutside
from .session import Session
from .settings import Settings
from .steps import Steps
from .table import Table
from .tables import Tables
from .turns import Turns
from .vitals import Pulse, Vitals

LOG = structlog.get_logger("ulci_server.hall")

UNSAVED = "the database of this server does not answer just now"
"""All that players are told of its troubles."""


class Hall:
    """ids: numbers for new games. secret: makes the word that takes a seat back after a lost line.
    games: all that can be played. referees: who judges those that are not in `ulci.rules`. vitals:
    tells how the process does. turns: in which order all of it happens."""

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
        vitals: Callable[[], Vitals] | None = None,
        turns: Turns | None = None,
    ) -> None:
        self.turns = turns or Turns()
        self.alarms = Alarms(self.turns)
        self._lobby = lobby
        self.door = door
        self._settings = settings or Settings()
        self._tables = Tables(
            journal,
            self.alarms,
            self._settings,
            ids=ids,
            games=games,
            referees=referees,
            turns=self.turns,
        )
        self.announcer = Announcer(self.turns)
        self.lists = Lists(self, self.announcer, self.turns, self._settings.listed)
        self._steps = Steps(self.turns)
        self._guests = Guests()
        self._reception = Reception(self, lobby, self._guests, secret)
        self._pace = Pace()
        self._pools: dict[Session, str] = {}  # of everybody whose line is open
        self._chores: trio.Nursery | None = None
        self.vitals = vitals or Pulse()
        self.closing = Closing(lobby, self._tables, self._guests, self._pools.keys())

    @property
    def tables(self) -> Mapping[int, Table]:
        """Those that stand, by the number of their game."""
        return self._tables.standing

    async def keep_time(self) -> None:
        """Ring the alarms, and tell those who watch and everybody, for ever."""
        async with trio.open_nursery() as nursery:
            self._chores = nursery
            nursery.start_soon(self.alarms.run)
            nursery.start_soon(self._tables.gallery.run)
            nursery.start_soon(self.announcer.run)
            nursery.start_soon(self._steps.run)

    def do(self, chore: Callable[[], Awaitable[None]]) -> None:
        """Something that waits for the database, and for which nobody waits here."""
        assert self._chores is not None
        self._chores.start_soon(self._guarded, chore, self.turns.ticket())

    async def _guarded(self, chore: Callable[[], Awaitable[None]], ticket: int) -> None:
        try:
            await self.turns.take(ticket)
            await chore()
        except Exception:
            LOG.exception("chore failed")

    # Coming

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
            began = perf_counter()
            self._lose(session)
            look(began, "Left", session.handle)
        await self.closing.see_off(peer)

    async def introduce(self, session: Session, profile: Profile) -> None:
        """It said ``uciok``, and who it is."""
        await self._reception.introduce(session, replace(profile, pool=self._pools[session]))

    def queue(self, session: Session) -> None:
        """It waits for a game in the pool of its listener."""
        pool, front = self._pools[session], session.front
        self._perform(self._lobby.wait(session.handle, pool, front=front))

    # Going

    def _lose(self, session: Session) -> None:
        """Its connection is over."""
        session.end()
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
        self.announcer.part(session)
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
            self.queue(session)

    # What players say

    def hear(self, session: Session, word: SaidOutside) -> None:
        """A word of the lobby."""
        if session not in self._guests and not isinstance(word, Admin):
            session.deny("not-allowed", "this connection is for admin words alone")
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
                case TellAll(line):
                    self.announcer.announce(line)
                case TellList(handle, what):
                    self.lists.ask(self._guests[handle], what, partial(self._lobby.listed, what))
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
        for handle in [session.handle for session in sessions]:
            session = self._guests.get(handle)  # who may have come back on another line meanwhile
            if session is not None and not session.gone:
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
        ghost.end()
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
        hindered = Hindered(trio.current_time(), seconds)
        for table in self.tables.values():
            table.hindered(hindered)

    def trouble(self, why: str | None) -> None:
        """The database refuses (`why`, which is for the log alone), or is back (None): no new games
        until then."""
        message: Report | Info
        if why is not None:
            self._lobby.close(f"no new games: {UNSAVED}")
            message = Report(Blame.SERVER, f"{UNSAVED}; moves wait, and nobody's clock pays for it")
        else:
            if not self.closing.begun:
                self._steps.begin(
                    partial(self._perform, effects) for effects in self._lobby.reopen()
                )
            message = Info(string="the database is back and the game goes on")
        tables = [*self.tables.values()]
        self._steps.begin(partial(table.warn, message) for table in tables)
