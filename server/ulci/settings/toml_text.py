"""From a TOML text to tables, and where each setting stands, which `tomllib` does not tell."""

import re
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

from .errors import ConfigError, Fault, SettingPath


class NotTomlError(Exception):
    """The text is not TOML: why, and in which line and column, if that is known."""


HINT = "texts, times too, are in quotes; numbers, true and false are not"
"""What helps most often."""

_TWICE = (
    (
        re.compile(r"Cannot overwrite a value|Duplicate inline table key .*"),
        "this is set already, or is a table already",
        "every setting stands once: keep one of the lines",
    ),
    (
        re.compile(r"Cannot declare .* twice"),
        "this table is there already",
        "every table stands once: put all its settings under the first of its lines",
    ),
    (
        re.compile(r"Cannot mutate immutable namespace .*"),
        "this belongs to a table that is closed, as it was written in one line",
        "write it between the braces, or in brackets there, too",
    ),
)
"""Texts of `tomllib` that are a programmer's, what they say, and what helps then."""


def read_file(path: Path) -> tuple[str, dict[str, Any]]:
    """The text of a file and its tables. Raises ConfigError."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        return text, parse(text)
    except UnicodeDecodeError as error:
        what = f"must be a text in UTF-8, but has byte {error.object[error.start]:#x}"
    except OSError as error:
        what = f"cannot be read: {error.strerror}"
    except NotTomlError as error:
        what = str(error)
    raise ConfigError(str(path), [Fault("", what)])


_AT = re.compile(
    r"(?P<what>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end .*)\)", re.DOTALL
)


MOST_NESTED = 100
"""Lists and tables within each other. At the limit of Python's stack, which a reader of deeper ones
comes to, also what is cleaned up at that moment fails, whoever it belongs to."""

_BRACKET = re.compile(r"[][{}]")


def nests_deeply(text: str) -> bool:
    """Whether TOML or JSON may nest deeper than `MOST_NESTED`: brackets in strings count, too."""
    depth = 0
    for bracket in _BRACKET.finditer(text):
        depth += 1 if bracket[0] in "[{" else -1
        if depth > MOST_NESTED:
            return True
    return False


def parse(text: str) -> dict[str, Any]:
    """Raises NotTomlError."""
    if nests_deeply(text):
        raise NotTomlError("is not TOML: its lists or tables are nested too deeply")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _AT.fullmatch(str(error))
        if found is None:
            raise NotTomlError(f"is not TOML: {error}") from None
        lines = text.splitlines() or [""]
        line = int(found["line"] or len(lines))
        column = int(found["column"] or len(lines[-1]) + 1)
        what, hint = found["what"][:1].lower() + found["what"][1:], HINT
        for text_of_library, plainly, help_ in _TWICE:
            if text_of_library.fullmatch(found["what"]):
                what, hint = plainly, help_
        shown = lines[line - 1].strip() if line <= len(lines) else ""
        where = f"line {line}, column {column}"
        raise NotTomlError(f"{where}: {what}: {shown}\n    {hint}") from None


def lines_of(text: str) -> dict[SettingPath, int]:
    """The line of every table, setting and element of a list, in a text that `parse` has read."""
    scanner = _Scanner(text)
    with suppress(ValueError):  # an error without its line is better than none
        scanner.document()
    return scanner.lines


_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_KEY = re.compile(r"[\w-]+|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'")
_DOT = re.compile(r"[ \t]*\.[ \t]*")
_STRING = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'',
    re.DOTALL,
)
_SCALAR = re.compile(r"[^,\]}\n#]*")


class _Scanner:
    """Walks through a valid text. `lines`: what it has passed."""

    def __init__(self, text: str) -> None:
        self.lines: dict[SettingPath, int] = {}
        self._text = text
        self._at = 0
        self._line, self._counted = 1, 0
        self._arrays: dict[SettingPath, int] = {}  # of tables, and how many there are so far

    def document(self) -> None:
        here: SettingPath = ()
        self._pass(_BLANK)
        while self._at < len(self._text):
            if self._next("["):
                here = self._header()
            else:
                self._setting(here)
            self._pass(_BLANK)

    def _header(self) -> SettingPath:
        double = self._next("[")
        self._pass(_BLANK)
        *above, last = self._key()
        here: SettingPath = ()
        for part in above:
            here = (*here, part)
            self._note(here)
            here = self._inside(here)
        here = (*here, last)
        self._note(here)
        if double:
            count = self._arrays.get(here, 0)
            self._arrays[here] = count + 1
            here = (*here, count)
            self._note(here)
        else:
            here = self._inside(here)
        self._at = self._text.index("]", self._at) + 1 + double
        return here

    def _inside(self, place: SettingPath) -> SettingPath:
        """A name of an array of tables means its last table."""
        count = self._arrays.get(place)
        return place if count is None else (*place, count - 1)

    def _setting(self, table: SettingPath) -> None:
        place = table
        for part in self._key():
            place = (*place, part)
            self._note(place)
        self._at = self._text.index("=", self._at) + 1
        self._value(place)

    def _key(self) -> list[str]:
        parts = []
        while True:
            parts.append(self._pass(_KEY).strip("\"'"))
            if not self._pass(_DOT):
                return parts

    def _value(self, place: SettingPath) -> None:
        self._pass(_BLANK)
        self._note(place)
        if self._next("["):
            number = 0
            while not self._closed("]"):
                self._value((*place, number))
                number += 1
        elif self._next("{"):
            while not self._closed("}"):
                self._setting(place)
        elif not self._pass(_STRING):
            self._pass(_SCALAR)

    def _closed(self, bracket: str) -> bool:
        """Behind the comma, if there is one; whether the list or table ends here."""
        self._pass(_BLANK)
        self._next(",")
        self._pass(_BLANK)
        return self._next(bracket)

    def _next(self, character: str) -> bool:
        """Pass it if it comes next."""
        found = self._text.startswith(character, self._at)
        self._at += found
        return found

    def _pass(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self._at)
        if found is None:
            return ""
        self._at = found.end()
        return found[0]

    def _note(self, place: SettingPath) -> None:
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        self.lines.setdefault(place, self._line)
