"""What is wrong with a bot.toml: the line, the setting, what stood there and what to write."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from pydantic_core import ErrorDetails

Place = tuple[str | int, ...]
"""Where a setting is: ``("engine", 1, "command")``."""

# Least similarity of a word that is suggested for an unknown one.
CLOSE = 0.75

# Characters shown of a text.
SHOWN = 60


@dataclass(frozen=True, slots=True)
class Fault:
    """`where`: ``engine[1].command``, empty for the file as a whole. `line`: from 1, 0 if the
    setting is not in the file."""

    where: str
    text: str
    line: int = 0

    def __str__(self) -> str:
        line = f"line {self.line}: " if self.line else ""
        where = f"{self.where}: " if self.where else ""
        return f"{line}{where}{self.text}"


class ConfigError(Exception):
    """All faults of a file, in the order of its lines."""

    def __init__(self, source: str, faults: Iterable[Fault]) -> None:
        self.faults = tuple(sorted(faults, key=lambda fault: fault.line))
        count = "1 error" if len(self.faults) == 1 else f"{len(self.faults)} errors"
        super().__init__("\n  ".join([f"{source} has {count}:", *map(str, self.faults)]))


def toml_path(place: Sequence[str | int]) -> str:
    """``engine[1].command``."""
    path = ""
    for part in place:
        path += f"[{part}]" if isinstance(part, int) else f".{part}"
    return path.lstrip(".")


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


# By the validator's type of error: what should have stood there. The texts of our own validators
# ("value_error") come through as they are.
_EXPECTED: Mapping[str, str] = {
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "string_type": "a text in quotes",
    "path_type": "a path in quotes",
    "tuple_type": "a list, in [ ]",
    "dict_type": "a table",
    "model_type": "a table",
    "greater_than": "a number above {gt:g}",
    "greater_than_equal": "a number from {ge:g} up",
    "less_than_equal": "a number up to {le:g}",
    "literal_error": "one of {expected}",
    "too_short": 'the program and its arguments, such as ["/usr/games/stockfish"]',
}


def translated(error: ErrorDetails, known: Mapping[str, Sequence[str]]) -> tuple[Place, str]:
    """What the validator found, and where; `known`: the settings of every table, by its path
    without numbers."""
    place = error["loc"]
    if error["type"] == "extra_forbidden":
        return place, _unknown(place, known)
    if error["type"] == "missing":
        return place, "is missing"
    if (expected := _EXPECTED.get(error["type"])) is not None:
        wanted = expected.format(**error.get("ctx", {})).replace("'", '"')
        text = f"must be {wanted}, not {toml(error['input'])}"
        if error["type"] == "tuple_type" and isinstance(error["input"], dict):
            text += f"; write [[{toml_path(place)}]], with two brackets each"
        return place, text
    return place, error["msg"].removeprefix("Value error, ")


def _unknown(place: Place, known: Mapping[str, Sequence[str]]) -> str:
    """A setting misspelled, or one of another table."""
    key = str(place[-1])
    here = ".".join(part for part in place[:-1] if isinstance(part, str))
    near = get_close_matches(key, known[here], n=1, cutoff=CLOSE)
    if near:
        return f"is no setting; did you mean {near[0]}?"
    for table, keys in known.items():
        if key in keys:
            head = f"[{table}]" if table else "the head of the file, above the first table"
            return f"does not belong here but into {head}"
    return f"is no setting; there are: {', '.join(known[here])}"
