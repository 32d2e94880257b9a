"""Games, as they are kept: their records, moves, events and reports."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import Any, Unpack

import sqlalchemy as sa

from ulci.rules import Outcome, Side
from ulci_server.game import EventKind, Happened

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
        values = {name: value for name, value in filters.items() if value is not None}
        if (running := values.pop("running", None)) is not None:
            values["running" if running else "over"] = True
        if "ids" in values:
            values["ids"] = [*values["ids"]]  # type: ignore[misc]
        return self._read(_found(*sorted(values)), game_record, **values)

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
        plies = Counter(dict.fromkeys(ids, 0))
        plies.update(dict(self._read(_MADE, _plies, ids=[*ids])))
        plies.subtract(dict(self._read(_TAKEN_BACK, _plies, ids=[*ids])))
        return dict(plies)

    def beginnings(self, ids: Collection[int], facts: int) -> dict[int, list[str]]:
        """The players' moves among the first facts of each of these games; none of a game in which
        one of them was taken back."""
        found: dict[int, list[tuple[int, str]]] = {game: [] for game in ids}
        for game, ply, move in self._read(_BEGINNINGS, _ply, ids=[*ids], facts=facts):
            found[game].append((ply, move))
        return {
            game: [move for _, move in moves] if _rises([ply for ply, _ in moves]) else []
            for game, moves in found.items()
        }

    def moves(self, game_id: int) -> list[MoveRecord]:
        """The players' moves in order, without those that were taken back; none if there is no
        such game."""
        moves = self._read(_MOVES, move_record, game=game_id)
        return standing(moves, self._read(_TAKEBACKS, happened, game=game_id))

    def history(self, game_id: int) -> list[Noted]:
        """Every `MovePlayed` and `Happened`, including moves taken back, in the order of `seq`. The
        analysis of a move is that of `MoveRecord`. The last fact of a finished game is `FINISHED`;
        only games that ended before version 0002 of the tables lack it."""
        moves = self._read(_MOVES, played, game=game_id)
        return in_order([*moves, *self._read(_EVENTS, happened, game=game_id)])

    def berserk(self, game: GameRecord) -> frozenset[Side]:
        """The sides that went berserk; asks the database only where the game's conduct allows
        it."""
        if "berserk" not in game.conduct:
            return frozenset()
        events = self._read(_EVENTS, happened, game=game.id)
        facts = (noted.fact for noted in events if isinstance(noted.fact, Happened))
        return frozenset(
            one.side for one in facts if one.what is EventKind.BERSERK and one.side is not None
        )

    def reports(self, game_id: int) -> list[ReportRecord]:
        """The error reports in the order of their arrival."""
        return self._read(_REPORTS, report_record, game=game_id)

    def outcomes(self, games: Collection[int]) -> dict[int, Outcome | None]:
        """The outcome of each of these games that is stored; None: it is running."""
        return {record.id: record.outcome for record in self.find(ids=games)}

    def unfinished(self, ids: Collection[int]) -> list[Unfinished]:
        """Those of these games that run, with all that is needed to resume them. A record that
        cannot be read keeps no other game from being resumed."""
        games = self._read(_UNFINISHED[0], game_record, ids=[*ids])
        if not games:
            return []
        try:
            history = self._histories(ids)
        except ValueError:
            return [self._unfinished(game) for game in games]
        return [
            Unfinished(game.started, game.started_at, in_order(history.get(game.id, [])))
            for game in games
        ]

    def _unfinished(self, game: GameRecord) -> Unfinished:
        history, unreadable = list[Noted](), ""
        try:
            history = in_order(self._histories([game.id]).get(game.id, []))
        except ValueError as error:  # damaged, or of a later version
            unreadable = f"its record cannot be read: {error}"
        return Unfinished(game.started, game.started_at, history, unreadable)

    def _histories(self, ids: Collection[int]) -> Mapping[int, list[Noted]]:
        """Raises `ValueError` if a record cannot be read."""
        _, of_moves, of_events = _UNFINISHED
        moves = self._read(of_moves, played, ids=[*ids])
        return by_game([*moves, *self._read(of_events, happened, ids=[*ids])])


def _plies(row: Mapping[str, Any]) -> tuple[int, int]:
    return row["game_id"], int(row["plies"])


def _ply(row: Mapping[str, Any]) -> tuple[int, int, str]:
    return row["game_id"], row["ply"], row["move"]


def _rises(plies: list[int]) -> bool:
    return all(one < next_ for one, next_ in pairwise(plies))


_LAST_ID = sa.select(sa.func.coalesce(sa.func.max(GAMES.c.id), 0).label("last"))

_IDS = sa.bindparam("ids", type_=sa.BigInteger, expanding=True)
_PLAYER = sa.bindparam("player", type_=sa.Text)

_FILTERS: Mapping[str, sa.ColumnElement[bool]] = {
    "player": sa.or_(GAMES.c.white_name == _PLAYER, GAMES.c.black_name == _PLAYER),
    "rules": GAMES.c.rules == sa.bindparam("rules"),
    "pool": GAMES.c.pool == sa.bindparam("pool"),
    "since": GAMES.c.started_at >= sa.bindparam("since"),
    "until": GAMES.c.started_at < sa.bindparam("until"),
    "ids": GAMES.c.id.in_(_IDS),
    "running": RUNNING,
    "over": GAMES.c.status != GameStatus.RUNNING,
    "before": GAMES.c.id < sa.bindparam("before"),
}


@cache
def _found(*names: str) -> sa.Select[Any]:
    """By the filters of these names; ``limit`` is one, too."""
    query = sa.select(GAMES).order_by(GAMES.c.id.desc())
    if "limit" in names:
        query = query.limit(sa.bindparam("limit", type_=sa.Integer))
    return query.where(*(_FILTERS[name] for name in names if name in _FILTERS))


def _of(table: sa.Table) -> sa.Select[Any]:
    return sa.select(table).where(table.c.game_id == sa.bindparam("game"))


_IS_TAKEBACK = EVENTS.c.what == EventKind.TAKEN_BACK.value

_MOVES, _EVENTS = (_of(table).order_by(table.c.seq) for table in (MOVES, EVENTS))
_TAKEBACKS = _EVENTS.where(_IS_TAKEBACK)
_REPORTS = _of(REPORTS).order_by(REPORTS.c.id)

_MADE = (
    sa.select(MOVES.c.game_id, sa.func.count().label("plies"))
    .where(MOVES.c.game_id.in_(_IDS))
    .group_by(MOVES.c.game_id)
)
_BEGINNINGS = (
    sa.select(MOVES.c.game_id, MOVES.c.ply, MOVES.c.move)
    .where(MOVES.c.game_id.in_(_IDS), MOVES.c.seq <= sa.bindparam("facts", type_=sa.Integer))
    .order_by(MOVES.c.game_id, MOVES.c.seq)
)
_TAKEN_BACK = (
    sa.select(EVENTS.c.game_id, sa.func.sum(EVENTS.c.amount).label("plies"))
    .where(EVENTS.c.game_id.in_(_IDS), _IS_TAKEBACK)
    .group_by(EVENTS.c.game_id)
)

# The games, their moves and their events.
_UNFINISHED = (
    sa.select(GAMES).where(RUNNING, GAMES.c.id.in_(_IDS)).order_by(GAMES.c.id),
    *(
        sa.select(table)
        .join(GAMES, GAMES.c.id == table.c.game_id)
        .where(RUNNING, GAMES.c.id.in_(_IDS))
        for table in (MOVES, EVENTS)
    ),
)
