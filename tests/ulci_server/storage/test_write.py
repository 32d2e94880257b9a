"""What the statements write is what the tables need and what the rows bring."""

import re
from datetime import timedelta

import pytest

from tests.support.facts import NOON, finished, happened, noted, played, reported, started
from ulci_server.game import EventKind, Fact, Heartbeat
from ulci_server.storage import MemoryRepository, Noted, RefusedError
from ulci_server.storage.schema import METADATA
from ulci_server.storage.write import ADD_MOVE, STATEMENTS, rows_of

FACTS: list[Fact] = [
    started(),
    played(1, 0, "e2e4"),
    happened(1, 1, EventKind.AWAY),
    reported(1, "hm"),
    finished(1),
    Heartbeat(1),
]


def same(at: object) -> object:
    return at


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: type(fact).__name__)
def test_a_row_brings_as_many_values_as_its_statement_takes(fact: Fact) -> None:
    ((kind, (row,)),) = rows_of(noted([fact]), same).items()

    statement = STATEMENTS[kind]
    assert len(row) == statement.write.count("?")
    assert len(row[statement.key]) == statement.kept.count("?")


def test_every_column_is_written_or_fills_itself() -> None:
    written: dict[str, set[str]] = {}
    for statement in STATEMENTS.values():
        if insert := re.search(r"INSERT INTO (\w+) \(([^)]*)\)", statement.write):
            written.setdefault(insert[1], set()).update(re.findall(r"\w+", insert[2]))
        elif update := re.search(r"UPDATE (\w+) SET (.*?)\s+WHERE", statement.write, re.DOTALL):
            written.setdefault(update[1], set()).update(re.findall(r"(\w+) =", update[2]))
    left = {
        f"{table}.{column.name}"
        for table, names in written.items()
        for column in METADATA.tables[table].columns
        if column.name not in names
    }

    assert left == {"reports.id", "runs.id", "runs.started_at", "runs.ended_at"}


def test_postgres_takes_one_array_for_each_column_of_a_move() -> None:
    assert ADD_MOVE.arrays.count("%s::") == ADD_MOVE.write.count("?")


def test_rows_come_by_kind_in_the_order_in_which_they_must_be_written() -> None:
    facts = [finished(1), reported(1, "hm"), played(1, 0, "e2e4"), started(1), started(2)]

    kinds = [kind.__name__ for kind in rows_of(noted(facts), same)]

    assert kinds == ["GameStarted", "MovePlayed", "Reported", "GameFinished"]


def test_the_stamp_spells_the_time() -> None:
    ((row,),) = rows_of(noted([started()]), lambda at: at + timedelta(1)).values()

    assert NOON + timedelta(1) in row


def test_what_is_no_fact_is_refused_by_name() -> None:
    with pytest.raises(RefusedError, match="not a fact: 'e2e4'"):
        rows_of([Noted("e2e4", NOON)], same)  # type: ignore[arg-type]


def test_a_number_that_no_column_holds_is_refused_with_its_fact() -> None:
    repository = MemoryRepository()

    with pytest.raises(RefusedError, match="too large"):
        repository.save(noted([started(), played(1, 0, "e2e4", spent=2**63)]))

    assert repository.games() == []
