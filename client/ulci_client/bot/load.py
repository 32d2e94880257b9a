"""Reads a bot.toml into a `Config`, with all errors at once and the line of each."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ulci.settings import (
    BASE,
    ConfigError,
    Fault,
    Known,
    SettingPath,
    Wording,
    known_settings,
    lines_of,
    read_file,
    toml,
    translated,
)
from ulci.time_control import with_units
from ulci_client.time_cost import costs_untrusted

from .sections import Config

WORDING = Wording(
    "must be {wanted}, not {found}",
    "; write [[{path}]], with two brackets each",
    {
        "tuple_type": "a list, in [ ]",
        "too_short": 'the program and its arguments, such as ["/usr/games/stockfish"]',
    },
)


def load(path: Path) -> Config:
    """Read a bot.toml. Raises ConfigError with every fault of the file."""
    _, settings = read_file(path)
    found = [*_between(settings)]
    try:
        config = Config.model_validate(settings, context={BASE: path.parent})
    except ValidationError as error:
        found += [translated(one, KNOWN, WORDING) for one in error.errors(include_url=False)]
    if found:
        raise located(path, found)
    return config


def located(path: Path, found: Iterable[tuple[SettingPath, str]]) -> ConfigError:
    """The error for faults at these places of the file, with their lines."""
    text, _ = read_file(path)
    lines = lines_of(text)
    return ConfigError(str(path), [Fault.at(place, what, lines) for place, what in found])


KNOWN: Known = known_settings(Config)
"""The settings of every table, by its path."""


# Faults between tables. The checks use the settings as read, valid or not, so that one error never
# hides another.


def _between(settings: Mapping[str, Any]) -> Iterator[tuple[SettingPath, str]]:
    limits, seek = _table(settings, "limits"), _table(settings, "seek")
    concurrency = settings.get("concurrency", 1)
    kept = limits.get("kept_for_people", 0)
    if isinstance(kept, int) and isinstance(concurrency, int) and kept > concurrency:
        text = f"must be at most concurrency, which is {concurrency}, not {kept}"
        yield ("limits", "kept_for_people"), text
    named = settings.get("server")
    servers = named if isinstance(named, list) and named else [named]
    if settings.get("msgpack") is True and not all(
        "ws" in str(server).partition(":")[0] for server in servers
    ):
        yield ("msgpack",), 'needs a server of ws:// or wss://, such as "wss://chess.example"'
    yield from _times(settings, seek)
    yield from _engines(settings)


def _times(
    settings: Mapping[str, Any], seek: Mapping[str, Any]
) -> Iterator[tuple[SettingPath, str]]:
    times: list[tuple[SettingPath, Any]] = [(("seek", "time"), seek.get("time"))]
    drawn = _table(settings, "matchmaking").get("times")
    if isinstance(drawn, list):
        times += [(("matchmaking", "times", at), time) for at, time in enumerate(drawn)]
    for place, time in times:
        if isinstance(time, str) and not costs_untrusted(with_units(time)):
            text = f'must be a time control such as "300+3" or "5m+3s", not {toml(time)}'
            yield place, text


def _engines(settings: Mapping[str, Any]) -> Iterator[tuple[SettingPath, str]]:
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
