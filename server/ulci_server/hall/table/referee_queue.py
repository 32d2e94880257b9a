"""Questions to a referee and the tasks that wait for the answers."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b

import trio

from ulci.rules import Illegal
from ulci.rules.refereed import Question, Ruling

from .referee_process import RefereeProcess

# Freshly started processes that may die of a question at which the main one died, until the
# question is to blame: it might have been killed by chance once, not thrice.
TRIES = 2

# Processes that may fail at the position before a suspect move, which the main process has taken,
# until the game ends without a result: some minutes' worth of back-offs, as a machine may be slow.
MAX_FAILURES = 30

OnRuling = Callable[[Ruling], None]


@dataclass(slots=True)
class AnswerTimes:
    """Answer times of a process since the server started, s."""

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
class PendingQuestion:
    """A question and its callbacks. tries, failures: how often a fresh process may still die of it,
    or fail before it. refused: the answer of a question that no process is to be asked."""

    question: Question
    key: bytes
    then: list[OnRuling] = field(default_factory=list)
    tries: int = TRIES
    failures: int = MAX_FAILURES
    refused: Illegal | None = None

    def join(self, same: "PendingQuestion") -> None:
        """Who asks the same gets the same answer."""
        self.then += same.then
        self.tries = max(self.tries, same.tries)

    def answer(self, ruling: Ruling) -> None:
        """Call back all that asked."""
        for then in self.then:
            then(ruling)


class QuestionQueue:
    """Questions that wait for a process."""

    def __init__(self) -> None:
        self.waiting: deque[PendingQuestion] = deque()
        self._idle = trio.CancelScope()

    def add(self, asked: PendingQuestion) -> None:
        self.waiting.append(asked)
        self._idle.cancel()

    async def listen(self, process: RefereeProcess, seconds: float) -> None:
        """Read from the process until a question comes, for `seconds` at most."""
        with trio.move_on_after(seconds) as self._idle:
            await process.listen()

    async def wait(self) -> None:
        """Wait for a question, without a process."""
        with trio.CancelScope() as self._idle:
            await trio.sleep_forever()


def question_key(question: Question) -> bytes:
    """A hash of start and moves."""
    words = "\n".join([question.start or "", *question.moves])
    return blake2b(words.encode(errors="surrogatepass"), digest_size=16).digest()
