"""What the statements write is what the tables need and what the rows bring."""

import re
from collections.abc import Sequence
from datetime import timedelta

import pytest

from tests.support.facts import NOON, finished, happened, noted, played, reported, started
from ulci.protocol.messages import Info
from ulci_server.game import EventKind, Fact, GameFinished, Heartbeat, Released
from ulci_server.storage import MemoryDatabase, Noted, RefusedError, write
from ulci_server.storage.rows.games import ADD_LAST_EVENT, ADD_OWNER, BEGIN_GAME, END_GAME
from ulci_server.storage.rows.moves import ADD_ANALYSED_MOVE, ADD_MOVE
from ulci_server.storage.rows.ratings import RATE
from ulci_server.storage.rows.reports import ADD_REPORT
from ulci_server.storage.schema import METADATA
from ulci_server.storage.statements import Computed, Kind, Statement
from ulci_server.storage.transactions import Writer
from ulci_server.storage.write import STEPS, rows_of

FACTS: list[Fact] = [
    started(),
    played(1, 0, "e2e4"),
    played(1, 0, "e2e4", info=Info(depth=9)),
    happened(1, 1, EventKind.AWAY),
    reported(1, "hm"),
    finished(1),
    Heartbeat(1),
    Released(1, 1),
]

BY_OTHERS = {
    *("id", "started_at", "ended_at", "node", "beat", "fenced_at", "draining", "speaks"),
    *("version", "owns"),
}
"""Columns of runs that no fact changes."""


def _statements() -> list[Statement]:
    return [step for step in STEPS if isinstance(step, Statement)]


def same(at: object) -> object:
    return at


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: type(fact).__name__)
def test_a_row_brings_as_many_values_as_its_statement_takes(fact: Fact) -> None:
    rows = rows_of(noted([fact]), same)

    for statement, (row,) in rows.items():
        if isinstance(statement, Statement):
            assert len(row) == statement.write.count("?")
            assert len(row[statement.key]) == statement.kept.count("?")


def test_every_column_is_written_or_fills_itself() -> None:
    written: dict[str, set[str]] = {}
    for statement in _statements():
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

    assert left == {"reports.id", *(f"runs.{name}" for name in BY_OTHERS)}


@pytest.mark.parametrize("statement", [ADD_MOVE, ADD_ANALYSED_MOVE], ids=["bare", "analysed"])
def test_postgres_takes_one_array_for_each_column_of_a_move(statement: Statement) -> None:
    assert statement.arrays.count("%s::") == statement.write.count("?")


def test_a_move_that_is_kept_with_an_analysis_is_refused_without_it() -> None:
    database = MemoryDatabase()
    begun, analysed = noted([started(), played(1, 0, "e2e4", info=Info(depth=9))])
    database.save([begun, analysed])

    database.save([analysed])  # the same again
    with pytest.raises(RefusedError, match="it is kept already, and otherwise"):
        database.save([Noted(played(1, 0, "e2e4"), analysed.at)])


def test_rows_come_by_kind_in_the_order_in_which_they_must_be_written() -> None:
    facts = [finished(1), reported(1, "hm"), played(1, 0, "e2e4"), started(1), started(2)]

    statements = [*rows_of(noted(facts), same)]

    assert statements == [BEGIN_GAME, ADD_MOVE, ADD_REPORT, ADD_LAST_EVENT, END_GAME, RATE]


def test_games_that_begin_belong_to_the_run_that_writes_them() -> None:
    rows = rows_of(noted([started(3), started(4)]), same, run=7)

    assert [row[-2:] for row in rows[BEGIN_GAME]] == [(7, 1), (7, 1)]
    assert rows[ADD_OWNER] == [(3, 1, 7, NOON), (4, 1, 7, NOON + timedelta(seconds=1))]
    for statement, (row, _) in rows.items():
        assert isinstance(statement, Statement)
        assert len(row) == statement.write.count("?")
        assert len(row[statement.key]) == statement.kept.count("?")


def test_the_stamp_spells_the_time() -> None:
    ((row,),) = rows_of(noted([started()]), lambda at: at + timedelta(1)).values()

    assert NOON + timedelta(1) in row


def test_what_is_no_fact_is_refused_by_name() -> None:
    with pytest.raises(RefusedError, match="not a fact: 'e2e4'"):
        rows_of([Noted("e2e4", NOON)], same)  # type: ignore[arg-type]


def test_a_number_that_no_column_holds_is_refused_with_its_fact() -> None:
    database = MemoryDatabase()

    with pytest.raises(RefusedError, match="too large"):
        database.save(noted([started(), played(1, 0, "e2e4", spent=2**63)]))

    assert database.games.find() == []


def test_a_step_may_read_and_compute_what_it_writes_with_a_fact_that_another_kind_writes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def work(writer: Writer, rows: Sequence[tuple[int]]) -> None:
        """The end of a game counts its moves, in its pool."""
        for row in rows:
            moves = writer.read("SELECT count(*) FROM moves WHERE game_id = ?", row)
            assert moves is not None
            writer.write("UPDATE games SET pool = ? WHERE id = ?", [(f"{moves[0]} moves", *row)])

    count = Computed(work)
    kind = Kind(GameFinished, lambda fact, _, __: [(count, (fact.game,))], count)
    monkeypatch.setattr(write, "STEPS", (*write.STEPS, count))
    monkeypatch.setitem(write._ROWS, GameFinished, [*write._ROWS[GameFinished], kind.rows])
    database = MemoryDatabase()
    database.save(noted([started(), played(1, 0, "e2e4")]))

    with pytest.raises(RefusedError, match="never begun"):
        database.save(noted([finished(1), finished(2)]))
    assert [game.pool for game in database.games.find()] == [""]

    database.save(noted([played(1, 1, "e7e5"), finished(1)]))
    assert [game.pool for game in database.games.find()] == ["2 moves"]
