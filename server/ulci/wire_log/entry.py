"""One line of the log: a JSON object."""

from datetime import UTC, datetime
from typing import Literal

import msgspec
from msgspec import Struct

Event = Literal[
    "started",
    "opened",
    "heard",
    "said",
    "unreadable",
    "client",
    "game",
    "over",
    "stderr",
    "closed",
    "happened",
    "dropped",
]
"""* ``started``: the program; its connections are numbered from 1 on.
* ``opened``, ``closed``: the connection; the text says to whom, and why.
* ``heard``, ``said``: a line, by the program that writes the log. A message of msgpack is shown as
  the line with its meaning; ``unreadable``: why it cannot be.
* ``client``: the name of the peer.
* ``game``, ``over``: the connection has a seat in the game of this number, or none any more.
* ``stderr``: a line of a program's standard error.
* ``happened``: anything else, in words.
* ``dropped``: so many entries are missing here."""


class Entry(Struct, frozen=True, omit_defaults=True):
    """at: UTC. connection: its number in this run of the program; 0: all of them."""

    at: datetime
    event: Event
    connection: int = 0
    text: str = ""
    game: int = 0
    dropped: int = 0


encode = msgspec.json.Encoder().encode

_decoder = msgspec.json.Decoder(Entry)


def decode(line: bytes) -> Entry | None:
    """None: this is none, such as a line that was cut off when the disk was full."""
    try:
        return _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeError):
        return None


def moment(seconds: float) -> datetime:
    """That time (s since 1970)."""
    return datetime.fromtimestamp(seconds, UTC)
