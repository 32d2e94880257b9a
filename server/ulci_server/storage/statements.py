"""How is a batch of rows written? One statement a table, the same for one row and a thousand.

The statements are built with SQLAlchemy, compiled once, and then run as text: what SQLAlchemy does
to each row anew would cost a third of the whole write. A batch that comes a second time writes
nothing and is compared with what is kept. Only the end of a game takes two: it is the last of what
happened, too, under the next number.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from ulci_server.game import (
    Beaten,
    Fact,
    GameFinished,
    GameStarted,
    Happened,
    MovePlayed,
    Reported,
    What,
)

from .errors import RefusedError
from .rows import REASON_ENDS, Row
from .schema import EVENTS, GAMES, MOVES, PLAYERS, REPORTS, RUNS, Status

Columns = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """Where a fact goes: `columns` of `table` are written, `key` names the row. Those of `passing`
    may have changed since they were written: of a row that comes again they are not compared."""

    table: sa.Table
    columns: Columns
    key: Columns
    passing: Columns = ()


def _seats(*columns: str) -> Columns:
    return tuple(f"{word}_{column}" for word in ("white", "black") for column in columns)


WRITTEN: dict[type[Fact], Written] = {
    GameStarted: Written(
        GAMES,
        (
            *("id", "rules", "start", "control", "pool", "rated", "started_at", "lag"),
            "claims",
            *_seats("name", "kind", "author", "rating", "title", "id", "handle", "key"),
        ),
        ("id",),
        # An account that is removed meanwhile leaves its games to nobody.
        passing=_seats("id"),
    ),
    MovePlayed: Written(
        MOVES,
        (
            *("game_id", "seq", "ply", "side", "move", "at", "spent_ms", "left_ms"),
            *("lag_ms", "stall_ms", "held_ms"),
            *("score_cp", "score_mate", "score_bound", "depth", "nodes", "time_ms", "pv"),
        ),
        ("game_id", "seq"),
    ),
    Happened: Written(
        EVENTS,
        ("game_id", "seq", "ply", "at", "what", "side", "amount", "text"),
        ("game_id", "seq"),
    ),
    Reported: Written(
        REPORTS,
        ("game_id", "ply", "side", "source", "text", "at"),
        ("game_id", "ply", "side", "source", "text", "at"),
    ),
    GameFinished: Written(
        GAMES, ("id", "status", "result", "reason", "detail", "finished_at"), ("id",)
    ),
    Beaten: Written(
        RUNS, ("id", "alive_at", "slowest_ms"), ("id",), passing=("alive_at", "slowest_ms")
    ),
}


class Statement:
    """Writes the rows of one kind of fact; what goes `before` them knows whether they are new."""

    def __init__(
        self, written: Written, sql: str, read: str, before: str | None = None, *, by_column: bool
    ) -> None:
        self._written = written
        self._sql = sql
        self._read = read
        self._before = before
        self._by_column = by_column

    def write(self, connection: sa.Connection, rows: Sequence[Row]) -> None:
        """Raises `RefusedError` if a row is kept already and otherwise."""
        rows = _LESS.get(self._written.table, list)(rows)
        parameters: Any = self._columns(rows) if self._by_column else rows
        if self._before is not None:
            connection.exec_driver_sql(self._before, parameters)
        if connection.exec_driver_sql(self._sql, parameters).rowcount != len(rows):
            for row in rows:
                self._compare(connection, row)

    def _columns(self, rows: Sequence[Row]) -> dict[str, list[Any]]:
        return {name: [row[name] for row in rows] for name in self._written.columns}

    def _compare(self, connection: sa.Connection, row: Row) -> None:
        key = {name: row[name] for name in self._written.key}
        kept = connection.exec_driver_sql(self._read, key).one_or_none()
        where = ", ".join(f"{name} {value}" for name, value in key.items())
        if kept is None:
            raise RefusedError(f"{self._written.table.name}: there is no {where}")
        passing = dict.fromkeys(self._written.passing)
        if kept._asdict() | passing != row | passing:
            raise RefusedError(
                f"{self._written.table.name}: {where} is kept already, and otherwise"
            )


def _distinct(rows: Sequence[Row]) -> list[Row]:
    return list({tuple(row.values()): row for row in rows}.values())


def _latest(rows: Sequence[Row]) -> list[Row]:
    return list({row["id"]: row for row in sorted(rows, key=itemgetter("alive_at"))}.values())


# The same complaint twice in one moment would be two rows: they have no key of their own. And of
# several heartbeats, a statement that takes all at once would write one and count one.
_LESS: dict[sa.Table, Callable[[Sequence[Row]], list[Row]]] = {REPORTS: _distinct, RUNS: _latest}


# What is new, as a table named `new`: the part that differs between the databases


def _one_row(written: Written) -> sa.Subquery:
    """For `executemany`: one value a column."""
    types = {name: written.table.c[name].type for name in written.columns}
    values = (sa.bindparam(name, type_=types[name]).label(name) for name in types)
    return sa.select(*values).subquery("new")


def _all_rows(written: Written) -> sa.Subquery:
    """One array a column: from thirty rows on it is faster than `executemany`, of five hundred rows
    by a fifth, and its time for one row (0.8 ms instead of 0.5) matters to nobody."""
    types = {name: postgresql.ARRAY(written.table.c[name].type) for name in written.columns}
    arrays = (sa.func.unnest(sa.bindparam(name, type_=types[name])).label(name) for name in types)
    return sa.select(*arrays).subquery("new")


# What becomes of it


def _insert(written: Written, new: sa.Subquery, dialect: str) -> sa.Executable:
    # SQLite takes ON after a SELECT without WHERE for a join.
    rows = sa.select(new).where(sa.true())
    insert = sqlite.insert if dialect == "sqlite" else postgresql.insert
    return insert(written.table).from_select(written.columns, rows).on_conflict_do_nothing()


def _insert_game(written: Written, new: sa.Subquery, dialect: str) -> sa.Executable:
    """A game is kept although the account of a player was removed before."""
    accounts = {
        name: sa.select(PLAYERS.c.id).where(PLAYERS.c.id == new.c[name]).scalar_subquery()
        for name in written.passing
    }
    columns = (accounts.get(name, new.c[name]).label(name) for name in written.columns)
    rows = sa.select(*columns).where(sa.true())
    insert = sqlite.insert if dialect == "sqlite" else postgresql.insert
    return insert(written.table).from_select(written.columns, rows).on_conflict_do_nothing()


def _insert_unless_same(written: Written, new: sa.Subquery, _: str) -> sa.Executable:
    same = sa.and_(*(written.table.c[name] == new.c[name] for name in written.key))
    rows = sa.select(new).where(~sa.exists().where(same))
    return sa.insert(written.table).from_select(written.columns, rows)


def _update_running(written: Written, new: sa.Subquery, _: str) -> sa.Executable:
    table, (key,) = written.table, written.key
    values = {name: new.c[name] for name in written.columns if name != key}
    return sa.update(table).values(values).where(table.c[key] == new.c[key], _RUNNING)


def _insert_end(_: Written, new: sa.Subquery, dialect: str) -> sa.Executable:
    """That a game which still runs has finished, as the last of what happened in it."""
    last, ply = _last(new)
    winner = sa.case(
        (new.c.result == _text("1-0"), _number(0)), (new.c.result == _text("0-1"), _number(1))
    )
    evidence = sa.case(
        (new.c.detail == _text(""), _text("")), else_=_text(REASON_ENDS) + new.c.detail
    )
    row = sa.select(
        new.c.id,
        last + _number(1),
        ply,
        new.c.finished_at,
        _text(What.FINISHED),
        winner,
        _number(0),
        new.c.reason + evidence,
    )
    # In a batch it may come twice.
    ended = sa.exists().where(EVENTS.c.game_id == new.c.id, EVENTS.c.what == _text(What.FINISHED))
    rows = row.where(GAMES.c.id == new.c.id, _RUNNING, ~ended)
    insert = sqlite.insert if dialect == "sqlite" else postgresql.insert
    return insert(EVENTS).from_select(WRITTEN[Happened].columns, rows).on_conflict_do_nothing()


def _last(new: sa.Subquery) -> tuple[sa.ColumnElement[int], sa.ColumnElement[int]]:
    """The number of the last that happened in a game so far, and how many moves stand."""

    def one(column: sa.ColumnElement[int], *which: sa.ColumnElement[bool]) -> sa.ScalarSelect[int]:
        return sa.select(column).where(*which).correlate(new).scalar_subquery()

    of_moves, of_events = (table.c.game_id == new.c.id for table in (MOVES, EVENTS))
    event = sa.func.coalesce(one(sa.func.max(EVENTS.c.seq), of_events), _number(0))
    gone = sa.case((EVENTS.c.what == _text(What.TAKEN_BACK), EVENTS.c.amount), else_=_number(0))
    then = one(EVENTS.c.ply - gone, of_events, EVENTS.c.seq == event)
    seq, ply = (
        one(sa.func.max(column), of_moves, MOVES.c.seq > event)
        for column in (MOVES.c.seq, MOVES.c.ply)
    )
    return sa.func.coalesce(seq, event), sa.func.coalesce(ply, then, _number(0))


def _number(number: int) -> sa.ColumnElement[int]:
    """One of our own, which may stand in the statement itself."""
    return sa.literal_column(str(number), sa.Integer)


def _text(word: str) -> sa.ColumnElement[str]:
    """A word of our own, which may stand in the statement itself."""
    return sa.literal_column(f"'{word}'", sa.Text)


_RUNNING = GAMES.c.status == _text(Status.RUNNING)


def _update_later(written: Written, new: sa.Subquery, _: str) -> sa.Executable:
    alive = written.table.c.alive_at
    later = sa.and_(written.table.c.id == new.c.id, alive < new.c.alive_at)
    values = {name: new.c[name] for name in ("alive_at", "slowest_ms")}
    return sa.update(written.table).values(values).where(later)


def _read(written: Written) -> sa.Executable:
    columns = (written.table.c[name] for name in written.columns)
    return sa.select(*columns).where(
        *(written.table.c[name] == sa.bindparam(name) for name in written.key)
    )


_NEW: dict[str, tuple[Callable[[Written], sa.Subquery], bool]] = {
    "sqlite": (_one_row, False),
    "postgresql": (_all_rows, True),
}

_BUILD: dict[type[Fact], Callable[[Written, sa.Subquery, str], sa.Executable]] = {
    GameStarted: _insert_game,
    MovePlayed: _insert,
    Happened: _insert,
    Reported: _insert_unless_same,
    GameFinished: _update_running,
    Beaten: _update_later,
}

_BEFORE: dict[type[Fact], Callable[[Written, sa.Subquery, str], sa.Executable]] = {
    GameFinished: _insert_end,
}


def statements(dialect: sa.Dialect) -> dict[type[Fact], Statement]:
    """The statements in the words of one database."""
    new, by_column = _NEW[dialect.name]

    def compiled(statement: sa.Executable) -> str:
        assert isinstance(statement, sa.ClauseElement)
        return str(statement.compile(dialect=dialect))

    def built(kind: type[Fact], written: Written) -> Statement:
        sql, *before = (
            compiled(table[kind](written, new(written), dialect.name))
            for table in (_BUILD, _BEFORE)
            if kind in table
        )
        return Statement(written, sql, compiled(_read(written)), *before, by_column=by_column)

    return {kind: built(kind, written) for kind, written in WRITTEN.items()}
