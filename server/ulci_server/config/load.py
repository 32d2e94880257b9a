"""Loads a file into a `Config`, with all errors at once, and picks the settings for a recording."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn, get_args

from pydantic import BaseModel, ValidationError

from ulci.net import Address

from .errors import ConfigError, Fault, nearest, toml_path, translated
from .fields import BASE, REFEREED
from .pool_table import PoolTable
from .sections import Config
from .start_files import USUAL

Settings = Mapping[str, Any]
"""As TOML has them: tables by name, and lists."""

NO_FILE = "the configuration"
"""The source of faults where there is no file."""


def load(path: Path | None = None, changes: Settings | None = None) -> Config:
    """Read a file (None: all defaults). `changes` are laid over it: tables key by key, lists whole.

    Raises:
        ConfigError: everything that is wrong with it.
    """
    source = str(path) if path is not None else NO_FILE
    settings = read_settings(path, changes)
    faults = [*_between_tables(settings)]
    try:
        refereed = [name for _, name in _texts(settings, "game", "name")]
        context = {BASE: path.parent if path else Path(), REFEREED: refereed}
        config = Config.model_validate(settings, context=context)
    except ValidationError as error:
        found = [translated(fault, KNOWN) for fault in error.errors(include_url=False)]
        raise ConfigError(source, [*found, *faults]) from None
    if faults:
        raise ConfigError(source, faults)
    return config


def read_settings(path: Path | None = None, changes: Settings | None = None) -> dict[str, Any]:
    """What `load` makes a `Config` of. Raises `ConfigError` if there is no such text."""
    return _laid_over(_read(path) if path is not None else {}, changes or {})


def _read(path: Path) -> dict[str, Any]:
    def fail(text: str) -> NoReturn:
        raise ConfigError(str(path), [Fault("", text)])

    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        fail(f"expected a text in UTF-8, found byte {error.object[error.start]:#x}")
    except OSError as error:
        fail(f"cannot be read: {error.strerror}")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        fail(_syntax(str(error), text))


_AT = re.compile(r"(?P<what>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end .*)\)")


def _syntax(words: str, text: str) -> str:
    """``line 3, column 8: invalid value: time = 180+2``, with what helps most often."""
    found = _AT.fullmatch(words)
    lines = text.splitlines() or [""]
    if found is None:
        return f"is not TOML: {words}"
    line = int(found["line"] or len(lines))
    column = found["column"] or len(lines[-1]) + 1
    what = found["what"][:1].lower() + found["what"][1:]
    shown = lines[line - 1].strip() if line <= len(lines) else ""
    return f"line {line}, column {column}: {what}: {shown}\n    texts, times too, are in quotes"


def _laid_over(settings: Settings, changes: Settings) -> dict[str, Any]:
    both = dict(settings)
    for key, value in changes.items():
        below = settings.get(key)
        if isinstance(value, dict) and isinstance(below, dict):
            both[key] = {**below, **value}
        else:
            both[key] = value
    return both


def _known(table: type[BaseModel], path: str = "") -> dict[str, list[str]]:
    """The keys of a table and of those below it, by path without indices."""
    known = {path: [*table.model_fields]}
    for name, field in table.model_fields.items():
        for kind in (field.annotation, *get_args(field.annotation)):
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                known |= _known(kind, f"{path}.{name}".lstrip("."))
    return known


KNOWN: Mapping[str, list[str]] = _known(Config)
"""The keys of every table."""


# What no table can see by itself. It is looked for in what was read, whether valid or not, so that
# one fault never hides another.


def _between_tables(settings: Settings) -> Iterator[Fault]:
    names = [*_texts(settings, "pool", "name")]
    yield from _twice("pool", "name", names)
    yield from _twice("game", "name", [*_texts(settings, "game", "name")])
    yield from _twice("listen", "address", _sockets(settings))
    known = [name for _, name in names] or [table.name for table in _default_pools()]
    for index, pool in _texts(settings, "listen", "pool"):
        if pool not in known:
            where = toml_path(("listen", index, "pool"))
            yield Fault(where, f"there is no pool {pool!r}; {nearest(pool, set(known))}")
    yield from _without_tablebases(settings)


def _without_tablebases(settings: Settings) -> Iterator[Fault]:
    tables = settings.get("tablebases")
    if isinstance(tables, dict) and tables.get("paths"):
        return
    pools = settings.get("pool")
    for index, pool in enumerate(pools if isinstance(pools, list) else ()):
        if isinstance(pool, dict) and pool.get("tablebases") is True:
            text = 'needs to know where they are: [tablebases] paths = ["FOLDER"]'
            yield Fault(toml_path(("pool", index, "tablebases")), text)


def _default_pools() -> Iterable[Any]:
    return Config.model_fields["pool"].default  # type: ignore[no-any-return]


def _texts(settings: Settings, name: str, key: str) -> Iterator[tuple[int, str]]:
    """The texts under that key in an array of tables, each with the index of its table."""
    tables = settings.get(name)
    for index, table in enumerate(tables if isinstance(tables, list) else ()):
        if isinstance(table, dict) and isinstance(table.get(key), str):
            yield index, table[key]


def _sockets(settings: Settings) -> Iterator[tuple[int, str]]:
    """The host and port of every listener that has a certain one."""
    for index, url in _texts(settings, "listen", "address"):
        try:
            address = Address.parse(url)
        except ValueError:
            continue
        if address.port:
            yield index, f"{address.host}:{address.port}"


def _twice(name: str, key: str, values: Iterable[tuple[int, str]]) -> Iterator[Fault]:
    first: dict[str, int] = {}
    for index, value in values:
        if (earlier := first.setdefault(value, index)) != index:
            where = toml_path((name, index, key))
            yield Fault(where, f"{value!r} is taken by {toml_path((name, earlier))}")


KEPT = ("play", "clients", "limits", "pool")
"""Tables on which the conversation depends."""


def recorded_settings(settings: Settings, config: Config) -> dict[str, Any]:
    """The settings that a recording depends on, as JSON and without secrets; a book's positions
    replace its path."""
    kept = {key: settings[key] for key in KEPT if key in settings}
    if "pool" in kept:
        kept["pool"] = [
            _without_file(pool, table)
            for pool, table in zip(kept["pool"], config.pool, strict=True)
        ]
    if config.tablebases.paths:
        kept["tablebases"] = {"paths": [str(path.absolute()) for path in config.tablebases.paths]}
    return kept


def settings_of_recording(settings: Settings, version: int) -> dict[str, Any]:
    """The settings to replay a recording of format `version`, with the defaults of its time."""
    if version > 1:
        return {**settings}
    return {**settings, "clients": {"pause": 0, **settings.get("clients", {})}}


def _without_file(pool: Settings, table: PoolTable) -> dict[str, Any]:
    kept = {key: value for key, value in pool.items() if key != "starts_file"}
    if table.starts_file is not None:
        kept["starts"] = [start or USUAL for start in table.starts_file]
    return kept
