"""One engine that plays at one server: handles the events of both ends.

Plain calls, no waiting: the tasks are `supervisor`'s.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ulci.engines.process import EngineProcess
from ulci.engines.settings import EngineListener
from ulci.net import Happened, Heard, Peer
from ulci.protocol import UCI, Unread
from ulci.protocol.lobby.lines import GameOver, GameStart, Welcome
from ulci.protocol.messages import (
    NO_MOVE,
    Accept,
    BestMove,
    Blame,
    Clock,
    Draw,
    FromClient,
    FromServer,
    Go,
    Hello,
    Info,
    Lobby,
    NewGame,
    Position,
    Quit,
    Report,
    Resign,
    Seek,
    Unknown,
)
from ulci_client.bot.engines import GameOptions
from ulci_client.engine_settings import ClientEngineSettings
from ulci_client.reconnect import LastWords
from ulci_client.wire_log import Follow, no_log

from .analysis import AnalysisFilter, centipawns_untrusted, is_best_line
from .console import Console, Progress
from .house import Bot, House
from .lobby_handler import GameTracker, LobbyHandler
from .relay import Outgoing, Relay
from .search import SearchPhase
from .seeking import GameBudget, SeekCycle
from .server_gate import VARIANT, ServerGate, UnplayableError
from .server_rights import ServerRights
from .settings import BridgeSettings, EngineOffer, introduction, offer_of

# A server without a lobby announces results by ``info string result 1-0 reason checkmate``.
RESULT = "result"

# The first word of a port for engines of a dialect other than UCI's and ULCI's.
OTHER_HELLOS = {"ugi": "UGI", "uti": "UTI"}

# What a UCI engine plays that was told no variant.
CHESS = "chess"

# Messages that wait for an engine that searches or is down; a game needs a handful.
MOST_HELD = 100

# Complaints of one engine that are shown; the log has all of them.
MOST_COMPLAINTS = 20


@dataclass(frozen=True, slots=True)
class PoolContext:
    """The state that all players of one bridge share. noted: codes of the notes already shown. bot:
    the bot of a file, if there is one. follow: logs the lines to servers and engines."""

    console: Console
    budget: GameBudget
    follow: Follow = no_log
    noted: set[str] = field(default_factory=set)
    bot: Bot | None = None


class BridgePlayer:
    """`number` identifies the player in the log."""

    def __init__(self, settings: BridgeSettings, context: PoolContext, number: int = 1) -> None:
        self.relay = Relay(patience=settings.engine.ping)
        bot = context.bot
        self.seeking = SeekCycle(
            settings.sought,
            context.budget,
            waits=bot is not None and not settings.tournament,
            tournament=settings.tournament,
        )
        self.house = None if bot is None else House(bot, number, self.seeking, context.console)
        self.progress = Progress()
        self.admitted = False  # whether the server ever let us in
        self.introduced = False  # whether we have introduced ourselves on this connection
        self.unanswered = False  # whether the server owes us an answer on this connection
        self._on_due: Callable[[], None] = lambda: None
        self._settings = settings
        self._console = context.console
        self._follow = context.follow
        self._mark = f" {number}" if settings.concurrency > 1 else ""
        self._engine: EngineProcess | None = None
        self._gate = ServerGate(context.console.warn)
        self._line: Peer | None = None
        self.last_words = LastWords()  # the server's, on the last connection
        self._analysis = AnalysisFilter()
        self._thought: Unread | Info | None = None  # the newest of this search
        self._complaints: set[str] = set()  # shown so far
        self._named = False
        self._offer: EngineOffer | None = None  # what the server is told of our engines
        self._asked = Position()  # the last one that the server sent
        self._unheard: list[FromServer] = []  # said while there is no engine, not judged yet
        self._tracker = GameTracker(
            self.relay,
            self.seeking,
            context.console,
            self.progress,
            house=self.house,
            config=settings.bot,
        )
        self._lobby_handler = LobbyHandler(
            self._tracker, self.seeking, context.console, context.noted, self.house
        )
        context.console.progress.append(self.progress)

    @property
    def listener(self) -> EngineListener:
        """Callbacks for the engine process."""
        return EngineListener(
            lambda peer: self._follow(peer, f"engine{self._mark}"), self._console.warn
        )

    def listen(self, on_due: Callable[[], None], on_engine: Callable[[], None]) -> None:
        """Call `on_due` when `due` has changed, and `on_engine` when another engine is wanted."""
        self._on_due = on_due
        if self.house is not None:
            self.house.listen(on_engine, on_due)

    @property
    def due(self) -> float:
        """When to call `alarm`; inf: never."""
        return min(self.seeking.due, math.inf if self.house is None else self.house.due)

    @property
    def engine_number(self) -> int:
        """Of the engine that plays next."""
        return 0 if self.house is None else self.house.engine

    @property
    def engine_settings(self) -> ClientEngineSettings:
        """Of the engine that plays next."""
        engines = self._settings.engines
        return engines[self.engine_number].settings if engines else self._settings.engine

    @property
    def waits(self) -> bool:
        """Whether the engine may be replaced: it has no game, and none is agreed to."""
        idle = self.relay.phase is SearchPhase.IDLE and not self.seeking.in_game
        return idle and (self.house is None or self.house.waits)

    def introduce_as(self, offer: EngineOffer) -> None:
        """The introduction of several engines to the server."""
        self._offer = offer

    # Engine and server connect and disconnect

    def engine_up(self, engine: EngineProcess, at: float, number: int = 0) -> None:
        """The engine of that number is ready, and configured as the server asked before."""
        self._engine = engine
        self._open_gate(engine)
        ponder = self.engine_settings.ponder
        self.relay.ponder = ponder and engine.can_ponder
        if self._offer is None:
            self._offer = offer_of(engine, self.engine_settings)
        if not self._named:
            self._named = True
            self.progress.name = self._settings.name or self._offer.name
            if ponder and not engine.can_ponder:
                self._console.warn(f"{engine.name} offers no option Ponder, so it will not ponder")
        self._perform(self.relay.engine_back(at))
        unheard, self._unheard = self._unheard, []
        for message in unheard:
            self._deliver(message, at)
        if self.house is not None:
            self._say(*self.house.engine_up(number, [*engine.options]))
            self._on_due()

    def _open_gate(self, engine: EngineProcess) -> None:
        asked, bot = self.engine_settings, self._settings.bot
        of_games = () if bot is None else GameOptions(bot).names
        owned = {*engine.fixed, *map(str.casefold, of_games)}
        rights = ServerRights(engine.options, owned, asked.allow_options, asked.max_hash)
        self._gate.engine_up(rights, self._game_of(engine), self.relay.settings)

    def _game_of(self, engine: EngineProcess) -> str | None:
        """The engine's game unless the server chooses one; None if its dialect cannot tell."""
        if engine.dialect != UCI.name:
            return None
        chosen, option = engine.fixed.get(VARIANT), engine.options.get(VARIANT)
        if chosen is not None and chosen.value:
            return chosen.value.casefold()
        declared = None if option is None else option.default
        return (declared or self._settings.terms.game or CHESS).casefold()

    def engine_down(self) -> None:
        self._engine = None
        self.relay.engine_lost()
        if self.house is not None:
            self.house.engine_down()

    def suspended(self, at: float) -> None:
        """The machine slept, and the engine with it: ask for its search again, with the time that
        is left."""
        self._perform(self.relay.clocks_jumped(at))

    def hang_up(self, why: str) -> None:
        """End the connection, if there is one; it is dialled again."""
        if self._line is not None:
            self._line.cut(why)

    def line_up(self, line: Peer) -> None:
        self._line, self.last_words = line, LastWords()
        self.unanswered = False
        self._lobby_handler.server = line.label
        self._follow(line, f"server{self._mark}")
        self._console.detail(f"connected to {line.label}")

    def line_down(self, at: float) -> None:
        assert self._line is not None
        self._console.detail(f"disconnected: {self._line.why or 'we left'}")
        self._line, self.introduced = None, False
        self._unheard.clear()
        self.seeking.line_lost()
        if self.house is not None:
            self.house.line_lost()
        self._perform(self.relay.line_lost(at))
        self._tracker.show()

    def leave(self, at: float) -> None:
        """Finish the running game, then quit."""
        self._say(*self.seeking.leave(at))
        self._tracker.show()

    def depart(self, why: str = "") -> None:
        """Quit now; the server gets `why`."""
        if why:
            self._say(Report(Blame.CLIENT, why))
        self._say(*self.seeking.depart())
        self._tracker.show()

    def alarm(self, at: float) -> None:
        """`due` has come."""
        if self.seeking.due <= at:
            self._say(*self.seeking.alarm())
        if self.house is not None and self.house.due <= at:
            self._say(*self.house.alarm(at))
        self._tracker.show()

    # Messages

    def engine_said(self, heard: Heard) -> None:
        message, at = heard.message, heard.at
        if isinstance(message, Unread | Info) and is_best_line(message):
            self.progress.analysis = self._thought = message
        if isinstance(message, Report):
            self._complained(message.text)
        before: list[FromClient] = []
        after: list[FromClient] = []
        if isinstance(message, BestMove):
            if self.relay.phase is SearchPhase.THINKING:
                before, after = self._judged()
            self._thought = None
        outgoing = self.relay.engine_said(message, at)
        if outgoing.server and self._line is not None:
            outgoing.server = self._passed(outgoing.server, at, self._line)
        outgoing.server = [*before, *outgoing.server, *after]
        self._perform(outgoing)

    def _judged(self) -> tuple[list[FromClient], list[FromClient]]:
        """The messages that follow from the engine's score: those before its move, and those after
        it."""
        verdicts = self._tracker.verdicts
        verdicts.moved(centipawns_untrusted(self._thought))
        if verdicts.resigns():
            self._console.note(f"{self.progress.name} sees no hope and resigns")
            return [Resign()], []  # the move still answers its `go`
        if verdicts.offers_draw():
            self._console.note(f"{self.progress.name} offers a draw")
            return [], [Draw()]
        return [], []

    def _complained(self, text: str) -> None:
        """Show each complaint once: it may explain why no move comes."""
        if text not in self._complaints and len(self._complaints) < MOST_COMPLAINTS:
            self._complaints.add(text)
            self._console.warn(f"{self.progress.name} complains: {text}")

    def _passed(
        self, said: Sequence[FromClient | Unread], at: float, line: Peer
    ) -> list[FromClient | Unread]:
        known = self._analysis.left_out
        passed = self._analysis.passed(said, at, line.waiting)
        if self._analysis.left_out and not known:
            name = self.progress.name
            self._console.detail(
                f"{name} writes more than a server accepts; some analysis is dropped"
            )
        return passed

    def engine_overdue(self, at: float) -> str:
        """The engine has not answered in time. Returns why it counts as hung; empty if it may still
        work."""
        outgoing = self.relay.overdue(at)
        if isinstance(outgoing, str):
            return outgoing
        self._perform(outgoing)
        return ""

    def server_said(self, heard: Heard) -> None:
        """Handle a message of the server. Raises `SeekRefused` if the server will not let us
        play."""
        message, at = heard.message, heard.at
        if not self.last_words.heard(heard):
            return
        self.unanswered = False
        _HEAR.get(type(message), BridgePlayer._pass_on)(self, message, at)

    def _pass_on(self, message: FromServer, at: float) -> None:
        """Pass a message on to the engine. Without an engine the message waits unchanged: the next
        engine may be another one, with other rights."""
        self.admitted = True
        if self._engine is None:
            self._unheard.append(message)
        else:
            self._deliver(message, at)
        if self.relay.held + len(self._unheard) > MOST_HELD:
            self.hang_up(f"the server says more than {MOST_HELD} things to a busy engine")

    def _deliver(self, message: FromServer, at: float) -> None:
        """Deliver a message by the rights of the engine that gets it."""
        if isinstance(message, Go):
            self._search(message, at)
            return
        if isinstance(message, Position):
            self._asked = message
        if (passed := self._gate.passed(message)) is not None:
            self._perform(self.relay.server_said(passed, at))

    def _unknown(self, message: Unknown, _: float) -> None:
        """UCI: an unknown command is ignored. But a port may greet engines of another dialect."""
        if not self.introduced and (dialect := OTHER_HELLOS.get(message.line)) is not None:
            self.hang_up(
                f"it speaks {dialect} there, and the bridge speaks ULCI: call another port of it"
                f" (--dialect is the engine's language), or connect a {dialect} engine without the"
                " bridge, as by socat"
            )

    def _introduce(self, _: Hello, __: float) -> None:
        if self.introduced:
            return
        welcome = self._lobby_handler.welcome
        self.introduced = True
        self.unanswered = welcome is not None  # else it may have no lobby
        resume = "" if welcome is None else welcome.resume
        assert self._offer is not None
        self._say(*introduction(self._settings, self._offer.ids, self._offer.options, resume))

    def _new_game(self, message: NewGame, at: float) -> None:
        self._tracker.begin()
        self._pass_on(message, at)

    def _position(self, message: Position, at: float) -> None:
        self._tracker.moved(message)
        self._pass_on(message, at)

    def _go(self, message: Go, at: float) -> None:
        self._tracker.asked(message, at)
        self._analysis.begin()
        self._pass_on(message, at)

    def _search(self, message: Go, at: float) -> None:
        try:
            message = self._gate.search(message)
        except UnplayableError as error:
            self._refuse_search(str(error), at)
            return
        if self.house is not None and self.relay.phase in (SearchPhase.IDLE, SearchPhase.PONDERING):
            found = self.house.own_move(self._asked, message)
            if isinstance(found, BestMove):
                outgoing = self.relay.answered_elsewhere(at)
                self._perform(Outgoing(outgoing.engine, [found, *outgoing.server]))
                return
            message = found
        self._perform(self.relay.server_said(message, at))

    def _refuse_search(self, why: str, at: float) -> None:
        """Give the game up, and answer in place of the engine, which does not get the search."""
        self._console.warn(why)
        outgoing = self.relay.answered_elsewhere(at)
        said = [Report(Blame.CLIENT, why), Resign(), BestMove(NO_MOVE), *outgoing.server]
        self._perform(Outgoing(outgoing.engine, [*said]))

    def _clock(self, message: Clock, at: float) -> None:
        self._tracker.clocks(message, at)

    def _info(self, message: Info, at: float) -> None:
        match (message.string or "").split():
            case [word, result, *rest] if word == RESULT:
                self._perform(self._tracker.over(result, rest[-1] if rest else "", at))
            case _:
                self._console.detail(f"server: {message.string or message}")

    def _report(self, message: Report, _: float) -> None:
        self._console.warn(f"the server says: {message.text}")

    def _quit(self, _: Quit, __: float) -> None:
        # A server says goodbye before a restart, too: reconnect, and play on.
        assert self._line is not None
        self._line.cut("the server says goodbye")

    def _lobby(self, message: Lobby, at: float) -> None:
        self.admitted = self.admitted or isinstance(message.line, Welcome)
        if isinstance(message.line, GameStart | GameOver):
            self._remark(message.line)
        self._perform(self._lobby_handler.hear(message.line, at))

    def _remark(self, line: GameStart | GameOver) -> None:
        """Note the game in the log of the wire."""
        event: Happened = "game" if isinstance(line, GameStart) else "over"
        if self._line is not None:
            self._line.remark(event, game=line.id)
        if self._engine is not None:
            self._engine.remark(event, line.id)

    # Sending

    def _say(self, *messages: FromClient | Unread) -> None:
        """Send to the server, once we have introduced ourselves."""
        if self._line is not None and self.introduced and messages:
            for message in messages:
                self.unanswered = self.unanswered or isinstance(message, Seek | Accept)
            self._line.put(*messages)

    def _perform(self, outgoing: Outgoing) -> None:
        if outgoing.server:  # first: an answer must not wait for the engine's next work
            self._say(*outgoing.server)
        if outgoing.engine and self._engine is not None:
            self._engine.put(*outgoing.engine)
        self._on_due()


_HEAR: dict[type, Callable[[BridgePlayer, Any, float], None]] = {
    Hello: BridgePlayer._introduce,
    NewGame: BridgePlayer._new_game,
    Position: BridgePlayer._position,
    Go: BridgePlayer._go,
    Clock: BridgePlayer._clock,
    Info: BridgePlayer._info,
    Report: BridgePlayer._report,
    Quit: BridgePlayer._quit,
    Lobby: BridgePlayer._lobby,
    Unknown: BridgePlayer._unknown,
}
