"""What a row of a course is."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from .findings import Severity
from .visit import Visit


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that is examined. `advice` is what to do if the answer never comes.

    silence: how bad that is. option: done only if the engine offers it. last: the engine is not
    used after it.
    """

    name: str
    clause: str
    advice: str
    run: Callable[[Visit], Awaitable[None]]
    option: str = ""
    silence: Severity = Severity.FAULT
    last: bool = False


Course = Sequence[Step]
