"""One connected client: who it is, what it owes, and the seat from which it is heard."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import structlog
import trio

from ulci.net import Heard, Peer
from ulci.protocol import (
    UCI,
    ULCI,
    RemoteProtocolError,
    Unread,
    read_info_untrusted,
)
from ulci.protocol.messages import (
    Abort,
    Accept,
    BestMove,
    Blame,
    Challenge,
    CopyProtection,
    Decline,
    Draw,
    FromServer,
    Games,
    Go,
    Hello,
    HelloOk,
    Id,
    Info,
    IsReady,
    LobbyWord,
    Message,
    Option,
    Query,
    Quit,
    ReadyOk,
    Register,
    Registration,
    Rematch,
    Report,
    Resign,
    Response,
    Say,
    Seek,
    Seeks,
    Status,
    Unknown,
    Unseek,
    Who,
)
from ulci.rules.outcome import Side
from ulci_server.game.events import AbortSaid, DrawSaid, Ready, Resigned
from ulci_server.lobby import Introduction, Profile, lines

from .alarms import Alarms
from .table import Table

LOG = structlog.get_logger("ulci_server.hall")

# Words said between the end of a game and the client's being free again, kept until then.
MAX_EARLY_WORDS = 10

# The words of the lobby, as a client that asks for another is told.
KNOWN_WORDS = (
    "seek seeks unseek accept challenge decline resign draw abort rematch games who say quit"
)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a client may take, in s, and how often it may err."""

    # From our first word to ``uciok``.
    handshake: float = 10.0
    # After a game, for ``readyok`` and an owed ``bestmove``: nobody waits for it but the client
    # itself, and some engines read nothing until their search is over.
    rest: float = 300.0
    # Meaningless lines in a row: a person's typing errors are few, a wrong program's have no end.
    nonsense: int = 100


class House(Protocol):
    """What a session asks of the hall."""

    def introduce(self, session: "Session", profile: Profile) -> None: ...

    def free(self, session: "Session") -> None: ...

    def hear(self, session: "Session", word: LobbyWord) -> None: ...


class Session:
    def __init__(
        self, peer: Peer, house: House, alarms: Alarms, patience: Patience, plays: str = ""
    ) -> None:
        self.peer = peer
        self.profile: Profile | None = None
        self.table: Table | None = None
        self.side = Side.WHITE
        self.secret = ""
        self.resting = False
        self.front = False
        self.gone = False
        self.farewell = False
        self._house = house
        self._plays = plays
        self._patience = patience
        self._alarm = alarms.new(self._tired)
        self._introduction = Introduction()
        self._asked: deque[tuple[int, Callable[[tuple[str, ...]], None]]] = deque()
        self._answers: list[str] = []
        self._pings: deque[Callable[[float], None]] = deque()
        self._go = 0
        self._analysis: Unread | Info | None = None
        self._early: list[LobbyWord] = []
        self._nonsense = 0

    @property
    def handle(self) -> str:
        return self.profile.handle if self.profile is not None else self.peer.label

    @property
    def follows(self) -> bool:
        return self.profile is not None and self.profile.follows

    # Reading

    async def run(self) -> None:
        """Until the client leaves, is cut off, or says what cannot be gone on from."""
        self.peer.put(Hello())
        introduced = False
        with trio.move_on_after(self._patience.handshake):
            introduced = await self._introduce()
            if not introduced:
                return
        if not introduced:
            self.complain(f"no uciok within {self._patience.handshake:g} s")
            return
        while not self.gone and (heard := await self._next()) is not None:
            _HEAR.get(type(heard.message), Session._hear_nothing)(self, heard.message, heard.at)

    async def _introduce(self) -> bool:
        """False: it hung up before ``uciok``."""
        while (heard := await self._next()) is not None:
            match heard.message:
                case Id() | Option() as said:
                    self._introduction.hear(said)
                case HelloOk():
                    self._introduced()
                    return True
                case Quit():
                    return False
        return False

    def _introduced(self) -> None:
        profile = replace(self._introduction.profile(), plays=self._plays)
        if self.peer.connection.dialect is ULCI:  # which is also what greets a UCI engine
            if profile.lobby:
                self.peer.connection.dialect = ULCI.with_lobby()
            elif not profile.is_ulci:
                self.peer.connection.dialect = UCI
        self._house.introduce(self, profile)

    async def _next(self) -> Heard | None:
        """What it says next that can be understood; None when nothing more will come."""
        while True:
            try:
                heard = await self.peer.receive()
            except RemoteProtocolError as error:
                self.complain(str(error))
                if error.fatal:
                    return None
                self._nonsense += 1
            else:
                if heard is None or not isinstance(heard.message, Unknown):
                    self._nonsense = 0
                    return heard
                self._hear_unknown(heard.message)
                self._nonsense += 1
            if self._nonsense > self._patience.nonsense:
                self.complain(
                    f"more than {self._patience.nonsense} lines in a row that mean nothing;"
                    " this connection is closed, look at what your program sends"
                )
                return None

    # Speaking

    def tell(self, *messages: FromServer) -> None:
        """Say it; never waits. Who is gone hears nothing."""
        if self.gone:
            return
        for message in messages:
            if isinstance(message, IsReady):
                self._pings.append(self._ready_for_game)
        self.peer.put(*messages)
        if any(isinstance(message, Go) for message in messages):
            self._go = self.peer.connection.asked
            self._analysis = None

    def complain(self, text: str) -> None:
        """Say what the client did wrong, and remember it with its game."""
        LOG.info("client error", client=self.handle, peer=self.peer.label, error=text)
        self.tell(Report(Blame.CLIENT, text))
        if self.table is not None:
            self.table.hear_report(self.side, "server", text)

    def cut(self, why: str) -> None:
        """Complain for the last time."""
        self.complain(why)
        self.gone = True
        self.peer.cut(why)

    def refuse(self, why: str) -> None:
        """It cannot play what it came for. A person may read this even from a UCI engine's log."""
        self.peer.connection.dialect = ULCI
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
        queries = [Query(question) for question in questions]
        if self.gone or not all(map(self.peer.connection.dialect.can_say, queries)):
            return False
        self._asked.append((len(queries), then))
        self.peer.put(*queries)
        return True

    def say_goodbye(self) -> None:
        """The last word: it is expected to leave by itself now."""
        self.tell(Quit())
        self.gone = self.farewell = True

    # At a table

    def sit(self, table: Table, side: Side) -> None:
        self.table, self.side = table, side

    def return_to(self, table: Table, side: Side, back: Callable[[float], None]) -> None:
        """A new connection of a player in mid-game: once it is ready, it is told the position."""
        self.sit(table, side)
        self._ping(back)

    def dismiss(self) -> None:
        """The game is over. Whatever is still owed for it is awaited and thrown away behind an
        ``isready`` barrier before the client is free again."""
        self.table = None
        if self.gone:
            self._house.free(self)
            return
        self.resting = True
        self._alarm.set(trio.current_time() + self._patience.rest)
        self._ping(self._rested)

    def _ping(self, answered: Callable[[float], None]) -> None:
        self._pings.append(answered)
        self.peer.put(IsReady())

    def _ready_for_game(self, at: float) -> None:
        if self.table is not None:
            self.table.handle(Ready(self.side, at))

    def _rested(self, _: float) -> None:
        if self.profile is not None and self.profile.kind == "human":
            # People's programs need not answer `stop` (the Liberty Chess GUI never does), and what
            # they said before they read it has come before this `readyok`.
            self.peer.connection.forgive()
        self._rest()

    def _rest(self) -> None:
        if self.resting and not self._pings and self.peer.connection.owed == 0:
            self.resting = False
            self._alarm.cancel()
            self._house.free(self)
            words, self._early = self._early, []
            for word in words:
                self._house.hear(self, word)

    def _tired(self) -> None:
        owed = "bestmove" if self.peer.connection.owed else "readyok"
        self.cut(f"no {owed} within {self._patience.rest:g} s after the end of the game")

    # Hearing

    def _hear_move(self, message: BestMove, at: float) -> None:
        if self.table is not None and self.peer.connection.answered == self._go:
            self.table.hear_move(self.side, message, at, self._last_analysis_untrusted())
        self._rest()

    def _last_analysis_untrusted(self) -> Info | None:
        analysis, self._analysis = self._analysis, None
        if not isinstance(analysis, Unread):
            return analysis
        try:
            return read_info_untrusted(analysis.line)
        except RemoteProtocolError:
            return None

    def _hear_response(self, message: Response, _: float) -> None:
        if not self._asked:
            return
        self._answers.append(message.answer)
        number, then = self._asked[0]
        if len(self._answers) == number:
            self._asked.popleft()
            answers, self._answers = tuple(self._answers), []
            then(answers)

    def _hear_unread(self, message: Unread, _: float) -> None:
        # Of several variations (MultiPV) the first is the one that it means to play.
        line = message.line
        if " score " in line and (" multipv " not in line or " multipv 1 " in line):
            self._analysis = message

    def _hear_info(self, message: Info, _: float) -> None:
        if message.score is not None and message.multipv in (None, 1):
            self._analysis = message

    def _hear_ready(self, _: ReadyOk, at: float) -> None:
        if self._pings:
            self._pings.popleft()(at)

    def _hear_report(self, message: Report, _: float) -> None:
        LOG.info("client reports", client=self.handle, blame=str(message.blame), text=message.text)
        if self.table is not None:
            self.table.hear_report(self.side, "player", f"{message.blame} {message.text}")

    def _hear_registration(self, message: Registration, _: float) -> None:
        if message.status is Status.ERROR:
            LOG.info("engine is not registered", client=self.handle)
            self.tell(Register())

    def _hear_copy_protection(self, message: CopyProtection, _: float) -> None:
        if message.status is Status.ERROR:
            self.cut("your engine reports copyprotection error; such an engine cannot play here")

    def _hear_quit(self, _quit: Quit, _: float) -> None:
        self.gone = self.farewell = True

    def _hear_lobby(self, message: LobbyWord, _: float) -> None:
        if self.resting and len(self._early) < MAX_EARLY_WORDS:
            self._early.append(message)
        else:
            self._house.hear(self, message)

    def _hear_at_table(self, message: Resign | Draw | Abort, at: float) -> None:
        if self.table is None:
            self.tell(lines.error("no-game", "you are not playing a game"))
        else:
            self.table.handle(_AT_TABLE[type(message)](self.side, at))

    def _hear_unknown(self, message: Unknown) -> None:
        if self.profile is not None and self.profile.lobby and message.line.split():
            word = message.line.split()[0]
            text = f"{word} is not a word of this lobby; there are: {KNOWN_WORDS}"
            self.tell(lines.error("unknown-word", text))

    def _hear_nothing(self, message: Message | Unread, at: float) -> None:
        """Understood, and of no consequence here."""


_AT_TABLE: dict[type, Callable[[Side, float], Resigned | DrawSaid | AbortSaid]] = {
    Resign: Resigned,
    Draw: DrawSaid,
    Abort: AbortSaid,
}

_HEAR: dict[type, Callable[[Session, Any, float], None]] = {
    BestMove: Session._hear_move,
    Unread: Session._hear_unread,
    Info: Session._hear_info,
    ReadyOk: Session._hear_ready,
    Report: Session._hear_report,
    Response: Session._hear_response,
    Registration: Session._hear_registration,
    CopyProtection: Session._hear_copy_protection,
    Quit: Session._hear_quit,
    **dict.fromkeys((Resign, Draw, Abort), Session._hear_at_table),
    **dict.fromkeys(
        (Seek, Seeks, Unseek, Accept, Challenge, Decline, Rematch, Games, Who, Say),
        Session._hear_lobby,
    ),
}
