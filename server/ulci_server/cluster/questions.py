"""Questions to other servers, and the wait for their answers."""

from collections.abc import Callable
from itertools import count
from typing import Generic, TypeVar

import trio

Answer = TypeVar("Answer")


class Questions(Generic[Answer]):
    """Open questions of one kind, by number."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._open: dict[int, trio.Event] = {}
        self._answers: dict[int, Answer] = {}

    async def ask(self, send: Callable[[int], object], seconds: float) -> Answer | None:
        """Have `send` send the question under a new number, and return the answer; None if none
        came within `seconds`."""
        number = next(self._numbers)
        self._open[number] = answered = trio.Event()
        try:
            send(number)
            with trio.move_on_after(seconds):
                await answered.wait()
        finally:
            del self._open[number]
        return self._answers.pop(number, None)

    def hear(self, number: int, answer: Answer) -> None:
        """An answer has come. It is ignored if nobody waits for it any more."""
        if number in self._open:
            self._answers[number] = answer
            self._open[number].set()
