"""The msgpack map of each message, derived from the annotations of its fields.

Unset fields are omitted; the class tells which fields are required, and their types.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from types import NoneType, UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from msgspec import NODEFAULT
from msgspec.structs import fields

from ulci.protocol.lobby.lines import UnknownLine, read_untrusted

from . import messages as say
from .lobby import commands
from .messages import Message, kinds_of
from .text import LARGEST, control_in, one_line

VERBS: Mapping[type, str] = {
    say.Hello: "uci",
    say.NewGame: "ucinewgame",
    say.HelloOk: "uciok",
    # every other verb of UCI is the class's own name, as in text
    **{
        kind: kind.__name__.lower()
        for kind in kinds_of(Message)
        if kind not in (say.Hello, say.NewGame, say.HelloOk)
    },
    **{row.kind: row.word for row in commands.ROWS},
}


class WrongError(Exception):
    """A wrong value and its place. Internal: a codec turns it into a protocol error."""


# Readers of values, from the annotation of their field


Reader = Callable[[Any], Any]


def _read_text(value: Any) -> str:
    if not isinstance(value, str):
        raise WrongError("must be a text")
    if not value.isprintable() and (junk := control_in(value)):
        raise WrongError(f"holds the control character {junk!r}")
    return " ".join(value.split())


def _read_shown(value: Any) -> str:
    """A text that other people will read: unprintable characters are removed."""
    return one_line(_read_text(value))


def read_word(value: Any) -> str:
    """One word, such as a move. Raises WrongError."""
    if not isinstance(value, str) or value.split() != [value] or control_in(value):
        raise WrongError("must be one word without blanks")
    return value


def _read_number(value: Any) -> int:
    if type(value) is not int or not -LARGEST <= value <= LARGEST:
        raise WrongError("must be a whole number of at most 64 bits")
    return value


def _read_flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise WrongError("must be true or false")
    return value


def _read_one_of(choices: tuple[str, ...], kind: Callable[[str], str]) -> Reader:
    def read(value: Any) -> str:
        if not isinstance(value, str) or value not in choices:
            raise WrongError(f"must be one of {', '.join(choices)}")
        return kind(value)

    return read


def read_list(item: Reader, length: int | None) -> Reader:
    """A reader of lists, of any length or of one."""

    def read(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list) or length not in (None, len(value)):
            raise WrongError("must be a list" if length is None else f"must be a list of {length}")
        return tuple([item(each) for each in value])

    return read


# Fields that hold one word, not a text.
_WORDS = frozenset({
    "key", "move", "ponder", "currmove", "moves", "searchmoves", "pv", "refutation", "words",
    "game", "time", "color",
})  # fmt: skip


# Messages whose texts are shown to other people.
_SHOWN = frozenset({say.Id, say.Terms, *say.PLAYER_COMMANDS})


def _read_str(kind: type, field: str) -> Reader:
    text = _read_shown if kind in _SHOWN else _read_text
    if field not in _WORDS:
        return text
    return (lambda value: text(read_word(value))) if kind in _SHOWN else read_word


def _reader(hint: Any, read_str: Reader) -> Reader:
    if isinstance(hint, UnionType):  # always "or None", and None is never packed
        (hint,) = (each for each in get_args(hint) if each is not NoneType)
        return _reader(hint, read_str)
    if get_origin(hint) is Literal:
        return _read_one_of(get_args(hint), str)
    if get_origin(hint) is Sequence:
        (each,) = get_args(hint)
        return read_list(_reader(each, read_str), None)
    if get_origin(hint) is tuple:
        item, *rest = get_args(hint)
        return read_list(_reader(item, read_str), None if rest == [Ellipsis] else 1 + len(rest))
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return _read_one_of(tuple(hint), hint)
    simple: Mapping[Any, Reader] = {str: read_str, int: _read_number, bool: _read_flag}
    return simple[hint] if hint in simple else Layout(hint).read


class Layout:
    """Packs and unpacks the fields of one structure."""

    def __init__(self, kind: type) -> None:
        self.kind = kind
        hints = get_type_hints(kind)
        self._defaults = {each.name: each.default for each in fields(kind)}
        self._readers = {
            each.name: _reader(hints[each.name], _read_str(kind, each.name))
            for each in fields(kind)
        }
        self._needed = {each.name for each in fields(kind) if each.default is NODEFAULT}

    def pack(self, value: object) -> dict[str, Any]:
        """The fields that are set."""
        packed = {}
        for name, default in self._defaults.items():
            field = getattr(value, name)
            if field != default:
                nested = LAYOUTS.get(type(field))
                packed[name] = field if nested is None else nested.pack(field)
        return packed

    def read(self, value: Any) -> Any:
        """The message in a peer's map. Unknown keys are skipped; raises WrongError."""
        if not isinstance(value, dict):
            raise WrongError("must be a map")
        taken = {}
        for name, read in self._readers.items():
            if name in value:
                try:
                    taken[name] = read(value[name])
                except WrongError as wrong:
                    raise WrongError(f"{name} {wrong}") from None
        if lacking := self._needed - taken.keys():
            raise WrongError(f"{' and '.join(sorted(lacking))} is missing")
        return self.kind(**taken)


class LobbyLayout(Layout):
    """A lobby line, packed as its words."""

    def __init__(self) -> None:
        super().__init__(UnknownLine)

    def pack(self, value: Any) -> dict[str, Any]:
        return {"words": value.words}

    def read(self, value: Any) -> Any:
        return say.Lobby(read_untrusted(super().read(value).words))


LAYOUTS: dict[type, Layout] = {
    kind: Layout(kind) for kind in (*VERBS, say.Score, say.CurrLine, say.Terms) if kind != say.Lobby
}
LAYOUTS[say.Lobby] = LobbyLayout()
