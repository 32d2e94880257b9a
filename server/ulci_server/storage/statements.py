"""How is a batch of rows written? One statement a table, the same for one row and a thousand.

The statements are built with SQLAlchemy, compiled once, and then run as text: what SQLAlchemy does
to each row anew would cost a third of the whole write. A batch that comes a second time writes
nothing and is compared with what is kept.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from ulci_server.game import Fact, GameFinished, GameStarted, MovePlayed, Reported

from .errors import RefusedError
from .rows import Row
from .schema import GAMES, MOVES, REPORTS, Status

Columns = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """Where a fact goes: `columns` of `table` are written, `key` names the row."""

    table: sa.Table
    columns: Columns
    key: Columns


def _seats(*columns: str) -> Columns:
    return tuple(f"{word}_{column}" for word in ("white", "black") for column in columns)


WRITTEN: dict[type[Fact], Written] = {
    GameStarted: Written(
        GAMES,
        (
            *("id", "rules", "start", "control", "pool", "rated", "started_at"),
            *_seats("name", "kind", "author", "rating", "title"),
        ),
        ("id",),
    ),
    MovePlayed: Written(
        MOVES,
        (
            *("game_id", "ply", "side", "move", "at", "spent_ms", "left_ms"),
            *("score_cp", "score_mate", "score_bound", "depth", "nodes", "time_ms", "pv"),
        ),
        ("game_id", "ply"),
    ),
    Reported: Written(
        REPORTS,
        ("game_id", "ply", "side", "source", "text", "at"),
        ("game_id", "ply", "side", "source", "text", "at"),
    ),
    GameFinished: Written(
        GAMES, ("id", "status", "result", "reason", "detail", "finished_at"), ("id",)
    ),
}


class Statement:
    """Writes the rows of one kind of fact."""

    def __init__(self, written: Written, sql: str, read: str, *, by_column: bool) -> None:
        self._written = written
        self._sql = sql
        self._read = read
        self._by_column = by_column

    def write(self, connection: sa.Connection, rows: Sequence[Row]) -> None:
        """Raises `RefusedError` if a row is kept already and otherwise."""
        # The same complaint twice in one moment would be two rows: they have no key of their own.
        rows = rows if self._written.table is not REPORTS else _distinct(rows)
        parameters: Any = self._columns(rows) if self._by_column else rows
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
        if kept._asdict() != row:
            raise RefusedError(
                f"{self._written.table.name}: {where} is kept already, and otherwise"
            )


def _distinct(rows: Sequence[Row]) -> list[Row]:
    return list({tuple(row.values()): row for row in rows}.values())


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


def _insert_unless_same(written: Written, new: sa.Subquery, _: str) -> sa.Executable:
    same = sa.and_(*(written.table.c[name] == new.c[name] for name in written.key))
    rows = sa.select(new).where(~sa.exists().where(same))
    return sa.insert(written.table).from_select(written.columns, rows)


def _update_running(written: Written, new: sa.Subquery, _: str) -> sa.Executable:
    table, (key,) = written.table, written.key
    values = {name: new.c[name] for name in written.columns if name != key}
    running = table.c.status == sa.literal_column(f"'{Status.RUNNING}'")
    return sa.update(table).values(values).where(table.c[key] == new.c[key], running)


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
    GameStarted: _insert,
    MovePlayed: _insert,
    Reported: _insert_unless_same,
    GameFinished: _update_running,
}


def statements(dialect: sa.Dialect) -> dict[type[Fact], Statement]:
    """The statements in the words of one database."""
    new, by_column = _NEW[dialect.name]

    def compiled(statement: sa.Executable) -> str:
        assert isinstance(statement, sa.ClauseElement)
        return str(statement.compile(dialect=dialect))

    return {
        kind: Statement(
            written,
            compiled(_BUILD[kind](written, new(written), dialect.name)),
            compiled(_read(written)),
            by_column=by_column,
        )
        for kind, written in WRITTEN.items()
    }
