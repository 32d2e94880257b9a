"""Regular expressions that the user gives, searched for in what engines print.

`regex` searches, and not `re`: some patterns take years for one line, and `re` keeps all threads of
the program waiting meanwhile. `regex` lets other threads run and has a time limit. It is imported
only when a pattern is given, as that takes 30 ms.
"""

import time
from collections.abc import Sequence
from typing import Any

from .values import MatchError

MOST_SECONDS = 10.0
"""For the lines of one game. A usual pattern takes some ms, so that one is at fault that takes
longer."""


class SlowPatternError(Exception):
    """The search for a pattern takes too long."""


class LinePattern:
    """Raises `MatchError`: the text is no regular expression."""

    def __init__(self, text: str) -> None:
        import regex

        try:
            self._compiled: Any = regex.compile(text)
        except regex.error as error:
            raise MatchError(f'Invalid regular expression "{text}": {error}') from None
        self.text = text

    def last(self, lines: Sequence[str], deadline: float) -> str | None:
        """The last line that matches. deadline: by `time.monotonic` (s).

        Raises:
            SlowPatternError: it has not been found by then.
        """
        for line in reversed(lines):
            left = max(0.0, deadline - time.monotonic())
            try:
                if self._compiled.search(line, timeout=left) is not None:
                    return line
            except TimeoutError:
                raise SlowPatternError from None
        return None


def pattern(text: str) -> str:
    """The text of one, if it is one."""
    return LinePattern(text).text
