"""A row of the lobby's tables: a class, and the template by which its lines are written and read.

    Row(ChallengeDecline, "declined ID by NAME [TEXT]")
    Row(OpenSeek, "seek ID", "player NAME … rated yes|no [start FEN]")
    Row(ErrorLine, "error CODE TEXT")

The first template is the head: words and values that stand in this place. The second are pairs of
a key and a value, in any order. A word in capitals, or choices with ``|`` between, stand for a
value: the first one for the first field of the class, the second for the second, and so on. `KINDS`
says what may stand there; capitals that are not among them stand for any one word. What is in
brackets is left out where it is the field's default, and so is a pair that another server did not
say: whatever was read can be written.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Generic, TypeVar

from msgspec.structs import FieldInfo, fields

from ulci.protocol.errors import LocalProtocolError
from ulci.protocol.text import filled, number_in, word, words

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Kind:
    """What may stand for a value. `rest`: all words up to the end of the line, else one word.

    `read` raises ValueError, `write` LocalProtocolError, for what is no such value.
    """

    read: Callable[[str], Any]
    write: Callable[[Any], str]
    rest: bool = False


# Nobody waits longer for a move, and no clock of a game that is counted in days is helped by more.
LONGEST_GIFT = 24 * 60 * 60 * 1000
"""ms."""

MOST_RATING = 9999
"""The highest rating that a range may name."""

_SECONDS = re.compile(r"([0-9]{1,5})(?:\.([0-9]{1,3}))?")


def _number(least: int) -> Kind:
    def read(text: str) -> int:
        if (number := number_in(text, least)) is None:
            raise ValueError
        return number

    def write(number: int) -> str:
        if number is None or number < least:
            raise LocalProtocolError(f"{number} is no number from {least} on")
        return str(number)

    return Kind(read, write)


def _read_seconds(text: str) -> int:
    found = _SECONDS.fullmatch(text)
    ms = int(found[1]) * 1000 + int((found[2] or "").ljust(3, "0")) if found else 0
    if not 1 <= ms <= LONGEST_GIFT:
        raise ValueError
    return ms


def _write_seconds(ms: int) -> str:
    if not 1 <= ms <= LONGEST_GIFT:
        raise LocalProtocolError(f"{ms} ms is not from 1 ms to a day")
    seconds, ms = divmod(ms, 1000)
    return f"{seconds}.{ms:03}".rstrip("0") if ms else str(seconds)


_RANGE = re.compile(r"([0-9]{1,4})-([0-9]{1,4})")


def _read_range(text: str) -> tuple[int, int]:
    """Two numbers, the lower one first."""
    found = _RANGE.fullmatch(text)
    if found is None or int(found[1]) > int(found[2]):
        raise ValueError
    return int(found[1]), int(found[2])


def _write_range(both: tuple[int, int]) -> str:
    low, high = both
    if not 0 <= low <= high <= MOST_RATING:
        raise LocalProtocolError(f"{low}-{high} is no range of ratings")
    return f"{low}-{high}"


def _read_start(text: str) -> str:
    """A position as one word, in which _ stands for a blank."""
    if not text.strip("_"):
        raise ValueError
    return text.replace("_", " ")


def _choice(choices: Mapping[str, Any]) -> Kind:
    spelled = {value: text for text, value in choices.items()}

    def read(text: str) -> Any:
        if text not in choices:
            raise ValueError
        return choices[text]

    def write(value: Any) -> str:
        if value not in spelled:
            raise LocalProtocolError(f"{value!r} is none of {', '.join(choices)}")
        return spelled[value]

    return Kind(read, write)


def _read_word(text: str) -> str:
    if len(text.split()) != 1:
        raise ValueError
    return text


_WORD = Kind(str, word)
_NAME = Kind(str, filled)

KINDS: Mapping[str, Kind] = {
    **dict.fromkeys(("ID", "MS", "PLY", "COUNT"), _number(0)),
    **dict.fromkeys(("N", "PLIES"), _number(1)),
    "INVITATION": Kind(_read_word, word),
    "SECONDS": Kind(_read_seconds, _write_seconds),  # a field in ms
    "MIN-MAX": Kind(_read_range, _write_range),
    "FEN": Kind(_read_start, lambda text: "_".join(filled(text).split())),
    "F": Kind(str, filled, rest=True),
    "TEXT": Kind(str, lambda text: " ".join(filled(text).split()), rest=True),
    "WORD...": Kind(lambda text: tuple(text.split()), lambda said: filled(words(said)), rest=True),
}
"""By the word in capitals."""


@dataclass(frozen=True, slots=True)
class Field:
    """A value in a row. `name`: the field of the class. `key`: the word before it, empty in the
    head. `shown`: as the template has it. `optional`: it stands in brackets. `omits`: it is left
    out where it is the default."""

    name: str
    key: str
    shown: str
    kind: Kind
    optional: bool
    omits: bool
    default: Any

    @property
    def choices(self) -> Sequence[str]:
        """What may stand there, if that is a choice."""
        return self.shown.split("|") if "|" in self.shown else ()


class Row(Generic[T]):
    """How the lines of class `kind` are spelled.

    With `grouped` the pairs are the fields of that class, an object of which is the last field of
    `kind`, and a name before them may have several words. `usage` is the whole template, `word` the
    first word of it.
    """

    def __init__(
        self, kind: type[T], head: str, pairs: str = "", grouped: type | None = None
    ) -> None:
        self.kind = kind
        self.usage = f"{head} {pairs}".rstrip()
        self.word = head.partition(" ")[0]
        self.grouped = grouped
        own = _fields(kind)
        group = own.pop().name if grouped is not None else ""
        left = iter([*own, *_fields(grouped)])
        other = _WORD if grouped is None else _NAME
        self.head: Sequence[str | Field] = [
            _field(next(left), "", part, other) if _is_value(part) else part
            for part in head.replace(" ...", "...").split()
        ]
        self.pairs: Mapping[str, Field] = {
            key.strip("["): _field(next(left), key, value) for key, value in _pairs(pairs)
        }
        assert next(left, None) is None, f"{self.usage}: it has no place for every field"
        self._parts, self._tail = self._plan()
        prefix = f"{group}." if group else ""
        names = [f"{prefix}{each.name}" if each.key else each.name for _, each in self._parts]
        # Of one name alone it would give no tuple.
        self._get = attrgetter("__class__", "__class__", *names)
        self._prepare_whole()

    def _plan(self) -> tuple[list[tuple[list[str], Field]], list[str]]:
        """The values with the words before each, and the words after the last."""
        parts: list[tuple[list[str], Field]] = []
        before: list[str] = []
        for part in (*self.head, *self.pairs.values()):
            if isinstance(part, str):
                before.append(part)
            else:
                parts.append((before, part))
                before = []
        return parts, before

    def _prepare_whole(self) -> None:
        """Most lines say all that does not stand in brackets, a word each: they are written as a
        whole, since long lists of them are."""
        said = [(before, field) for before, field in self._parts if not field.optional]
        shown = [[*before, *([field.key] if field.key else []), "%s"] for before, field in said]
        optional = self._parts[len(said) :]
        shown += [before for before, field in optional[:1] if field.key]  # the end of the head
        template = [word for part in shown for word in part] + self._tail
        self._said = len(said)
        self._format = " ".join(template)
        self._blanks = len(template) - 1
        self._spelled = [
            (at, field.kind.write) for at, (_, field) in enumerate(said) if field.kind is not _WORD
        ]
        # Brackets in the head stand before other words.
        ends = all(field.key and not field.kind.rest for _, field in self._parts[len(said) :])
        self._is_words = ends and not any(field.kind.rest for _, field in said) and not self.grouped

    def write(self, line: T) -> str:
        """The line. Raises LocalProtocolError if a value cannot be spelled."""
        values = self._get(line)[2:]
        whole = [*values[: self._said]]
        if self._is_words and None not in whole and "" not in whole:
            for at, spell in self._spelled:
                whole[at] = spell(whole[at])
            text = self._format % tuple(whole)
            # As many blanks as there are between the words: none of these holds one.
            if text.count(" ") == self._blanks and text.isprintable():
                return text + self._optional(values)
        return self._write_one_by_one(values)

    def _optional(self, values: Sequence[Any]) -> str:
        """What stands in brackets at the end of the line."""
        said = ""
        for (_, field), value in zip(self._parts[self._said :], values[self._said :], strict=True):
            if value != field.default:
                said += f" {field.key} {word(field.kind.write(value))}"
        return said

    def _write_one_by_one(self, values: Sequence[Any]) -> str:
        said: list[str] = []
        for (before, field), value in zip(self._parts, values, strict=True):
            said += before
            if field.omits and value == field.default:
                continue
            if field.key:
                said.append(field.key)
            said.append(field.kind.write(value))
        return " ".join([*said, *self._tail])


# Reading templates


def _fields(kind: type | None) -> list[FieldInfo]:
    return [] if kind is None else [*fields(kind)]


def _is_value(part: str) -> bool:
    return "|" in part or part.strip("[].").isupper()


def _pairs(template: str) -> Iterator[tuple[str, str]]:
    """Key and value; both of what stands in brackets have one."""
    parts = iter(template.split())
    for key in parts:
        yield key, next(parts)


def _field(of: Any, key: str, part: str, other: Kind = _WORD) -> Field:
    shown = part.strip("[]")
    kind = _choice(_choices(shown)) if "|" in shown else KINDS.get(shown, other)
    optional = part.endswith("]")
    omits = optional or of.default is None or of.default == ""
    return Field(of.name, key.strip("["), shown, kind, optional, omits, of.default)


def _choices(shown: str) -> Mapping[str, Any]:
    return {"yes": True, "no": False} if shown == "yes|no" else {s: s for s in shown.split("|")}
