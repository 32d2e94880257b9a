"""Questions to other servers, whose answers are waited for."""

from collections.abc import Callable
from itertools import count
from typing import Generic, TypeVar

import trio

Answer = TypeVar("Answer")


class Questions(Generic[Answer]):
    """Of one kind, by number."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._open: dict[int, trio.Event] = {}
        self._answers: dict[int, Answer] = {}

    async def ask(self, send: Callable[[int], object], seconds: float) -> Answer | None:
        """The answer to the question that `send` sends under this number; None: none came within
        `seconds`."""
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
        """The answer has come; ignored if nobody waits for it any more."""
        if number in self._open:
            self._answers[number] = answer
            self._open[number].set()
