"""Every verb of the protocol, answered as the standards ask.

What comes at a wrong moment is ignored, what cannot be done is answered by ``info string`` with the
reason, and every ``go`` gets its ``bestmove``. A ``go`` before the last one is answered ends the
last one, so that no two searches run.
"""

import importlib.metadata
import math
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import trio

from ulci.protocol import messages as m
from ulci.rules.liberty import FEATURES, PIECES

from .board import Board, PositionError
from .reading import read_untrusted
from .settings import SettingError, Settings
from .thinking import Refusal, Thinking

NAME = f"House {importlib.metadata.version('ulci-relay')}"
AUTHOR = "the authors of ulci-relay"
ULCI_VERSION = "1"

Say = Callable[[m.FromClient], None]


class Answer(Protocol):
    """One ``go``, to be answered in its turn."""

    async def run(self) -> None: ...

    def stop(self) -> None: ...

    def ponder_hit(self) -> None: ...


class Engine:
    """The house engine, without the bytes. `hear` each message in turn, while `think` runs."""

    def __init__(self, settings: Settings, say: Say) -> None:
        self._settings = settings
        self._options = settings.offered()
        self._say = say
        self._position = m.Position()
        self._debug = False
        # One at a time is being answered and the others have been stopped: a `go` is never refused.
        self._give, self._take = trio.open_memory_channel[Answer](math.inf)
        self._latest: Answer | None = None

    async def think(self) -> None:
        """Answers one ``go`` after the other until `close`."""
        async for answer in self._take:
            await answer.run()

    def hear(self, message: object) -> None:
        """Whatever there is no answer for is ignored: no standard wants more."""
        if self._debug:
            self._tell(f"heard {message}")
        answer = _ANSWERS.get(type(message))
        if answer is not None:
            answer(self, message)

    def close(self) -> None:
        """Nothing more will be heard: answer what is owed, and let `think` end."""
        self._stop()
        self._give.close()

    def _tell(self, text: str) -> None:
        self._say(m.Info(string=text))

    def _hello(self, _message: m.Hello) -> None:
        self._say(m.Id("name", NAME))
        self._say(m.Id("author", AUTHOR))
        # Before these words there was UCI, whose programs ignore what they do not know.
        self._say(m.Id("version", ULCI_VERSION))
        self._say(m.Id("pieces", PIECES))
        for feature in FEATURES:
            self._say(m.Id("feature", feature))
        for option in self._options:
            self._say(option)
        self._say(m.HelloOk())

    def _ready(self, _message: m.IsReady) -> None:
        self._say(m.ReadyOk())

    def _set_debug(self, message: m.Debug) -> None:
        self._debug = message.on

    def _set_option(self, message: m.SetOption) -> None:
        try:
            self._settings.set_untrusted(message.name, message.value)
        except SettingError as error:
            self._tell(f"error: {error}")

    def _set_position(self, message: m.Position) -> None:
        self._position = message
        try:
            board = self._board()
        except PositionError as error:
            self._tell(f"error: {error}")
        else:
            if self._debug:
                self._tell(f"position is {board.name()}")

    def _go(self, message: m.Go) -> None:
        self._stop()
        try:
            self._latest = Thinking(self._board(), message, self._settings, self._say)
        except PositionError as error:
            self._latest = Refusal(f"error: {error}", self._say)
        self._give.send_nowait(self._latest)

    def _stop(self, _message: m.Stop | None = None) -> None:
        if self._latest is not None:
            self._latest.stop()

    def _ponder_hit(self, _message: m.PonderHit) -> None:
        if self._latest is not None:
            self._latest.ponder_hit()

    def _evaluate(self, _message: m.Eval) -> None:
        try:
            board = self._board()
        except PositionError as error:
            self._tell(f"error: {error}")
            return
        view = "White" if board.white_to_move() else "Black"
        self._tell(f"evaluation {board.evaluate()} centipawns as {view}, who is to move, sees it")

    def _board(self) -> Board[Any]:
        start, moves = self._position.start, self._position.moves
        return read_untrusted(start, moves, chess960=self._settings.chess960)


_ANSWERS: Mapping[type, Callable[[Engine, Any], None]] = {
    m.Hello: Engine._hello,
    m.IsReady: Engine._ready,
    m.Debug: Engine._set_debug,
    m.SetOption: Engine._set_option,
    m.Position: Engine._set_position,
    m.Go: Engine._go,
    m.Stop: Engine._stop,
    m.PonderHit: Engine._ponder_hit,
    m.Eval: Engine._evaluate,
}
