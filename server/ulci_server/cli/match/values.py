"""From the text of a value on the command line to the value."""

import math
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ulci.settings import nearest
from ulci_server.game import Control, Controls
from ulci_server.game.time_control import LIMITS

T = TypeVar("T")


class MatchError(ValueError):
    """This command line makes no match. The text is for people; the exit code is 1."""


MOST = 10**9
"""Of anything that is counted, if nothing else bounds it."""

LONGEST_NUMBER = 20
"""Digits that are read: as many as 2^64 has."""


def whole(least: int = 0, most: int = MOST) -> Callable[[str], int]:
    """A whole number between bounds."""

    def read(text: str) -> int:
        digits = text.removeprefix("-")
        if not (digits.isascii() and digits.isdigit()) or len(digits) > LONGEST_NUMBER:
            raise MatchError(f'Invalid numeric value: "{text}"')
        if not least <= int(text) <= most:
            raise MatchError(
                f'Invalid numeric value: "{text}" (a whole number from {least} to {most})'
            )
        return int(text)

    return read


def decimal(text: str) -> float:
    """A finite number."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise MatchError(f'Invalid numeric value: "{text}"')
    return number


def one_of(values: Mapping[str, T]) -> Callable[[str], T]:
    """One of the words given."""

    def read(text: str) -> T:
        if text in values:
            return values[text]
        words = [f'"{word}"' for word in values]
        said = f"must be {', '.join(words[:-1])} or {words[-1]}"
        raise MatchError(f'Invalid parameter ({said}): "{text}"')

    return read


boolean = one_of({"true": True, "false": False})
on_or_off = one_of({"on": True, "off": False})


def path(text: str) -> Path:
    return Path(text)


def arguments(text: str) -> tuple[str, ...]:
    """Of a program, as a shell would split them."""
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise MatchError(f'Invalid arguments "{text}": {error}') from None


def name(text: str) -> str:
    """A name that fits on a line."""
    if not text.isprintable() or not text.strip():
        raise MatchError(f'Invalid name: "{ascii(text)[1:-1]}"')
    return text


def processors(text: str) -> tuple[int, ...]:
    """``3,5,7-11,13``, in this order.

    Raises:
        MatchError: it is no such list, or a number occurs twice.
    """
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        if not all(each.isascii() and each.isdigit() for each in (first, last or first)):
            raise MatchError(f'Bad cpu list: "{text}"')
        if len(first) > 4 or len(last) > 4 or (dash and not (last and int(first) < int(last))):
            raise MatchError(f'Bad cpu list: "{text}"')
        found += range(int(first), int(last or first) + 1)
    if len({*found}) < len(found):
        raise MatchError(f'Bad cpu list: "{text}" has a processor twice')
    return tuple(found)


def limit(name: str) -> Callable[[str], int]:
    """The amount of one of `LIMITS`."""
    return whole(1, LIMITS[name])


def control_of(notation: str, text: str) -> Control:
    """A time control in our notation, for a `text` of the command line."""
    try:
        return Controls.parse(notation).white
    except ValueError as error:
        expected = getattr(error, "expected", "")
        raise MatchError(f'Invalid time control: "{text}"; expected {expected}') from None


@dataclass(frozen=True, slots=True)
class Key:
    """A key of ``key=value`` words: the field that it fills, and how its value is read. many: each
    word adds a value; otherwise the last one counts."""

    field: str
    read: Callable[[str], Any]
    many: bool = False


def read_pairs(
    option: str, pairs: Iterable[tuple[str, str]], keys: Mapping[str, Key]
) -> dict[str, Any]:
    """The fields of a group of ``key=value`` words.

    Raises:
        MatchError: a key is unknown, or its value does not fit.
    """
    fields: dict[str, Any] = {}
    for word, text in pairs:
        if word not in keys:
            raise MatchError(
                f'Unrecognized {option} option "{word}" with value "{text}"; {nearest(word, keys)}'
            )
        key = keys[word]
        value = key.read(text)
        fields[key.field] = (*fields.get(key.field, ()), value) if key.many else value
    return fields
