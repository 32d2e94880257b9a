"""What has been read of a command line so far: fields by their names, not yet checked."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .keys import ENGINE, OPTION
from .values import Key, MatchError, read_pairs


@dataclass(slots=True)
class Draft:
    """fields: of `MatchSettings` and `Schedule`. groups: of what is a value of its own, such as
    `PgnOutput`. engines: of each `Entrant`, and ``tc`` and other limits. each: words for all
    engines, which are read once all are known."""

    fields: dict[str, Any] = field(default_factory=dict)
    groups: dict[str, dict[str, Any]] = field(default_factory=dict)
    engines: list[dict[str, Any]] = field(default_factory=list)
    each: list[str] = field(default_factory=list)


Fill = Callable[[Draft, Sequence[str]], None]
"""Notes the values of an option."""


def sets(name: str, value: object = True) -> Fill:
    """An option without values."""

    def fill(draft: Draft, _: Sequence[str]) -> None:
        draft.fields[name] = value

    return fill


def reads(name: str, read: Callable[[str], Any], group: str | None = None) -> Fill:
    """An option with one value; group: of what group the field is, if of one."""

    def fill(draft: Draft, values: Sequence[str]) -> None:
        fields = draft.fields if group is None else draft.groups.setdefault(group, {})
        fields[name] = read(values[0])

    return fill


def joins(name: str) -> Fill:
    """An option with words of a text."""

    def fill(draft: Draft, values: Sequence[str]) -> None:
        draft.fields[name] = " ".join(values)

    return fill


def opens(name: str, keys: Mapping[str, Key], bare: str = "") -> Fill:
    """An option with ``key=value`` words that make up a value of its own. bare: the key that may be
    left out, if its value comes first."""

    def fill(draft: Draft, values: Sequence[str]) -> None:
        if bare and values and "=" not in values[0]:
            values = [f"{bare}={values[0]}", *values[1:]]
        fields = read_pairs(name, split(name, values), keys)
        draft.groups.setdefault(name, {}).update(fields)

    return fill


def spreads(name: str, keys: Mapping[str, Key]) -> Fill:
    """An option with ``key=value`` words that are fields of the match."""

    def fill(draft: Draft, values: Sequence[str]) -> None:
        draft.fields.update(read_pairs(name, split(name, values), keys))

    return fill


def split(option: str, values: Sequence[str]) -> list[tuple[str, str]]:
    """``key=value`` words. Only options of engines may be empty.

    Raises:
        MatchError: a word is none.
    """
    pairs = []
    for each in values:
        key, equals, value = each.partition("=")
        if not key or not equals or not (value or key.startswith(OPTION)):
            raise MatchError(f'Option "-{option}" expects key=value pairs, got "{each}".')
        pairs.append((key, value))
    return pairs


def engine(draft: Draft, values: Sequence[str]) -> None:
    """Another engine."""
    draft.engines.append({})
    extend(draft.engines[-1], "engine", values)


def for_each(draft: Draft, values: Sequence[str]) -> None:
    """What holds for all engines."""
    draft.each += values


def extend(fields: dict[str, Any], option: str, values: Sequence[str]) -> None:
    """More about an engine: what comes later counts."""
    pairs = split(option, values)
    own = [(key, value) for key, value in pairs if key.startswith(OPTION)]
    fields.update(
        read_pairs(option, [pair for pair in pairs if not pair[0].startswith(OPTION)], ENGINE)
    )
    options = fields.setdefault("options", {})
    for key, value in own:
        if not (name := key.removeprefix(OPTION)):
            raise MatchError(f'Option "-{option}" has "{key}" without a name of an option.')
        options[name] = value
