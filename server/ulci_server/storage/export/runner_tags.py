"""The tags above a game as match runners write them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from ulci.rules.pgn import plain
from ulci_server.game import Limit, Seat
from ulci_server.storage.records import GameRecord

from .runner_words import termination
from .tags import NONE, SPELL, UNKNOWN, event, time_control


@dataclass(frozen=True, slots=True)
class Header:
    """What a match says of a game beyond its record. event: empty for the game's pool. round: as
    text. names: of White and Black in this match; None: as recorded."""

    event: str = ""
    site: str = UNKNOWN
    round: str = NONE
    names: tuple[str, str] | None = None


def first_tags(game: GameRecord, header: Header) -> Iterator[tuple[str, str]]:
    """The seven that every PGN has (PGN 8.1.1), and the number of the game in the record."""
    white, black = header.names or (game.seats[0].called, game.seats[1].called)
    yield "Event", plain(header.event) or event(game)
    yield "Site", plain(header.site) or UNKNOWN
    yield "Date", f"{game.started_at:%Y.%m.%d}"
    yield "Round", plain(header.round) or NONE
    yield "White", plain(white) or UNKNOWN
    yield "Black", plain(black) or UNKNOWN
    yield "Result", game.result
    yield "GameId", str(game.id)


def last_tags(game: GameRecord, plies: int) -> Iterator[tuple[str, str]]:
    """Those that say how it was played; left out by the key ``min``."""
    for color, seat in zip(("White", "Black"), game.seats, strict=True):
        yield from _engine(color, seat)
    yield "GameDuration", _duration(game)
    yield "GameStartTime", f"{game.started_at:%Y-%m-%dT%H:%M:%S %z}"
    if game.finished_at is not None:
        yield "GameEndTime", f"{game.finished_at:%Y-%m-%dT%H:%M:%S %z}"
    yield "PlyCount", str(plies)
    yield "Termination", termination(game)
    yield from time_control(game.control, {**SPELL, Limit: _limit})


def _engine(color: str, seat: Seat) -> Iterator[tuple[str, str]]:
    """What the program says that it is."""
    if seat.kind == "engine":
        yield f"Engine{color}Name", plain(seat.name) or UNKNOWN
        if author := plain(seat.author):
            yield f"Engine{color}Author", author


def _duration(game: GameRecord) -> str:
    until = game.finished_at or game.started_at
    seconds = max(timedelta(), until - game.started_at) // timedelta(seconds=1)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{seconds:02}"


def _limit(control: Any) -> str:
    return f"{control.amount / 1000:g}/move" if control.name == "movetime" else NONE
