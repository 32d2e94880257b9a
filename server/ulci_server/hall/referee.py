"""Who judges where we have no rules: one engine of the game, asked over UGI, for all its tables.

It is asked ``position … moves …`` and then ``query gameover``, ``query p1turn`` and, at the end,
``query result``. UGI has no question whether a move is legal, so a move is not taken if the referee

* says so: any line with one of the words in `_COMPLAINTS` before the answer;
* answers with what is no answer;
* still has the same side to move in a game that goes on, unless the game lets a side move twice;
* ends, or does not answer in time, at this move `MOST_DEATHS` times, each time freshly started.

A referee that dies or hangs is started again and asked again; the tables wait with stopped clocks.
"""

from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog
import trio

from ulci.net import Peer, ProcessError, open_process
from ulci.protocol import UGI, Connection, RemoteProtocolError, Role, TextCodec, Unread
from ulci.protocol.messages import (
    Hello,
    HelloOk,
    Info,
    IsReady,
    Message,
    NewGame,
    Position,
    Query,
    ReadyOk,
    Report,
    Response,
    SetOption,
    Unknown,
)
from ulci.protocol.text import quote
from ulci.rules.outcome import Side
from ulci.rules.position import Illegal
from ulci.rules.refereed import Lost, Question, RefereedRules, Ruling, Standing, outcome

LOG = structlog.get_logger("ulci_server.referee")

# A longer position than any engine's: thousands of moves of a few letters.
LONGEST_LINE = 64 * 1024

# How often one question may find the referee dead or hanging before the question is to blame.
MOST_DEATHS = 3

# Seconds before the next start of one that will not stay; the first is at once.
BACK_OFF = (0.0, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)

# In what a program says of a move that it does not take.
_COMPLAINTS = ("illegal", "invalid", "error", "not legal", "bad move", "unknown move", "cannot")

_TRUTH = {"true": True, "false": False}


class RefereeError(Exception):
    """The referee cannot be used; the text is for whoever configured it."""


class _DownError(Exception):
    """It ended, or hangs."""


class _EndedError(_DownError):
    """Its process ended, for what may not be its fault."""


@dataclass(frozen=True, slots=True)
class RefereeSettings:
    """Which program, and how to treat it. Times in s.

    options: what is set by ``setoption``. start: until ``ugiok`` and ``readyok``. answer: for all
    answers to one position. twice: whether a side may move twice in a row. second_opinion: whether
    the players' engines are asked, too, how a game ended.
    """

    argv: tuple[str, ...]
    options: tuple[tuple[str, str], ...] = ()
    start: float = 10.0
    answer: float = 5.0
    twice: bool = False
    second_opinion: bool = False


@dataclass(slots=True)
class Service:
    """What was asked of a referee since the server started; times in s."""

    questions: int = 0
    total: float = 0.0
    longest: float = 0.0
    starts: int = 0

    def note(self, seconds: float) -> None:
        self.questions += 1
        self.total += seconds
        self.longest = max(self.longest, seconds)

    def summary(self) -> dict[str, int | float]:
        """For the log; times in ms."""
        mean = self.total / max(1, self.questions)
        return {
            "questions": self.questions,
            "mean_ms": round(1000 * mean, 1),
            "longest_ms": round(1000 * self.longest, 1),
            "starts": self.starts,
        }


@dataclass(slots=True)
class _Asked:
    question: Question
    then: Callable[[Ruling], None]
    deaths: int = 0


class Referee:
    """`ask` from anywhere; `run` keeps the process alive and answers one question after another."""

    def __init__(self, rules: RefereedRules, settings: RefereeSettings) -> None:
        self.rules = rules
        self.service = Service()
        self._settings = settings
        self._waiting: deque[_Asked] = deque()
        self._idling = trio.CancelScope()

    @property
    def second_opinion(self) -> bool:
        return self._settings.second_opinion

    def ask(self, question: Question, then: Callable[[Ruling], None]) -> None:
        """`then` is called with the ruling, once and later. It must not raise."""
        self._waiting.append(_Asked(question, then))
        self._idling.cancel()

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """For ever. Started once the program runs and knows every start of the game.

        Raises:
            RefereeError: it cannot be started, is no UGI engine, or refuses a start.
        """
        name = self.rules.name
        try:
            await self._learn_starts()
        except (_DownError, ProcessError) as error:
            raise RefereeError(f"the referee of {name} cannot be used: {error}") from None
        task_status.started()
        try:
            await self._keep_serving()
        finally:
            LOG.info("referee served", game=name, **self.service.summary())

    async def _learn_starts(self) -> None:
        for pause in BACK_OFF[1:MOST_DEATHS]:
            try:
                await self._process(self._check_starts)
            except _EndedError as error:
                why, name = str(error), self.rules.name
                LOG.warning("referee ended at its start", game=name, why=why, again_in=pause)
                await trio.sleep(pause)
            else:
                return
        await self._process(self._check_starts)

    async def _keep_serving(self) -> None:
        name, failures = self.rules.name, 0
        while True:
            before = self.service.questions
            try:
                await self._process(self._serve)
            except (_DownError, ProcessError) as error:
                failures = 0 if self.service.questions > before else failures + 1
                LOG.warning(
                    "referee is down", game=name, why=str(error), waiting=len(self._waiting)
                )
            await trio.sleep(BACK_OFF[min(failures, len(BACK_OFF) - 1)])

    async def _process(self, work: Callable[[Peer], Awaitable[None]]) -> None:
        connection = Connection(Role.SERVER, TextCodec(max_line=LONGEST_LINE), UGI)
        self.service.starts += 1
        async with open_process(self._settings.argv, connection) as peer:
            await self._introduce(peer)
            await work(peer)

    async def _introduce(self, peer: Peer) -> None:
        settings = self._settings
        options = [SetOption(name, value) for name, value in settings.options]
        with trio.move_on_after(settings.start):
            peer.put(Hello())
            await _heard(peer, HelloOk)
            peer.put(*options, IsReady())
            await _heard(peer, ReadyOk)
            peer.put(NewGame())
            return
        raise _DownError(f"no ugiok and readyok within {settings.start:g} s, as UGI asks")

    async def _check_starts(self, peer: Peer) -> None:
        for start in self.rules.starts:
            ruling = await self._rule(peer, Question(start))
            if not isinstance(ruling, Standing):
                raise _DownError(f"the start {start or 'startpos'}: {ruling.why}")
            self.rules.known[start] = ruling

    async def _serve(self, peer: Peer) -> None:
        while True:
            if not self._waiting:
                await self._idle(peer)
                continue
            asked = self._waiting[0]
            ruling: Ruling = Illegal("the referee cannot take it")
            if asked.deaths < MOST_DEATHS:
                asked.deaths += 1
                ruling = await self._rule(peer, asked.question)
            self._waiting.popleft()
            asked.then(ruling)

    async def _idle(self, peer: Peer) -> None:
        """Until somebody asks. What it says unasked is read, so that its end is noticed."""
        with trio.CancelScope() as self._idling:
            while True:
                await _next(peer)

    async def _rule(self, peer: Peer, question: Question) -> Ruling:
        began = trio.current_time()
        with trio.move_on_after(self._settings.answer):
            ruling = await self._question(peer, question)
            self.service.note(trio.current_time() - began)
            return ruling
        raise _DownError(f"no answer within {self._settings.answer:g} s")

    async def _question(self, peer: Peer, question: Question) -> Ruling:
        complaints: list[str] = []
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
            return Illegal("the referee cannot say how the game stands after it")
        turn = Side.WHITE if first else Side.BLACK
        if over:
            ended = outcome(result)
            said = quote(result)
            return Lost(f"result {said} of a game over") if ended is None else Standing(turn, ended)
        if turn is question.asked and not self._settings.twice:
            return Illegal("the referee does not take it: it is still the same side's turn")
        return Standing(turn)


async def _next(peer: Peer) -> Message | Unread:
    """What it says next. Raises _DownError when nothing more will come."""
    while True:
        try:
            heard = await peer.receive()
        except RemoteProtocolError as error:
            if error.fatal:
                raise _DownError(str(error)) from None
        else:
            if heard is None:
                raise _EndedError(peer.why)
            return heard.message


async def _heard(peer: Peer, kind: type[Message]) -> None:
    while not isinstance(await _next(peer), kind):
        pass


async def _response(peer: Peer, complaints: list[str]) -> str:
    """The answer to a query; what it complained of before is noted."""
    while True:
        match await _next(peer):
            case Response(answer):
                return answer.strip().lower()
            case Unknown(text) | Report(_, text) | Info(string=str(text)):
                if any(word in text.lower() for word in _COMPLAINTS):
                    complaints.append(text)
            case _:
                pass
