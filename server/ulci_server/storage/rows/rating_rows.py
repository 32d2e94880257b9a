"""Rows of ratings, and of their changes, which only who has locked a rating may write."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ulci.rules import Side
from ulci_server.rating import NEW, Rating, periods, settled
from ulci_server.storage.records import RatingChange, RatingRecord
from ulci_server.storage.schema import utc_text
from ulci_server.storage.transactions import Values, Writer

Key = tuple[str, int]
"""A pool, and an account."""

_BEGIN_RATING = f"""
    INSERT INTO ratings (
        pool, player_id, rating, deviation, volatility, games, changes, updated_at, anchored
    )
    SELECT ?, id, {NEW.rating}, {NEW.deviation}, {NEW.volatility}, 0, 0, ?, false
    FROM players WHERE id = ?
    ON CONFLICT DO NOTHING
    """  # noqa: S608 - the constants are ours

_READ_RATING = """
    SELECT rating, deviation, volatility, games, changes, updated_at, anchored
    FROM ratings WHERE pool = ? AND player_id = ?
    """

_ADD_CHANGE = """
    INSERT INTO rating_changes (
        pool, player_id, seq, game_id, side, opponent_id,
        rating_before, deviation_before, volatility_before,
        rating_after, deviation_after, volatility_after, anchored, at
    )
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """

_SET_RATING = """
    UPDATE ratings SET rating = ?, deviation = ?, volatility = ?, games = ?, changes = ?,
        updated_at = ?, anchored = ?
    WHERE pool = ? AND player_id = ?
    """


@dataclass(frozen=True, slots=True)
class Stored:
    """A row of `RATINGS`: as the last change left it."""

    rating: Rating
    games: int
    changes: int
    updated_at: datetime
    anchored: bool

    def at(self, at: datetime) -> Rating:
        """Of that moment. An anchored rating is as sure as it was."""
        if self.anchored:
            return self.rating
        return settled(self.rating, self.elapsed(at))

    def elapsed(self, at: datetime) -> float:
        """Rating periods since the last change."""
        return periods((at - self.updated_at).total_seconds())


def lock_ratings(writer: Writer, keys: Mapping[Key, datetime]) -> dict[Key, Stored]:
    """The ratings of these accounts, which nobody else changes until the end of the transaction. A
    new one begins at the time of its key. Accounts that were removed have none."""
    found = {}
    for pool, player in sorted(keys):
        writer.write(_BEGIN_RATING, [(pool, stamp(writer, keys[pool, player]), player)])
        row = writer.read(f"{_READ_RATING}{writer.locking}", (pool, player))
        if row is not None:
            rating, deviation, volatility, games, changes, updated_at, anchored = row
            found[pool, player] = Stored(
                Rating(rating, deviation, volatility),
                *(games, changes, moment(updated_at), bool(anchored)),
            )
    return found


def write_changes(
    writer: Writer, stored: Mapping[Key, Stored], changes: Sequence[RatingChange]
) -> None:
    """Add the changes, and set what has changed."""
    if not changes:
        return
    writer.write(_ADD_CHANGE, [_change_row(writer, change) for change in changes])
    keys = dict.fromkeys((each.pool, each.account) for each in changes if each.account is not None)
    writer.write(_SET_RATING, [_rating_row(writer, key, stored[key]) for key in keys])


def _change_row(writer: Writer, change: RatingChange) -> Values:
    side = None if change.side is None else int(change.side)
    ratings = [
        number
        for rating in (change.before, change.after)
        for number in (rating.rating, rating.deviation, rating.volatility)
    ]
    return (
        *(change.pool, change.account, change.seq, change.game, side, change.opponent),
        *(*ratings, change.anchored, stamp(writer, change.at)),
    )


def _rating_row(writer: Writer, key: Key, stored: Stored) -> Values:
    rating = stored.rating
    return (
        *(rating.rating, rating.deviation, rating.volatility),
        *(stored.games, stored.changes, stamp(writer, stored.updated_at), stored.anchored),
        *key,
    )


def changed(before: Stored, change: RatingChange) -> Stored:
    """The row after the change, but the number of games."""
    latest = max(before.updated_at, change.at)
    return Stored(change.after, before.games, change.seq, latest, change.anchored)


def anchor_rating(
    writer: Writer, key: Key, rating: float | None, deviation: float, at: datetime
) -> bool:
    """Fix the rating of an account in a pool, or None: let games change it again. False: there is
    no such account, or nothing to change."""
    stored = lock_ratings(writer, {key: at})
    if key not in stored:
        return False
    before = stored[key]
    after = before.rating
    if rating is not None:
        after = Rating(rating, deviation, before.rating.volatility)
    is_same = before.anchored == (rating is not None) and before.rating == after
    if is_same:
        return False
    change = RatingChange(
        *(key[0], key[1], before.changes + 1, None, None, None),
        *(before.rating, after, rating is not None, at),
    )
    write_changes(writer, {key: changed(before, change)}, [change])
    return True


def stamp(writer: Writer, at: datetime) -> object:
    """A time as the database takes it."""
    return utc_text(at) if writer.dialect == "sqlite" else at


def moment(value: Any) -> datetime:
    """A time as a database has it."""
    if isinstance(value, str):
        return datetime.fromisoformat(value)
    at: datetime = value.astimezone(UTC)
    return at


def rating_change(row: Mapping[str, Any]) -> RatingChange:
    before, after = (
        Rating(*(row[f"{what}_{when}"] for what in ("rating", "deviation", "volatility")))
        for when in ("before", "after")
    )
    side = row["side"]
    return RatingChange(
        *(row["pool"], row["player_id"], row["seq"], row["game_id"]),
        None if side is None else Side(side),
        row["opponent_id"],
        before,
        after,
        anchored=row["anchored"],
        at=row["at"],
    )


def rating_record(row: Mapping[str, Any]) -> RatingRecord:
    return RatingRecord(
        *(row["pool"], row["player_id"], row["name"], row["kind"]),
        Rating(row["rating"], row["deviation"], row["volatility"]),
        *(row["games"], row["changes"], row["updated_at"], row["anchored"]),
    )
