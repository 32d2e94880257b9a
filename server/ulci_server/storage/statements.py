"""Steps of the transaction that writes facts: plain SQL for rows, made once from the tables.

For one row SQLAlchemy would take three times as long as the database.
"""
# ruff: noqa: S608 - all that is put into the SQL comes from the tables and from this package

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy.dialects.postgresql import dialect as postgresql_dialect

from .errors import RefusedError
from .transactions import Values, Writer

_POSTGRES: sa.Dialect = postgresql_dialect()  # type: ignore[no-untyped-call]


class Step(Protocol):
    """What is done with the rows of one kind. `game`: where the number of the game stands in a row;
    None: the rows are of no game."""

    @property
    def game(self) -> int | None: ...

    def run(self, writer: Writer, rows: Sequence[Values]) -> None:
        """Raises `RefusedError` if a row is stored already with other values."""
        ...

    def unsaved(self, writer: Writer, row: Values) -> bool:
        """Whether the row is not stored as it is."""
        ...


class Computed:
    """A step that may read, compute and write, as a rating must: with what `work` read, nobody
    writes before the end of the transaction. It runs again if the batch does: let it look whether
    it was done."""

    def __init__(
        self, work: Callable[[Writer, Sequence[Values]], None], *, game: int | None = 0
    ) -> None:
        self.run = work
        self.game = game

    def unsaved(self, writer: Writer, row: Values) -> bool:  # noqa: ARG002
        """The rows that its facts write besides tell it."""
        return False


class Statement:
    """Writes rows, each unless its `key` exists; `kept` then reads the existing row, which must
    equal the columns in `compared`, all that cannot have changed since, and those that `implied`
    adds. `arrays` inserts many at once on PostgreSQL, one array a column, after what is put for
    `{only}`: for a kind that comes by the hundred."""

    def __init__(
        self,
        write: str,
        *,
        kept: str = "",
        key: slice = slice(0),
        compared: slice = slice(None),
        implied: Values = (),
        arrays: str = "",
        game: int | None = 0,
    ) -> None:
        self.write = write
        self.kept = kept
        self.key = key
        self.compared = compared
        self.implied = implied
        self.arrays = arrays
        self.game = game
        self._arrays_unless_kept = arrays and f"{arrays.format(only='')} ON CONFLICT DO NOTHING"

    def run(self, writer: Writer, rows: Sequence[Values]) -> None:
        """Raises `RefusedError` if a row is stored already with other values."""
        written = writer.write(self.write, rows, self._arrays_unless_kept)
        if written != len(rows) and self.kept:
            for row in rows:
                self._compare(writer, row)

    def _compare(self, writer: Writer, row: Values) -> None:
        kept = writer.read(self.kept, row[self.key])
        if kept is None:
            raise RefusedError(f"it was never begun: {row}")
        if kept != self._expected(row):
            raise RefusedError(f"it is kept already, and otherwise: {kept}, not {row}")

    def unsaved(self, writer: Writer, row: Values) -> bool:
        """Whether the row is not stored as it is."""
        return writer.read(self.kept, row[self.key]) != self._expected(row)

    def _expected(self, row: Values) -> Values:
        return (*row[self.compared], *self.implied)


def insert(
    table: sa.Table,
    columns: Collection[str],
    *,
    values: Mapping[str, str] = MappingProxyType({}),
    changing: Collection[str] = (),
    empty: Collection[str] = (),
    many: bool = False,
) -> Statement:
    """Inserts rows of these columns, of which the first are the key.

    values: what is put for a column, with the ``?``, where it is not the value alone. changing:
    what may be another one later, the last of the columns. empty: columns that stay NULL. many: the
    kind comes by the hundred.
    """
    key = len(table.primary_key)
    assert [*columns][:key] == [column.name for column in table.primary_key]
    assert {*columns} <= {*table.c.keys()}
    names = ", ".join(columns)
    into = f"INSERT INTO {table.name} ({names})"
    put = ", ".join(values.get(column, "?") for column in columns)
    compared = [*columns][: len(columns) - len(changing)]
    assert not {*compared} & {*changing}
    return Statement(
        f"{into} VALUES ({put}) ON CONFLICT DO NOTHING",
        kept=_select(table, [*compared, *empty], [*columns][:key]),
        key=slice(key),
        compared=slice(len(compared)),
        implied=(None,) * len(empty),
        arrays=f"{into} SELECT new.* FROM {{only}} unnest({_arrays(table, columns)}) AS new"
        if many
        else "",
    )


def insert_unkeyed(table: sa.Table, columns: Collection[str]) -> Statement:
    """Inserts rows that have no key: of two that are equal the second is not written. A row has its
    values twice."""
    names, count = ", ".join(columns), len(columns)
    equal = " AND ".join(f"{column} = ?" for column in columns)
    return Statement(
        f"INSERT INTO {table.name} ({names}) SELECT {', '.join('?' * count)}"
        f" WHERE NOT EXISTS (SELECT 1 FROM {table.name} WHERE {equal})",
        kept=_select(table, columns, columns),
        key=slice(count),
        compared=slice(count),
    )


def finish(
    table: sa.Table,
    columns: Collection[str],
    *,
    fixed: str,
    only: str,
    changing: Collection[str] = (),
) -> Statement:
    """Sets these columns, and what is `fixed`, of the row with the number that comes last, which
    must be `only` so. changing: what may be stored otherwise, the last of the columns."""
    count = len(columns)
    compared = [*columns][: count - len(changing)]
    assert not {*compared} & {*changing}
    changed = ", ".join(f"{column} = ?" for column in columns)
    return Statement(
        f"UPDATE {table.name} SET {fixed}, {changed} WHERE id = ? AND {only}",
        kept=_select(table, compared, ["id"]),
        key=slice(count, count + 1),
        compared=slice(len(compared)),
        game=count,
    )


def _select(table: sa.Table, columns: Iterable[str], by: Iterable[str]) -> str:
    where = " AND ".join(f"{column} = ?" for column in by)
    return f"SELECT {', '.join(columns)} FROM {table.name} WHERE {where}"


def _arrays(table: sa.Table, columns: Iterable[str]) -> str:
    types = [table.c[column].type.compile(_POSTGRES) for column in columns]
    return ", ".join(f"%s::{type_}[]" for type_ in types)


class Saving(Struct, frozen=True):
    """How a batch is saved. `run` owns the games that begin; None: nobody does. Of main variations
    `longest_pv` characters are kept."""

    run: int | None
    longest_pv: int


RowsOfFact = Iterable[tuple[Step, Values]]


class Kind:
    """How the facts of one class are written: what `rows` gives for a fact and the time of it, by
    `steps`, in the order in which they must run. Other kinds may write more for the same class."""

    def __init__(
        self, fact: type[Any], rows: Callable[[Any, Any, Saving], RowsOfFact], *steps: Step
    ) -> None:
        self.fact = fact
        self.rows = rows
        self.steps = steps
