"""Games, as they are kept: their records, moves, events and reports."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Unpack

import sqlalchemy as sa

from ulci.rules import Outcome
from ulci_server.game import EventKind

from .history import by_game, in_order, standing
from .records import Filters, GameRecord, MoveRecord, Noted, ReportRecord, Unfinished
from .rows.events import happened
from .rows.games import game_record
from .rows.moves import move_record, played
from .rows.reports import report_record
from .schema import EVENTS, GAMES, MOVES, REPORTS, GameStatus
from .transactions import Transactions

PAGE = 200
"""Games read at once by `Games.each`: about 200 kB, and one query for many games."""

RUNNING = GAMES.c.status == sa.literal_column(f"'{GameStatus.RUNNING}'")


class Games:
    """Reads what is kept of games. Failures raise `StorageError`."""

    def __init__(self, transactions: Transactions) -> None:
        self._read = transactions.read

    def last_id(self) -> int:
        """The highest id of a game, 0 if there is none."""
        return self._read(_LAST_ID, lambda row: int(row["last"]))[0]

    def find(self, **filters: Unpack[Filters]) -> list[GameRecord]:
        """The games that pass the filters, newest (highest id) first."""
        query = sa.select(GAMES).order_by(GAMES.c.id.desc()).limit(filters.get("limit"))
        values: dict[str, Any] = dict(filters)
        for name, passes in _FILTERS.items():
            if values.get(name) is not None:
                query = query.where(passes(values[name]))
        return self._read(query, game_record)

    def each(self, **filters: Unpack[Filters]) -> Iterator[GameRecord]:
        """`find` page by page, so that a million games need not fit in memory."""
        left = filters.get("limit")
        while left is None or left > 0:
            size = PAGE if left is None else min(PAGE, left)
            filters["limit"] = size
            page = self.find(**filters)
            yield from page
            if len(page) < size:
                return
            filters["before"] = page[-1].id
            left = None if left is None else left - size

    def plies(self, ids: Collection[int]) -> dict[int, int]:
        """How many moves players made and did not take back in each of these games, without
        reading them."""
        made = (
            sa.select(MOVES.c.game_id, sa.func.count().label("plies"))
            .where(MOVES.c.game_id.in_(ids))
            .group_by(MOVES.c.game_id)
        )
        taken_back = (
            sa.select(EVENTS.c.game_id, sa.func.sum(EVENTS.c.amount).label("plies"))
            .where(EVENTS.c.game_id.in_(ids), EVENTS.c.what == EventKind.TAKEN_BACK.value)
            .group_by(EVENTS.c.game_id)
        )
        plies = Counter(dict.fromkeys(ids, 0))
        plies.update(dict(self._read(made, _plies)))
        plies.subtract(dict(self._read(taken_back, _plies)))
        return dict(plies)

    def moves(self, game_id: int) -> list[MoveRecord]:
        """The players' moves in order, without those that were taken back; none if there is no
        such game."""
        moves = self._read(_of(MOVES, game_id), move_record)
        taken_back = EVENTS.c.what == EventKind.TAKEN_BACK.value
        return standing(moves, self._read(_of(EVENTS, game_id).where(taken_back), happened))

    def history(self, game_id: int) -> list[Noted]:
        """Every `MovePlayed` and `Happened`, including moves taken back, in the order of `seq`. The
        analysis of a move is that of `MoveRecord`. The last fact of a finished game is `FINISHED`;
        only games that ended before version 0002 of the tables lack it."""
        moves, events = _of(MOVES, game_id), _of(EVENTS, game_id)
        return in_order([*self._read(moves, played), *self._read(events, happened)])

    def reports(self, game_id: int) -> list[ReportRecord]:
        """The error reports in the order of their arrival."""
        query = sa.select(REPORTS).where(REPORTS.c.game_id == game_id).order_by(REPORTS.c.id)
        return self._read(query, report_record)

    def outcomes(self, games: Collection[int]) -> dict[int, Outcome | None]:
        """The outcome of each of these games that is stored; None: it is running."""
        records = self._read(sa.select(GAMES).where(GAMES.c.id.in_(games)), game_record)
        return {record.id: record.outcome for record in records}

    def unfinished(self, ids: Collection[int] | None = None) -> list[Unfinished]:
        """The games that a dead server left running, or these of them, with all that is needed to
        resume them, whoever owned them."""
        which = RUNNING if ids is None else RUNNING & GAMES.c.id.in_(ids)
        games = self._read(sa.select(GAMES).where(which).order_by(GAMES.c.id), game_record)
        if not games:
            return []
        moves, events = (_of_games(table, which) for table in (MOVES, EVENTS))
        history = by_game([*self._read(moves, played), *self._read(events, happened)])
        return [
            Unfinished(game.started, game.started_at, in_order(history.get(game.id, [])))
            for game in games
        ]


def _plies(row: Mapping[str, Any]) -> tuple[int, int]:
    return row["game_id"], int(row["plies"])


def _of(table: sa.Table, game: int) -> sa.Select[Any]:
    return sa.select(table).where(table.c.game_id == game).order_by(table.c.seq)


def _of_games(table: sa.Table, which: sa.ColumnElement[bool]) -> sa.Select[Any]:
    return sa.select(table).join(GAMES, GAMES.c.id == table.c.game_id).where(which)


_LAST_ID = sa.select(sa.func.coalesce(sa.func.max(GAMES.c.id), 0).label("last"))

_FILTERS: dict[str, Callable[[Any], sa.ColumnElement[bool]]] = {
    "player": lambda name: sa.or_(GAMES.c.white_name == name, GAMES.c.black_name == name),
    "rules": lambda name: GAMES.c.rules == name,
    "pool": lambda name: GAMES.c.pool == name,
    "since": lambda at: GAMES.c.started_at >= at,
    "until": lambda at: GAMES.c.started_at < at,
    "ids": GAMES.c.id.in_,
    "running": lambda running: RUNNING if running else GAMES.c.status != GameStatus.RUNNING,
    "before": lambda id_: GAMES.c.id < id_,
}
