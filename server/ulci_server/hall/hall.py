"""Who is here and which tables stand. The door through which every connection comes."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import structlog
import trio

from ulci.net import Peer
from ulci.protocol.messages import (
    Abort,
    Blame,
    Draw,
    Games,
    Info,
    LobbyWord,
    Report,
    Resign,
    Say,
)
from ulci.protocol.messages import Lobby as Line
from ulci.protocol.text import quote
from ulci.rules.outcome import Reason, Side
from ulci.rules.refereed import ENDED, Judge, Question, RefereedRules, Ruling, Standing, agrees
from ulci_server.game import Game
from ulci_server.game import Patience as GamePatience
from ulci_server.game.events import Away, Back, Left
from ulci_server.game.facts import Reported
from ulci_server.lobby import (
    Lobby,
    LobbyEffect,
    Pair,
    Profile,
    Refused,
    TellOne,
    Unmatched,
    lines,
)
from ulci_server.storage import Journal

from .alarms import Alarms
from .session import Patience, Session
from .setup import setup
from .table import Table

LOG = structlog.get_logger("ulci_server.hall")


class Hall:
    """ids: numbers for new games. secret: makes the word that takes a seat back after a lost line.
    claims: whether threefold repetition and fifty moves must be claimed. referees: who judges the
    games that are not in `ulci.rules`."""

    def __init__(
        self,
        journal: Journal,
        lobby: Lobby,
        *,
        ids: Iterator[int],
        secret: Callable[[], str],
        patience: Patience | None = None,
        game_patience: GamePatience | None = None,
        claims: bool = False,
        referees: Iterable[Judge] = (),
    ) -> None:
        self._journal = journal
        self._referees = {referee.rules.name: referee for referee in referees}
        self._lobby = lobby
        self._ids = ids
        self._secret = secret
        self._patience = patience or Patience()
        self._game_patience = game_patience or GamePatience()
        self._claims = claims
        self.alarms = Alarms()
        self.tables: dict[int, Table] = {}
        self._sessions: dict[str, Session] = {}
        self._by_secret: dict[str, Session] = {}
        self._pools: dict[Session, str] = {}
        self._emptied = trio.Event()
        self._left = trio.Event()

    async def welcome(self, peer: Peer, pool: str, *, plays: str = "") -> None:
        """Look after one connection for as long as it lasts; it waits in `pool` unless it seeks.

        `plays`: the game that those of this dialect are known to play, though they cannot say so.
        """
        session = Session(peer, self, self.alarms, self._patience, plays)
        self._pools[session] = pool
        LOG.debug("connected", peer=peer.label)
        try:
            await session.run()
        finally:
            self._lose(session)

    # Coming and going

    def introduce(self, session: Session, profile: Profile) -> None:
        """It said ``uciok``: it takes its seat back, waits in its pool, or looks round."""
        if (before := self._by_secret.get(profile.resume)) is not None:
            self._resume(session, before)
            return
        session.profile = profile = self._lobby.enter(profile)
        self._sessions[profile.handle] = session
        LOG.info("joined", client=profile.handle, kind=profile.kind, peer=session.peer.label)
        if profile.lobby:
            self._welcome(session)
        else:
            self._perform(self._lobby.wait(profile.handle, self._pools[session]))

    def _welcome(self, session: Session) -> None:
        assert session.profile is not None
        session.secret = session.secret or self._secret()
        self._by_secret[session.secret] = session
        session.tell(lines.welcome(session.profile, session.secret))

    def _resume(self, session: Session, before: Session) -> None:
        """The same client on a new line: the old one is cut, should it still seem to live."""
        session.profile, session.secret = before.profile, before.secret
        table, side = before.table, before.side
        self._sessions[session.handle] = session
        before.table = None
        if not before.gone:
            before.cut("you came back on another connection")
        self._welcome(session)
        LOG.info("resumed", client=session.handle, peer=session.peer.label)
        if table is not None:
            table.sit(side, session)
            session.return_to(table, side, lambda at: table.handle(Back(side, at)))
        elif before.resting:
            self._lobby.free(session.handle)

    def _lose(self, session: Session) -> None:
        """Its connection is over."""
        session.gone = True
        del self._pools[session]
        if not self._pools:
            self._left.set()
        if self._sessions.get(session.handle) is not session:
            return  # never introduced, or replaced by a newer connection
        LOG.info("left", client=session.handle, why=session.peer.why)
        now = trio.current_time()
        if session.table is None:
            self._forget(session)
        elif session.secret and not session.farewell:
            session.table.handle(Away(session.side, now))
        else:
            session.table.handle(Left(session.side, now, session.peer.why or "it left"))

    def _forget(self, session: Session) -> None:
        del self._sessions[session.handle]
        self._by_secret.pop(session.secret, None)
        self._perform(self._lobby.leave(session.handle))

    def free(self, session: Session) -> None:
        """It has left its table and owes nothing: it waits again, unless it seeks for itself."""
        if self._sessions.get(session.handle) is not session:
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

    def hear(self, session: Session, word: LobbyWord) -> None:
        """A word of the lobby."""
        match word:
            case Games():
                self._list_games(session)
            case Say(text):
                self._say(session, text)
            case Resign() | Draw() | Abort():
                raise AssertionError("these go to the table")
            case _:
                self._perform(self._lobby.hear(session.handle, word))

    def _list_games(self, session: Session) -> None:
        session.tell(lines.count("games", len(self.tables)))
        for table in self.tables.values():
            session.tell(lines.playing(table.game))

    def _say(self, session: Session, text: str) -> None:
        table = session.table
        other = table.seats[session.side.other] if table is not None else None
        if isinstance(other, Session) and other.profile is not None and other.profile.lobby:
            other.tell(Line(("say", session.handle, *text.split())))
        else:
            session.tell(lines.error("not-heard", "there is no opponent who could read that"))

    # Tables

    def _perform(self, effects: Iterable[LobbyEffect]) -> None:
        for effect in effects:
            match effect:
                case TellOne(handle, line):
                    self._sessions[handle].tell(line)
                case Pair():
                    self._open_table(effect)
                case Refused(handle, why):
                    self._sessions[handle].refuse(why)
                case Unmatched(handles, why):
                    LOG.info("cannot meet", clients=" ".join(handles), why=why)
                    for handle in handles:
                        self._sessions[handle].note(why)

    def _open_table(self, pair: Pair) -> None:
        offer = pair.offer
        referee = self._referees.get(offer.game.name)
        if isinstance(offer.game, RefereedRules) and offer.start not in offer.game.known:
            assert referee is not None
            referee.ask(Question(offer.start), partial(self._open_ruled, pair, offer.game))
            return
        sessions = self._sessions[pair.white], self._sessions[pair.black]
        white, black = (session.profile for session in sessions)
        assert white is not None
        assert black is not None
        position = offer.game.new(offer.start, claims=self._claims)
        game = Game(
            next(self._ids),
            position,
            offer.game.name,
            offer.control,
            (white.seat, black.seat),
            patience=self._game_patience,
            pool=offer.pool,
            rated=offer.rated,
            setup=(setup(white, black.seat, offer), setup(black, white.seat, offer)),
        )
        table = Table(
            game, position, sessions, self._journal, self.alarms, self._close_table, referee
        )
        self.tables[game.id] = table
        for session, side in zip(sessions, Side, strict=True):
            session.front = False
            session.sit(table, side)
        table.begin()

    def _open_ruled(self, pair: Pair, game: RefereedRules, ruling: Ruling) -> None:
        """The referee has looked at a start position that a player chose; one may have left."""
        here = [s for s in map(self._sessions.get, (pair.white, pair.black)) if s is not None]
        if isinstance(ruling, Standing) and len(here) == len(Side):
            game.learn(pair.offer.start, ruling)
            self._open_table(pair)
            return
        why = "the opponent has left" if isinstance(ruling, Standing) else ruling.why
        for session in here:
            session.tell(lines.error("no-game", f"the game does not begin: {why}"))
            self.free(session)

    def _close_table(self, table: Table) -> None:
        """Called before the players are dismissed."""
        del self.tables[table.game.id]
        ending = table.game.ending
        aborted = ending is not None and ending.outcome.reason is Reason.ABORTED
        for side, session in zip(Side, table.seats, strict=True):
            if isinstance(session, Session):
                session.front = aborted and ending is not None and side not in ending.by
        self._ask_for_second_opinions(table)
        if not self.tables:
            self._emptied.set()
            self._emptied = trio.Event()

    def _ask_for_second_opinions(self, table: Table) -> None:
        """Both engines have been told the last position, and nothing else since."""
        game = table.game
        referee = self._referees.get(game.started.rules)
        if referee is None or not referee.second_opinion or game.outcome is None:
            return
        if game.outcome.reason is Reason.GAME_RULE:
            for side, session in zip(Side, table.seats, strict=True):
                if isinstance(session, Session):
                    session.ask(ENDED, partial(self._compare, game, side))

    def _compare(self, game: Game, side: Side, answers: tuple[str, ...]) -> None:
        """Evidence for the operator: one of the two programs has the rules wrong."""
        assert game.outcome is not None
        if agrees(answers, game.outcome):
            return
        said = " ".join(quote(answer) for answer in answers)
        text = f"second opinion: gameover and result are {said}, of a game that ended"
        text = f"{text} {game.outcome.score} by the referee"
        LOG.warning("second opinion differs", game=game.id, player=game.seats[side].name, said=said)
        self._journal.note(Reported(game.id, len(game.moves), side, "player", text))

    # The whole house

    def trouble(self, why: str | None) -> None:
        """The database refuses (`why`), or is back (None): no new games until then."""
        message: Report | Info
        if why is not None:
            self._lobby.close(f"no new games: {why}")
            message = Report(Blame.SERVER, f"{why}; moves wait, and nobody's clock pays for it")
        else:
            self._perform(self._lobby.reopen())
            message = Info(string="the database is back and the game goes on")
        for table in self.tables.values():
            table.warn(message)

    async def drain(self, scope: trio.CancelScope, grace: float, why: str) -> int:
        """No new games, and up to `grace` s (or until `scope` is cancelled) for the running ones.

        Returns how many had to be cut short.
        """
        self._lobby.close(why)
        for session in self._sessions.values():
            session.tell(Report(Blame.SERVER, f"{why}; running games have {grace:g} s"))
        scope.deadline = trio.current_time() + grace
        with scope:
            while self.tables:
                await self._emptied.wait()
        cut = [*self.tables.values()]
        for table in cut:
            table.stop(why)
        return len(cut)

    async def farewell(self, seconds: float) -> None:
        """Say goodbye to everybody, once the last results are told, and let them go by themselves.
        Who is slow is not waited for."""
        with trio.move_on_after(seconds):
            while self.tables:
                await self._emptied.wait()
            for session in self._pools:
                session.say_goodbye()
            while self._pools:
                await self._left.wait()
