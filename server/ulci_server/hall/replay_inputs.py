"""What a hall learns from the database and the machine, beside what its clients say.

A recording keeps each input, and a replay gives it back without asking anybody. So inputs are what
JSON can say: text, numbers, lists and tables of them.
"""

from collections.abc import Awaitable, Callable
from typing import TypeVar

Value = TypeVar("Value")


class Inputs:
    """As they come: the inputs of a server that neither records nor replays."""

    def read(self, what: str, source: Callable[[], Value]) -> Value:  # noqa: ARG002
        """What `source` gives now. `what`: the name under which it is recorded."""
        return source()

    async def ask(self, work: Callable[[], Awaitable[Value]]) -> Value:
        """What the database answers. Raises `StorageError`."""
        return await work()

    def handler(
        self,
        what: str,  # noqa: ARG002
        handle: Callable[[Value], None],
    ) -> Callable[[Value], None]:
        """`handle`, which somebody outside will call; recorded under the name `what`."""
        return handle
