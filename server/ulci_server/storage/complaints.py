"""Complaints of players about others, which administrators read. Nothing follows from one by
itself."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ulci_server.game import Seat

from .accounts import fold
from .errors import RefusedError
from .games import Games
from .records import ComplaintRecord
from .schema import COMPLAINTS
from .transactions import Transactions
from .untrusted import text

LONGEST = 500
"""Characters that are kept of a complaint."""

MOST_OPEN = 1000
"""Complaints that nobody has dealt with: more nobody would read, and strangers fill no disk."""

MOST_OF_ONE = 20
"""Of these, by one name: they leave room for others."""

LOOKED_AT = 100
"""Games of the complaining player in which the other one is looked for, the newest first."""

NAMED = 5
"""Games of the two that are named, the newest first."""


class Complaints:
    """Adds, reads and closes them. Failures raise `StorageError`."""

    def __init__(self, transactions: Transactions, games: Games) -> None:
        self._read = transactions.read
        self._write = transactions.write
        self._games = games

    def add(self, by: Seat, about: Seat | str, why: str, at: datetime) -> ComplaintRecord:
        """Keep a complaint, with the last games of the two. about: the player, or, of one who is
        not here any more, the name under which it was here.

        Raises:
            RefusedError: the two have not played each other, and nobody of that name is here; or
                there are too many complaints.
        """
        games = self._games.find(player=by.name, limit=LOOKED_AT)
        met = [
            (game.id, seat)
            for game in games
            for seat, account in zip(game.seats, game.players, strict=True)
            if not _is_same(seat, account, by) and _is_meant(seat, account, about)
        ]
        if isinstance(about, str):
            if not met:
                raise RefusedError(f"there is no {about} here, and you have not played one lately")
            about = met[0][1]
        row = {
            "at": at,
            "by_name": text(by.name),
            "by_id": by.account,
            "about_name": text(about.name),
            "about_id": about.account,
            "text": text(why[:LONGEST]),
            "games": " ".join(str(game) for game, _ in met[:NAMED]),
        }
        return self._write(lambda connection: _added(connection, row))

    def all(self, *, closed: bool = False, limit: int = MOST_OPEN) -> list[ComplaintRecord]:
        """Those that nobody has dealt with, or all; the newest first."""
        query = _ALL.limit(limit)
        return self._read(query if closed else query.where(_IS_OPEN), _complaint)

    def close(self, number: int, by: str, at: datetime) -> bool:
        """Somebody has dealt with it. False: there is no open one of that number."""
        change = sa.update(COMPLAINTS).where(COMPLAINTS.c.id == number, _IS_OPEN)
        values = change.values(closed_at=at, closed_by=text(by))
        return self._write(lambda connection: connection.execute(values).rowcount) > 0


def _is_same(seat: Seat, account: int | None, who: Seat) -> bool:
    if who.account is not None or account is not None:
        return account == who.account
    return fold(seat.name) == fold(who.name)


def _is_meant(seat: Seat, account: int | None, about: Seat | str) -> bool:
    if isinstance(about, Seat):
        return _is_same(seat, account, about)
    return bool(about) and fold(about) in (fold(seat.handle), fold(seat.name))


def _added(connection: sa.Connection, row: Mapping[str, Any]) -> ComplaintRecord:
    total, mine = connection.execute(_OPEN, {"by": row["by_name"]}).one()
    if total >= MOST_OPEN or mine >= MOST_OF_ONE:
        raise RefusedError("too many complaints wait to be read; try again another day")
    return _complaint(connection.execute(_INSERT, row).one()._asdict())


_IS_OPEN = COMPLAINTS.c.closed_at.is_(None)
_ALL = sa.select(COMPLAINTS).order_by(COMPLAINTS.c.id.desc())
_INSERT = sa.insert(COMPLAINTS).returning(COMPLAINTS)
_OPEN = sa.select(
    sa.func.count(),
    sa.func.coalesce(
        sa.func.sum(
            sa.case((COMPLAINTS.c.by_name == sa.bindparam("by", type_=sa.Text), 1), else_=0)
        ),
        0,
    ),
).where(_IS_OPEN)


def _complaint(row: Mapping[str, Any]) -> ComplaintRecord:
    games: Sequence[int] = [int(game) for game in row["games"].split()]
    return ComplaintRecord(
        row["id"],
        row["at"],
        row["by_name"],
        row["by_id"],
        row["about_name"],
        row["about_id"],
        row["text"],
        (*games,),
        row["closed_at"],
        row["closed_by"],
    )
