"""One engine that plays at one server: what comes from either end, brought together.

Plain calls only, no waiting: the loops that read are `keeping`'s.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ulci.net import Heard, Peer
from ulci.protocol import (
    Accept,
    Blame,
    Claim,
    Clock,
    Decline,
    FromClient,
    FromServer,
    Go,
    Hello,
    HelloOk,
    Id,
    Info,
    Lobby,
    NewGame,
    Option,
    Position,
    Quit,
    Report,
    Say,
    Seek,
    SetOption,
    Unknown,
    Unread,
)
from ulci.rules import Side
from ulci_client.backoff import retry_after
from ulci_client.engine import Ears, EngineProcess
from ulci_client.lobby import (
    Challenged,
    GameOver,
    GameStarted,
    Noted,
    OpponentAway,
    Refused,
    Resumed,
    SeeksListed,
    TakebackOffered,
    Welcome,
    read_untrusted,
)

from .guess import to_move
from .introducing import told_ids, told_options
from .record import Record
from .relay import Post, Relay
from .seeking import Budget, Seeking, Stage
from .settings import Settings
from .status import Progress, View, is_best_line
from .thinking import Phase

# How a server without a lobby says who won: ``info string result 1-0 reason checkmate``.
RESULT = "result"

# To who asks for a takeback, once in a game.
NO_TAKEBACKS = "Sorry, I am an engine and take nothing back. Please play on."


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
        self.seeking = Seeking(settings.terms, desk.budget)
        self.progress = Progress()
        self.welcome: Welcome | None = None
        self.admitted = False  # whether the server ever took us for a player
        self.accused = False  # whether it blamed us for something, on the last line
        self.retry_after = 0.0  # s, as it asked on the last line
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
        self._to_move: Side | None = None
        self._refused_once = False  # a takeback, in this game
        self._names: tuple[str, str] | None = None  # White's and Black's, once they were told
        self._ids: Sequence[Id] = ()
        self._options: Sequence[Option] = ()
        self._known_notes = desk.noted
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
        self._line = line
        self.accused = self.unanswered = False
        self.retry_after = 0.0
        self._happened(f"connected to {line.label}")

    def line_down(self, at: float) -> None:
        assert self._line is not None
        self._happened(f"disconnected: {self._line.why or 'we left'}")
        self._line, self._introduced = None, False
        self.seeking.line_lost()
        self._perform(self.relay.line_lost(at))
        self._show()

    def leave(self, at: float) -> None:
        """Finish the running game, and no more."""
        self._say(*self.seeking.leave(at))
        self._show()

    def depart(self, why: str = "") -> None:
        """Now; `why` if the other side should know."""
        if why:
            self._say(Report(Blame.CLIENT, why))
        self._say(*self.seeking.depart())
        self._show()

    def alarm(self) -> None:
        """`seeking.due` has come."""
        self._say(*self.seeking.alarm())

    # What they say

    def engine_said(self, heard: Heard) -> None:
        message, at = heard.message, heard.at
        if isinstance(message, Unread | Info) and is_best_line(message):
            self.progress.analysis = message
        self._perform(self.relay.engine_said(message, at))

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
        dialect, game = self._settings.engine.dialect, self._settings.terms.game
        said = told_ids(self._ids, self._settings.name, dialect, game)
        said.append(Id("feature", "lobby"))
        if self._settings.token:
            said.append(Id("token", self._settings.token))
        if self.welcome is not None and self.welcome.resume:
            said.append(Id("resume", self.welcome.resume))
        self._introduced = True
        self.unanswered = self.welcome is not None  # or else it may have no lobby
        self._say(*said, *told_options(self._options, dialect, game), HelloOk())

    def _set_option(self, message: SetOption, at: float) -> None:
        if (known := self._accepted(message)) is not None:
            self._pass_on(known, at)

    def _new_game(self, message: NewGame, at: float) -> None:
        self._begin()
        self._pass_on(message, at)

    def _position(self, message: Position, at: float) -> None:
        self.progress.plies = len(message.moves)
        self._to_move = to_move(message)
        self._pass_on(message, at)

    def _go(self, message: Go, at: float) -> None:
        self._begin()
        if self._to_move is not None:  # who is asked is to move; their names may be alike
            self._sit(self._to_move)
        self._clocks(message, self.relay.side, at)
        self._pass_on(message, at)

    def _clock(self, message: Clock, at: float) -> None:
        side = self.relay.side
        thinking = self.relay.phase is Phase.THINKING  # then time was given, and it goes on
        self._clocks(message, side if side is None or thinking else side.other, at)

    def _clocks(self, message: Go | Clock, ticking: Side | None, at: float) -> None:
        self.progress.clocks = message.wtime, message.btime
        self.progress.ticking, self.progress.at = ticking, at

    def _info(self, message: Info, at: float) -> None:
        match (message.string or "").split():
            case [word, result, *rest] if word == RESULT:
                self._over(result, rest[-1] if rest else "", at)
            case _:
                self._view.detail(f"server: {message.string or message}")

    def _report(self, message: Report, _: float) -> None:
        self._view.warn(f"the server says: {message.text}")
        self.accused = self.accused or message.blame is Blame.CLIENT
        self.retry_after = retry_after(message.text)

    def _quit(self, _: Quit, __: float) -> None:
        # A server that is started anew says so first: there is no other reason to give up a game
        # of ours, or those that are still to be played.
        assert self._line is not None
        self._line.cut("the server says goodbye")

    def _lobby(self, message: Lobby, at: float) -> None:
        notice = read_untrusted(message.words)
        if notice is not None:
            _NOTICE[type(notice)](self, notice, at)
            self._show()

    def _welcomed(self, notice: Welcome, _: float) -> None:
        self.welcome, self.admitted = notice, True
        self._view.note(f"{self.progress.name} is known to the server as {notice.name}")
        self._say(*self.seeking.welcomed())

    def _started(self, notice: GameStarted, _: float) -> None:
        self._begin()  # unless it was, by `ucinewgame`
        self._names = notice.white, notice.black
        self._sit(self._side(notice))
        if self.progress.game != notice.id:  # or else it goes on after a break of the line
            self.progress.game = notice.id
            self.relay.forget()
            what = " ".join(filter(None, [notice.game, notice.time]))
            self._view.note(f"game {notice.id} begins: {notice.white} - {notice.black} ({what})")

    def _ended(self, notice: GameOver, at: float) -> None:
        if self.progress.game in (notice.id, None):
            self._over(notice.result, notice.reason, at)

    def _refused(self, notice: Refused, at: float) -> None:
        self._view.detail(f"the lobby says: {notice.text} ({notice.code})")
        returning = self.seeking.stage is Stage.RETURNING
        said = self.seeking.refused(notice.code, notice.text, at)
        if returning and not self.seeking.in_game:
            self._view.warn("the game that was on when the line broke is over")
            self._finish(at)
        self._say(*said)

    def _listed(self, _: SeeksListed, __: float) -> None:
        self._say(*self.seeking.seeks_listed())

    def _challenged(self, notice: Challenged, _: float) -> None:
        # What the engine was set up to play is in its seeks; who wants just that is given it there.
        self._view.detail(f"{notice.player} asks for another game than we seek, and is declined")
        self._say(Decline(notice.id))

    def _noted(self, notice: Noted, _: float) -> None:
        # Players of one bridge hear it of each other, before every game.
        show = self._view.detail if notice.code in self._known_notes else self._view.note
        self._known_notes.add(notice.code)
        show(f"the lobby says: {notice.text} ({notice.code})")

    def _opponent_away(self, notice: OpponentAway, _: float) -> None:
        if notice.game != self.progress.game or not self.seeking.in_game:
            return
        if notice.claim_in == 0:
            self._view.note(
                f"{self.progress.opponent or 'the opponent'} stays away: we claim a win"
            )
            self._say(Claim("win"))
        else:
            self._view.detail("the opponent has lost the line")

    def _takeback_asked(self, notice: TakebackOffered, _: float) -> None:
        # The move that the engine makes declines it; a person would not know that.
        ours = "" if self.welcome is None else self.welcome.name
        if notice.game == self.progress.game and notice.player != ours and not self._refused_once:
            self._refused_once = True
            self._say(Say(NO_TAKEBACKS))

    def _resumed(self, notice: Resumed, _: float) -> None:
        text = f"the server was away for {notice.ms / 1000:.0f} s; no clock paid for it"
        self._view.note(f"game {notice.game} goes on: {text}")

    # Games

    def _begin(self) -> None:
        """There is a game, perhaps a new one."""
        if not self.seeking.game_on():
            return
        self._view.tally.games += 1
        self.progress.playing, self.progress.plies, self.progress.analysis = True, 0, None
        self._refused_once = False
        self._show()

    def _sit(self, side: Side | None) -> None:
        """We play this side; None if that cannot be told yet."""
        self.relay.side = self.progress.side = side
        if self._names is not None and side is not None:
            self.progress.opponent = self._names[0 if side is Side.BLACK else 1]

    def _over(self, result: str, reason: str, at: float) -> None:
        if not self.seeking.in_game:
            return
        self._view.tally.count(result, self.relay.side)
        why = f" ({reason})" if reason else ""
        number = "the game" if self.progress.game is None else f"game {self.progress.game}"
        self._view.note(f"{number} is over: {result}{why}; {self._view.tally}")
        self._finish(at)
        self._say(*self.seeking.game_over())
        self._show()

    def _finish(self, at: float) -> None:
        self._perform(self.relay.game_over(at))
        self.relay.side = self.progress.side = self.progress.game = None
        self._names = None
        self.progress.playing, self.progress.opponent = False, ""
        self.progress.clocks, self.progress.ticking = (None, None), None

    def _side(self, notice: GameStarted) -> Side | None:
        """Which of the two is us, by name; None if that cannot be told."""
        name = "" if self.welcome is None else self.welcome.name.casefold()
        ours = [
            side
            for side, player in zip(Side, (notice.white, notice.black), strict=True)
            if player.casefold() == name
        ]
        return ours[0] if len(ours) == 1 else None

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

    def _show(self) -> None:
        self.progress.doing = DOING[self.seeking.stage]


DOING = {
    Stage.AWAY: "not connected",
    Stage.RETURNING: "back on the line",
    Stage.SEEKING: "seeking a game",
    Stage.PLAYING: "against",
    Stage.WITHDRAWING: "leaving",
    Stage.DONE: "done",
}

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

_NOTICE: dict[type, Callable[[Player, Any, float], None]] = {
    Welcome: Player._welcomed,
    GameStarted: Player._started,
    GameOver: Player._ended,
    Refused: Player._refused,
    SeeksListed: Player._listed,
    Challenged: Player._challenged,
    Noted: Player._noted,
    OpponentAway: Player._opponent_away,
    TakebackOffered: Player._takeback_asked,
    Resumed: Player._resumed,
}
