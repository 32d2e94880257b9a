"""One running referee engine, asked over UGI.

It is asked ``position … moves …`` and then ``query gameover``, ``query p1turn`` and, at the end,
``query result``. UGI has no query whether a move is legal, so a move is illegal if the referee

* reports it: any line with one of the words in `_COMPLAINTS` before the answer;
* gives an invalid answer;
* still has the same side to move in a running game, unless the game lets a side move twice.

Further lines are read up to a ``readyok``, so that no answer is taken for one to the next question.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import trio

from ulci.engines.errors import EngineEndedError, EngineError
from ulci.engines.process import open_engine
from ulci.engines.settings import EngineSettings
from ulci.net import Peer
from ulci.protocol import RemoteProtocolError, Unread
from ulci.protocol.messages import (
    Info,
    IsReady,
    Message,
    NewGame,
    Position,
    Query,
    ReadyOk,
    Report,
    Response,
    Unknown,
)
from ulci.protocol.text import quote
from ulci.rules import Illegal, Side
from ulci.rules.refereed import Question, Ruling, Standing, Unanswered, outcome

# A longer position than any engine's: thousands of moves of a few letters.
LONGEST_LINE = 64 * 1024

# Words in a program's report of a move that it does not accept.
_COMPLAINTS = ("illegal", "invalid", "error", "not legal", "bad move", "unknown move", "cannot")

_TRUTH = {"true": True, "false": False}


class DownError(Exception):
    """The referee process ended or hangs."""


class EndedError(DownError):
    """The process ended, which may not be its fault."""


@dataclass(frozen=True, slots=True)
class RefereeSettings:
    """The referee's program and its limits. Times in s.

    options: set by ``setoption``. start: until ``ugiok``, and then until ``readyok``. answer: for
    all answers to one position. twice: whether a side may move twice in a row. second_opinion:
    whether the players' engines are asked, too, how a game ended.
    """

    argv: tuple[str, ...]
    options: tuple[tuple[str, str], ...] = ()
    start: float = 10.0
    answer: float = 5.0
    twice: bool = False
    second_opinion: bool = False


class RefereeProcess:
    """A running process after its handshake. Ask one question at a time."""

    def __init__(self, peer: Peer, settings: RefereeSettings) -> None:
        self._peer = peer
        self._settings = settings

    async def rule(self, question: Question) -> Ruling:
        """The ruling on the position after these moves.

        Raises:
            DownError: it ended, or did not answer in time.
        """
        with trio.move_on_after(self._settings.answer):
            ruling = await self._answer(question)
            self._peer.put(IsReady())
            await _heard(self._peer, ReadyOk)
            return ruling
        raise DownError(f"no answer within {self._settings.answer:g} s")

    async def listen(self) -> None:
        """Read until cancelled while nothing is asked, to notice the end of the process.

        Raises:
            DownError: it ended.
        """
        while True:
            await _next(self._peer)

    async def _answer(self, question: Question) -> Ruling:
        peer, complaints = self._peer, list[str]()
        peer.put(Position(question.start, question.moves), Query("gameover"), Query("p1turn"))
        over = _TRUTH.get(await _response(peer, complaints))
        first = _TRUTH.get(await _response(peer, complaints))
        result = ""
        if over:
            peer.put(Query("result"))
            result = await _response(peer, complaints)
        if complaints:
            return Illegal(f"the referee says {quote(complaints[0])}")
        if over is None or first is None:
            return Illegal("the referee gives no valid answer after it")
        turn = Side.WHITE if first else Side.BLACK
        if over:
            ended = outcome(result)
            said = quote(result)
            return (
                Unanswered(f"result {said} of a game over")
                if ended is None
                else Standing(turn, ended)
            )
        if turn is question.asked and not self._settings.twice:
            return Illegal("the referee does not accept it: the same side is still to move")
        return Standing(turn)


@asynccontextmanager
async def open_referee(settings: RefereeSettings) -> AsyncIterator[RefereeProcess]:
    """Start a process, which ends with the block; it is killed at once after a `DownError`.

    Raises:
        DownError: it cannot be started, is no UGI engine, or rejects an option.
        EndedError: it ended.
    """
    asked = EngineSettings(
        settings.argv,
        options=tuple(f"{name}={value}" for name, value in settings.options),
        start=settings.start,
        ping=settings.start,
        dialect="ugi",
    )
    try:
        async with open_engine(asked, max_line=LONGEST_LINE) as engine:
            await engine.prepare()
            engine.put(NewGame())
            try:
                yield RefereeProcess(engine.peer, settings)
            except DownError:
                engine.kill()
                raise
    except EngineEndedError as error:
        raise EndedError(str(error)) from None
    except EngineError as error:
        raise DownError(str(error)) from None


async def _next(peer: Peer) -> Message | Unread:
    """The next message. Raises `DownError` when the process is over."""
    while True:
        try:
            heard = await peer.receive()
        except RemoteProtocolError as error:
            if error.fatal:
                raise DownError(str(error)) from None
        else:
            if heard is None:
                raise EndedError(peer.why)
            return heard.message


async def _heard(peer: Peer, kind: type[Message]) -> None:
    while not isinstance(await _next(peer), kind):
        pass


async def _response(peer: Peer, complaints: list[str]) -> str:
    """The answer to a query; reports before it are added to `complaints`."""
    while True:
        match await _next(peer):
            case Response(answer):
                return answer.strip().lower()
            case Unknown(text) | Report(_, text) | Info(string=str(text)):
                if any(word in text.lower() for word in _COMPLAINTS):
                    complaints.append(text)
            case _:
                pass
