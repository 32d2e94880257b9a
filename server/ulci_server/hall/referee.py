"""Who judges where we have no rules: one engine of the game, for all its tables.

A referee may die or hang, of a move that makes no sense or because it was killed; the tables that
asked it wait with stopped clocks. So that nobody waits for somebody else's junk there are two:

* The main process answers one question after another. If it dies or hangs at one, it is started
  again at once, and goes on with the others: while it has not answered anything since, with those
  first of whose games it has accepted most.
* The question is suspect now, and goes to a second process, which is there only for such, is
  started again less and less quickly, and is shown the position before the move first: if it takes
  that and dies of the move, `TRIES` times, the move is illegal. That is remembered.

A start that a player chose goes there at once, and so does all that a connection asks which has
asked what was fatal before; they have one try. Nothing is suspect for what happened between two
questions: a process that is killed then is started again, and nobody notices.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b

import structlog
import trio

from ulci.net import ProcessError
from ulci.rules.position import Illegal
from ulci.rules.refereed import Fatal, Lost, Question, RefereedRules, Ruling, Standing

from .referee_process import (
    DownError,
    EndedError,
    RefereeProcess,
    RefereeSettings,
    open_referee,
)

LOG = structlog.get_logger("ulci_server.referee")

# How often it is started while it ends before it has judged the starts of its game.
MOST_DEATHS = 3

# Freshly started processes that may die of a question at which the main one died, until the
# question is to blame: it might have been killed by chance once, not thrice.
TRIES = 2

# Seconds before the next start of one that will not stay; the first is at once. Who waits for the
# second process waits with others who are suspect, and never as long as for a broken program.
BACK_OFF = (0.0, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
SUSPECTS_BACK_OFF = (0.0, 0.5, 1.0, 2.0, 5.0)

# Seconds after which a process that ends has not failed, though it was asked nothing.
GOOD_LIFE = 60.0

# Seconds for which the second process waits for another suspect question.
LINGER = 60.0

# Fatal questions that are remembered, as 16 bytes each.
MOST_FATAL = 10_000

# Processes that may fail at the position before a suspect move, which the main process has taken,
# until the game ends without a result: some minutes' worth of back-offs, as a machine may be slow.
MOST_FAILURES = 30

# Questions that wait for the second process, starts chosen by players among them: each may take the
# seconds of a back-off, and a table stands as long as its question. Beyond that a move has its
# tries at the main process, and whoever is suspect is not heard.
MOST_SUSPECTS = 20
MOST_STARTS = 10

Then = Callable[[Ruling], None]


class RefereeError(Exception):
    """The referee cannot be used; the text is for whoever configured it."""


@dataclass(slots=True)
class Service:
    """What was asked of a process since the server started; times in s."""

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


@dataclass(slots=True, eq=False)
class _Asked:
    """A question, who waits for the answer, and how often a fresh process may still die of it, or
    fail before it comes to it. `refused`: the answer, if no process is to be troubled with it."""

    question: Question
    key: bytes
    then: list[Then] = field(default_factory=list)
    tries: int = TRIES
    failures: int = MOST_FAILURES
    refused: Illegal | None = None


class _Queue:
    """Questions that wait for a process, and its rest while there are none."""

    def __init__(self) -> None:
        self.waiting: deque[_Asked] = deque()
        self._resting = trio.CancelScope()

    def add(self, asked: _Asked) -> None:
        self.waiting.append(asked)
        self._resting.cancel()

    async def rest(self, process: RefereeProcess, seconds: float) -> None:
        """Until somebody asks, or for so long."""
        with trio.move_on_after(seconds) as self._resting:
            await process.listen()

    async def wait(self) -> None:
        """The same without a process."""
        with trio.CancelScope() as self._resting:
            await trio.sleep_forever()


class Referee:
    """`ask` from anywhere; `run` keeps the processes alive."""

    def __init__(self, rules: RefereedRules, settings: RefereeSettings) -> None:
        self.rules = rules
        self.service = Service()
        self.suspects = Service()
        """Of the second process."""
        self._settings = settings
        self._main = _Queue()
        self._second = _Queue()
        self._suspected: dict[bytes, _Asked] = {}  # what waits for the second process
        self._fatal: dict[bytes, None] = {}
        self._asking: _Asked | None = None  # of the main process
        self._in_doubt = False  # whether it died, and has not answered since

    @property
    def second_opinion(self) -> bool:
        return self._settings.second_opinion

    def recall(self, question: Question) -> Illegal | None:
        """Why this question need not be asked, or cannot be now."""
        key = _key(question)
        if key in self._fatal:
            return _fatal()
        if question.moves or key in self._suspected:
            return None
        starts = sum(not asked.question.moves for asked in self._second.waiting)
        if starts < MOST_STARTS:
            return None
        return Illegal(f"the referee has {starts} other starts to look at; try again in a minute")

    def ask(self, question: Question, then: Then, *, suspect: bool = False) -> None:
        """`then` is called with the ruling, once and later. It must not raise. `suspect`: whoever
        asks has asked before what was fatal."""
        asked = _Asked(question, _key(question), [then])
        trusted = question.moves and not suspect
        if trusted or asked.key in self._fatal:
            self._main.add(asked)
        elif len(self._second.waiting) >= MOST_SUSPECTS:
            asked.refused = Illegal("the referee is busy with others who said what it cannot take")
            self._main.add(asked)
        else:
            asked.tries = 1
            self._suspect(asked)

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """For ever. Started once the program runs and knows every start of the game.

        Raises:
            RefereeError: it cannot be started, is no UGI engine, or refuses a start.
        """
        name = self.rules.name
        try:
            await self._learn_starts()
        except (DownError, ProcessError) as error:
            raise RefereeError(f"the referee of {name} cannot be used: {error}") from None
        task_status.started()
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._keep_serving)
                nursery.start_soon(self._keep_examining)
        finally:
            LOG.info("referee served", game=name, **self.service.summary())
            if self.suspects.starts:
                summary = self.suspects.summary()
                LOG.info("referee examined", game=name, fatal=len(self._fatal), **summary)

    # The starts of the configuration

    async def _learn_starts(self) -> None:
        for pause in BACK_OFF[1:MOST_DEATHS]:
            try:
                await self._check_starts()
            except EndedError as error:
                why, name = str(error), self.rules.name
                LOG.warning("referee ended at its start", game=name, why=why, again_in=pause)
                await trio.sleep(pause)
            else:
                return
        await self._check_starts()

    async def _check_starts(self) -> None:
        self.service.starts += 1
        async with open_referee(self._settings) as process:
            for start in self.rules.starts:
                ruling = await _ruled(process, Question(start), self.service)
                if not isinstance(ruling, Standing):
                    raise DownError(f"the start {start or 'startpos'}: {ruling.why}")
                self.rules.known[start] = ruling

    # The main process

    async def _keep_serving(self) -> None:
        failures = 0
        while True:
            began, answered = trio.current_time(), self.service.questions
            try:
                self.service.starts += 1
                async with open_referee(self._settings) as process:
                    await self._serve(process)
            except (DownError, ProcessError) as error:
                asked, self._asking = self._asking, None
                lived = trio.current_time() - began >= GOOD_LIFE
                if asked is not None or lived or self.service.questions > answered:
                    failures = 0
                else:
                    failures += 1
                self._in_doubt = True
                self._tell_down(error, asked)
                if asked is not None:
                    self._suspect(asked)
            await trio.sleep(BACK_OFF[min(failures, len(BACK_OFF) - 1)])

    async def _serve(self, process: RefereeProcess) -> None:
        while True:
            if not self._main.waiting:
                await self._main.rest(process, float("inf"))
                continue
            asked = self._take_next()
            if asked.refused is not None:
                _tell(asked, asked.refused)
                continue
            if asked.key in self._suspected or asked.key in self._fatal:
                self._suspect(asked)  # the same was asked meanwhile, and it died of it
                continue
            self._asking = asked
            ruling = await _ruled(process, asked.question, self.service)
            self._asking, self._in_doubt = None, False
            _tell(asked, ruling)

    def _take_next(self) -> _Asked:
        """The one that waits longest. After a death that of the game of which most was accepted:
        of those that wait with it some may be of the same making as what it died of."""
        waiting = self._main.waiting
        if not self._in_doubt:
            return waiting.popleft()
        asked = max(waiting, key=lambda asked: len(asked.question.moves))
        waiting.remove(asked)
        return asked

    # The second process

    def _suspect(self, asked: _Asked) -> None:
        """It waits for the second process; whoever asks the same meanwhile waits with it."""
        if asked.key in self._fatal:
            _tell(asked, _fatal())
        elif (same := self._suspected.get(asked.key)) is not None:
            same.then += asked.then
            same.tries = max(same.tries, asked.tries)
        elif len(self._second.waiting) < MOST_SUSPECTS:
            self._suspected[asked.key] = asked
            self._second.add(asked)
        elif asked.tries > 1:
            asked.tries -= 1
            self._main.add(asked)
        else:
            self._condemn(asked, "it died of it again and again, and others wait to be examined")

    async def _keep_examining(self) -> None:
        failures = 0
        while True:
            if not self._second.waiting:
                await self._second.wait()
                continue
            answered = self.suspects.questions
            try:
                self.suspects.starts += 1
                async with open_referee(self._settings) as process:
                    await self._examine(process)
            except (DownError, ProcessError) as error:
                failures = 1 if self.suspects.questions > answered else failures + 1
                self._tell_down(error, None)
                await trio.sleep(SUSPECTS_BACK_OFF[min(failures, len(SUSPECTS_BACK_OFF) - 1)])

    async def _examine(self, process: RefereeProcess) -> None:
        """All suspect questions in turn, until there have been none for a while."""
        while True:
            if not self._second.waiting:
                await self._second.rest(process, LINGER)
                if not self._second.waiting:
                    return
            asked = self._second.waiting[0]
            try:
                await process.rule(self._before(asked.question))
            except DownError as error:
                self._put_off(asked, error)
                raise
            try:
                ruling = await _ruled(process, asked.question, self.suspects)
            except DownError as error:
                self._blame(asked, error)
                raise
            self._forget_first()
            _tell(asked, ruling)

    def _before(self, question: Question) -> Question:
        """What a referee has taken before: the position before the move."""
        if question.moves:
            return Question(question.start, question.moves[:-1])
        return Question(self.rules.starts[0] if self.rules.starts else None)

    def _put_off(self, asked: _Asked, error: DownError) -> None:
        """A process failed before it came to the question, which is not to blame; others come first
        now."""
        asked.failures -= 1
        if asked.failures > 0:
            self._second.waiting.rotate(-1)
            return
        self._forget_first()
        _tell(asked, Lost(f"it fails again and again at the position before: {error}"))

    def _blame(self, asked: _Asked, error: DownError) -> None:
        """A process that took the position before it died of it; others come first now."""
        asked.tries -= 1
        if asked.tries > 0:
            self._second.waiting.rotate(-1)
            return
        self._forget_first()
        self._condemn(asked, str(error))

    def _condemn(self, asked: _Asked, why: str) -> None:
        """Remember that it is fatal, and answer so."""
        self._fatal[asked.key] = None
        if len(self._fatal) > MOST_FATAL:
            del self._fatal[next(iter(self._fatal))]
        start, moves = asked.question.start or "startpos", asked.question.moves
        what = {"start": start, "ply": len(moves), "move": moves[-1] if moves else ""}
        LOG.warning("referee dies of this", game=self.rules.name, why=why, **what)
        _tell(asked, _fatal())

    def _forget_first(self) -> None:
        """It has been tried."""
        asked = self._second.waiting.popleft()
        del self._suspected[asked.key]

    # Both

    def _tell_down(self, error: Exception, asked: _Asked | None) -> None:
        name, why = self.rules.name, str(error)
        waiting = len(self._main.waiting) + len(self._second.waiting) + (asked is not None)
        LOG.warning("referee is down", game=name, why=why, waiting=waiting)


async def _ruled(process: RefereeProcess, question: Question, service: Service) -> Ruling:
    began = trio.current_time()
    ruling = await process.rule(question)
    service.note(trio.current_time() - began)
    return ruling


def _tell(asked: _Asked, ruling: Ruling) -> None:
    for then in asked.then:
        then(ruling)


def _fatal() -> Fatal:
    return Fatal("the referee cannot take it")


def _key(question: Question) -> bytes:
    """The same for the same start and moves, however many there are."""
    words = "\n".join([question.start or "", *question.moves])
    return blake2b(words.encode(errors="surrogatepass"), digest_size=16).digest()
