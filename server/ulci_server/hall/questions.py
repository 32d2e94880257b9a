"""What is a program asked that only UGI has words for? One thing at a time: who does not answer is
not asked again, so that nothing is kept for answers that never come."""

from collections.abc import Callable, Sequence

from ulci.net import Peer
from ulci.protocol.messages import Query

Answers = tuple[str, ...]


class Questions:
    """To one peer."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._then: Callable[[Answers], None] | None = None
        self._missing = 0
        self._answers: list[str] = []

    def ask(self, questions: Sequence[str], then: Callable[[Answers], None]) -> bool:
        """Call `then` with the answers when all have come; False if the peer is asked nothing, as
        its dialect has no words for that, or as it owes older answers."""
        queries = [Query(question) for question in questions]
        can_say = self._peer.connection.dialect.can_say
        if self._then is not None or not all(map(can_say, queries)):
            return False
        self._then, self._missing = then, len(queries)
        self._peer.put(*queries)
        return True

    def end(self) -> None:
        """Nothing more will be answered."""
        self._then = None
        self._answers = []

    def hear(self, answer: str) -> None:
        """An answer that nobody asked for means nothing."""
        if self._then is None:
            return
        self._answers.append(answer)
        if len(self._answers) == self._missing:
            then, self._then = self._then, None
            answers, self._answers = tuple(self._answers), []
            then(answers)
