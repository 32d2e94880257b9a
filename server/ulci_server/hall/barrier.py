"""Has a client done all that it was told before? It says ``readyok`` when it has."""

from collections import deque
from collections.abc import Callable

import trio

from ulci.net import Peer
from ulci.protocol.messages import IsReady

Answered = Callable[[float], None]
"""Told when the answer came, s."""


class Barrier:
    """Every ``isready`` to one peer. It answers them in their order."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._waiting: deque[Answered] = deque()

    def ask(self, answered: Answered) -> None:
        self.expect(answered)
        self._peer.put(IsReady())

    def expect(self, answered: Answered) -> None:
        """It is asked by what it is about to be told."""
        self._waiting.append(answered)

    def end(self) -> None:
        """Nothing more will be answered."""
        self._waiting.clear()

    @property
    def up(self) -> bool:
        """Whether an answer is still to come."""
        return bool(self._waiting)

    def hear(self, at: float) -> None:
        """An answer; one that nobody waits for means nothing."""
        if self._waiting:
            self._waiting.popleft()(at)

    async def answers_within(self, seconds: float) -> bool:
        """Ask, and wait no longer than that."""
        answered = trio.Event()
        self.ask(lambda _: answered.set())
        with trio.move_on_after(seconds):
            await answered.wait()
        return answered.is_set()
