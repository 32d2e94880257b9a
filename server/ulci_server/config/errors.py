"""Errors of a configuration, in the words of the file instead of the validator's."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from pydantic_core import ErrorDetails


@dataclass(frozen=True, slots=True)
class Fault:
    """`where` is the TOML path (``pool[1].time``), empty for the file as a whole; `text` says what
    stood there and what was expected."""

    where: str
    text: str

    def __str__(self) -> str:
        return f"{self.where}: {self.text}" if self.where else self.text


class ConfigError(Exception):
    """All faults of a configuration."""

    def __init__(self, source: str, faults: Sequence[Fault]) -> None:
        self.source = source
        self.faults = tuple(faults)
        count = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        super().__init__("\n  ".join([f"{source} has {count}:", *map(str, faults)]))


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
            cut = "…" if len(value) > _SHOWN else ""
            return '"' + value[:_SHOWN].encode("unicode_escape").decode() + cut + '"'
        case dict():
            return "a table"
        case list():
            return "a list"
        case _:
            return str(value)


_SHOWN = 60
"""Characters of a text, enough to find it by."""

CLOSE = 0.8
"""Minimum similarity of a suggested word: ``ches`` is chess, ``chess959`` may be anything."""

# What the validator says, and what should have stood there. Texts of our own come through as they
# are: the types "value_error" and "start".
_EXPECTED: Mapping[str, str] = {
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "string_type": "a text in quotes",
    "path_type": "a path in quotes",
    "tuple_type": "a list of tables",
    "model_type": "a table",
    "greater_than": "a number above {gt:g}",
    "greater_than_equal": "a number from {ge:g} up",
    "less_than_equal": "a number up to {le:g}",
    "literal_error": "one of {expected}",
    "string_pattern_mismatch": "one word of letters, digits and _ . + -, at most 40 of them",
}

_PASSWORD = re.compile(r"(://[^:/@\s'\"]*):[^\s'\"]*@")


def translated(error: ErrorDetails, known: Mapping[str, Iterable[str]]) -> Fault:
    """What the validator found; `known`: the keys of every table, by its path without indices."""
    place = error["loc"]
    if error["type"] == "extra_forbidden":
        text = _unknown(place, known)
    elif error["type"] == "missing":
        text = "is missing"
    elif (expected := _EXPECTED.get(error["type"])) is not None:
        wanted = expected.format(**error.get("ctx", {})).replace("'", '"')
        text = f"expected {wanted}, found {toml(error['input'])}"
        if error["type"] == "tuple_type" and isinstance(error["input"], dict):
            text += f"; its head is [[{toml_path(place)}]], with two brackets each"
    else:
        text = error["msg"].removeprefix("Value error, ")
    return Fault(toml_path(place), without_password(text))


def without_password(text: str) -> str:
    """Faults are printed and logged; the passwords of addresses are not."""
    return _PASSWORD.sub(r"\1:***@", text)


def _unknown(place: Sequence[str | int], known: Mapping[str, Iterable[str]]) -> str:
    """The text for an unknown key: another one misspelled, or one of another table."""
    key = str(place[-1])
    here = ".".join(part for part in place[:-1] if isinstance(part, str))
    for table, keys in known.items():
        if key in keys:
            head = f"[{table}]" if table else "the head of the file, above the first table"
            return f"does not belong here but into {head}"
    return f"is no setting; {nearest(key, known[here])}"
