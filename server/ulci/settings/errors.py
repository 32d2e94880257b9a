"""What is wrong with a file: the line, the setting, what stood there and what to write."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, get_args

from pydantic import BaseModel
from pydantic_core import ErrorDetails

SettingPath = tuple[str | int, ...]
"""Where a setting is: ``("pool", 1, "time")``."""

Known = Mapping[str, Sequence[str]]
"""The settings of every table, by its path without numbers."""

CLOSE = 0.8
"""Minimum similarity of a suggested word: ``ches`` is chess, ``chess959`` may be anything."""

SHOWN = 60
"""Characters of a text, enough to find it by."""


@dataclass(frozen=True, slots=True)
class Fault:
    """`where`: ``pool[1].time``, empty for the file as a whole. `line`: from 1; 0 if the setting is
    not in the file."""

    where: str
    text: str
    line: int = 0

    def __str__(self) -> str:
        line = f"line {self.line}: " if self.line else ""
        where = f"{self.where}: " if self.where else ""
        return f"{line}{where}{self.text}"

    @staticmethod
    def at(place: SettingPath, text: str, lines: Mapping[SettingPath, int]) -> "Fault":
        """With the line of the setting, or of the table that lacks it."""
        known = (place[:end] for end in range(len(place), 0, -1))
        return Fault(toml_path(place), text, next((lines[p] for p in known if p in lines), 0))


class ConfigError(Exception):
    """All faults of a file, in the order of its lines."""

    def __init__(self, source: str, faults: Iterable[Fault]) -> None:
        self.source = source
        self.faults = tuple(sorted(faults, key=lambda fault: fault.line))
        count = "1 error" if len(self.faults) == 1 else f"{len(self.faults)} errors"
        super().__init__("\n  ".join([f"{source} has {count}:", *map(str, self.faults)]))


def nearest(word: str, known: Iterable[str]) -> str:
    """``did you mean ready?``, or all there are."""
    words = sorted(known)
    if close := get_close_matches(word, words, n=1, cutoff=CLOSE):
        return f"did you mean {close[0]}?"
    return f"there are: {', '.join(words)}"


def toml_path(place: Sequence[str | int]) -> str:
    """``("pool", 1, "time")`` as ``pool[1].time``."""
    path = ""
    for part in place:
        path += f"[{part}]" if isinstance(part, int) else f".{part}"
    return path.lstrip(".").replace(".line ", " line ")


def toml(value: Any) -> str:
    """A value as the file has it, shortened to what a person needs to find it."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            cut = "…" if len(value) > SHOWN else ""
            return '"' + value[:SHOWN].encode("unicode_escape").decode() + cut + '"'
        case dict():
            return "a table"
        case list():
            return "a list"
        case _:
            return str(value)


@dataclass(frozen=True, slots=True)
class Wording:
    """How a program tells what it found. wrong: of {wanted} and {found}. array: after it, for a
    table where a list of tables belongs, of {path}. wanted: by the validator's type of error, what
    should have stood there, beside what all programs say."""

    wrong: str
    array: str
    wanted: Mapping[str, str] = field(default_factory=dict)

    def told(self, error: ErrorDetails) -> str | None:
        """None: the validator's text is our own ("value_error")."""
        wanted = {**_WANTED, **self.wanted}.get(error["type"])
        if wanted is None:
            return None
        wanted = wanted.format(**error.get("ctx", {})).replace("'", '"')
        text = self.wrong.format(wanted=wanted, found=toml(error["input"]))
        if error["type"] == "tuple_type" and isinstance(error["input"], dict):
            text += self.array.format(path=toml_path(error["loc"]))
        return text


_WANTED: Mapping[str, str] = {
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "string_type": "a text in quotes",
    "path_type": "a path in quotes",
    "dict_type": "a table",
    "model_type": "a table",
    "greater_than": "a number above {gt:g}",
    "greater_than_equal": "a number from {ge:g} up",
    "less_than_equal": "a number up to {le:g}",
    "literal_error": "one of {expected}",
}

_PASSWORD = re.compile(r"(://[^:/@\s'\"]*):[^\s'\"]*@")


def without_password(text: str) -> str:
    """Faults are printed and logged; the passwords of addresses are not."""
    return _PASSWORD.sub(r"\1:***@", text)


def translated(error: ErrorDetails, known: Known, wording: Wording) -> tuple[SettingPath, str]:
    """What the validator found, and where."""
    place = error["loc"]
    if error["type"] == "extra_forbidden":
        return place, _unknown(place, known)
    if error["type"] == "missing":
        return place, "is missing"
    text = wording.told(error) or error["msg"].removeprefix("Value error, ")
    return place, without_password(text)


def _unknown(place: SettingPath, known: Known) -> str:
    """A setting misspelled, or one of another table."""
    key = str(place[-1])
    here = known[".".join(part for part in place[:-1] if isinstance(part, str))]
    close = nearest(key, here)
    for table, keys in known.items():
        if key in keys and close.startswith("there are"):
            head = f"[{table}]" if table else "the head of the file, above the first table"
            return f"does not belong here but into {head}"
    return f"is no setting; {close}"


def known_settings(table: type[BaseModel], path: str = "") -> dict[str, list[str]]:
    """Those of a table, and of the tables in it."""
    known = {path: [*table.model_fields]}
    for name, described in table.model_fields.items():
        for kind in (described.annotation, *get_args(described.annotation)):
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                known |= known_settings(kind, f"{path}.{name}".lstrip("."))
    return known
