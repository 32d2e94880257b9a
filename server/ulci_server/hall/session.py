"""One connected client: who it is, what it owes, and the seat from which it is heard."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, Protocol, get_args

import structlog
import trio

from ulci.net import Heard, Peer, TokenBucket
from ulci.protocol import ULCI, Unread
from ulci.protocol.messages import (
    BestMove,
    Blame,
    CopyProtection,
    FromServer,
    Go,
    Hello,
    Info,
    IsReady,
    Lobby,
    Message,
    Quit,
    ReadyOk,
    Register,
    Registration,
    Report,
    Response,
    Status,
    Stop,
    Unknown,
)
from ulci.protocol.text import quote
from ulci.rules.outcome import Side
from ulci_server.game.events import Ready
from ulci_server.game.facts import Seat
from ulci_server.lobby import Profile, lines

from . import pace
from .alarms import Alarms
from .barrier import Barrier
from .ear import Ear, Patience
from .questions import Questions
from .resting import Rest
from .said import KNOWN_WORDS, AtTable, SaidOutside, event_of
from .search import Search
from .table import Table

LOG = structlog.get_logger("ulci_server.hall")

# Complaints that are logged of one client, a second and at once.
LOGGED_A_SECOND = 1.0
LOGGED_AT_ONCE = 20


def key_of(secret: str) -> str:
    """What is kept of a secret: who reads the database cannot take a seat with it."""
    return sha256(secret.encode()).hexdigest()


class House(Protocol):
    """What a session asks of the hall."""

    async def introduce(self, session: "Session", profile: Profile) -> None: ...

    def free(self, session: "Session") -> None: ...

    def hear(self, session: "Session", word: SaidOutside) -> None: ...

    def wait(self, session: "Session", word: "SaidOutside | AtTable") -> float: ...


class Session:
    def __init__(
        self, peer: Peer, house: House, alarms: Alarms, patience: Patience, plays: str = ""
    ) -> None:
        self.peer = peer
        self.profile: Profile | None = None
        self.table: Table | None = None
        self.side = Side.WHITE
        self.secret = ""
        self.key = ""  # what the record keeps of the secret
        self.watching: Table | None = None
        self.front = False
        self.gone = False
        self.farewell = False
        self.missed: Lobby | None = None  # how its last game ended, as it was not there to hear
        self.heard_at = 0.0
        self._house = house
        self._plays = plays
        self._patience = patience
        self._ear = Ear(peer, patience, self.complain, self._hear_unknown)
        self._search = Search()
        self._questions = Questions(peer)
        self._barrier = Barrier(peer)
        self._rest = Rest(peer, self._barrier, alarms, patience.rest, self._rested, self._tired)
        now = trio.current_time()
        self.words = pace.bucket(now)
        self._logged = TokenBucket(LOGGED_A_SECOND, LOGGED_AT_ONCE, now)

    @property
    def handle(self) -> str:
        return self.profile.handle if self.profile is not None else self.peer.label

    @property
    def can_return(self) -> bool:
        """Whether it can prove on another line that its seat is its own."""
        account = None if self.profile is None else self.profile.account
        return bool(self.key) or account is not None

    @property
    def seat(self) -> Seat:
        """As the record has it. Raises if it was not introduced."""
        assert self.profile is not None
        return replace(self.profile.seat, key=self.key)

    def is_of(self, profile: Profile) -> bool:
        """Whether it is a connection of the same account, and as much of a program."""
        mine = self.profile
        return mine is not None and (mine.account, mine.kind) == (profile.account, profile.kind)

    def entrust(self, secret: str) -> None:
        """With this it can take its seat back on another line."""
        self.secret, self.key = secret, key_of(secret)

    @property
    def resting(self) -> bool:
        """Whether it owes something for a game that is over."""
        return self._rest.on

    @property
    def follows(self) -> bool:
        return self.profile is not None and self.profile.follows

    # Reading

    async def run(self) -> None:
        """Until the client leaves, is cut off, or says what cannot be gone on from."""
        self.peer.put(Hello())
        profile = await self._ear.introduce(self._plays)
        if profile is None:
            return
        await self._house.introduce(self, profile)
        while not self.gone and (heard := await self._ear.next()) is not None:
            self.heard_at = heard.at
            _HEAR.get(type(heard.message), Session._hear_nothing)(self, heard.message, heard)
            if isinstance(heard.message, SaidOutside):
                await trio.lowlevel.checkpoint()  # it may have been told to a thousand people

    # Speaking

    def tell(self, *messages: FromServer) -> None:
        """Say it; never waits. Who is gone hears nothing."""
        if self.gone:
            return
        for message in messages:
            if isinstance(message, IsReady):
                self._barrier.expect(self._ready_for_game)
        self.peer.put(*messages)
        if any(isinstance(message, Stop) for message in messages):
            self._search.stop()
        if any(isinstance(message, Go) for message in messages):
            self._search.begin(self.peer.connection.asked)

    def complain(self, text: str) -> None:
        """Say what the client did wrong, and remember it with its game."""
        if not self._logged.take(trio.current_time()):
            LOG.info("client error", client=self.handle, peer=self.peer.label, error=text)
        self.tell(Report(Blame.CLIENT, text))
        if self.table is not None:
            self.table.hear_report(self.side, "server", text)

    def cut(self, why: str) -> None:
        """Complain for the last time. A person may read this even from a UCI engine's log."""
        self.peer.connection.dialect = ULCI
        self.complain(why)
        self.gone = True
        self.peer.cut(why)

    def refuse(self, why: str) -> None:
        """It cannot play what it came for."""
        self.cut(f"nothing to play here: {why}; look for another pool or listener of this server")

    def note(self, why: str) -> None:
        """Something that explains why it has to wait."""
        lobby = self.profile is not None and self.profile.lobby
        self.tell(
            lines.unmatched(why) if lobby else Info(string=f"you wait for somebody else: {why}")
        )

    def ask(self, questions: Sequence[str], then: Callable[[tuple[str, ...]], None]) -> bool:
        """Ask what only UGI has words for, and call `then` with the answers; False if this client
        does not speak it."""
        return not self.gone and self._questions.ask(questions, then)

    def say_goodbye(self) -> None:
        """The last word: it is expected to leave by itself now."""
        self.tell(Quit())
        self.gone = self.farewell = True

    def round_trip(self) -> float | None:
        """Of its line, in s; None if it has none or it cannot be measured."""
        return None if self.gone else self.peer.round_trip()

    async def prove_alive(self, seconds: float) -> bool:
        """Whether it answers ``isready`` within so many seconds."""
        return not self.gone and await self._barrier.answers_within(seconds) and not self.gone

    def probe(self, answered: Callable[[float], None]) -> bool:
        """Ask a program in its search whether it is there; False if it may not know the question
        there, or is a person, who may think in peace."""
        if self.gone or self.profile is None:
            return False
        if self.profile.kind == "human" or not self.profile.lobby:
            return False
        self._barrier.ask(answered)
        return True

    # At a table

    def sit(self, table: Table, side: Side) -> None:
        self.look_away()
        self.table, self.side = table, side

    def watch(self, table: Table) -> None:
        """See another game from now on."""
        self.look_away()
        self.watching = table
        table.audience.join(self)

    def look_away(self) -> None:
        if self.watching is not None:
            self.watching.audience.part(self)
            self.watching = None

    def return_to(self, table: Table, side: Side, back: Callable[[float], None]) -> None:
        """A new connection of a player in mid-game: once it is ready, it is told the position."""
        self.sit(table, side)
        self._barrier.ask(back)

    def dismiss(self) -> None:
        """The game is over. Whatever is still owed for it is awaited and thrown away behind an
        ``isready`` barrier before the client is free again."""
        self.table = None
        if self.gone:
            self._house.free(self)
            return
        is_human = self.profile is not None and self.profile.kind == "human"
        self._rest.begin(forgiving=is_human)

    def _ready_for_game(self, at: float) -> None:
        if self.table is not None:
            self.table.handle(Ready(self.side, at))

    def _rested(self, words: Sequence[SaidOutside]) -> None:
        self._house.free(self)
        for word in words:
            self._house.hear(self, word)

    def _tired(self, owed: str) -> None:
        self.cut(f"no {owed} within {self._patience.rest:g} s after the end of the game")

    # Hearing

    def _hear_move(self, message: BestMove, heard: Heard) -> None:
        if heard.cut and self.can_return:
            return  # e7e8 may have been e7e8q: it will say so again when it is back
        if self.table is not None and self.peer.connection.answered == self._search.number:
            if self.can_return and self.table.game.repeats(self.side, message.move):
                self.peer.connection.disown()
                self.complain(f"bestmove {quote(message.move)} was said before; go is still open")
                return
            analysis = self._search.take_untrusted()
            self.table.hear_move(self.side, message, heard.at, analysis, heard.late)
        elif self.table is not None:
            self.table.game.answered_late(self.side, message.move)
        self._rest.look()

    def _hear_response(self, message: Response, _: Heard) -> None:
        self._questions.hear(message.answer)

    def _hear_thought(self, message: Unread | Info, _: Heard) -> None:
        if self._search.hear(message) and self.table is not None:
            self.table.audience.think(self.side, message)

    def _hear_ready(self, _: ReadyOk, heard: Heard) -> None:
        self._barrier.hear(heard.at)

    def _hear_report(self, message: Report, _: Heard) -> None:
        LOG.info("client reports", client=self.handle, blame=str(message.blame), text=message.text)
        if self.table is not None:
            self.table.hear_report(self.side, "player", f"{message.blame} {message.text}")

    def _hear_registration(self, message: Registration, _: Heard) -> None:
        if message.status is Status.ERROR:
            LOG.info("engine is not registered", client=self.handle)
            self.tell(Register())

    def _hear_copy_protection(self, message: CopyProtection, _: Heard) -> None:
        if message.status is Status.ERROR:
            self.cut("your engine reports copyprotection error; such an engine cannot play here")

    def _hear_quit(self, _quit: Quit, _: Heard) -> None:
        self.gone = self.farewell = True

    def _is_too_fast(self, word: SaidOutside | AtTable) -> bool:
        """Tell so whoever says more words than anybody needs."""
        wait = math.ceil(self._house.wait(self, word))
        if wait:
            text = f"these are more words than you may say; retry-after {wait}"
            self.tell(lines.error("too-fast", text))
        return bool(wait)

    def _hear_lobby(self, message: SaidOutside, _: Heard) -> None:
        if self._is_too_fast(message):
            return
        if not self._rest.keep(message):
            self._house.hear(self, message)

    def _hear_at_table(self, message: AtTable, heard: Heard) -> None:
        if heard.cut and self.can_return:
            return  # `takeback 1` may have been `takeback 12`
        if self.table is None:
            self.tell(lines.error("no-game", "you are not playing a game"))
        elif not self._is_too_fast(message):
            self.table.handle(event_of(message, self.side, heard.at))

    def _hear_unknown(self, message: Unknown) -> None:
        if self.profile is not None and self.profile.lobby and message.line.split():
            word = message.line.split()[0]
            text = f"{word} is not a word of this lobby; there are: {KNOWN_WORDS}"
            self.tell(lines.error("unknown-word", text))

    def _hear_nothing(self, message: Message | Unread, heard: Heard) -> None:
        """Understood, and of no consequence here."""


_HEAR: dict[type, Callable[[Session, Any, Heard], None]] = {
    BestMove: Session._hear_move,
    Unread: Session._hear_thought,
    Info: Session._hear_thought,
    ReadyOk: Session._hear_ready,
    Report: Session._hear_report,
    Response: Session._hear_response,
    Registration: Session._hear_registration,
    CopyProtection: Session._hear_copy_protection,
    Quit: Session._hear_quit,
    **dict.fromkeys(get_args(AtTable), Session._hear_at_table),
    **dict.fromkeys(get_args(SaidOutside), Session._hear_lobby),
}
