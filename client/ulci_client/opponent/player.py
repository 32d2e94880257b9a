"""The GUI's game and the server's, brought together. Plain calls, no waiting.

The GUI plays one side; the server's remote player is the other, for which the GUI asks by ``go``.
So at the server this program plays the GUI's side: what is new in the GUI's position goes there,
and what the remote player answers is the GUI's ``bestmove``.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ulci.net import Heard, Peer
from ulci.protocol import (
    Accept,
    BestMove,
    Claim,
    Draw,
    FromClient,
    Go,
    Hello,
    HelloOk,
    Id,
    Info,
    IsReady,
    Lobby,
    Option,
    OptionType,
    Quit,
    ReadyOk,
    Report,
    Resign,
    Stop,
    Unread,
    Watch,
    read_info_untrusted,
)
from ulci.protocol import Position as ServerPosition
from ulci.protocol.lobby.lines import (
    DrawOffer,
    ErrorLine,
    GameOver,
    GameStart,
    Line,
    NoteLine,
    OpponentState,
    Pause,
    Resumption,
    TakebackOffer,
    Welcome,
)
from ulci.rules import GAMES, Position, Side
from ulci_client.reconnect import Closing, LastWords

from .asking import Asking, Stage
from .record import DifferenceError, GuiGame, differs
from .settings import CHESS960, DEFAULT_NAME, OPPONENT, STANDARD, VARIANT, VARIANTS, Settings

FIND = 12.0
"""Seconds for which the answer to the first ``isready`` of a game waits for an opponent: match
runners give an engine 15 s (cutechess 5e84232b) to 60 s (fastchess 74deac23) there, and every
later second would cost the remote player's clock in the GUI."""

HURRY = 1.0
"""Seconds from ``stop`` to the answer without a move: a remote player cannot be hurried, but its
move may be on the way."""

NONE = "(none)"


class Face(Protocol):
    """The GUI, in one protocol or the other."""

    def ready(self) -> None:
        """Answer the oldest ``isready`` or ``ping``."""
        ...

    def move(self, board: Position, move: str) -> None:
        """The remote player's move, made on `board`, which is as it was before."""
        ...

    def no_move(self) -> None:
        """There is none; the reason was told."""
        ...

    def tell(self, text: str) -> None:
        """A sentence for the person at the GUI."""
        ...

    def think(self, info: Info) -> None:
        """What the remote player thinks."""
        ...

    def draw_offered(self, by: str) -> None:
        """The remote player offers a draw."""
        ...

    def over(self, result: str, reason: str, mine: Side | None) -> None:
        """The game at the server is over; `mine`: the GUI's side."""
        ...


class ServerGame:
    """A game at the server. `side`: ours. `before`: plies of the GUI's game that came before its
    start. `asked`: the server waits for our move. `sent`: the ply and the move that we said last on
    this connection. `checked`: its start is the GUI's."""

    def __init__(self, line: GameStart, side: Side, before: int) -> None:
        self.id = line.id
        self.rules = line.game
        self.side = side
        self.opponent = line.black if side is Side.WHITE else line.white
        self.before = before
        self.start: str | None = None
        self.moves: tuple[str, ...] = ()
        self.placed = False  # whether the server has told the position
        self.asked = False
        self.sent: tuple[int, str] | None = None
        self.checked = False
        self.over: GameOver | None = None


class Player:
    """`face`: the GUI. Set `on_change` to be called when `wants_line` or `due` may have changed."""

    def __init__(self, settings: Settings, face: Face) -> None:
        self.on_change: Callable[[], None] = lambda: None
        self.wants_line = False
        self.welcome: Welcome | None = None
        self.asking = Asking(settings)
        self.game: ServerGame | None = None
        self.clock = ""
        """The GUI's time control in the server's notation, as far as it is known."""
        self._settings = settings
        self._face = face
        self._line: Peer | None = None
        self._introduced = False
        self._admitted = False
        self._returning = False  # asked whether the game of the lost line is still on
        self._last_words = LastWords()
        self._gui: GuiGame | None = None
        self._go: Go | None = None
        self._fresh = False  # the GUI's game has no opponent yet, nor was one missed
        self._before = 0
        self._left: int | None = None  # a game that the GUI has left
        self._held = 0  # answers to `isready` that wait for an opponent
        self._hold_until = math.inf
        self._hurry_until = math.inf
        self._told_clock = False

    # The GUI

    def new_game(self) -> None:
        """The GUI begins another game; one that is still on is left."""
        if self._playing:
            self._abandon()
        elif self.game is not None:
            self.game = None
        self._gui, self._fresh, self._told_clock = None, True, False
        self.asking.new_game()

    def ready(self, at: float) -> None:
        """``isready``: answered at once, but the first one of a game when an opponent is found."""
        self._held += 1
        if self._fresh and not self._found and not self.asking.failure:
            self._hold_until = min(self._hold_until, at + FIND)
            self._want()
        self._release(at)

    def position(self, start: str | None, moves: Sequence[str]) -> None:
        """The GUI's board."""
        self._gui = GuiGame(self._settings.game, start, tuple(moves))

    def go(self, go: Go) -> None:
        """The GUI asks for the remote player's move."""
        if self._go is not None:
            self._no_move("a second search was asked for before the first one was answered")
        self._go = go
        if self._is_another_game():
            self.new_game()
        if not (go.infinite or go.ponder):
            self._shape(go)
            self._advance()
        self.on_change()

    def _is_another_game(self) -> bool:
        """Whether the GUI asks in another game than the last, which is over, without having said
        so: it is not ahead of that one."""
        gui, game = self._gui, self.game
        if gui is None or game is None or game.over is None:
            return False
        return len(gui.moves) < game.before + len(game.moves) - 1

    def stop(self, at: float) -> None:
        """The GUI wants a move now."""
        if self._go is None:
            return
        if self._go.infinite or self._go.ponder:
            self._no_move("a remote player does not analyse")
        else:
            self._hurry_until = at + HURRY
        self.on_change()

    def resign(self) -> None:
        self._in_game("resign", Resign())

    def draw(self) -> None:
        """Offer a draw, or accept the remote player's."""
        self._in_game("offer a draw in", Draw())

    def claim_win(self) -> None:
        self._in_game("claim", Claim("win"))

    def depart(self) -> None:
        """The GUI has gone. A game that is on is resigned or left to the rule of the absent."""
        if self._playing and not self._settings.resign_on_quit:
            if self._line is not None:
                self._line.dismiss("the GUI has gone")
            return
        if self._playing:
            self._say(Resign())
        self._say(*self.asking.withdraw(), Quit())

    @property
    def playing(self) -> bool:
        """Whether a game is on at the server."""
        return self._playing

    @property
    def _playing(self) -> bool:
        return self.game is not None and self.game.over is None

    @property
    def _found(self) -> bool:
        return self.asking.found or self._playing

    def _in_game(self, what: str, message: FromClient) -> None:
        if self._playing:
            self._say(message)
        else:
            self._face.tell(f"there is no game to {what}")

    def _abandon(self) -> None:
        """The GUI has left the game that is on."""
        assert self.game is not None
        if self._settings.resign_on_quit:
            self._face.tell(f"game {self.game.id} is resigned: the GUI begins another one")
            self._say(Resign())
            return
        self._face.tell(
            f"game {self.game.id} is left: the opponent may claim it when you stay away"
        )
        self._left, self.game = self.game.id, None
        self.welcome = None  # and with it the secret of the seat
        if self._line is not None:
            self._line.cut("the GUI begins another game")

    def _shape(self, go: Go) -> None:
        """The GUI's clock: the terms of the next challenge, unless others were given."""
        at_start = self._gui is None or len(self._gui.moves) < 2
        if at_start and go.wtime is not None and go.btime is not None:
            ms, bonus = max(go.wtime, go.btime), go.winc or 0
            moves = f"{go.movestogo}/" if go.movestogo else ""
            self.clock = f"{moves}{_seconds(ms)}+{_seconds(bonus)}"

    def _want(self) -> None:
        """An opponent is wanted."""
        if not self.wants_line:
            self.wants_line = True
            self.on_change()
        if self._admitted and not self._playing and not self._returning:
            self._say(*self.asking.ask(self.clock))

    def _release(self, at: float) -> None:
        """Answer ``isready``, unless the opponent is still sought."""
        if self._hold_until < math.inf:
            if at < self._hold_until and not self._found and not self.asking.failure:
                return
            if not self._found:
                why = self.asking.failure or f"nobody has accepted within {FIND:g} s"
                self._face.tell(f"no opponent: {why}")
            self._hold_until = math.inf
        for _ in range(self._held):
            self._face.ready()
        self._held = 0

    # Moves

    def _advance(self) -> None:
        """Bring the two games together, as far as the GUI waits for a move."""
        if self._go is None or self._go.infinite or self._go.ponder:
            return
        if self._gui is None:
            self.position(None, ())
        assert self._gui is not None
        try:
            if self.game is None or self._fresh:
                self._begin(self._gui)
            elif self.game.placed:
                self._compare(self._gui, self.game)
        except DifferenceError as difference:
            self._no_move(str(difference))

    def _begin(self, gui: GuiGame) -> None:
        """The GUI waits, and no game is on."""
        if self._playing:
            return  # the last game, which is being resigned
        if self.asking.failure:
            self._no_move(f"no opponent: {self.asking.failure}")
        elif self.asking.stage is Stage.WAITS:
            beginning = gui.beginning()
            self._before = beginning.before
            if beginning.before:
                self._face.tell(f"the game begins at the server behind ply {beginning.before}")
            self._say(*self.asking.choose(beginning.side, beginning.start))
        elif self.asking.stage is Stage.IDLE:
            self._fresh = True
            self._want()

    def _compare(self, gui: GuiGame, game: ServerGame) -> None:
        board = gui.board()
        ours, theirs = tuple(board.moves)[game.before :], game.moves
        if not game.checked:
            self._check_start(gui, game)
        same = min(len(ours), len(theirs))
        if ours[:same] != theirs[:same] or abs(len(ours) - len(theirs)) > 1:
            self._no_move(differs(ours, theirs, game.before))
        elif len(theirs) > len(ours):
            if board.turn is game.side:
                self._no_move("the GUI asks for a move of its own side")
            else:
                self._go, self._hurry_until = None, math.inf
                self._face.move(board, theirs[-1])
        elif game.over is not None:
            over = game.over
            self._no_move(f"the game is over at the server: {over.result}, {over.reason}")
        elif len(ours) > len(theirs) and board.turn is game.side:
            self._no_move("the GUI has made a move for the opponent's side")
        elif len(ours) > len(theirs):
            self._pass_on(ours[-1], game)
        elif board.turn is game.side:
            self._no_move("the server waits for a move of the GUI's side, not for the opponent's")

    def _pass_on(self, move: str, game: ServerGame) -> None:
        """Our own move, which the server does not know yet."""
        if not game.asked:
            return
        if game.sent == (len(game.moves), move):
            self._no_move(f"the server does not take {move}")
            return
        game.asked, game.sent = False, (len(game.moves), move)
        self._say(BestMove(move))

    def _check_start(self, gui: GuiGame, game: ServerGame) -> None:
        """Raises DifferenceError: the server's game has another start, or is another game."""
        if game.rules != gui.game:
            raise DifferenceError(f"position differs: here {gui.game}, server {game.rules}")
        here, there = gui.board(game.before).fen(), GAMES[game.rules].new(game.start).fen()
        if here != there:
            raise DifferenceError(
                f"position differs at ply {game.before + 1}: here {here}, server {there}"
            )
        game.checked = True

    def _no_move(self, why: str) -> None:
        self._go, self._hurry_until = None, math.inf
        self._face.tell(why)
        self._face.no_move()

    # Time

    @property
    def due(self) -> float:
        """When to call `alarm` (s); infinite if never."""
        return min(self._hold_until, self._hurry_until, self.asking.due)

    def alarm(self, at: float) -> None:
        """`due` has come."""
        if at >= self._hurry_until and self._go is not None:
            goes_on = "the game at the server" if self._playing else "the search for an opponent"
            self._no_move(f"a remote player cannot be hurried; {goes_on} goes on")
        self._hurry_until = math.inf if self._go is None else self._hurry_until
        if at >= self.asking.due:
            self._say(*self.asking.alarm(at))
            self._after_asking(at)
        self._release(at)

    # The connection

    def line_up(self, line: Peer) -> None:
        self._line, self._last_words = line, LastWords()

    def line_down(self) -> None:
        self._line, self._introduced, self._admitted = None, False, False
        self._returning = False
        self.asking.line_lost()
        if self.game is not None:
            self.game.asked, self.game.sent = False, None

    def closing(self, why: str, at: float) -> Closing:
        """What the end of the last connection means; `why`: the transport's reason."""
        return self._last_words.closing(why, at)

    def rejected(self, why: str, at: float) -> None:
        """The server will not let us in."""
        self.wants_line = False
        self.asking.stage, self.asking.failure = Stage.FAILED, why
        self._release(at)
        if self._go is not None:
            self._no_move(why)

    @property
    def introduced(self) -> bool:
        return self._introduced

    def server_said(self, heard: Heard) -> None:
        """A message of the server."""
        message, at = heard.message, heard.at
        self._last_words.heard(message, at, cut=heard.cut)
        if heard.cut and not isinstance(message, Report):
            return  # may be truncated
        handler = _HEAR.get(type(message))
        if handler is not None:
            handler(self, message, at)
            self.on_change()

    def _hello(self, _: Hello, __: float) -> None:
        if self._introduced:
            return
        self._introduced = True
        settings = self._settings
        name = settings.name or DEFAULT_NAME
        ids = [Id("username" if settings.human else "name", name), Id("feature", "lobby")]
        if settings.token:
            ids.append(Id("token", settings.token))
        if self.welcome is not None:
            ids.append(Id("resume", self.welcome.resume))
        self._say(
            *ids,
            Option(CHESS960, OptionType.CHECK, "false"),
            Option(VARIANT, OptionType.COMBO, STANDARD, vars=VARIANTS),
            Option(OPPONENT, OptionType.STRING, ""),
            HelloOk(),
        )

    def _is_ready(self, _: IsReady, __: float) -> None:
        self._say(ReadyOk())

    def _position(self, message: ServerPosition, _: float) -> None:
        if self.game is not None:
            self.game.start, self.game.moves = message.start, tuple(message.moves)
            self.game.placed, self.game.asked = True, False
            self._advance()

    def _server_go(self, _: Go, __: float) -> None:
        if self.game is not None:
            self.game.asked = True
            self._advance()

    def _server_stop(self, _: Stop, __: float) -> None:
        if self.game is not None and self.game.asked:
            self.game.asked = False
            self._say(BestMove(NONE))

    def _info(self, message: Info | Unread, _: float) -> None:
        info = read_info_untrusted(message.line) if isinstance(message, Unread) else message
        if info.string is None and self._go is not None and self._playing:
            self._face.think(info)

    def _report(self, message: Report, _: float) -> None:
        self._face.tell(f"the server says: {message.text}")

    def _quit(self, _: Quit, __: float) -> None:
        assert self._line is not None
        self._line.cut("the server says goodbye")

    # The lobby

    def _lobby(self, message: Lobby, at: float) -> None:
        line = message.line
        handler = _LINES.get(type(line))
        if handler is not None:
            handler(self, line, at)
        name = "" if self.welcome is None else self.welcome.name
        if not self._returning:
            self._say(*self.asking.hear(line, name, at))
            self._after_asking(at)

    def _after_asking(self, at: float) -> None:
        """Show what came of it, and go on."""
        if self.asking.news:
            self._face.tell(self.asking.news)
            self.asking.news = ""
        self._release(at)
        if self._go is not None and (self.asking.found or self.asking.failure):
            self._advance()
        wanted = self._fresh and (self._held > 0 or self._go is not None)
        if wanted and self.asking.stage is Stage.IDLE:
            self._want()

    def _welcomed(self, line: Welcome, _: float) -> None:
        self.welcome, self._admitted = line, True
        if self._playing:
            # No seek has the number 0; the answer is `busy` if our game is still on.
            self._returning = True
            self._say(Accept(0))
        elif self._fresh:
            self._want()

    def _error(self, line: ErrorLine, _: float) -> None:
        if not self._returning:
            if not self._found and self.asking.stage is Stage.IDLE:
                self._face.tell(f"the server says: {line.text}")
            return
        self._returning = False
        if line.code != "busy" and self.game is not None and self.game.over is None:
            self._finish(GameOver(self.game.id, "*", "unheard"))

    def _started(self, line: GameStart, at: float) -> None:
        name = "" if self.welcome is None else self.welcome.name
        if line.id == self._left:
            self._face.tell(f"game {line.id}, which you have left, is resigned")
            self._say(Resign())
            return
        side = Side.WHITE if line.white == name else Side.BLACK
        if self.game is None or self.game.id != line.id:
            self.game = ServerGame(line, side, self._before)
            self._before, self._fresh = 0, False
            self.asking.began()
            self._face.tell(
                f"game {line.id}: {line.white} - {line.black}, {line.game} {line.time}; the"
                " server's clock counts"
            )
            self._compare_clocks(line.time)
            self._release(at)
        self._returning = False
        self._say(Watch(line.id))  # what the opponent thinks

    def _compare_clocks(self, time: str) -> None:
        if self.clock and time and self.clock not in (time, f"{time}+0") and not self._told_clock:
            self._told_clock = True
            self._face.tell(
                f"the GUI's clock is {self.clock}, the server's {time}: give this side no clock"
                " (tc=inf) or a large margin"
            )

    def _ended(self, line: GameOver, _: float) -> None:
        if line.id == self._left:
            self._left = None
        if self.game is not None and self.game.id == line.id and self.game.over is None:
            self._finish(line)

    def _finish(self, line: GameOver) -> None:
        game = self.game
        assert game is not None
        game.over = line
        # The last move first, if it is the remote player's.
        if not self._fresh:
            self._advance_to_the_end()
            self._face.over(line.result, line.reason, game.side)
        if self._go is not None and not self._fresh:
            self._go, self._hurry_until = None, math.inf
            self._face.no_move()
        if self._fresh and (self._held or self._go is not None):
            self._want()

    def _advance_to_the_end(self) -> None:
        game, gui = self.game, self._gui
        if self._go is None or gui is None or game is None or not game.placed:
            return
        if len(game.moves) + game.before > len(gui.moves):
            self._advance()

    def _draw_offered(self, line: DrawOffer, _: float) -> None:
        if self.game is not None and self.game.id == line.id and self._is_opponent(line.by):
            self._face.draw_offered(line.by)

    def _takeback(self, line: TakebackOffer, _: float) -> None:
        if self._is_opponent(line.by):
            self._face.tell(f"{line.by} asks to take back: a GUI's game cannot; it is not granted")

    def _is_opponent(self, name: str) -> bool:
        return self.welcome is None or name != self.welcome.name

    def _presence(self, line: OpponentState, _: float) -> None:
        if self.game is None or self.game.id != line.id:
            return
        claim = ""
        if line.claim_in is not None:
            claim = f"; a win may be claimed in {line.claim_in / 1000:g} s (ClaimWin)"
            if not line.claim_in:
                claim = "; a win may be claimed now (ClaimWin)"
        self._face.tell(f"{self.game.opponent} is {line.state}{claim}")

    def _noted(self, line: NoteLine, _: float) -> None:
        self._face.tell(f"the server says: {line.text}")

    def _paused(self, _: Pause, __: float) -> None:
        self._face.tell("the server stops for a while; no clock runs, and the game goes on")

    def _resumed(self, line: Resumption, _: float) -> None:
        self._face.tell(f"the server was down for {line.downtime / 1000:.0f} s, charged to nobody")

    def _say(self, *messages: FromClient) -> None:
        if self._line is not None and self._introduced and messages:
            self._line.put(*messages)


def _seconds(ms: int) -> str:
    seconds, rest = divmod(ms, 1000)
    return f"{seconds}.{rest:03}".rstrip("0") if rest else str(seconds)


_HEAR: dict[type, Callable[[Player, Any, float], None]] = {
    Hello: Player._hello,
    IsReady: Player._is_ready,
    ServerPosition: Player._position,
    Go: Player._server_go,
    Stop: Player._server_stop,
    Info: Player._info,
    Unread: Player._info,
    Report: Player._report,
    Quit: Player._quit,
    Lobby: Player._lobby,
}

_LINES: dict[type[Line], Callable[[Player, Any, float], None]] = {
    Welcome: Player._welcomed,
    ErrorLine: Player._error,
    GameStart: Player._started,
    GameOver: Player._ended,
    DrawOffer: Player._draw_offered,
    TakebackOffer: Player._takeback,
    OpponentState: Player._presence,
    NoteLine: Player._noted,
    Pause: Player._paused,
    Resumption: Player._resumed,
}
