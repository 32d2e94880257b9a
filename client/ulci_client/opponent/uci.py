"""The face of a UCI engine. Plain calls, no waiting.

UCI has no message for the events of a game besides its moves: all of them go out as ``info
string``, and ``bestmove (none)`` takes the place of a missing move. The GUI does not get the remote
player's analysis: the server sends it late, as to all spectators, and by then a GUI would take it
for analysis of another position and adjudicate by it.
"""

from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any

from ulci.engines.options import OptionError
from ulci.protocol import DIALECTS, Fault, Role, TextCodec
from ulci.protocol.messages import (
    BestMove,
    FromClient,
    Go,
    Hello,
    HelloOk,
    Id,
    Info,
    IsReady,
    NewGame,
    Quit,
    ReadyOk,
    SetOption,
    Stop,
)
from ulci.protocol.messages import Position as GuiPosition
from ulci.rules import Position, Side
from ulci_client.sanitize import clean

from .player import NONE, OpponentPlayer
from .settings import OpponentSettings

MAX_LINE = 256 * 1024
"""Bytes: `position` with the longest possible game, some 11,800 moves."""

AUTHOR = "the authors of ulci-relay"


def engine_name(settings: OpponentSettings) -> str:
    """How the GUI lists this engine."""
    whom = settings.opponent or "ulci opponent"
    return clean(f"{whom} at {settings.servers[0].address.host} ({version('ulci-relay')})")


class UciFace:
    """`write` sends bytes to the GUI."""

    def __init__(self, settings: OpponentSettings, write: Callable[[bytes], None]) -> None:
        self.player = OpponentPlayer(settings, self)
        self._settings = settings
        self._write = write
        # Not a `Connection`: GUIs press buttons during a search, and what comes at a wrong moment
        # is no reason to lose a game.
        self._codec = TextCodec(max_line=MAX_LINE)
        self._dialect = DIALECTS["uci"](Role.CLIENT)

    def receive(self, data: bytes, at: float) -> bool:
        """Bytes of the GUI, empty at their end; False once it has said goodbye."""
        self._codec.receive_data(data)
        while said := self._codec.next_messages(self._dialect, Role.CLIENT, 1, defer=False):
            [message] = said
            if isinstance(message, Quit):
                return False
            if isinstance(message, Fault):
                self.tell(f"error: {message.text}")
                if message.fatal:
                    return False
            elif (handler := _HEAR.get(type(message))) is not None:
                handler(self, message, at)
        return bool(data)

    # What the GUI is told

    def ready(self) -> None:
        self._say(ReadyOk())

    def move(self, board: Position, move: str) -> None:  # noqa: ARG002 (XBoard needs it)
        self._say(BestMove(move))

    def no_move(self, why: str = "") -> None:
        if why:
            self.tell(why)
        self._say(BestMove(NONE))

    def tell(self, text: str) -> None:
        self._say(Info(string=clean(text)))

    def draw_offered(self, by: str) -> None:
        self.tell(f"{by} offers a draw: press AcceptDraw, or play on")

    def over(self, result: str, reason: str, mine: Side | None) -> None:
        self.tell(f"result {result} reason {reason}{_outcome(result, mine)}")

    def _say(self, *messages: FromClient) -> None:
        self._write(b"".join(self._codec.encode(each, self._dialect) for each in messages))

    # What the GUI says

    def _hello(self, _: Hello, __: float) -> None:
        settings = self._settings
        self._say(Id("name", engine_name(settings)), Id("author", AUTHOR))
        self._say(*settings.offered(), HelloOk())

    def _is_ready(self, _: IsReady, at: float) -> None:
        self.player.ready(at)

    def _set_option(self, message: SetOption, _: float) -> None:
        if self.player.press(message.name):
            return
        try:
            self._settings.set_untrusted(message.name, message.value)
        except OptionError as error:
            self.tell(f"error: {error}")

    def _new_game(self, _: NewGame, __: float) -> None:
        self.player.new_game()

    def _position(self, message: GuiPosition, _: float) -> None:
        self.player.position(message.start, message.moves)

    def _go(self, message: Go, _: float) -> None:
        self.player.go(message)

    def _stop(self, _: Stop, at: float) -> None:
        self.player.stop(at)


def _outcome(result: str, mine: Side | None) -> str:
    winner = {"1-0": Side.WHITE, "0-1": Side.BLACK}.get(result)
    if winner is None or mine is None:
        return ""
    return ": this GUI's side wins" if winner is mine else ": the opponent wins"


_HEAR: Mapping[type, Callable[[UciFace, Any, float], None]] = {
    Hello: UciFace._hello,
    IsReady: UciFace._is_ready,
    SetOption: UciFace._set_option,
    NewGame: UciFace._new_game,
    GuiPosition: UciFace._position,
    Go: UciFace._go,
    Stop: UciFace._stop,
}
