"""The keys of options that take ``key=value`` words: what each fills, and how it is read."""

from collections.abc import Mapping

from ulci.protocol import DIALECTS
from ulci.settings import nearest
from ulci_server.openings import Format, Order
from ulci_server.statistics import Model
from ulci_server.storage.export import Detail, Notation

from .line_patterns import pattern
from .settings import Style
from .time_control import read_clock, read_move_time
from .values import (
    Key,
    MatchError,
    arguments,
    boolean,
    decimal,
    limit,
    name,
    on_or_off,
    one_of,
    path,
    whole,
)

LONGEST_MARGIN = 86_400_000
"""ms: a day."""

MOST_MOVES = 100_000
"""Of a game, in rules that count moves."""

MOST_CENTIPAWNS = 100_000
"""Engines write scores that mean a mate up to 32,000."""


def _dialect(text: str) -> str:
    if text in DIALECTS:
        return text
    raise MatchError(f'Unsupported protocol: "{text}"; {nearest(text, DIALECTS)}')


def _policy(text: str) -> None:
    if text != "round":
        raise MatchError(f'Unsupported opening book policy: "{text}"; there is: round')


ENGINE: Mapping[str, Key] = {
    "cmd": Key("command", str),
    "name": Key("name", name),
    "args": Key("arguments", arguments),
    "dir": Key("folder", path),
    "proto": Key("dialect", _dialect),
    "remote": Key("remote", name),
    "tc": Key("clock", read_clock),
    "st": Key("move_time", read_move_time),
    "nodes": Key("nodes", limit("nodes")),
    "plies": Key("depth", limit("depth")),
    "depth": Key("depth", limit("depth")),
    "timemargin": Key("margin", whole(0, LONGEST_MARGIN)),
    "restart": Key("restart", on_or_off),
    "ponder": Key("ponder", on_or_off),
}

OPTION = "option."
"""Begins the name of an engine's own option."""

PGN: Mapping[str, Key] = {
    "file": Key("file", path),
    "append": Key("append", boolean),
    "notation": Key("notation", one_of({each.value: each for each in Notation})),
    **{each.value: Key(each.value, boolean) for each in Detail},
    "min": Key("minimal", boolean),
    "match_line": Key("line_patterns", pattern, many=True),
}

EPD: Mapping[str, Key] = {"file": Key("file", path), "append": Key("append", boolean)}

OPENINGS: Mapping[str, Key] = {
    "file": Key("path", path),
    "format": Key("format", one_of({each.value: each for each in Format})),
    "order": Key("order", one_of({each.value: each for each in Order})),
    "plies": Key("plies", whole(-1)),
    "start": Key("start", whole(1)),
    "policy": Key("policy", _policy),
}

SPRT: Mapping[str, Key] = {
    **{key: Key(key, decimal) for key in ("elo0", "elo1", "alpha", "beta")},
    "model": Key("model", one_of({each.value: each for each in Model})),
}

DRAW: Mapping[str, Key] = {
    "movenumber": Key("after", whole(0, MOST_MOVES)),
    "movecount": Key("moves", whole(1, MOST_MOVES)),
    "score": Key("score", whole(0, MOST_CENTIPAWNS)),
}

RESIGN: Mapping[str, Key] = {
    "movecount": Key("moves", whole(1, MOST_MOVES)),
    "score": Key("score", whole(0, MOST_CENTIPAWNS)),
    "twosided": Key("twosided", boolean),
}

LOG: Mapping[str, Key] = {
    "file": Key("file", path),
    "level": Key(
        "level", one_of({each: each for each in ("trace", "warn", "info", "err", "fatal")})
    ),
    **{key: Key(key, boolean) for key in ("append", "compress", "realtime", "engine")},
}

CONFIG: Mapping[str, Key] = {
    "file": Key("file", path),
    "outname": Key("outname", path),
    "discard": Key("discard", boolean),
    "stats": Key("stats", boolean),
}

REPORT: Mapping[str, Key] = {"penta": Key("by_pairs", boolean)}

OUTPUT: Mapping[str, Key] = {"format": Key("style", one_of({each.value: each for each in Style}))}

CHECKSUM: Mapping[str, Key] = {"pgn": Key("checksum", boolean)}
