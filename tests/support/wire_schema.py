"""The schema of all that servers of a cluster say to each other: what a file keeps of it.

`python -m tests.support.wire_schema` writes the file anew. It refuses to as long as servers that
speak the same version could not read each other: then `SPEAKS` is to be raised first.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec import NODEFAULT, inspect

from ulci.rules import Reason
from ulci_server.bus import frames
from ulci_server.cluster import messages

FILE = Path(__file__).parents[1] / "ulci_server/cluster/wire_schema.json"
COMMAND = "python -m tests.support.wire_schema"

STORED: Mapping[type, str] = {Reason: "as the column games.reason allows"}
"""Enumerations whose values a column of the database lists. With another value comes another
version of the tables, and servers of two versions of these cannot share a database."""

Schema = dict[str, Any]
"""As in the file: each type by its name. Fields that travel with their names are a mapping from
those to their types, and defaults after an equals sign. Fields that travel in order, and the values
of an enumeration, are a list."""

_WITH_FIELDS = inspect.StructType | inspect.DataclassType | inspect.TypedDictType
_NAMED = _WITH_FIELDS | inspect.NamedTupleType | inspect.EnumType
_PLAIN = {"IntType": "int", "StrType": "str", "FloatType": "float", "BoolType": "bool"}
_LIMITS = ("ge", "gt", "le", "lt", "multiple_of", "min_length", "max_length", "pattern")


def schema(kinds: object = messages.AnyMessage, speaks: int = messages.SPEAKS) -> Schema:
    """What servers that speak this version send each other."""
    return _Writer(inspect.type_info(kinds)).written(speaks)


class _Writer:
    def __init__(self, kinds: inspect.Type) -> None:
        assert isinstance(kinds, inspect.UnionType)
        self._kinds = kinds.types
        self._found: dict[type, _NAMED] = {}
        for kind in self._kinds:
            self._find(kind)
        self._same = Counter(cls.__name__ for cls in self._found)

    def _find(self, kind: inspect.Type) -> None:
        if isinstance(kind, _NAMED):
            if kind.cls in self._found:
                return
            self._found[kind.cls] = kind
        for part in _parts(kind):
            self._find(part)

    def written(self, speaks: int) -> Schema:
        layout = inspect.type_info(frames.Layout)
        assert isinstance(layout, inspect.TupleType)
        types = {self._name(cls): self._type(kind) for cls, kind in self._found.items()}
        return {
            "speaks": speaks,
            "frame": [f"version {frames.VERSION}", *map(self._spell, layout.item_types)],
            "messages": sorted(map(self._spell, self._kinds)),
            "types": dict(sorted(types.items())),
        }

    def _name(self, cls: type) -> str:
        if self._same[cls.__name__] == 1 or cls.__module__ == messages.__name__:
            return cls.__name__
        return f"{cls.__module__.rpartition('.')[2]}.{cls.__name__}"

    def _type(self, kind: _NAMED) -> list[Any] | dict[str, str]:
        if kind.cls in STORED:
            return [STORED[kind.cls]]
        if isinstance(kind, inspect.EnumType):
            return [member.value for member in kind.cls]
        fields = {field.encode_name: self._field(field) for field in kind.fields}
        if isinstance(kind, inspect.NamedTupleType) or getattr(kind, "array_like", False):
            return [f"{name}: {spelled}" for name, spelled in fields.items()]
        if isinstance(kind, inspect.StructType) and kind.tag is not None:
            fields = {f"({kind.tag_field})": str(kind.tag), **fields}
        return fields

    def _field(self, field: inspect.Field) -> str:
        spelled = self._spell(field.type)
        if field.required:
            return spelled
        default = field.default
        if default is NODEFAULT:
            assert field.default_factory is not NODEFAULT
            default = field.default_factory()
        if isinstance(default, frozenset):
            default = sorted(default)
        return f"{spelled} = {default!r}"

    def _spell(self, kind: inspect.Type) -> str:
        if isinstance(kind, _NAMED):
            return self._name(kind.cls)
        name = type(kind).__name__
        inner = [self._spell(part) for part in _parts(kind)]
        if isinstance(kind, inspect.UnionType):
            return " | ".join(sorted(inner, key=lambda part: (part == "none", part)))
        if isinstance(kind, inspect.LiteralType):
            inner = [repr(value) for value in sorted(kind.values)]
        limits = {limit: getattr(kind, limit, None) for limit in _LIMITS}
        inner += [f"{limit} {value}" for limit, value in limits.items() if value is not None]
        plain = _PLAIN.get(name, name.removesuffix("Type").lower())
        return f"{plain}[{', '.join(inner)}]" if inner else plain


def _parts(kind: inspect.Type) -> Iterable[inspect.Type]:
    if isinstance(kind, inspect.UnionType):
        return kind.types
    if isinstance(kind, inspect.TupleType):
        return kind.item_types
    if isinstance(kind, inspect.DictType):
        return kind.key_type, kind.value_type
    if isinstance(kind, _WITH_FIELDS | inspect.NamedTupleType):
        return [field.type for field in kind.fields]
    item = getattr(kind, "item_type", None)
    return () if item is None else (item,)


def kept() -> Schema:
    """The schema in the file."""
    return json.loads(FILE.read_text())


def unreadable(before: Schema, now: Schema) -> list[str]:
    """What a server of the one schema could not read of the other. A new field with a default is
    left out by the older one and has its default at the newer one."""
    wrong = [what for what in ("frame", "messages") if before[what] != now[what]]
    for name, was in before["types"].items():
        wrong += _unreadable(name, was, now["types"].get(name))
    return wrong


def _unreadable(name: str, was: list[Any] | Mapping[str, str], now: Any) -> list[str]:
    if not isinstance(was, Mapping) or not isinstance(now, Mapping):
        return [] if was == now else [name]
    changed = [field for field in was if now.get(field) != was[field]]
    new = [field for field in now if field not in was and " = " not in now[field]]
    return [f"{name}.{field}" for field in (*changed, *new)]


def problem(before: Schema, now: Schema) -> str:
    """What is to be done before the schema may be as it is now; empty: nothing."""
    if before == now:
        return ""
    wrong = unreadable(before, now) if before["speaks"] == now["speaks"] else []
    if not wrong:
        return f"what servers say to each other has changed; run: {COMMAND}"
    return (
        f"servers that speak {now['speaks']} could not read each other: {', '.join(wrong)} changed."
        f" Raise SPEAKS in {messages.__name__}, then run: {COMMAND}"
    )


def main() -> None:
    now = schema()
    if FILE.exists():
        before = kept()
        if before["speaks"] == now["speaks"] and unreadable(before, now):
            sys.exit(problem(before, now))
    FILE.write_text(json.dumps(now, indent=2) + "\n")


if __name__ == "__main__":
    main()
