"""The referee of a game without built-in rules: one engine for all its tables.

A referee may die or hang, because of a malformed move or because it was killed; the tables that
asked it wait with stopped clocks. Three processes keep one player's junk from delaying others:

* The main process answers one question after another. If it dies at one, or takes longer than
  `SLOW`, the spare process, which has been started before, is the main one at once and continues
  with the other questions; whoever asks the same again waits for the first one's answer. Until its
  first answer after a death it prefers the games of which most moves were accepted. The old one is
  restarted as the spare, or is that again once it has answered.
* The question at which it died is suspect and goes to the examiner, a process which is for suspects
  only and is restarted with growing pauses. It is asked the position before the move first: if it
  accepts that and dies of the move, `TRIES` times, the move is illegal. That is remembered.

A start chosen by a player goes there at once, and so do all questions of a player who has
asked a fatal one before; they have one try. A process that ends between two questions makes
nothing suspect: it is restarted, and nobody notices.
"""

from collections import deque
from dataclasses import dataclass

import structlog
import trio

from ulci.net.streams import background_tasks
from ulci.rules import Illegal
from ulci.rules.refereed import Fatal, Question, RefereedRules, Ruling, Standing, Unanswered
from ulci.rules.starts import over_already

from .referee_process import (
    DownError,
    EndedError,
    RefereeProcess,
    RefereeSettings,
    open_referee,
)
from .referee_queue import AnswerTimes, OnRuling, PendingQuestion, QuestionQueue, question_key

LOG = structlog.get_logger("ulci_server.referee")

# Starts of a process that ends before it has judged the starts of its game.
MAX_DEATHS = 3

# Processes of which one is the main one: it may die twice within the start of a process before
# anybody has to wait.
PROCESSES = 2

# Seconds after which a question is slow, and others are not made to wait for its answer: some times
# what a referee takes. Hangs until `RefereeSettings.answer` look the same at first.
SLOW = 0.5

# Seconds before the next start of a process that keeps ending; the first is at once. The pauses of
# the examiner are shorter, as they delay other suspects.
BACK_OFF = (0.0, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
SUSPECTS_BACK_OFF = (0.0, 0.5, 1.0, 2.0, 5.0)

# Seconds after which an ended process has not failed, even if it was asked nothing.
MIN_UPTIME = 60.0

# Seconds for which the examiner waits for another suspect question.
IDLE_TIMEOUT = 60.0

# Fatal questions that are remembered, as 16 bytes each.
MAX_FATAL = 10_000

# Questions that wait for the examiner, among them starts chosen by players: each may take a
# back-off, while its table waits. Beyond that, moves get their tries at the main process, and
# suspects are refused.
MAX_SUSPECTS = 20
MAX_STARTS = 10


class RefereeError(Exception):
    """The referee cannot be used; the text is for the operator."""


@dataclass(slots=True)
class _Server:
    """One process that serves. asking: the question that it is asked now."""

    is_main: bool = False
    answered: bool = False
    asking: PendingQuestion | None = None


class Referee:
    """`ask` from anywhere; `run` keeps the processes alive."""

    def __init__(self, rules: RefereedRules, settings: RefereeSettings) -> None:
        self.rules = rules
        self.service = AnswerTimes()
        self.suspects = AnswerTimes()
        """Answer times of the examiner."""
        self._settings = settings
        self._main = QuestionQueue()
        self._second = QuestionQueue()
        self._asked: dict[bytes, PendingQuestion] = {}  # the main process, or one that is slow
        self._suspected: dict[bytes, PendingQuestion] = {}  # waiting for the examiner
        self._fatal: dict[bytes, None] = {}
        self._has_main = False
        self._spares: deque[trio.CancelScope] = deque()  # what each of them waits in
        self._in_doubt = False  # it died and has not answered since

    @property
    def second_opinion(self) -> bool:
        return self._settings.second_opinion

    def recall(self, question: Question) -> Illegal | None:
        """The answer to a question that need not be asked, or cannot be now."""
        key = question_key(question)
        if key in self._fatal:
            return _fatal()
        if question.moves or key in self._suspected:
            return None
        starts = sum(not asked.question.moves for asked in self._second.waiting)
        if starts < MAX_STARTS:
            return None
        return Illegal(f"the referee has {starts} other starts to check; try again in a minute")

    def ask(self, question: Question, then: OnRuling, *, suspect: bool = False) -> None:
        """Call `then` with the ruling, once and later. It must not raise. `suspect`: the player has
        asked a fatal question before."""
        asked = PendingQuestion(question, question_key(question), [then])
        trusted = question.moves and not suspect
        if trusted or asked.key in self._fatal:
            self._main.add(asked)
        elif len(self._second.waiting) >= MAX_SUSPECTS:
            asked.refused = Illegal("the referee is busy with other suspect moves")
            self._main.add(asked)
        else:
            asked.tries = 1
            self._suspect(asked)

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Keep the processes running, for ever. Started once every start of the game is judged.

        Raises:
            RefereeError: it cannot be started, is no UGI engine, or refuses a start.
        """
        name = self.rules.name
        try:
            await self._learn_starts()
        except DownError as error:
            raise RefereeError(f"the referee of {name} cannot be used: {error}") from None
        task_status.started()
        try:
            async with trio.open_nursery() as nursery:
                for _ in range(PROCESSES):
                    nursery.start_soon(self._keep_serving)
                nursery.start_soon(self._keep_examining)
        finally:
            LOG.info("referee served", game=name, **self.service.summary())
            if self.suspects.starts:
                summary = self.suspects.summary()
                LOG.info("referee examined", game=name, fatal=len(self._fatal), **summary)

    # The starts of the configuration

    async def _learn_starts(self) -> None:
        for pause in BACK_OFF[1:MAX_DEATHS]:
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
                if ruling.outcome is not None:
                    why = over_already(ruling.outcome)
                    raise DownError(f"the start {start or 'startpos'}: {why}")
                self.rules.known[start] = ruling

    # The main process and its spare

    async def _keep_serving(self) -> None:
        failures = 0
        while True:
            began, server = trio.current_time(), _Server()
            try:
                self.service.starts += 1
                async with open_referee(self._settings) as process:
                    while True:
                        await self._stand_by(process)
                        server.is_main = True
                        await self._serve(process, server)
            except DownError as error:
                asked, lived = server.asking, trio.current_time() - began >= MIN_UPTIME
                failures = 0 if asked is not None or lived or server.answered else failures + 1
                self._tell_down(error, asked)
            await trio.sleep(BACK_OFF[min(failures, len(BACK_OFF) - 1)])

    async def _stand_by(self, process: RefereeProcess) -> None:
        """Return when this is the main process. Raises `DownError`."""
        if not self._has_main:
            self._has_main = True
            return
        with trio.CancelScope() as waiting:
            self._spares.append(waiting)
            try:
                await process.listen()
            except DownError:
                if waiting in self._spares:
                    self._spares.remove(waiting)
                else:  # it ended when its turn came
                    self._let_next()
                raise

    def _hand_over(self, server: "_Server") -> None:
        """This is the main process no more, if it was."""
        if server.is_main:
            server.is_main = False
            self._let_next()

    def _let_next(self) -> None:
        self._has_main = bool(self._spares)
        if self._spares:
            self._spares.popleft().cancel()

    async def _hand_over_when_slow(self, server: "_Server") -> None:
        await trio.sleep(SLOW)
        self._hand_over(server)

    async def _serve(self, process: RefereeProcess, server: "_Server") -> None:
        """Answer questions while this is the main process. Raises `DownError`."""
        try:
            await self._answer_all(process, server)
        except DownError:
            if server.asking is not None:
                self._in_doubt = True
                self._suspect(server.asking)
            raise
        finally:
            self._hand_over(server)

    async def _answer_all(self, process: RefereeProcess, server: "_Server") -> None:
        while server.is_main:
            if not self._main.waiting:
                await self._main.listen(process, float("inf"))
                continue
            asked = self._take_next()
            if asked.refused is not None:
                asked.answer(asked.refused)
                continue
            if asked.key in self._suspected or asked.key in self._fatal:
                self._suspect(asked)  # fatal or suspect by now
                continue
            if (same := self._asked.get(asked.key)) is not None:
                same.join(asked)  # a process is slow at it, or is dying of it
                continue
            server.asking = self._asked[asked.key] = asked
            try:
                async with background_tasks() as nursery:
                    nursery.start_soon(self._hand_over_when_slow, server)
                    ruling = await _ruled(process, asked.question, self.service)
            finally:
                del self._asked[asked.key]
            server.asking, self._in_doubt = None, False
            server.answered = True
            asked.answer(ruling)

    def _take_next(self) -> PendingQuestion:
        """The oldest question. After a death, the one with most accepted moves: others may be as
        fatal as the last."""
        waiting = self._main.waiting
        if not self._in_doubt:
            return waiting.popleft()
        asked = max(waiting, key=lambda asked: len(asked.question.moves))
        waiting.remove(asked)
        return asked

    # The examiner

    def _suspect(self, asked: PendingQuestion) -> None:
        """Queue it for the examiner, or join the same question there."""
        if asked.key in self._fatal:
            asked.answer(_fatal())
        elif (same := self._suspected.get(asked.key)) is not None:
            same.join(asked)
        elif len(self._second.waiting) < MAX_SUSPECTS:
            self._suspected[asked.key] = asked
            self._second.add(asked)
        elif asked.tries > 1:
            asked.tries -= 1
            self._main.add(asked)
        else:
            self._mark_fatal(asked, "it died of it repeatedly, and other suspects wait")

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
            except DownError as error:
                failures = 1 if self.suspects.questions > answered else failures + 1
                self._tell_down(error, None)
                await trio.sleep(SUSPECTS_BACK_OFF[min(failures, len(SUSPECTS_BACK_OFF) - 1)])

    async def _examine(self, process: RefereeProcess) -> None:
        """Ask all suspect questions, until none came for `IDLE_TIMEOUT`."""
        while True:
            if not self._second.waiting:
                await self._second.listen(process, IDLE_TIMEOUT)
                if not self._second.waiting:
                    return
            asked = self._second.waiting[0]
            try:
                await process.rule(self._before(asked.question))
            except DownError as error:
                self._postpone(asked, error)
                raise
            try:
                ruling = await _ruled(process, asked.question, self.suspects)
            except DownError as error:
                self._count_death(asked, error)
                raise
            self._remove_first()
            asked.answer(ruling)

    def _before(self, question: Question) -> Question:
        """The position before the move, which a referee has accepted before."""
        if question.moves:
            return Question(question.start, question.moves[:-1])
        return Question(self.rules.starts[0] if self.rules.starts else None)

    def _postpone(self, asked: PendingQuestion, error: DownError) -> None:
        """A process failed before the question, which is not to blame; others come first now."""
        asked.failures -= 1
        if asked.failures > 0:
            self._second.waiting.rotate(-1)
            return
        self._remove_first()
        asked.answer(Unanswered(f"it fails repeatedly at the position before: {error}"))

    def _count_death(self, asked: PendingQuestion, error: DownError) -> None:
        """A process accepted the position before the move and died of the move; others come
        first."""
        asked.tries -= 1
        if asked.tries > 0:
            self._second.waiting.rotate(-1)
            return
        self._remove_first()
        self._mark_fatal(asked, str(error))

    def _mark_fatal(self, asked: PendingQuestion, why: str) -> None:
        """Remember the question as fatal, and answer it."""
        self._fatal[asked.key] = None
        if len(self._fatal) > MAX_FATAL:
            del self._fatal[next(iter(self._fatal))]
        start, moves = asked.question.start or "startpos", asked.question.moves
        what = {"start": start, "ply": len(moves), "move": moves[-1] if moves else ""}
        LOG.warning("question is fatal to the referee", game=self.rules.name, why=why, **what)
        asked.answer(_fatal())

    def _remove_first(self) -> None:
        asked = self._second.waiting.popleft()
        del self._suspected[asked.key]

    # Both

    def _tell_down(self, error: Exception, asked: PendingQuestion | None) -> None:
        name, why = self.rules.name, str(error)
        waiting = len(self._main.waiting) + len(self._second.waiting) + (asked is not None)
        LOG.warning("referee is down", game=name, why=why, waiting=waiting)


async def _ruled(process: RefereeProcess, question: Question, service: AnswerTimes) -> Ruling:
    began = trio.current_time()
    ruling = await process.rule(question)
    service.note(trio.current_time() - began)
    return ruling


def _fatal() -> Fatal:
    return Fatal("the referee cannot take it")
