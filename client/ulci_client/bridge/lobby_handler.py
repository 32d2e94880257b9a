"""How a player follows its games and answers the lobby's announcements. Plain calls, no waiting."""

from collections.abc import Callable
from typing import Any

from ulci.protocol.lobby.lines import (
    DrawOffer,
    Entered,
    ErrorLine,
    GameOver,
    GameStart,
    Gone,
    IncomingChallenge,
    Line,
    MatchGame,
    MatchOver,
    NextPairing,
    NoteLine,
    Offer,
    OpenSeek,
    OpponentState,
    Resumption,
    SeekList,
    TakebackOffer,
    TournamentOver,
    Welcome,
    Withdrawn,
)
from ulci.protocol.messages import Claim, Clock, Decline, Draw, FromClient, Go, Position, Say
from ulci.rules import Side
from ulci_client.bot.sections import Config
from ulci_client.bot.verdicts import Verdicts
from ulci_client.recent import Recent
from ulci_client.server_list import stranger

from .console import Console, Progress
from .house import House
from .ponder import to_move
from .relay import Outgoing, Relay
from .search import SearchPhase
from .seeking import CycleStage, SeekCycle

# Kinds of notes that are shown, each once; a server has a dozen.
MOST_NOTES = 100

DOING = {
    CycleStage.AWAY: "not connected",
    CycleStage.RETURNING: "back on the line",
    CycleStage.WAITING: "waiting for challenges",
    CycleStage.SEEKING: "seeking a game",
    CycleStage.PLAYING: "against",
    CycleStage.WITHDRAWING: "leaving",
    CycleStage.DONE: "done",
}


class GameTracker:
    """Follows a player's games; updates relay, seeking and `progress`, which people see. `config`:
    when to resign, and to offer or accept a draw."""

    def __init__(
        self,
        relay: Relay,
        seeking: SeekCycle,
        console: Console,
        progress: Progress,
        *,
        house: House | None = None,
        config: Config | None = None,
    ) -> None:
        self.progress = progress
        self._house = house
        self._config = config or Config()
        self.refused_once = False  # a takeback, in this game
        self.declined_once = False  # a draw, in this game
        self.verdicts = Verdicts(self._config)
        self._relay = relay
        self._seeking = seeking
        self._console = console
        self._to_move: Side | None = None
        self._names: tuple[str, str] | None = None  # White's and Black's, once they were told

    @property
    def number(self) -> int | None:
        """The id of the running game, if the server has sent it."""
        return self.progress.game if self._seeking.in_game else None

    def show(self) -> None:
        """Update `progress` with the stage."""
        self.progress.doing = DOING[self._seeking.stage]

    # How one begins

    def begin(self) -> None:
        """Note that a game is on, perhaps a new one."""
        if not self._seeking.game_on():
            return
        self._console.tally.games += 1
        self.progress.playing, self.progress.plies, self.progress.analysis = True, 0, None
        self.refused_once = self.declined_once = False
        self.verdicts = Verdicts(self._config)
        self.show()

    def started(self, line: GameStart, name: str, at: float) -> Outgoing:
        """The lobby announces a game, in which `name` is ours. Returns the messages to send."""
        self.begin()  # unless it was, by `ucinewgame`
        self._names = line.white, line.black
        self._set_side(_side(line, name))
        if self.progress.game == line.id:  # it goes on after a reconnection
            return Outgoing()
        self.progress.game = line.id
        self._relay.forget()
        self._relay.guess_check.game = line.game
        what = " ".join(filter(None, [line.game, line.time]))
        self._console.note(f"game {line.id} begins: {line.white} - {line.black} ({what})")
        if self._house is None:
            return Outgoing()
        greeting = self._house.started(line, self.progress.opponent, at)
        outgoing = Outgoing(server=[*greeting])
        for setting in self._house.options():
            outgoing.engine += self._relay.server_said(setting, at).engine
        return outgoing

    # How it goes on

    def moved(self, message: Position) -> None:
        self.progress.plies = len(message.moves)
        self._to_move = to_move(message)

    def asked(self, message: Go, at: float) -> None:
        self.begin()
        if self._to_move is not None:  # we are asked, so we are to move; names may be alike
            self._set_side(self._to_move)
        self._clocks(message, self.progress.side, at)

    def clocks(self, message: Clock, at: float) -> None:
        side = self.progress.side
        thinking = (
            self._relay.phase is SearchPhase.THINKING
        )  # then time was given; our clock runs on
        self._clocks(message, side if side is None or thinking else side.other, at)

    # How it ends

    def over(self, result: str, reason: str, at: float) -> Outgoing:
        """The game is over. Returns the messages to send."""
        if not self._seeking.in_game:
            return Outgoing()
        self._console.tally.count(result, self.progress.side)
        why = f" ({reason})" if reason else ""
        number = "the game" if self.progress.game is None else f"game {self.progress.game}"
        self._console.note(f"{number} is over: {result}{why}; {self._console.tally}")
        goodbye = [] if self._house is None else self._house.over(result, at)
        outgoing = self.end(at)
        outgoing.server += [*goodbye, *self._seeking.game_over()]
        self.show()
        return outgoing

    def lost(self, at: float) -> Outgoing:
        """The game ended while we were not connected."""
        if self._house is not None:
            self._house.freed(at)
        return self.end(at)

    def end(self, at: float) -> Outgoing:
        """Clear the game."""
        outgoing = self._relay.game_over(at)
        self._relay.side = self.progress.side = self.progress.game = None
        self._names = None
        self.progress.playing, self.progress.opponent = False, ""
        self.progress.clocks, self.progress.ticking = (None, None), None
        return outgoing

    # Steps

    def _set_side(self, side: Side | None) -> None:
        """Our side; None if unknown yet."""
        self._relay.side = self.progress.side = side
        if self._names is not None and side is not None:
            self.progress.opponent = self._names[0 if side is Side.BLACK else 1]

    def _clocks(self, message: Go | Clock, ticking: Side | None, at: float) -> None:
        self.progress.clocks = message.wtime, message.btime
        self.progress.ticking, self.progress.at = ticking, at


def _side(line: GameStart, name: str) -> Side | None:
    """The side of the player with this name; None if it is not exactly one."""
    ours = [
        side
        for side, player in zip(Side, (line.white, line.black), strict=True)
        if player.casefold() == name.casefold()
    ]
    return ours[0] if len(ours) == 1 else None


# Replies to a takeback request and to an early draw offer; each once a game.
NO_TAKEBACKS = "Sorry, I am an engine and take nothing back. Please play on."
NO_DRAW = "Thank you, but I see more in this position than a draw. Please play on."


class LobbyHandler:
    """Answers the lobby's announcements. `welcome`: our name there. known: codes of the notes
    already shown, shared by all players of the bridge."""

    def __init__(
        self,
        games: GameTracker,
        seeking: SeekCycle,
        console: Console,
        known: set[str],
        house: House | None = None,
    ) -> None:
        self.welcome: Welcome | None = None
        self.server = ""  # its address, of the present connection
        self._welcomed_at = ""  # the address of the last `lobby welcome`
        self._house = house
        self._matches = Recent[int, IncomingChallenge]()  # challenges to one, not answered yet
        self._tracker = games
        self._seeking = seeking
        self._console = console
        self._known = known

    @property
    def name(self) -> str:
        """Our name in the lobby; empty if unknown."""
        return "" if self.welcome is None else self.welcome.name

    def hear(self, line: Line, at: float) -> Outgoing:
        """The messages to send now. Raises `SeekRefused` if the server will not let us play."""
        said, done = ([], False) if self._house is None else self._house.hear(line, at)
        handler = None if done else _HANDLERS.get(type(line))
        outgoing = Outgoing() if handler is None else handler(self, line, at)
        outgoing.server += said
        self._tracker.show()
        return outgoing

    def _welcomed(self, line: Welcome, _: float) -> Outgoing:
        known = self.welcome is not None and self.welcome.resume == line.resume
        if self._seeking.in_game and not known and self._welcomed_at not in ("", self.server):
            self._console.warn(stranger(self._welcomed_at, self.server))
        self.welcome, self._welcomed_at = line, self.server
        self._matches.clear()
        ours = self._tracker.progress.name
        self._console.note(f"{ours} is known to the server as {line.name}")
        return _say(*self._seeking.welcomed())

    def _started(self, line: GameStart, at: float) -> Outgoing:
        return self._tracker.started(line, self.name, at)

    def _ended(self, line: GameOver, at: float) -> Outgoing:
        if self._tracker.progress.game in (line.id, None):
            return self._tracker.over(line.result, line.reason, at)
        return Outgoing()

    def _refused(self, line: ErrorLine, at: float) -> Outgoing:
        self._console.detail(f"the lobby says: {line.text} ({line.code})")
        returning = self._seeking.stage is CycleStage.RETURNING
        outgoing = _say(*self._seeking.refused(line.code, line.text, at))
        if returning and not self._seeking.in_game:
            self._console.warn("the game that was interrupted is over")
            ended = self._tracker.lost(at)
            return Outgoing(ended.engine, ended.server + outgoing.server)
        return outgoing

    def _entered(self, line: Entered, _: float) -> Outgoing:
        if line.name == self._seeking.tournament:
            self._seeking.entered()
            since = "" if line.round == 1 else f" from round {line.round} on"
            self._console.note(f"{self.name} plays in {line.name} as {line.player}{since}")
        return Outgoing()

    def _paired(self, line: NextPairing, _: float) -> Outgoing:
        self._console.detail(f"{line.name}, round {line.round}: {line.white} - {line.black}")
        return Outgoing()

    def _out(self, line: Withdrawn, at: float) -> Outgoing:
        if line.name != self._seeking.tournament:
            return Outgoing()
        self._console.warn(f"{line.player} is out of {line.name}: {line.text}")
        return _say(*self._seeking.leave(at))

    def _tournament_over(self, line: TournamentOver, at: float) -> Outgoing:
        if line.name != self._seeking.tournament:
            return Outgoing()
        first = f": {line.first} is first" if line.first else ""
        self._console.note(f"{line.name} is over{first}")
        return _say(*self._seeking.leave(at))

    def _listed(self, _: SeekList, __: float) -> Outgoing:
        return _say(*self._seeking.seeks_listed())

    def _challenged(self, line: IncomingChallenge, _: float) -> Outgoing:
        # A player who wants the engine's game can accept its seek, but a seek cannot make a match.
        if line.games > 1 or line.color == "later":
            self._matches[line.id] = line
            return self._answer_matches()
        self._console.detail(f"{line.player} asks for a game other than we seek: declined")
        return _say(Decline(line.id))

    def _sought(self, line: OpenSeek, _: float) -> Outgoing:
        """Our own seek says what we play, with what the server chose."""
        if line.player == self.name:
            self._seeking.open_seek = line
        return self._answer_matches()

    def _gone(self, line: Gone, _: float) -> Outgoing:
        self._matches.pop(line.id, None)
        if self._seeking.open_seek is not None and self._seeking.open_seek.id == line.id:
            self._seeking.open_seek = None
        return Outgoing()

    def _answer_matches(self) -> Outgoing:
        """Accept the first match whose games are as those that we seek, once we seek one."""
        outgoing, ours = Outgoing(), self._seeking.open_seek
        if ours is None:
            return outgoing
        for number, challenge in [*self._matches.items()]:
            del self._matches[number]
            if _same_game(challenge, ours) and challenge.games <= self._seeking.left:
                self._console.note(f"{challenge.player} asks for a match: accepted")
                outgoing.server += self._seeking.accept(number)
                return outgoing
            self._console.detail(f"{challenge.player} asks for another game than we seek: declined")
            outgoing.server.append(Decline(number))
        return outgoing

    def _match_goes_on(self, line: MatchGame, _: float) -> Outgoing:
        self._seeking.match_goes_on(line.games - line.number)
        what = f"game {line.number} of {line.games}"
        waits = f" begins when {line.chooser} has said the color" if line.chooser else ""
        self._console.note(f"match against {line.player}: {what}{waits}")
        return Outgoing()

    def _match_over(self, line: MatchOver, _: float) -> Outgoing:
        self._console.note(f"the match is over after {line.played} games: {line.reason}")
        return _say(*self._seeking.match_over())

    def _noted(self, line: NoteLine, _: float) -> Outgoing:
        # All players of one bridge get it, before every game.
        new = line.code not in self._known and len(self._known) < MOST_NOTES
        show = self._console.note if new else self._console.detail
        if new:
            self._known.add(line.code)
        show(f"the lobby says: {line.text} ({line.code})")
        return Outgoing()

    def _opponent_away(self, line: OpponentState, _: float) -> Outgoing:
        if line.state != "away" or line.id != self._tracker.number:
            return Outgoing()
        if line.claim_in != 0:
            self._console.detail("the opponent is disconnected")
            return Outgoing()
        opponent = self._tracker.progress.opponent or "the opponent"
        self._console.note(f"{opponent} stays away: claiming a win")
        return _say(Claim("win"))

    def _takeback_asked(self, line: TakebackOffer, _: float) -> Outgoing:
        # The engine's move declines the offer; a person would not know that.
        ours = line.id == self._tracker.progress.game and line.by != self.name
        if not ours or self._tracker.refused_once:
            return Outgoing()
        self._tracker.refused_once = True
        return _say(Say(NO_TAKEBACKS))

    def _draw_offered(self, line: DrawOffer, _: float) -> Outgoing:
        if line.id != self._tracker.progress.game or line.by == self.name:
            return Outgoing()
        if self._tracker.verdicts.agrees_to_draw():
            self._console.note(f"{line.by} offers a draw: accepted")
            return _say(Draw())
        # As above.
        if self._tracker.declined_once:
            return Outgoing()
        self._tracker.declined_once = True
        return _say(Say(NO_DRAW))

    def _resumed(self, line: Resumption, _: float) -> Outgoing:
        long = "" if line.downtime is None else f" for {round(line.downtime / 1000, 1):g} s"
        text = f"the server was down{long}, not charged to any clock"
        self._console.note(f"game {line.id} continues: {text}")
        return Outgoing()


def _same_game(challenge: Offer, ours: Offer) -> bool:
    """Whether the challenge has the terms of our own seek; colours change in a match."""
    same = (challenge.game, challenge.time, challenge.rated) == (ours.game, ours.time, ours.rated)
    return same and challenge.start in (None, ours.start) and ours.color == "random"


def _say(*messages: FromClient) -> Outgoing:
    return Outgoing(server=[*messages])


_HANDLERS: dict[type, Callable[[LobbyHandler, Any, float], Outgoing]] = {
    Welcome: LobbyHandler._welcomed,
    GameStart: LobbyHandler._started,
    GameOver: LobbyHandler._ended,
    ErrorLine: LobbyHandler._refused,
    SeekList: LobbyHandler._listed,
    Entered: LobbyHandler._entered,
    NextPairing: LobbyHandler._paired,
    Withdrawn: LobbyHandler._out,
    TournamentOver: LobbyHandler._tournament_over,
    IncomingChallenge: LobbyHandler._challenged,
    OpenSeek: LobbyHandler._sought,
    Gone: LobbyHandler._gone,
    MatchGame: LobbyHandler._match_goes_on,
    MatchOver: LobbyHandler._match_over,
    NoteLine: LobbyHandler._noted,
    OpponentState: LobbyHandler._opponent_away,
    TakebackOffer: LobbyHandler._takeback_asked,
    DrawOffer: LobbyHandler._draw_offered,
    Resumption: LobbyHandler._resumed,
}
