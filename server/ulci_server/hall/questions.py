"""What is a program asked that only UGI has words for?"""

from collections import deque
from collections.abc import Callable, Sequence

from ulci.net import Peer
from ulci.protocol.messages import Query

Answers = tuple[str, ...]


class Questions:
    """To one peer. It answers them in their order."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._asked: deque[tuple[int, Callable[[Answers], None]]] = deque()
        self._answers: list[str] = []

    def ask(self, questions: Sequence[str], then: Callable[[Answers], None]) -> bool:
        """Call `then` with the answers when all have come; False if the peer is asked nothing, as
        its dialect has no words for that."""
        queries = [Query(question) for question in questions]
        if not all(map(self._peer.connection.dialect.can_say, queries)):
            return False
        self._asked.append((len(queries), then))
        self._peer.put(*queries)
        return True

    def hear(self, answer: str) -> None:
        """An answer that nobody asked for means nothing."""
        if not self._asked:
            return
        self._answers.append(answer)
        number, then = self._asked[0]
        if len(self._answers) == number:
            self._asked.popleft()
            answers, self._answers = tuple(self._answers), []
            then(answers)
