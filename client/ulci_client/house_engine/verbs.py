"""Every command of the protocol, answered as the standards ask.

The engine ignores a command at a wrong moment, answers an impossible one by ``info string`` with
the reason, and answers every ``go`` by a ``bestmove``. A ``go`` before the last one is answered
stops that search, so that no two run at once.
"""

import importlib.metadata
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import trio

from ulci.engines.options import OptionError
from ulci.protocol import messages as m

from .board import Board, PositionError
from .games import answer_untrusted, read_untrusted
from .running_search import FailedSearch, RunningSearch
from .settings import HouseSettings

NAME = f"House {importlib.metadata.version('ulci-relay')}"
AUTHOR = "the authors of ulci-relay"

Say = Callable[[m.FromClient], None]


QueuedGo = RunningSearch[Any] | FailedSearch


class Engine:
    """The engine without I/O. Call `hear` for each message while `think` runs."""

    def __init__(self, settings: HouseSettings, say: Say, ids: Sequence[m.Id] = ()) -> None:
        """ids: sent in addition to name and author."""
        self._ids = ids
        self._settings = settings
        self._options = settings.offered()
        self._say = say
        self._position = m.Position()
        self._debug = False
        # Unbounded: a `go` is never refused, and all but the last are stopped.
        self._give, self._take = trio.open_memory_channel[QueuedGo](math.inf)
        self._latest: QueuedGo | None = None

    async def think(self) -> None:
        """Answer one ``go`` after the other until `close`."""
        async for answer in self._take:
            await answer.run()

    def hear(self, message: object) -> None:
        """Handle a message; unknown ones are ignored."""
        if self._debug:
            self._tell(f"heard {message}")
        answer = _ANSWERS.get(type(message))
        if answer is not None:
            answer(self, message)

    def close(self) -> None:
        """End of input: answer what is pending, and let `think` end."""
        self._stop()
        self._give.close()

    def _tell(self, text: str) -> None:
        self._say(m.Info(string=text))

    def _hello(self, _message: m.Hello) -> None:
        self._say(m.Id("name", NAME))
        self._say(m.Id("author", AUTHOR))
        for more in self._ids:
            self._say(more)
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
        except OptionError as error:
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
            self._latest = RunningSearch(self._board(), message, self._settings, self._say)
        except PositionError as error:
            self._latest = FailedSearch(f"error: {error}", self._say)
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
        score = board.evaluate()
        text = f"evaluation {score} centipawns for {view}, to move"
        self._say(m.Info(score=m.Score(cp=score), string=text))

    def _query(self, message: m.Query) -> None:
        """UGI wants an answer even if it is unknown."""
        try:
            answer = answer_untrusted(message.question, self._position, self._settings)
        except PositionError as error:
            self._tell(f"error: {error}")
            answer = "none"
        self._say(m.Response(answer))

    def _board(self) -> Board[Any]:
        return read_untrusted(self._position, self._settings)


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
    m.Query: Engine._query,
}
