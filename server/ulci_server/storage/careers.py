"""What one player has played, and how its ratings went: counted by the database, within bounds."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from ulci.rules import Side

from .ratings import OF_ACCOUNTS
from .records import RatingRecord
from .rows.rating_rows import rating_record
from .schema import GAMES, RATING_CHANGES
from .transactions import Transactions
from .untrusted import text

MOST_GAMES = 2000
"""Games of each side that are counted, the newest: the database reads no more of them."""

MOST_POINTS = 200
"""Of the course of a rating, the newest: more than a screen shows."""


class Played(NamedTuple):
    """Games of a player that are alike: the side it played, the rules, the pool, the time control,
    the opponent and the result (None: they run), how many, and the highest number."""

    side: Side
    rules: str
    pool: str
    control: str
    opponent: str
    kind: str
    result: str | None
    games: int
    last: int


class RatingPoint(NamedTuple):
    """A rating after a change, and the game that changed it; None: an operator did."""

    at: datetime
    rating: float
    game: int | None


class Careers:
    """Reads them. Failures raise `StorageError`."""

    def __init__(self, transactions: Transactions) -> None:
        self._read = transactions.read

    def played(self, name: str, account: int | None) -> list[Played]:
        """The newest games of the account of that name or, if `account` is None, of guests who were
        called so: at most `MOST_GAMES` of each side."""
        values = {"name": text(name), "account": account, "most": MOST_GAMES}
        return [
            played
            for side in Side
            for played in self._read(_PLAYED[side], lambda row, side=side: _of(row, side), **values)  # type: ignore[misc]
        ]

    def ratings(self, account: int) -> list[RatingRecord]:
        """The account's ratings, by pool."""
        return self._read(OF_ACCOUNTS, rating_record, accounts=[account])

    def course(self, account: int, pool: str) -> list[RatingPoint]:
        """How a rating went: its last `MOST_POINTS` changes, the oldest first."""
        values = {"account": account, "pool": text(pool), "most": MOST_POINTS}
        return [*reversed(self._read(_COURSE, _point, **values))]


def _of(row: Mapping[str, Any], side: Side) -> Played:
    return Played(side=side, **row)


def _point(row: Mapping[str, Any]) -> RatingPoint:
    return RatingPoint(row["at"], row["rating_after"], row["game_id"])


def _query(side: Side) -> sa.Select[Any]:
    own, other = side.word, side.other.word
    newest = (
        sa.select(
            *(GAMES.c.id, GAMES.c.rules, GAMES.c.pool, GAMES.c.control, GAMES.c.result),
            GAMES.c[f"{other}_name"].label("opponent"),
            GAMES.c[f"{other}_kind"].label("kind"),
        )
        .where(
            GAMES.c[f"{own}_name"] == sa.bindparam("name", type_=sa.Text),
            GAMES.c[f"{own}_id"].is_not_distinct_from(sa.bindparam("account", type_=sa.BigInteger)),
        )
        .order_by(GAMES.c.id.desc())
        .limit(sa.bindparam("most", type_=sa.Integer))
        .subquery()
    )
    alike = [
        newest.c[column] for column in ("rules", "pool", "control", "opponent", "kind", "result")
    ]
    return sa.select(
        *alike, sa.func.count().label("games"), sa.func.max(newest.c.id).label("last")
    ).group_by(*alike)


_PLAYED: Mapping[Side, sa.Select[Any]] = {side: _query(side) for side in Side}

_COURSE = (
    sa.select(RATING_CHANGES.c.at, RATING_CHANGES.c.rating_after, RATING_CHANGES.c.game_id)
    .where(
        RATING_CHANGES.c.player_id == sa.bindparam("account", type_=sa.BigInteger),
        RATING_CHANGES.c.pool == sa.bindparam("pool", type_=sa.Text),
    )
    .order_by(RATING_CHANGES.c.seq.desc())
    .limit(sa.bindparam("most", type_=sa.Integer))
)
