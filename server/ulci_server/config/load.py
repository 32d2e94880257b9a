"""Loads a file into a `Config`, with all errors at once and their lines."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ulci.net import Address
from ulci.rules import GAMES
from ulci.settings import (
    BASE,
    ConfigError,
    Fault,
    Known,
    SettingPath,
    Wording,
    known_settings,
    lines_of,
    nearest,
    read_file,
    toml_path,
    translated,
)

from .fields import BOOKS, REFEREED
from .sections import Config

WORDING = Wording(
    "expected {wanted}, found {found}",
    "; its head is [[{path}]], with two brackets each",
    {
        "tuple_type": "a list of tables",
        "string_pattern_mismatch": "one word of letters, digits and _ . + -, at most 40 of them",
    },
)

Settings = Mapping[str, Any]
"""The settings of a file: tables by name, and lists."""

NO_FILE = "the configuration"
"""The source of faults where there is no file."""


def load(
    path: Path | None = None, changes: Settings | None = None, *, books: bool = True
) -> Config:
    """Read a file (None: all defaults). `changes` are laid over it: tables key by key, lists whole.
    `books`: open those of pools, which takes seconds for large ones.

    Raises:
        ConfigError: everything that is wrong with it.
    """
    changes = changes or {}
    text, settings = ("", {}) if path is None else read_file(path)
    settings = _laid_over(settings, changes)
    found = [*_between_tables(settings)]
    try:
        refereed = [name for _, name in _texts(settings, "game", "name")]
        context = {BASE: path.parent if path else Path(), REFEREED: refereed, BOOKS: books}
        config = Config.model_validate(settings, context=context)
    except ValidationError as error:
        errors = error.errors(include_url=False)
        found = [*(translated(one, KNOWN, WORDING) for one in errors), *found]
    if found:
        lines = lines_of(text)
        faults = [
            Fault.at(place, what, {} if _changed(place, changes) else lines)
            for place, what in found
        ]
        raise ConfigError(NO_FILE if path is None else str(path), faults)
    return config


def _changed(place: SettingPath, changes: Settings) -> bool:
    """Whether the setting is not that of the file."""
    head, *below = place
    change = changes.get(str(head))
    if isinstance(change, dict):
        return bool(below) and below[0] in change
    return head in changes


def _laid_over(settings: Settings, changes: Settings) -> dict[str, Any]:
    both = dict(settings)
    for key, value in changes.items():
        below = settings.get(key)
        if isinstance(value, dict) and isinstance(below, dict):
            both[key] = {**below, **value}
        else:
            both[key] = value
    return both


KNOWN: Known = known_settings(Config)
"""The settings of every table."""


# Faults between tables. The checks use the settings as read, valid or not, so that one fault never
# hides another.


def _between_tables(settings: Settings) -> Iterator[tuple[SettingPath, str]]:
    names = [*_texts(settings, "pool", "name")]
    yield from _twice("pool", "name", names)
    yield from _twice("game", "name", [*_texts(settings, "game", "name")])
    yield from _twice("listen", "address", _sockets(settings))
    default_pools = Config.model_fields["pool"].default
    known = [name for _, name in names] or [table.name for table in default_pools]
    for index, pool in _texts(settings, "listen", "pool"):
        if pool not in known:
            text = f"there is no pool {pool!r}; {nearest(pool, set(known))}"
            yield ("listen", index, "pool"), text
    yield from _twice("engine", "name", [*_texts(settings, "engine", "name")])
    yield from _unknown_in_engines(settings, {*known})
    yield from _without_tablebases(settings)
    yield from _without_a_name(settings)


def _without_a_name(settings: Settings) -> Iterator[tuple[SettingPath, str]]:
    """The fault of a wire log for each name on a server without a name: it would be named by its
    process, and each start would make files that nothing removes."""
    log, cluster = settings.get("wire_log"), settings.get("cluster")
    file = log.get("file") if isinstance(log, dict) else None
    named = isinstance(cluster, dict) and cluster.get("name")
    if isinstance(file, str) and "{name}" in file and not named:
        yield ("wire_log", "file"), '{name} needs the name of this server: [cluster] name = "NAME"'


def _unknown_in_engines(
    settings: Settings, pools: Collection[str]
) -> Iterator[tuple[SettingPath, str]]:
    """Faults of engines that name unknown pools and games."""
    games = {*GAMES, *(name for _, name in _texts(settings, "game", "name"))}
    for key, what, known in (("pools", "pool", pools), ("games", "game", games)):
        for index, table in _tables(settings, "engine"):
            names = table.get(key)
            for number, name in enumerate(names if isinstance(names, list | tuple) else ()):
                if isinstance(name, str) and name not in known:
                    text = f"there is no {what} {name!r}; {nearest(name, {*known})}"
                    yield ("engine", index, key, number), text


def _without_tablebases(settings: Settings) -> Iterator[tuple[SettingPath, str]]:
    tables = settings.get("tablebases")
    if isinstance(tables, dict) and tables.get("paths"):
        return
    pools = settings.get("pool")
    for index, pool in enumerate(pools if isinstance(pools, list) else ()):
        if isinstance(pool, dict) and pool.get("tablebases") is True:
            text = 'needs to know where they are: [tablebases] paths = ["FOLDER"]'
            yield ("pool", index, "tablebases"), text


def _texts(settings: Settings, name: str, key: str) -> Iterator[tuple[int, str]]:
    """The texts under that key in an array of tables, each with the index of its table."""
    for index, table in _tables(settings, name):
        if isinstance(table.get(key), str):
            yield index, table[key]


def _tables(settings: Settings, name: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The tables of an array, each with its index."""
    tables = settings.get(name)
    for index, table in enumerate(tables if isinstance(tables, list) else ()):
        if isinstance(table, dict):
            yield index, table


def _sockets(settings: Settings) -> Iterator[tuple[int, str]]:
    """The host and port of every listener that has a certain one."""
    for index, url in _texts(settings, "listen", "address"):
        try:
            address = Address.parse(url)
        except ValueError:
            continue
        if address.port:
            yield index, f"{address.host}:{address.port}"


def _twice(
    name: str, key: str, values: Iterable[tuple[int, str]]
) -> Iterator[tuple[SettingPath, str]]:
    first: dict[str, int] = {}
    for index, value in values:
        if (earlier := first.setdefault(value, index)) != index:
            yield (name, index, key), f"{value!r} is taken by {toml_path((name, earlier))}"
