"""What the end of a game changes in the ratings of its players, in the transaction that stores it.

All ratings that a batch may change are locked first, in the order of their keys, so that two
servers that end games of the same players at once wait for each other and neither loses a change
nor locks the other out. The change is computed from what was read then.

A rating must never prevent the end of a game from being stored: what fails here without the
database having failed is undone, logged, and left for `Ratings.missed`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import structlog

from ulci.rules import Reason, Side
from ulci_server.game import GameFinished
from ulci_server.rating import Ended, rate_game, why_unrated
from ulci_server.storage.errors import is_trouble
from ulci_server.storage.records import RatingChange
from ulci_server.storage.statements import Computed, Kind, RowsOfFact, Saving
from ulci_server.storage.transactions import Values, Writer

from .rating_rows import Key, Stored, changed, lock_ratings, moment, stamp, write_changes

LOG = structlog.get_logger("ulci_server.storage")

POINTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
"""Of White."""

LONGEST_WHY = 500
"""Characters of a failure in the log."""

_ENDED = """
    SELECT pool, white_id, black_id, result, reason,
        EXISTS (SELECT 1 FROM moves WHERE game_id = games.id AND side = 0),
        EXISTS (SELECT 1 FROM moves WHERE game_id = games.id AND side = 1)
    FROM games
    WHERE id = ? AND rated AND status = 'finished' AND white_id <> black_id
        AND NOT EXISTS (SELECT 1 FROM rating_changes WHERE game_id = games.id)
    """
"""No row: it changes no rating, or has done so already, as a batch may be saved again."""

_SAME_DAY = """
    SELECT count(*) FROM rating_changes
    WHERE player_id = ? AND opponent_id = ? AND at >= ? AND at < ?
    """


@dataclass(frozen=True, slots=True)
class _Due:
    """A game that may change ratings."""

    game: int
    at: datetime
    pool: str
    accounts: tuple[int, int]
    points: float

    @property
    def keys(self) -> tuple[Key, Key]:
        white, black = self.accounts
        return (self.pool, white), (self.pool, black)


def _rate(writer: Writer, ends: Sequence[Values]) -> None:
    try:
        due = [found for end in dict.fromkeys(ends) if (found := _due(writer, *end)) is not None]
        if due:
            writer.attempt(lambda: _rate_all(writer, due))
    except Exception as error:
        if is_trouble(error):
            raise
        # Without the traceback: to write one takes time, and the transaction holds its locks.
        why = f"{type(error).__name__}: {error}"[:LONGEST_WHY]
        LOG.error("ratings not changed", games=[game for game, _ in ends], why=why)  # noqa: TRY400


RATE = Computed(_rate)


def _finished(finished: GameFinished, at: object, _: Saving) -> RowsOfFact:
    if finished.outcome.score in POINTS:
        yield RATE, (finished.game, at)


RATED = Kind(GameFinished, _finished, RATE)


def rate_games(writer: Writer, ends: Iterable[tuple[int, datetime]]) -> None:
    """Change the ratings by these games, in that order, if they have not done so."""
    _rate_all(writer, [found for end in ends if (found := _due(writer, *end)) is not None])


def _due(writer: Writer, game: int, at: object) -> _Due | None:
    found = writer.read(_ENDED, (game,))
    if found is None:
        return None
    pool, white, black, result, reason, white_moved, black_moved = found
    moved = (bool(white_moved), bool(black_moved))
    if result not in POINTS or why_unrated(Ended(True, (white, black), moved, Reason(reason))):
        return None
    return _Due(game, moment(at), pool, (white, black), POINTS[result])


def _rate_all(writer: Writer, due: Sequence[_Due]) -> None:
    # A new rating begins with the first of its games.
    stored = lock_ratings(writer, {key: game.at for game in reversed(due) for key in game.keys})
    changes: list[RatingChange] = []
    played: dict[tuple[int, int, datetime], int] = {}
    for game in due:
        if any(key not in stored for key in game.keys):
            continue  # an account was removed
        pair = (min(game.accounts), max(game.accounts), _day(game.at))
        before = played[pair] if pair in played else _same_day(writer, *pair)
        ended = Ended(True, game.accounts, (True, True), Reason.ADJUDICATION)
        played[pair] = before
        if why_unrated(ended, before) is None:
            played[pair] += 1
            changes += _change(stored, game)
    write_changes(writer, stored, changes)


def _change(stored: dict[Key, Stored], game: _Due) -> list[RatingChange]:
    """The changes of both players, who have their new ratings in `stored` afterwards."""
    had = [stored[key] for key in game.keys]
    now = [one.at(game.at) for one in had]
    changes = []
    for side, key in zip(Side, game.keys, strict=True):
        mine, points = had[side], game.points if side is Side.WHITE else 1 - game.points
        after = mine.rating
        if not mine.anchored:
            after = rate_game(mine.rating, now[side.other], points, mine.elapsed(game.at))
        change = RatingChange(
            *(game.pool, key[1], mine.changes + 1, game.game, side, game.accounts[side.other]),
            *(mine.rating, after, mine.anchored, game.at),
        )
        changes.append(change)
        stored[key] = replace(changed(mine, change), games=mine.games + 1)
    return changes


def _same_day(writer: Writer, one: int, other: int, day: datetime) -> int:
    """How many games of these two have changed ratings on that day."""
    span = [stamp(writer, at) for at in (day, day + timedelta(days=1))]
    found = writer.read(_SAME_DAY, (one, other, *span))
    return 0 if found is None else int(found[0])


def _day(at: datetime) -> datetime:
    return at.replace(hour=0, minute=0, second=0, microsecond=0)
