"""Ratings, as they are kept: read, anchored, and given where a game's end could not."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ulci.rules import Side
from ulci_server.game import Seat
from ulci_server.rating import LIVE, Met

from .records import RatingChange, RatingRecord
from .rows.rating_rows import anchor_rating, rating_change, rating_record
from .rows.ratings import rate_games
from .schema import ENCOUNTERS, GAMES, MOVES, PLAYERS, RATING_CHANGES, RATINGS, GameStatus
from .transactions import Transactions, Writer
from .untrusted import text

PAGE = 1000
"""Changes that are read at once."""


class Ratings:
    """Reads and anchors them. Failures raise `StorageError`."""

    def __init__(self, transactions: Transactions) -> None:
        self._read = transactions.read
        self._write_rows = transactions.write_rows

    def of(self, accounts: Collection[int]) -> list[RatingRecord]:
        """The ratings of these accounts in all pools."""
        return self._read(OF_ACCOUNTS, rating_record, accounts=[*accounts])

    def leaders(self, pool: str, limit: int, offset: int = 0) -> list[RatingRecord]:
        """The highest ratings of a pool, those that are provisional, too."""
        return self._read(_LEADERS, rating_record, pool=pool, limit=limit, offset=offset)

    def all(self) -> list[RatingRecord]:
        """Every row, also of accounts that have no rating yet."""
        return self._read(_RECORDS, rating_record)

    def pools(self) -> dict[str, int]:
        """How many accounts have a rating in each pool in which there are any."""
        return dict(self._read(_POOLS, lambda row: (str(row["pool"]), int(row["accounts"]))))

    def changes(self, *, after: int = 0, limit: int = PAGE) -> list[tuple[int, RatingChange]]:
        """The changes with numbers above `after`, in the order in which they were made."""
        return self._read(
            _CHANGES, lambda row: (int(row["id"]), rating_change(row)), after=after, limit=limit
        )

    def anchor(self, account: int, pool: str, rating: float | None, at: datetime) -> bool:
        """Fix a rating, or None: let games change it again. False: nothing has changed."""
        changed = False

        def work(writer: Writer) -> None:
            nonlocal changed
            key = (text(pool), account)
            changed = anchor_rating(writer, key, rating, LIVE.least_deviation, at)

        self._write_rows(work)
        return changed

    def missed(self) -> list[tuple[int, datetime]]:
        """Games that should have changed ratings and have not, and when they ended; also those of
        two who had played too many on that day."""
        return self._read(_MISSED, lambda row: (int(row["id"]), row["finished_at"]))

    def rate(self, games: Sequence[tuple[int, datetime]]) -> None:
        """Change the ratings by these games, as their ends would have done."""
        self._write_rows(lambda writer: rate_games(writer, games))

    def met(self, pool: str | None = None, tournament: int | None = None) -> list[Met[str]]:
        """What each two have scored against each other, in a pool, a match or tournament, or all
        games with a result. Players are called as records call them, accounts or not."""
        query = _MET
        if pool is not None:
            query = query.where(GAMES.c.pool == pool)
        if tournament is not None:
            mine = sa.select(ENCOUNTERS.c.game_id).where(ENCOUNTERS.c.tournament_id == tournament)
            query = query.where(GAMES.c.id.in_(mine))
        return self._read(query, _met)


def _met(row: Mapping[str, Any]) -> Met[str]:
    white, black = (
        Seat(row[f"{side}_name"], "engine", level=row[f"{side}_level"]).called
        for side in ("white", "black")
    )
    drawn = int(row["drawn"])
    return Met(white, black, int(row["won"]) + drawn / 2, int(row["games"]), drawn)


_RECORDS = sa.select(RATINGS, PLAYERS.c.name, PLAYERS.c.kind).join_from(RATINGS, PLAYERS)

_IS_CHANGED = RATINGS.c.changes > 0
"""Without a change there is a row, but no rating: a game was one too many of its day."""

OF_ACCOUNTS = _RECORDS.where(
    RATINGS.c.player_id.in_(sa.bindparam("accounts", type_=sa.BigInteger, expanding=True)),
    _IS_CHANGED,
).order_by(RATINGS.c.pool, RATINGS.c.player_id)

_LEADERS = (
    _RECORDS.where(RATINGS.c.pool == sa.bindparam("pool", type_=sa.Text), _IS_CHANGED)
    .order_by(RATINGS.c.rating.desc(), RATINGS.c.player_id)
    .limit(sa.bindparam("limit", type_=sa.Integer))
    .offset(sa.bindparam("offset", type_=sa.Integer))
)

_POOLS = (
    sa.select(RATINGS.c.pool, sa.func.count().label("accounts"))
    .where(_IS_CHANGED)
    .group_by(RATINGS.c.pool)
    .order_by(RATINGS.c.pool)
)

_CHANGES = (
    sa.select(RATING_CHANGES)
    .where(RATING_CHANGES.c.id > sa.bindparam("after", type_=sa.BigInteger))
    .order_by(RATING_CHANGES.c.id)
    .limit(sa.bindparam("limit", type_=sa.Integer))
)

_MISSED = (
    sa.select(GAMES.c.id, GAMES.c.finished_at)
    .where(
        GAMES.c.rated,
        GAMES.c.status == GameStatus.FINISHED.value,
        GAMES.c.result != "*",
        GAMES.c.white_id != GAMES.c.black_id,
        ~sa.exists().where(RATING_CHANGES.c.game_id == GAMES.c.id),
        *(
            sa.exists().where(MOVES.c.game_id == GAMES.c.id, MOVES.c.side == int(side))
            for side in Side
        ),
    )
    .order_by(GAMES.c.finished_at, GAMES.c.id)
)

_PLAYERS_OF_GAME = (
    *(GAMES.c.white_name, GAMES.c.white_level),
    *(GAMES.c.black_name, GAMES.c.black_level),
)

_MET = (
    sa.select(
        *_PLAYERS_OF_GAME,
        sa.func.count().label("games"),
        sa.func.sum(sa.case((GAMES.c.result == "1-0", 1), else_=0)).label("won"),
        sa.func.sum(sa.case((GAMES.c.result == "1/2-1/2", 1), else_=0)).label("drawn"),
    )
    .where(GAMES.c.status == GameStatus.FINISHED.value, GAMES.c.result != "*")
    .group_by(*_PLAYERS_OF_GAME)
    .order_by(*_PLAYERS_OF_GAME)
)
