"""From what was read to settings: defaults, and what contradicts itself."""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from ulci_server.game import Control, Hourglass, Limit
from ulci_server.game.adjudication import Adjudication, DrawRule, ResignRule
from ulci_server.openings import BookFile, format_of
from ulci_server.statistics import Model, Sprt, SprtError
from ulci_server.storage.export import Detail, RunnerStyle
from ulci_server.tournament import Schedule

from .draft import Draft
from .settings import (
    MOST_ENGINES,
    ConfigFile,
    Entrant,
    EpdOutput,
    LogOutput,
    MatchSettings,
    PgnOutput,
    Style,
    Tablebases,
)
from .time_control import limit_of
from .values import MatchError

T = TypeVar("T")

ROUNDS = 2
"""Without ``-rounds``."""

ROUNDS_OF_A_TEST = 500_000
"""The same with ``-sprt``, which ends it sooner."""

NO_BOOK = (
    "Warning: No opening book specified! Consider using one, otherwise all games will be played"
    " from the starting position."
)

NO_PAIRS = (
    "Warning; Bayesian SPRT model not available with pentanomial statistics. Disabling pentanomial"
    " reports..."
)

NO_CONFIG = (
    "Info: A match is kept in its database (-db), not in a configuration file. The same command"
    " again goes on where it was."
)

_OTHER = {"force_concurrency", "max_moves", "autosave"}
"""What is read of single values beside fields of `Schedule` and `MatchSettings`."""

_OF_SCHEDULE = {each.name for each in fields(Schedule)}
_OF_MATCH = {each.name for each in fields(MatchSettings)}


def complete(draft: Draft, processors: int) -> MatchSettings:
    """The settings of a match.

    Raises:
        MatchError: something is missing or contradicts something else.
    """
    notes: list[str] = []
    said, groups = draft.fields, draft.groups
    assert said.keys() <= _OF_SCHEDULE | _OF_MATCH | _OTHER
    games, rounds = _games(draft)
    concurrency = _concurrency(said, processors, notes.append)
    sprt = _sprt(groups.get("sprt"))
    by_pairs = games == 2 and _by_pairs(said, sprt, notes.append)
    book = _book(draft, notes.append)
    adjudication, tablebases = _adjudication(draft)
    if "config" in groups:
        notes.append(NO_CONFIG)
    entrants = _entrants(draft.engines, notes.append)
    schedule = {name: value for name, value in said.items() if name in _OF_SCHEDULE}
    match: dict[str, Any] = {name: value for name, value in said.items() if name in _OF_MATCH}
    return MatchSettings(
        **match
        | {
            "entrants": entrants,
            "schedule": Schedule(len(entrants), **schedule | {"games": games, "rounds": rounds}),
            "concurrency": concurrency,
            "by_pairs": by_pairs,
            "sprt": sprt,
            "book": book,
            "adjudication": adjudication,
            "tablebases": tablebases,
            "pgn": _pgn(groups.get("pgnout")),
            "epd": _made(EpdOutput, groups.get("epdout")),
            "log": _made(LogOutput, groups.get("log")),
            "config": _made(ConfigFile, groups.get("config")),
            "notes": tuple(notes),
        }
    )


def _by_pairs(said: Mapping[str, Any], sprt: Sprt | None, note: Callable[[str], None]) -> bool:
    asked = said.get("by_pairs", True) and said.get("style") != Style.CUTECHESS
    if asked and sprt is not None and not sprt.takes_pairs:
        note(NO_PAIRS)
        return False
    return bool(asked)


def _made(make: Callable[..., T], said: Mapping[str, Any] | None) -> T | None:
    return None if said is None else make(**said)


def _pgn(said: Mapping[str, Any] | None) -> PgnOutput | None:
    if said is None:
        return None
    rest = dict(said)
    details = frozenset(each for each in Detail if rest.pop(each.value, False))
    style = {key: rest.pop(key) for key in ("notation", "minimal") if key in rest}
    return PgnOutput(**rest, style=RunnerStyle(details=details, **style))


def _games(draft: Draft) -> tuple[int, int]:
    """Games of an opening, and rounds. Some testers mean many games by ``-games``."""
    games = draft.fields.get("games", 2)
    rounds = draft.fields.get("rounds") or (ROUNDS_OF_A_TEST if "sprt" in draft.groups else ROUNDS)
    if "rounds" in draft.fields and not draft.fields["rounds"] and "sprt" not in draft.groups:
        raise MatchError("Error: -rounds must be at least 1")
    if games > 2:
        games, rounds = (rounds, games) if rounds <= 2 else (games, rounds)
    if games > 2:
        raise MatchError(
            "Error: Exceeded -games limit! An opening is played once or twice: -games 2 -rounds N"
        )
    return games, rounds


def _concurrency(said: Mapping[str, Any], processors: int, note: Callable[[str], None]) -> int:
    asked: int = said.get("concurrency", 1)
    if asked <= 0:
        asked = max(1, processors + asked)
        note(
            f"Info: Adjusted concurrency to {asked} based on number of available hardware threads."
        )
    if asked > processors and not said.get("force_concurrency"):
        raise MatchError(
            "Error: Concurrency exceeds number of CPUs. Use -force-concurrency to override."
        )
    return asked


def _sprt(said: Mapping[str, Any] | None) -> Sprt | None:
    if said is None:
        return None
    if missing := [name for name in ("elo0", "elo1") if name not in said]:
        raise MatchError(f"Error; SPRT: {' and '.join(missing)} must be given!")
    try:
        return Sprt(**{"model": Model.NORMALIZED, **said})
    except SprtError as error:
        raise MatchError(f"Error; SPRT: {error}!") from None


def _book(draft: Draft, note: Callable[[str], None]) -> BookFile | None:
    said = dict(draft.groups.get("openings", {}))
    said.pop("policy", None)
    if "path" not in said:
        if draft.fields.get("game") == "chess960":
            raise MatchError("Error: Please specify a Chess960 opening book")
        note(NO_BOOK)
        return None
    format_ = said.pop("format", None) or format_of(said["path"])
    if format_ is None:
        raise MatchError(
            f"Error: Unknown format of the opening book {said['path']}: say format=epd, format=pgn"
            " or format=polyglot"
        )
    plies = said.pop("plies", -1)
    return BookFile(
        format=format_,
        plies=None if plies < 0 else plies,
        seed=draft.fields.get("seed", 0),
        **said,
    )


def _adjudication(draft: Draft) -> tuple[Adjudication, Tablebases | None]:
    groups = draft.groups
    draw = {"after": 0, "moves": 1, "score": 0, **groups["draw"]} if "draw" in groups else None
    resign = {"moves": 1, "score": 0, **groups["resign"]} if "resign" in groups else None
    tablebases = _tablebases(groups.get("tb", {}))
    return Adjudication(
        resign=None if resign is None else ResignRule(**resign),
        draw=None if draw is None else DrawRule(**draw),
        max_moves=draft.fields.get("max_moves"),
        tablebases=tablebases is not None,
    ), tablebases


def _tablebases(said: Mapping[str, Any]) -> Tablebases | None:
    if "folders" not in said:
        return None
    folders = tuple(Path(each) for each in said["folders"].split(os.pathsep) if each)
    if not folders:
        raise MatchError(
            f"Error: Must provide a {os.pathsep}-separated list of Syzygy tablebase directories."
        )
    return Tablebases(**{**said, "folders": folders, "pieces": said.get("pieces") or None})


def _entrants(
    engines: Iterable[dict[str, Any]], note: Callable[[str], None]
) -> tuple[Entrant, ...]:
    said = list(engines)
    if len(said) < 2:
        raise MatchError("Error: Need at least two engines to start!")
    if len(said) > MOST_ENGINES:
        raise MatchError(f"Error: At most {MOST_ENGINES} engines can play a match!")
    remotes = [fields_["remote"] for fields_ in said if fields_.get("remote")]
    for remote in remotes:
        if remotes.count(remote) > 1:
            raise MatchError(f"Error; two engines come in as remote={remote}!")
    names: list[str] = []
    for fields_ in said:
        names.append(_unused(_name(fields_), names))
    entrants = tuple(
        _entrant(fields_, name, note) for fields_, name in zip(said, names, strict=True)
    )
    if len({isinstance(each.control, Hourglass) for each in entrants}) > 1:
        raise MatchError("Error; an hourglass is for all engines or for none!")
    return entrants


def _name(said: Mapping[str, Any]) -> str:
    name: str = said.get("name") or said.get("remote") or Path(said.get("command", "")).stem
    if not name:
        raise MatchError("Error; please specify cmd= (or remote=) for each engine!")
    return name


def _unused(name: str, names: list[str]) -> str:
    """With a number, if another engine has the name."""
    free, number = name, 1
    while free in names:
        number += 1
        free = f"{name}_{number}"
    return free


def _entrant(said: Mapping[str, Any], name: str, note: Callable[[str], None]) -> Entrant:
    rest = dict(said)
    options = tuple(f"{option}={value}" for option, value in rest.pop("options").items())
    if bool(rest.get("command")) is bool(rest.get("remote")):
        raise MatchError(f"Error; {name} needs cmd= or remote=, and not both!")
    control = _control(name, rest.pop("clock", None), rest.pop("move_time", None), rest, note)
    return Entrant(**rest | {"name": name, "options": options, "control": control})


def _control(
    name: str,
    clock: Control | None,
    move_time: int | None,
    said: Mapping[str, Any],
    note: Callable[[str], None],
) -> Control:
    depth, nodes = said.get("depth"), said.get("nodes")
    if clock is not None and move_time is not None:
        raise MatchError("Error; cannot use tc and st together!")
    control = clock or limit_of(move_time, depth, nodes)
    if control is None:
        raise MatchError(
            f"Error; no TimeControl specified! {name} needs tc=, st=, nodes= or depth="
        )
    for limit, amount in (Limit("depth", depth or 0), depth), (Limit("nodes", nodes or 0), nodes):
        if amount is not None and control != limit:
            note(f"Warning; {name} has {limit} beside {control}, which alone counts")
    return control
