"""What the statements write is what the tables need and what the rows bring."""

import pytest
from sqlalchemy.dialects import postgresql, sqlite

from tests.support.facts import finished, happened, noted, played, reported, started
from ulci_server.game import Beaten, Fact, What
from ulci_server.storage.rows import rows_of
from ulci_server.storage.statements import WRITTEN, statements

FACTS: list[Fact] = [
    started(),
    played(1, 0, "e2e4"),
    happened(1, 1, What.AWAY),
    reported(1, "hm"),
    finished(1),
    Beaten(1),
]


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: type(fact).__name__)
def test_the_rows_bring_exactly_the_columns_that_are_written(fact: Fact) -> None:
    ((kind, (row,)),) = rows_of(noted([fact]), str).items()

    assert row.keys() == set(WRITTEN[kind].columns)
    assert set(WRITTEN[kind].key) <= row.keys()


def test_every_column_is_written_or_fills_itself() -> None:
    written: dict[str, set[str]] = {}
    for where in WRITTEN.values():
        written.setdefault(where.table.name, set()).update(where.columns)
    left = {
        f"{table.name}.{column.name}"
        for table in {where.table for where in WRITTEN.values()}
        for column in table.columns
        if column.name not in written[table.name]
    }

    assert left == {"reports.id", "runs.started_at", "runs.ended_at"}


def test_each_database_has_a_statement_for_each_fact() -> None:
    for dialect in (sqlite.dialect(paramstyle="named"), postgresql.dialect()):
        assert statements(dialect).keys() == WRITTEN.keys()
