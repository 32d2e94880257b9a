"""Reads a bot.toml into a `Config`, with all errors at once and the line of each."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn, get_args

from pydantic import BaseModel, ValidationError

from .errors import ConfigError, Fault, Place, toml, toml_path, translated
from .fields import BASE
from .sections import Config
from .time_control import costs_untrusted


def load(path: Path) -> Config:
    """Raises ConfigError: everything that is wrong with the file."""
    text = _read(path)
    settings = _parsed(path, text)
    found = [*_between(settings)]
    try:
        config = Config.model_validate(settings, context={BASE: path.parent})
    except ValidationError as error:
        found += [translated(one, KNOWN) for one in error.errors(include_url=False)]
    if found:
        raise located(path, found)
    return config


def located(path: Path, found: Iterable[tuple[Place, str]]) -> ConfigError:
    """The error for what is wrong in these places of the file, with their lines."""
    lines = lines_of(_read(path))
    return ConfigError(str(path), [_fault(place, what, lines) for place, what in found])


def _fault(place: Place, text: str, lines: Mapping[Place, int]) -> Fault:
    """With the line of the setting, or of the table that lacks it."""
    line = next((lines[place[:end]] for end in range(len(place), 0, -1) if place[:end] in lines), 0)
    return Fault(toml_path(place), text, line)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        _fail(path, f"must be a text in UTF-8, but has byte {error.object[error.start]:#x}")
    except OSError as error:
        _fail(path, f"cannot be read: {error.strerror}")


def _fail(path: Path, text: str, line: int = 0) -> NoReturn:
    raise ConfigError(str(path), [Fault("", text, line)]) from None


_AT = re.compile(r"(?P<what>.*) \(at (?:line (?P<line>\d+), column \d+|end .*)\)", re.DOTALL)


def _parsed(path: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _AT.fullmatch(str(error))
        lines = text.splitlines() or [""]
        line = int(found["line"] or len(lines)) if found else 0
        what = found["what"] if found else str(error)
        shown = lines[line - 1].strip() if 0 < line <= len(lines) else ""
        _fail(
            path,
            f"{what[:1].lower()}{what[1:]}: {shown}\n"
            "    texts, times too, are in quotes; numbers, true and false are not",
            line,
        )


# Where a setting stands. tomllib does not tell; the file was read by it already, so it is valid.

_HEAD = re.compile(r"\s*(?P<open>\[\[?)\s*(?P<name>[\w.\"' -]+?)\s*\]\]?\s*(?:#.*)?")
_KEY = re.compile(r"\s*(?P<key>[\w-]+|\"[^\"]*\"|'[^']*')\s*=")


def lines_of(text: str) -> dict[Place, int]:
    """The line of every table and setting that begins a line; of others that of their table."""
    lines: dict[Place, int] = {}
    counts: dict[str, int] = {}
    here: Place = ()
    for number, line in enumerate(text.splitlines(), 1):
        if found := _HEAD.fullmatch(line):
            name = found["name"]
            here = (name,)
            if found["open"] == "[[":
                here = (name, counts.get(name, 0))
                counts[name] = counts.get(name, 0) + 1
                lines.setdefault((name,), number)
            lines.setdefault(here, number)
        elif found := _KEY.match(line):
            lines.setdefault((*here, found["key"].strip("\"'")), number)
    return lines


def _known(table: type[BaseModel], path: str = "") -> dict[str, list[str]]:
    known = {path: [*table.model_fields]}
    for name, field in table.model_fields.items():
        for kind in (field.annotation, *get_args(field.annotation)):
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                known |= _known(kind, f"{path}.{name}".lstrip("."))
    return known


KNOWN: Mapping[str, Sequence[str]] = _known(Config)
"""The settings of every table, by its path."""


# What no table can see by itself. It is looked for in what was read, whether valid or not, so that
# one error never hides another.


def _between(settings: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    limits, seek = _table(settings, "limits"), _table(settings, "seek")
    concurrency = settings.get("concurrency", 1)
    kept = limits.get("kept_for_people", 0)
    if isinstance(kept, int) and isinstance(concurrency, int) and kept > concurrency:
        text = f"must be at most concurrency, which is {concurrency}, not {kept}"
        yield ("limits", "kept_for_people"), text
    if (
        settings.get("msgpack") is True
        and "ws" not in str(settings.get("server")).partition(":")[0]
    ):
        yield ("msgpack",), 'needs a server of ws:// or wss://, such as "wss://chess.example"'
    yield from _times(settings, seek)
    yield from _engines(settings)


def _times(settings: Mapping[str, Any], seek: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    times: list[tuple[Place, Any]] = [(("seek", "time"), seek.get("time"))]
    drawn = _table(settings, "matchmaking").get("times")
    if isinstance(drawn, list):
        times += [(("matchmaking", "times", at), time) for at, time in enumerate(drawn)]
    for place, time in times:
        if isinstance(time, str) and not costs_untrusted(time):
            text = f'must be a time control in seconds such as "300+3", not {toml(time)}'
            yield place, text


def _engines(settings: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    engines, seek = settings.get("engine"), _table(settings, "seek")
    several = isinstance(engines, list) and len(engines) > 1
    if several and seek.get("when") != "never" and not seek.get("game"):
        yield ("seek", "game"), 'must be named, since there are several engines: game = "chess"'
    first: dict[str, int] = {}
    for at, engine in enumerate(engines if isinstance(engines, list) else ()):
        games = engine.get("games") if isinstance(engine, dict) else None
        for game in games if isinstance(games, list) and games else [""]:
            if isinstance(game, str) and (earlier := first.setdefault(game, at)) != at:
                whose = f"engine[{earlier}]"
                what = (
                    f"{game} is played by {whose} already"
                    if game
                    else (f"must name the games of this engine: {whose} plays all others")
                )
                yield ("engine", at, "games"), what


def _table(settings: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = settings.get(name)
    return table if isinstance(table, dict) else {}
