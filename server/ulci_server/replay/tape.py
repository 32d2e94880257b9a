"""The file format of a recording: a head, then one line an event.

    ulci-tape 3
    config {"pool": [{"name": "chess"}]}         what the server was told, as JSON
    next-game 17
    0.000000 1 open chess uci text 127.0.0.1     a connection: pool, dialect, codec, address
    0.000000 1 > uci                             said to it
    0.001512 1 < uciok                           it said; <+ is a piece without the line's end
    0.001512 - choose 1                          what the server read, under its name, as JSON:
    0.001512 - secret "8f3a"                     chance; figures about the process; whether
    0.001512 - statistics {"up": 3600, …}        somebody is banned by what is known
    0.001790 - known 1 [null, false]             the database's answer to the first question, as
                                                 JSON; `refused 1 WHY`: it failed
    0.002208 - settled 4                         the fourth wait for the disk is over; there
                                                 was none: `durable 4`
    0.001512 1 turn                              the next message of all that it has said is dealt
                                                 with; `turn 0.001500 0.000350`: it was read then,
                                                 so late; `fault WHY`: it was none
    0.900123 - turn 3                            the holder of the third ticket goes on
    0.900123 - hindered 1.5                      nothing ran for so many s
    0.900123 - trouble "disk full"               the database refuses, or (null) does so no more
    0.900123 1 trip 0.021                        its least round trip, in s, if asked; - is unknown
    0.900123 1 mute 17                           nothing more is said to it after 17 puts: it was
                                                 gone, or read too slowly
    9.000000 1 eof                               it closed its side; `end WHY`: it was over
    9.500000 - over                              the server was asked to end

Times are seconds since the server's start and stand still while one batch of events is dealt with.
Formats 1 and 2 have the authenticator's decisions as answers (``known 1 {"name": "Ada", …}``), the
figures as ``vitals 3600 17 0`` (up, tasks, held), and choices and secrets that are not JSON. Format
1 has no turns, faults, mutes, hindrances and troubles: each message is dealt with when it is there,
and ``read 7 0.900101 0.000350`` tells when and how late the seventh was read.
In lines a backslash is ``\\\\``, and what cannot be printed is ``\\x`` and two hex digits a byte.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

FORMAT = "ulci-tape"

VERSION = 3
"""Of what is written; older ones are read, too."""

SERVER = "-"
"""Stands for the number of a connection where there is none."""

OVER = "over"
"""The last event of every whole recording."""


class TapeError(ValueError):
    """This is no recording; the text names the line."""


@dataclass(frozen=True, slots=True)
class TapeEvent:
    """One event: when (s), on which connection (its number, or `SERVER`), what, and the rest."""

    at: float
    who: str
    what: str
    rest: str = ""

    def __str__(self) -> str:
        return f"{self.at:.6f} {self.who} {self.what}{' ' if self.rest else ''}{self.rest}"


@dataclass(frozen=True, slots=True)
class Recording:
    """`config` as JSON has it, the number of the first game, and all that happened; `version` of
    the format."""

    config: Mapping[str, Any]
    next_game: int
    events: tuple[TapeEvent, ...]
    version: int = VERSION

    @property
    def whole(self) -> bool:
        """Whether it has its end. Else its server was killed or could not write any more, or it is
        a copy of one that is still written."""
        return any(event.what == OVER for event in self.events)


class Sink(Protocol):
    """Takes a text at once, or loses it and all that comes after it."""

    def write(self, text: str, /) -> int: ...


class Tape:
    """Writes a recording as it happens, an event at a time."""

    def __init__(self, file: Sink, config: Mapping[str, Any], next_game: int) -> None:
        self._file = file
        self._over = False
        file.write(f"{FORMAT} {VERSION}\nconfig {json.dumps(config)}\nnext-game {next_game}\n")

    def write(self, event: TapeEvent) -> None:
        """Nothing is written any more after `OVER`."""
        if not self._over:
            self._over = event.what == OVER
            self._file.write(f"{event}\n")


def read(lines: Iterable[str]) -> Recording:
    """A recording from its lines, each with its end; one that was cut short in a line lacks that
    line.

    Raises:
        TapeError: it is none.
    """
    left = (line.removesuffix("\n") for line in lines if line.endswith("\n"))
    version = _VERSIONS.get(next(left, ""))
    if version is None:
        raise TapeError(f"line 1: a recording begins with: {FORMAT} {VERSION}")
    config = _head(next(left, ""), 2, "config")
    number = _head(next(left, ""), 3, "next-game")
    if not isinstance(config, dict) or not isinstance(number, int):
        raise TapeError("line 2: the config is a table, and the next game a number")
    return Recording(config, number, tuple(_events(left, version)), version)


_VERSIONS = {f"{FORMAT} {version}": version for version in range(1, VERSION + 1)}


def _head(line: str, number: int, key: str) -> Any:
    name, _, value = line.partition(" ")
    try:
        if name != key:
            raise ValueError("something else")
        return json.loads(value)
    except ValueError:
        raise TapeError(f"line {number}: expected {key} and its value, found {line!r}") from None


_EVENT = re.compile(r"(?P<at>\d+\.\d{6}) (?P<who>\d+|-) (?P<what>[a-z]+|>|<\+?)(?: (?P<rest>.*))?")


def _events(lines: Iterable[str], version: int) -> Iterator[TapeEvent]:
    before, open_ = 0.0, {SERVER}
    for number, line in enumerate(lines, 4):
        if (found := _EVENT.fullmatch(line)) is None:
            raise TapeError(f"line {number}: expected TIME WHO WHAT, found {line!r}")
        event = TapeEvent(float(found["at"]), found["who"], found["what"], found["rest"] or "")
        if event.at < before:
            raise TapeError(f"line {number}: it is earlier than the line before it")
        if event.what == "open":
            open_.add(event.who)
        if event.who not in open_:
            raise TapeError(f"line {number}: there is no connection {event.who} yet")
        before = event.at
        yield event if version > 2 else _as_json(event)


def _as_json(event: TapeEvent) -> TapeEvent:
    """An event of an older format with what was read as JSON."""
    match event.what:
        case "choose":  # and of how many
            return replace(event, rest=event.rest.split()[0])
        case "secret":
            return replace(event, rest=json.dumps(event.rest))
        case "vitals":  # of which the first servers had two
            figures = dict(zip(("up", "tasks", "held"), map(int, event.rest.split()), strict=False))
            return replace(event, what="statistics", rest=json.dumps(figures))
    return event


# Bytes as a line


def escape(data: bytes) -> str:
    """Any bytes as a text that can be printed and read back."""
    text = data.decode(errors="surrogateescape")
    return "".join(map(_escaped, text))


def _escaped(letter: str) -> str:
    if letter == "\\":
        return "\\\\"
    if letter.isprintable():
        return letter
    return "".join(f"\\x{byte:02x}" for byte in letter.encode(errors="surrogateescape"))


_PIECES = re.compile(r"\\x(?P<byte>[0-9a-f]{2})|\\(?P<slash>\\)|(?P<text>[^\\]+|\\)")


def unescape(text: str) -> bytes:
    """The bytes again."""
    return b"".join(
        bytes.fromhex(found["byte"])
        if found["byte"]
        else (found["slash"] or found["text"]).encode(errors="surrogateescape")
        for found in _PIECES.finditer(text)
    )
