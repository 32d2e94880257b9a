"""The tags above a game in PGN.

PGN standard: http://www.saremba.de/chessgml/standards/pgn/pgn-complete.htm (sections 8.1.1 and 9).
Tags of our own: `GameId`; `Control`, the time control in this server's notation where PGN has none
for it.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ulci.rules.pgn import plain, termination
from ulci_server.game import (
    Bonus,
    ByoYomi,
    Control,
    ControlError,
    Controls,
    Correspondence,
    Hourglass,
    Limit,
    Seat,
    Staged,
)
from ulci_server.storage.records import GameRecord

UNKNOWN = "?"
NONE = "-"

_TYPES = {"human": "human", "engine": "program"}
"""PGN 9.1.4."""


def tags(game: GameRecord, plies: int, site: str) -> Iterator[tuple[str, str]]:
    """Names and values, without those of the start position."""
    white, black = game.seats
    began = game.started_at
    yield "Event", event(game)
    yield "Site", plain(site)
    yield "Date", f"{began:%Y.%m.%d}"
    yield "Round", NONE
    yield "White", plain(white.called) or UNKNOWN
    yield "Black", plain(black.called) or UNKNOWN
    yield "Result", game.result
    yield "GameId", str(game.id)
    yield "UTCDate", f"{began:%Y.%m.%d}"
    yield "UTCTime", f"{began:%H:%M:%S}"
    yield from _player("White", white)
    yield from _player("Black", black)
    yield from time_control(game.control, SPELL)
    yield "Termination", termination(None if game.outcome is None else game.outcome.reason)
    yield "PlyCount", str(plies)


def event(game: GameRecord) -> str:
    return plain(game.pool) or ("Rated game" if game.rated else "Casual game")


def _player(color: str, seat: Seat) -> Iterator[tuple[str, str]]:
    if seat.rating is not None:
        yield f"{color}Elo", str(seat.rating)
    yield f"{color}Type", _TYPES[seat.kind]


# PGN 9.6.1. Fractions of a second are not in the standard, but engine testers use them.


def _staged(control: Staged) -> str:
    fischer = all(stage.bonus is Bonus.FISCHER for stage in control.stages)
    return str(control) if fischer else UNKNOWN


def _hourglass(control: Hourglass) -> str:
    return f"*{control.base / 1000:g}"


def _correspondence(control: Correspondence) -> str:
    return f"1/{control.days * 86_400}"


def _limit(control: Limit) -> str:
    return f"1/{control.amount / 1000:g}" if control.name == "movetime" else NONE


SPELL: Mapping[type[Control], Callable[[Any], str]] = {
    Staged: _staged,
    ByoYomi: lambda _: UNKNOWN,
    Hourglass: _hourglass,
    Correspondence: _correspondence,
    Limit: _limit,
}


def time_control(
    control: str, spell: Mapping[type[Control], Callable[[Any], str]]
) -> Iterator[tuple[str, str]]:
    """One tag, or one for each side where they differ; and one of our own where PGN has none."""
    try:
        controls = Controls.parse(control)
    except ControlError:  # written by another version of this program
        white = black = UNKNOWN
    else:
        white, black = (spell[type(side)](side) for side in (controls.white, controls.black))
    if white == black:
        yield "TimeControl", white
    else:  # as Cute Chess writes odds
        yield "WhiteTimeControl", white
        yield "BlackTimeControl", black
    if control != white or white != black:
        yield "Control", plain(control)
