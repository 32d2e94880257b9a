"""One connected client: who it is, what it is told and owes, and the seat that it plays from."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Protocol

import structlog
import trio

from ulci.net import CloseCode, Peer, TokenBucket
from ulci.protocol import ULCI, Announcement
from ulci.protocol.messages import (
    Admin,
    Blame,
    FromServer,
    Go,
    Info,
    IsReady,
    Lobby,
    Quit,
    Report,
    Stop,
)
from ulci.rules.outcome import Side
from ulci_server.game.events import Left, Ready, SentAway
from ulci_server.game.facts import Seat
from ulci_server.lobby import Profile, lines

from . import pace
from .alarms import Alarms
from .announcing import nothing
from .barrier import Barrier
from .ear import Patience
from .questions import Questions
from .resting import Rest
from .said import SaidOutside
from .search import Search
from .table import Table

LOG = structlog.get_logger("ulci_server.hall")

# Faults of one client that are answered, a second and at once: a person's are few, and a program
# that makes hundreds reads no answer.
ANSWERED_A_SECOND = 5.0
ANSWERED_AT_ONCE = 100

# Whoever is told this, and when, may dial again then.
RETRY_AFTER = "retry-after"

# Complaints that are logged of one client, a second and at once.
LOGGED_A_SECOND = 1.0
LOGGED_AT_ONCE = 20


def key_of(secret: str) -> str:
    """What is kept of a secret: who reads the database cannot take a seat with it."""
    return sha256(secret.encode()).hexdigest()


class House(Protocol):
    """What a session asks of the hall."""

    def free(self, session: "Session") -> None: ...

    def hear(self, session: "Session", word: SaidOutside) -> None: ...


class Session:
    def __init__(self, peer: Peer, house: House, alarms: Alarms, patience: Patience) -> None:
        self.peer = peer
        self.profile: Profile | None = None
        self.table: Table | None = None
        self.side = Side.WHITE
        self.secret = ""
        self.key = ""  # what the record keeps of the secret
        self.watching: Table | None = None
        self.front = False
        self.announced = nothing
        self.gone = False
        self.farewell = False
        self.missed: Lobby | None = None  # how its last game ended, until it surely has heard it
        self.heard_at = 0.0
        self.suspect = False  # a referee died of what it played
        self.unregistered = False  # it said that it is, and was told what it may do
        self.search = Search()
        self.questions = Questions(peer)
        self.barrier = Barrier(peer)
        self.rest = Rest(peer, self.barrier, alarms, patience.rest, self._rested, self._tired)
        now = trio.current_time()
        self.words = pace.bucket(now)
        self.orders: list[Admin] = []  # the first is being obeyed
        self._house = house
        self._parting = ""
        self._patience = patience
        self._answered = TokenBucket(ANSWERED_A_SECOND, ANSWERED_AT_ONCE, now)
        self._logged = TokenBucket(LOGGED_A_SECOND, LOGGED_AT_ONCE, now)

    @property
    def handle(self) -> str:
        return self.profile.handle if self.profile is not None else self.peer.label

    @property
    def why(self) -> str:
        """For which reason it went, for people."""
        return self._parting or self.peer.why or "it left"

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
        return self.rest.on

    @property
    def follows(self) -> bool:
        return self.profile is not None and self.profile.follows

    # Speaking

    def tell(self, *messages: FromServer) -> None:
        """Say it; never waits. Who is gone hears nothing."""
        if self.gone:
            return
        for message in messages:
            if isinstance(message, IsReady):
                self.barrier.expect(self._ready_for_game)
        self.peer.put(*self.announced(), *messages)
        for message in messages:
            if isinstance(message, Stop):
                self.search.stop()
        for message in messages:
            if isinstance(message, Go):
                self.search.begin(self.peer.connection.asked)

    def tell_announced(self, *announcements: Announcement) -> None:
        """What everybody is told."""
        if announcements and not self.gone:
            self.peer.put(*announcements)

    def log(self, event: str, **details: str) -> None:
        """What this client does that is worth a line, as far as it does not fill the log."""
        if not self._logged.take(trio.current_time()):
            LOG.info(event, client=self.handle, peer=self.peer.label, **details)

    def deny(self, code: str, text: str) -> None:
        """Say why a word of it leads to nothing, unless it was told so too often already."""
        if self._answers_fault():
            self.tell(lines.error(code, text))

    def complain(self, text: str) -> None:
        """Say what went wrong, and remember it with its game, unless there was too much of that
        already."""
        if self._answers_fault():
            self._accuse(text, Blame.CLIENT)

    def _accuse(self, text: str, blame: Blame) -> None:
        self.log(f"{blame.value.removesuffix('error')} error", error=text)
        self.tell(Report(blame, text))
        if self.table is not None:
            self.table.hear_report(self.side, "server", text)

    def cut(self, why: str, blame: Blame = Blame.CLIENT) -> None:
        """Complain for the last time, say ``quit`` and hang up: by that the client knows that it
        was meant, and that no line broke behind a mere complaint. A person may read this even from
        a UCI engine's log."""
        self.peer.connection.dialect = ULCI
        self._accuse(why, blame)
        self.tell(Quit())
        self.gone = True
        rejected = blame is Blame.CLIENT and RETRY_AFTER not in why
        self.peer.dismiss(why, CloseCode.REJECTED if rejected else CloseCode.TRY_AGAIN)

    def _answers_fault(self) -> bool:
        return not self._answered.take(trio.current_time())

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
        return not self.gone and self.questions.ask(questions, then)

    def say_goodbye(self, why: str) -> None:
        """The last word: it is expected to leave by itself now. `why` stands before it, or else a
        complaint that happened to be the last would be taken for the reason."""
        self.tell(Report(Blame.SERVER, why), Quit())
        self.gone = self.farewell = True

    def hang_up(self, why: str) -> None:
        """Without a word: it is to come back."""
        self.gone = True
        self.peer.dismiss(why, CloseCode.GOING_AWAY)

    def round_trip(self) -> float | None:
        """The least of its line, in s; None if it has none or it was not measured."""
        return None if self.gone else self.peer.round_trip()

    async def prove_alive(self, seconds: float) -> bool:
        """Whether it answers ``isready`` within so many seconds."""
        return not self.gone and await self.barrier.answers_within(seconds) and not self.gone

    def probe(self, answered: Callable[[float], None]) -> bool:
        """Ask a program in its search whether it is there; False if it may not know the question
        there, or is a person, who may think in peace."""
        if self.gone or self.profile is None:
            return False
        if self.profile.kind == "human" or not self.profile.lobby:
            return False
        self.barrier.ask(answered)
        return True

    # Going

    def send_away(self, by: str, *, for_good: bool, why: str) -> None:
        """An administrator, `by` name, cuts its line, and may not want it to come back."""
        if self.table is not None:
            self.table.handle(SentAway(self.side, trio.current_time(), f"{by}: {why}"))
        told = f"you were sent away by {by}: {why}"
        if for_good:
            told = f"you are banned here: {why}"
            self.farewell, self._parting = True, f"banned by {by}: {why}"
        if not self.gone:
            self.cut(told)
        elif for_good and self.table is not None:
            self.table.handle(Left(self.side, trio.current_time(), self.why))

    def quit(self) -> None:
        """It said that it goes for good."""
        self.gone = self.farewell = True
        self._parting = "it said quit"

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
        self.barrier.ask(back)

    def dismiss(self) -> None:
        """The game is over. Whatever is still owed for it is awaited and thrown away behind an
        ``isready`` barrier before the client is free again."""
        self.table = None
        if self.gone:
            self._house.free(self)
            return
        is_human = self.profile is not None and self.profile.kind == "human"
        pauses = self.profile is not None and self.profile.pauses and not self.front
        pause = self._patience.pause if pauses else 0.0
        if pause:
            self.tell(Info(string=f"your next game begins in {pause:g} s at the earliest"))
        self.rest.begin(forgiving=is_human, pause=pause)

    def end(self) -> None:
        """Its connection is over."""
        self.gone = True
        self.look_away()
        self.rest.end()
        self.barrier.end()
        self.questions.end()

    def _ready_for_game(self, at: float) -> None:
        if self.table is not None:
            self.table.handle(Ready(self.side, at))

    def tell_missed(self, missed: Lobby | None) -> None:
        """How the last game on its old line ended, of which it may not have heard."""
        if missed is not None:
            self.missed = missed
            self.tell(missed)
            self.barrier.ask(self._heard_it)

    def _heard_it(self, _: float) -> None:
        self.missed = None

    def _rested(self, words: Sequence[SaidOutside]) -> None:
        self.missed = None
        self._house.free(self)
        for word in words:
            self._house.hear(self, word)

    def _tired(self, owed: str) -> None:
        late = f"no {owed} within {self._patience.rest:g} s after the end of the game"
        self.cut(f"{late}; retry-after 1")
