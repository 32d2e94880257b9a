"""Answers that a client owes: ``readyok`` to ``isready``, ``response`` to UGI's ``query``."""

from collections.abc import Callable, Sequence

import trio

from ulci.net import Peer
from ulci.protocol.messages import IsReady, Query

OnReady = Callable[[float], None]
"""Called with the arrival time of the answer, s."""


class ReadyQueue:
    """Open ``isready`` of one peer, answered in order."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._waiting: list[OnReady] = []

    def ask(self, answered: OnReady) -> None:
        self.expect(answered)
        self._peer.put(IsReady())

    def expect(self, answered: OnReady) -> None:
        """The caller sends the ``isready`` itself."""
        self._waiting.append(answered)

    def end(self) -> None:
        """Drop the callbacks: the peer has gone."""
        self._waiting.clear()

    @property
    def awaits_answer(self) -> bool:
        """Whether a ``readyok`` is owed."""
        return bool(self._waiting)

    def hear(self, at: float) -> None:
        """A ``readyok`` came; ignored if none is owed."""
        if self._waiting:
            self._waiting.pop(0)(at)

    async def answers_within(self, seconds: float) -> bool:
        """Send ``isready``; whether ``readyok`` comes within `seconds`."""
        answered = trio.Event()
        self.ask(lambda _: answered.set())
        with trio.move_on_after(seconds):
            await answered.wait()
        return answered.is_set()


Answers = tuple[str, ...]


class UgiQueries:
    """UGI queries to one peer, one batch at a time."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._then: Callable[[Answers], None] | None = None
        self._missing = 0
        self._answers: list[str] = []

    def ask(self, texts: Sequence[str], then: Callable[[Answers], None]) -> bool:
        """Call `then` with the answers when all have come. False, and nothing is sent, if the
        dialect has no ``query`` or older answers are still owed."""
        queries = [Query(text) for text in texts]
        can_say = self._peer.connection.dialect.can_say
        if self._then is not None or not all(map(can_say, queries)):
            return False
        self._then, self._missing = then, len(queries)
        self._peer.put(*queries)
        return True

    def end(self) -> None:
        """Drop the callback: the peer has gone."""
        self._then = None
        self._answers = []

    def hear(self, answer: str) -> None:
        """An answer came; ignored if none is owed."""
        if self._then is None:
            return
        self._answers.append(answer)
        if len(self._answers) == self._missing:
            then, self._then = self._then, None
            answers, self._answers = tuple(self._answers), []
            then(answers)
