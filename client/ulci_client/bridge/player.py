"""One engine that plays at one server: what comes from either end, brought together.

Plain calls only, no waiting: the loops that read are `keeping`'s.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ulci.net import Heard, Peer
from ulci.protocol import (
    Accept,
    BestMove,
    Blame,
    Clock,
    FromClient,
    FromServer,
    Go,
    Hello,
    Id,
    Info,
    Lobby,
    NewGame,
    Option,
    Position,
    Quit,
    Report,
    Seek,
    SetOption,
    Unknown,
    Unread,
)
from ulci_client.closing import Closing, LastWords
from ulci_client.engine import Ears, EngineProcess
from ulci_client.lobby import Welcome, read_untrusted

from .analysis import AnalysisFilter
from .games import Games
from .introducing import introduction
from .notices import Notices
from .record import Record
from .relay import Post, Relay
from .seeking import Budget, Seeking
from .settings import Settings
from .status import Progress, View, is_best_line
from .thinking import Phase

# How a server without a lobby says who won: ``info string result 1-0 reason checkmate``.
RESULT = "result"

# Complaints of one engine that a person is shown; all of them are in the log.
MOST_COMPLAINTS = 20


@dataclass(frozen=True, slots=True)
class Desk:
    """What all players of one bridge share; `noted` are the codes of notes that were shown."""

    view: View
    record: Record
    budget: Budget
    noted: set[str] = field(default_factory=set)


class Player:
    """`number` tells players of one bridge apart in the log."""

    def __init__(self, settings: Settings, desk: Desk, number: int = 1) -> None:
        self.relay = Relay(patience=settings.engine.ping)
        self.seeking = Seeking(settings.sought, desk.budget)
        self.progress = Progress()
        self.admitted = False  # whether the server ever took us for a player
        self.unanswered = False  # whether it owes us a word, on the present line
        self.on_due: Callable[[], None] = lambda: None
        self._settings = settings
        self._view = desk.view
        self._record = desk.record
        self._number = number
        self._engine: EngineProcess | None = None
        # Of the last one that was up: the next takes what this one took.
        self._accepted: Callable[[SetOption], SetOption | None] = lambda message: message
        self._line: Peer | None = None
        self._introduced = False
        self._last_words = LastWords()  # of the server, on the last line
        self._analysis = AnalysisFilter()
        self._thought: Unread | Info | None = None  # the newest of this search
        self._complaints: set[str] = set()  # of the engine, that were shown
        self._ids: Sequence[Id] = ()
        self._options: Sequence[Option] = ()
        self._games = Games(self.relay, self.seeking, desk.view, self.progress)
        self._notices = Notices(self._games, self.seeking, desk.view, desk.noted)
        desk.view.progress.append(self.progress)

    @property
    def ears(self) -> Ears:
        """What the engine's supervisor tells us."""
        return Ears(
            lambda message: self._record.said(self._number, "engine", message),
            lambda message: self._record.heard(self._number, "engine", message),
            self._view.warn,
        )

    @property
    def introduced(self) -> bool:
        """Whether the server has been told who we are, on the present line."""
        return self._introduced

    # Either end comes and goes

    def engine_up(self, engine: EngineProcess, at: float) -> None:
        """It is ready and has been told all that the server said before."""
        self._engine, self._accepted = engine, engine.accepted
        self.relay.ponder = self._settings.engine.ponder and engine.can_ponder
        if not self._options:
            self._ids, self._options = engine.ids, engine.offered
            self.progress.name = self._settings.name or engine.name
            if self._settings.engine.ponder and not engine.can_ponder:
                self._view.warn(f"{engine.name} offers no option Ponder, so it will not ponder")
        self._perform(self.relay.engine_back(at))

    def engine_down(self) -> None:
        self._engine = None
        self.relay.engine_lost()

    def line_up(self, line: Peer) -> None:
        self._line, self._last_words = line, LastWords()
        self.unanswered = False
        self._happened(f"connected to {line.label}")

    def line_down(self, at: float) -> None:
        assert self._line is not None
        self._happened(f"disconnected: {self._line.why or 'we left'}")
        self._line, self._introduced = None, False
        self.seeking.line_lost()
        self._perform(self.relay.line_lost(at))
        self._games.show()

    def closing(self, why: str, at: float) -> Closing:
        """What the end of the last line means, which the line itself explains so."""
        return self._last_words.closing(why, at)

    def leave(self, at: float) -> None:
        """Finish the running game, and no more."""
        self._say(*self.seeking.leave(at))
        self._games.show()

    def depart(self, why: str = "") -> None:
        """Now; `why` if the other side should know."""
        if why:
            self._say(Report(Blame.CLIENT, why))
        self._say(*self.seeking.depart())
        self._games.show()

    def alarm(self) -> None:
        """`seeking.due` has come."""
        self._say(*self.seeking.alarm())

    # What they say

    def engine_said(self, heard: Heard) -> None:
        message, at = heard.message, heard.at
        if isinstance(message, Unread | Info) and is_best_line(message):
            self.progress.analysis = self._thought = message
        if isinstance(message, Report):
            self._complained(message.text)
        if isinstance(message, BestMove):
            if self.relay.phase is Phase.THINKING:
                self._games.scores.moved(self._thought)
            self._thought = None
        post = self.relay.engine_said(message, at)
        if post.server and self._line is not None:
            post.server = self._passed(post.server, at, self._line)
        self._perform(post)

    def _complained(self, text: str) -> None:
        """A person should know why it plays no move; but what it says again and again it need not
        read again and again."""
        if text not in self._complaints and len(self._complaints) < MOST_COMPLAINTS:
            self._complaints.add(text)
            self._view.warn(f"{self.progress.name} complains: {text}")

    def _passed(
        self, said: Sequence[FromClient | Unread], at: float, line: Peer
    ) -> list[FromClient | Unread]:
        known = self._analysis.left_out
        passed = self._analysis.passed(said, at, line.statistics().outbox)
        if self._analysis.left_out and not known:
            name = self.progress.name
            self._view.detail(f"{name} says more than a server reads; some analysis is left out")
        return passed

    def engine_overdue(self, at: float) -> str:
        """It has not answered in time; why it counts as hung, empty if it may still be alive."""
        post = self.relay.overdue(at)
        if isinstance(post, str):
            return post
        self._perform(post)
        return ""

    def server_said(self, heard: Heard) -> None:
        """Raises `Refusal` if the server will not have us play."""
        message, at = heard.message, heard.at
        self._last_words.heard(message, at, cut=heard.cut)
        if heard.cut and not isinstance(message, Report):
            return  # perhaps half of a line: half a secret would cost us our seat
        self.unanswered = False
        self._record.heard(self._number, "server", message)
        _HEAR.get(type(message), Player._pass_on)(self, message, at)

    def _pass_on(self, message: FromServer, at: float) -> None:
        self.admitted = True
        self._perform(self.relay.server_said(message, at))

    def _ignore(self, _: Unknown, __: float) -> None:
        """UCI: an unknown command is ignored."""

    def _introduce(self, _: Hello, __: float) -> None:
        if self._introduced:
            return
        welcome = self._notices.welcome
        self._introduced = True
        self.unanswered = welcome is not None  # or else it may have no lobby
        resume = "" if welcome is None else welcome.resume
        self._say(*introduction(self._settings, self._ids, self._options, resume))

    def _set_option(self, message: SetOption, at: float) -> None:
        if (known := self._accepted(message)) is not None:
            self._pass_on(known, at)

    def _new_game(self, message: NewGame, at: float) -> None:
        self._games.begin()
        self._pass_on(message, at)

    def _position(self, message: Position, at: float) -> None:
        self._games.moved(message)
        self._pass_on(message, at)

    def _go(self, message: Go, at: float) -> None:
        self._games.asked(message, at)
        self._analysis.begin()
        self._pass_on(message, at)

    def _clock(self, message: Clock, at: float) -> None:
        self._games.clocks(message, at)

    def _info(self, message: Info, at: float) -> None:
        match (message.string or "").split():
            case [word, result, *rest] if word == RESULT:
                self._perform(self._games.over(result, rest[-1] if rest else "", at))
            case _:
                self._view.detail(f"server: {message.string or message}")

    def _report(self, message: Report, _: float) -> None:
        self._view.warn(f"the server says: {message.text}")

    def _quit(self, _: Quit, __: float) -> None:
        # A server that is started anew says so first: there is no other reason to give up a game
        # of ours, or those that are still to be played.
        assert self._line is not None
        self._line.cut("the server says goodbye")

    def _lobby(self, message: Lobby, at: float) -> None:
        notice = read_untrusted(message.words)
        if notice is not None:
            self.admitted = self.admitted or isinstance(notice, Welcome)
            self._perform(self._notices.hear(notice, at))

    # Speaking

    def _say(self, *messages: FromClient | Unread) -> None:
        """To the server, if there is one that has been told who we are."""
        if self._line is not None and self._introduced and messages:
            for message in messages:
                self._record.said(self._number, "server", message)
                self.unanswered = self.unanswered or isinstance(message, Seek | Accept)
            self._line.put(*messages)

    def _perform(self, post: Post) -> None:
        if post.server:  # first: an answer must not wait for what the engine does next
            self._say(*post.server)
        if post.engine and self._engine is not None:
            self._engine.put(*post.engine)
        self.on_due()

    def _happened(self, text: str) -> None:
        self._record.happened(self._number, "server", text)
        self._view.detail(text)


_HEAR: dict[type, Callable[[Player, Any, float], None]] = {
    Hello: Player._introduce,
    SetOption: Player._set_option,
    NewGame: Player._new_game,
    Position: Player._position,
    Go: Player._go,
    Clock: Player._clock,
    Info: Player._info,
    Report: Player._report,
    Quit: Player._quit,
    Lobby: Player._lobby,
    Unknown: Player._ignore,
}
