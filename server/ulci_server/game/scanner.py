"""A scanner for notations; its errors name the column, the text there and what was expected."""

import re
from dataclasses import dataclass

LONGEST_TEXT = 500
"""Characters of a time control: enough for the longest valid one (eight stages a side)."""

_SHOWN = 80
"""Characters of the text that an error quotes: people read errors."""

_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]*)?")
_TOKEN = re.compile(r"[0-9.]+|[A-Za-z]+|\s+|.", re.DOTALL)


class ControlError(ValueError):
    """A time control that cannot be read.

    The text is one sentence for its author; `column` counts from 1, `found` is the text there
    (empty: the notation ended too early), `expected` what should be there.
    """

    def __init__(self, text: str, column: int, expected: str) -> None:
        token = _TOKEN.match(text, column - 1)
        self.text = text
        self.column = column
        self.found = token[0][:20] if token else ""
        self.expected = expected
        where = repr(self.found) if self.found else "the end"
        shown = repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")
        super().__init__(
            f"time control {shown}, column {column}: expected {expected}, found {where}"
        )


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written, and its column, so that errors about bounds can point at it."""

    source: str
    column: int
    text: str

    def _fail(self, expected: str) -> ControlError:
        return ControlError(self.source, self.column, expected)

    def whole(self, what: str, least: int, most: int) -> int:
        """The number as a count.

        Raises:
            ControlError: it has a fraction, or lies outside the bounds.
        """
        value = -1 if "." in self.text else int(self.text)
        if least <= value <= most:
            return value
        raise self._fail(f"{what}, a whole number from {least} to {most}")

    def milliseconds(self, what: str, least: int, most: int) -> int:
        """The number, written in seconds, in ms; the bounds are in ms too.

        Raises:
            ControlError: it is finer than a millisecond, or lies outside the bounds.
        """
        seconds, _, fraction = self.text.partition(".")
        value = int(seconds) * 1000 + int(fraction[:3].ljust(3, "0"))
        if len(fraction) <= 3 and least <= value <= most:
            return value
        bounds = f"from {spell_seconds(least)} to {spell_seconds(most)}"
        raise self._fail(f"{what} in seconds {bounds}, at most three decimals")


def spell_seconds(milliseconds: int) -> str:
    """``300``, ``0.6``: seconds without trailing zeros."""
    seconds, rest = divmod(milliseconds, 1000)
    return f"{seconds}.{rest:03}".rstrip("0") if rest else str(seconds)


class Scanner:
    """A text and the position up to which it has been read."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        if len(text) > LONGEST_TEXT:
            raise ControlError(text, LONGEST_TEXT + 1, f"at most {LONGEST_TEXT} characters")

    @property
    def column(self) -> int:
        """The column of the next character, counted from 1."""
        return self._at + 1

    @property
    def ended(self) -> bool:
        return self._at == len(self._text)

    def fail(self, expected: str, column: int | None = None) -> ControlError:
        """The error to raise: `expected` should have stood here (or at `column`)."""
        return ControlError(self._text, column or self.column, expected)

    def take(self, pattern: re.Pattern[str]) -> str | None:
        """Consume and return the match here; None if there is none."""
        match = pattern.match(self._text, self._at)
        if match is None:
            return None
        self._at = match.end()
        return match[0]

    def number(self, what: str) -> Number:
        """Consume the number that must stand here.

        Raises:
            ControlError: there is none, or it stops at its decimal point.
        """
        column = self.column
        text = self.take(_NUMBER)
        if text is None:
            raise self.fail(what)
        if text.endswith("."):
            raise self.fail(f"the decimals of {what}")
        return Number(self._text, column, text)
