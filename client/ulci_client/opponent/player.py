"""The GUI's game and the server's, brought together. Plain calls, no waiting.

The GUI plays one side; the server's remote player is the other, for which the GUI asks by ``go``.
So at the server this program plays the GUI's side: what is new in the GUI's position goes there,
and what the remote player answers is the GUI's ``bestmove``.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ulci.net import Heard
from ulci.protocol.lobby.lines import (
    DrawOffer,
    ErrorLine,
    GameOver,
    GameStart,
    Line,
    Welcome,
)
from ulci.protocol.messages import (
    Abort,
    BestMove,
    Claim,
    Draw,
    FromClient,
    Go,
    Lobby,
    Quit,
    Report,
    Resign,
    Stop,
)
from ulci.protocol.messages import Position as ServerPosition
from ulci.rules import Side

from .face import Face
from .games import GuiGame, NoMove, PassOn, RemoteMove, ServerGame
from .notices import notice, started
from .pairing import Pairing
from .seeking import RETRY
from .session import ServerSession
from .settings import ACCEPT_DRAW, CLAIM_WIN, OFFER_DRAW, RESIGN, OpponentSettings

HURRY = 1.0
"""Seconds from ``stop`` to the answer without a move: a remote player cannot be hurried, but its
move may be on the way."""

NONE = "(none)"


class OpponentPlayer:
    """`face`: the GUI."""

    def __init__(self, settings: OpponentSettings, face: Face) -> None:
        self.session = ServerSession(settings)
        self.pairing = Pairing(settings, face, self.session, lambda: self.playing)
        self.game: ServerGame | None = None
        self._settings = settings
        self._face = face
        self._gui: GuiGame | None = None
        self._go: Go | None = None
        self._left: int | None = None  # a game that the GUI has left
        self._hurry_until = self._ask_at = math.inf

    # The GUI

    def ready(self, at: float) -> None:
        """``isready``, ``ping``."""
        self._ask_anew()
        self.pairing.ready(at)

    def new_game(self) -> None:
        """The GUI begins another game; one that is still on is left, and so is its search. One that
        the GUI has asked for no move in is the one that it begins."""
        if self._go is not None:
            self._no_move()
        self._gui = None
        if self._is_fresh:
            self._ask_anew()
            return
        if self.playing:
            self._abandon()
        else:
            self.game = None
        self.pairing.new_game()

    def position(self, start: str | None, moves: Sequence[str]) -> None:
        """The GUI's board."""
        self._gui = GuiGame(self._settings.game, start, tuple(moves))

    def go(self, go: Go) -> None:
        """The GUI asks for the remote player's move."""
        if self._go is not None:
            self._no_move("a second search was asked for before the first one was answered")
        if self._is_another_game():
            gui = self._gui
            self.new_game()
            self._gui = gui
        self._go = go
        if not (go.infinite or go.ponder):
            self.pairing.shape(go, self._gui)
            self._ask_anew()
            self._begin()
            self._advance()

    @property
    def _is_fresh(self) -> bool:
        """Whether a game is on in which the GUI has not asked for a move."""
        return self.playing and self.game is not None and not self.game.begun

    def _ask_anew(self) -> None:
        """GUIs set options after the ``isready`` at which the server was asked, some of them just
        before the first position: until the GUI asks for a move, what it has set last counts."""
        if not self.pairing.outdated or not (self.pairing.open or self._is_fresh):
            return
        aborts = self._is_fresh and not self.pairing.open
        self.pairing.ask_anew()
        if aborts:
            assert self.game is not None
            how, command = ("aborted", Abort()) if self.game.may_abort else ("resigned", Resign())
            self._face.tell(f"game {self.game.id} is {how}: the GUI has asked for another one")
            self.session.say(command)

    def _begin(self) -> None:
        """The GUI asks for a move: it plays the game that is on, unless it wants another one."""
        if self.game is not None and not self.game.begun and not self.pairing.open:
            self.game.begun = True
            self.pairing.count_game()

    def _is_another_game(self) -> bool:
        """Whether the GUI asks in another game than the last, which is over, without having said
        so: it is not ahead of that one."""
        gui, game = self._gui, self.game
        if gui is None or game is None or game.over is None:
            return False
        return not game.contains(gui)

    def stop(self, at: float) -> None:
        """The GUI wants a move now."""
        if self._go is None:
            return
        if self._go.infinite or self._go.ponder:
            self._no_move("a remote player does not analyse")
        else:
            self._hurry_until = at + HURRY

    def press(self, button: str) -> bool:
        """A button of the GUI's options; False if it is none. Names are case-insensitive (UCI,
        setoption)."""
        act = _BUTTONS.get(button.casefold())
        if act is not None:
            act(self)
        return act is not None

    def resign(self) -> None:
        self._in_game("resign", Resign())

    def draw(self) -> None:
        """Offer a draw, or accept the remote player's."""
        self._in_game("offer a draw in", Draw())

    def claim_win(self) -> None:
        self._in_game("claim", Claim("win"))

    def depart(self) -> None:
        """The GUI has gone. A game that is on is resigned or left to the rule of the absent."""
        if self.playing and not self._settings.resign_on_quit:
            self.session.be_away("the GUI has gone")
            return
        if self.playing:
            self.session.say(Resign())
        self.pairing.depart()
        self.session.say(Quit())

    @property
    def playing(self) -> bool:
        """Whether a game is on at the server."""
        return self.game is not None and self.game.over is None

    def _in_game(self, what: str, message: FromClient) -> None:
        if self.playing:
            self.session.say(message)
        else:
            self._face.tell(f"there is no game to {what}")

    def _abandon(self) -> None:
        """The GUI has left the game that is on."""
        assert self.game is not None
        if self._settings.resign_on_quit:
            self._face.tell(f"game {self.game.id} is resigned: the GUI begins another one")
            self.session.say(Resign())
            return
        self._face.tell(
            f"game {self.game.id} is left: the opponent may claim it when you stay away"
        )
        self._left, self.game = self.game.id, None
        self.session.leave_seat("the GUI begins another game")

    # Moves

    def _advance(self) -> None:
        """Bring the two games together, as far as the GUI waits for a move."""
        if self._go is None or self._go.infinite or self._go.ponder:
            return
        if self._gui is None:
            self.position(None, ())
        assert self._gui is not None
        if self.game is None or self.pairing.open:
            if why := self.pairing.begin(self._gui):
                self._no_move(why)
        elif self.game.placed:
            self._step(self._gui, self.game)

    def _step(self, gui: GuiGame, game: ServerGame) -> None:
        match game.next_step(gui):
            case NoMove(why):
                self._no_move(why)
            case PassOn(move):
                game.say(move)
                self.session.say(BestMove(move))
            case RemoteMove(board, move):
                self._go, self._hurry_until = None, math.inf
                self._face.move(board, move)

    def _no_move(self, why: str = "") -> None:
        self._go, self._hurry_until = None, math.inf
        self._face.no_move(why)

    # Time

    @property
    def due(self) -> float:
        """When to call `alarm` (s); infinite if never."""
        return min(self._hurry_until, self._ask_at, self.pairing.due)

    def alarm(self, at: float) -> None:
        """`due` has come."""
        if at >= self._hurry_until and self._go is not None:
            goes_on = "the game at the server" if self.playing else "the search for an opponent"
            self._no_move(f"a remote player cannot be hurried; {goes_on} goes on")
        self._hurry_until = math.inf if self._go is None else self._hurry_until
        if at >= self._ask_at:
            self._ask_at = math.inf
            if self.session.returning:
                self.session.ask_whether_on()
        self.pairing.alarm(at, waits=self._go is not None)
        self._take_up()

    # The connection

    def line_down(self) -> None:
        self.session.line_down()
        self._ask_at = math.inf
        self.pairing.line_down()
        if self.game is not None:
            self.game.line_lost()

    def rejected(self, why: str, at: float) -> None:
        """The server will not let us in."""
        self.pairing.rejected(why, at)
        if self._go is not None:
            self._no_move(why)

    def server_said(self, heard: Heard) -> None:
        """A message of the server."""
        message = self.session.hear(heard)
        handler = None if message is None else _HEAR.get(type(message))
        if handler is not None:
            handler(self, message, heard.at)

    def _position(self, message: ServerPosition, _: float) -> None:
        if self.game is not None:
            self.game.place(message.start, message.moves)
            self._advance()

    def _server_go(self, _: Go, __: float) -> None:
        if self.game is not None:
            self.game.asked = True
            self._advance()

    def _server_stop(self, _: Stop, __: float) -> None:
        if self.game is not None and self.game.asked:
            self.game.asked = False
            self.session.say(BestMove(NONE))

    def _report(self, message: Report, _: float) -> None:
        self._face.tell(f"the server says: {message.text}")

    # The lobby

    def _lobby(self, message: Lobby, at: float) -> None:
        line = message.line
        if self.session.returning and isinstance(line, ErrorLine):
            self._returned(line, at)
            return
        handler = _LINES.get(type(line))
        if handler is not None:
            handler(self, line, at)
        elif text := notice(line, self.game):
            self._face.tell(text)
        self.pairing.hear(line, at, waits=self._go is not None)
        self._take_up()

    def _take_up(self) -> None:
        """Go on with the GUI's search once there is an opponent, or will be none."""
        if self._go is not None and self.pairing.decided:
            self._advance()

    def _welcomed(self, line: Welcome, _: float) -> None:
        text = self.session.welcomed(line)
        if text and self.playing:
            self._face.tell(text)
        if self.pairing.open:
            self.pairing.want()

    def _returned(self, line: ErrorLine, at: float) -> None:
        """The answer to a player who has come back."""
        if line.code == "moving":  # perhaps it was not heard
            self._ask_at = at + RETRY
            return
        self.session.returning = False
        busy = line.code == "busy"
        if not busy and self.game is not None and self.game.over is None:
            self._finish(GameOver(self.game.id, "*", "unheard"))
        self.pairing.returned(at, busy=busy, waits=self._go is not None)
        self._take_up()

    def _error(self, line: ErrorLine, _: float) -> None:
        if self.pairing.idle:
            self._face.tell(f"the server says: {line.text}")

    def _started(self, line: GameStart, at: float) -> None:
        if line.id == self._left:
            self._face.tell(f"game {line.id}, which you have left, is resigned")
            self.session.say(Resign())
            return
        if self.game is None or self.game.id != line.id:
            side = Side.WHITE if line.white == self.session.name else Side.BLACK
            for text in started(line, self.pairing.clock):
                self._face.tell(text)
            self.game = ServerGame(line, side, 0)
            self.game.before = self.pairing.began(at)
            self._ask_anew()
            if self._go is not None:
                self._begin()
        self.session.returning = False

    def _ended(self, line: GameOver, _: float) -> None:
        if line.id == self._left:
            self._left = None
        if self.game is not None and self.game.id == line.id and self.game.over is None:
            self._finish(line)

    def _finish(self, line: GameOver) -> None:
        game = self.game
        assert game is not None
        game.over = line
        if self.pairing.open:  # resigned, because the GUI has begun another one
            self.pairing.ask_again(waits=self._go is not None)
            return
        # The last move first, if it is the remote player's.
        gui = self._gui
        if gui is not None and game.placed and isinstance(game.next_step(gui), RemoteMove):
            self._advance()
        self._face.over(line.result, line.reason, game.side)
        if self._go is not None:
            self._no_move()

    def _draw_offered(self, line: DrawOffer, _: float) -> None:
        if self.game is not None and self.game.id == line.id and line.by != self.session.name:
            self._face.draw_offered(line.by)


_BUTTONS: Mapping[str, Callable[[OpponentPlayer], None]] = {
    RESIGN.casefold(): OpponentPlayer.resign,
    OFFER_DRAW.casefold(): OpponentPlayer.draw,
    ACCEPT_DRAW.casefold(): OpponentPlayer.draw,
    CLAIM_WIN.casefold(): OpponentPlayer.claim_win,
}

_HEAR: dict[type, Callable[[OpponentPlayer, Any, float], None]] = {
    ServerPosition: OpponentPlayer._position,
    Go: OpponentPlayer._server_go,
    Stop: OpponentPlayer._server_stop,
    Report: OpponentPlayer._report,
    Lobby: OpponentPlayer._lobby,
}

_LINES: dict[type[Line], Callable[[OpponentPlayer, Any, float], None]] = {
    Welcome: OpponentPlayer._welcomed,
    ErrorLine: OpponentPlayer._error,
    GameStart: OpponentPlayer._started,
    GameOver: OpponentPlayer._ended,
    DrawOffer: OpponentPlayer._draw_offered,
}
