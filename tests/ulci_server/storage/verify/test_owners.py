"""Each owner of a game followed the one before, and is known."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta

import pytest
import sqlalchemy as sa

from tests.support.facts import NOON, finished
from tests.support.games import keep, moves
from ulci.rules import Side
from ulci_server.storage import Database, MemoryDatabase, Noted
from ulci_server.storage.verify import DisagreementError, verify_game

FOOLS_MATE = "f2f3 e7e5 g2g4 d8h4"
PAUSE = timedelta(seconds=3)
"""As `keep` has it."""


def held_by(*nodes: str, over: bool = True) -> Database:
    """A database with one game, held by these servers in turn; one without a name is alone."""
    database = MemoryDatabase()
    for number, node in enumerate(nodes):
        if node:
            database.runs.join(run := database.runs.begin(NOON, node))
        else:
            run = database.runs.begin_alone(NOON, "1.3")
        if not number:
            keep(database, moves("f2f3 e7e5"))
        else:
            database.ownership.claim(NOON, 1)
        if number < len(nodes) - 1:
            database.runs.end(run, NOON)
    if over:
        rest = [*moves(FOOLS_MATE)[2:], finished(1, Side.BLACK)]
        database.save([Noted(fact, NOON + (n + 3) * PAUSE) for n, fact in enumerate(rest)])
    return database


@contextmanager
def tampering(database: Database) -> Iterator[sa.Connection]:
    """Foreign keys are not watched over meanwhile."""
    with database.transactions.writer.connect() as connection:
        connection.exec_driver_sql("COMMIT")
        connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
        connection.exec_driver_sql("BEGIN")
        yield connection
        connection.commit()


def verified(database: Database) -> int:
    (game,) = database.games.find()
    return verify_game(database, game)


@pytest.mark.parametrize("nodes", ["a", "ab", "abab", [""], ["", "a", ""]])
@pytest.mark.parametrize("over", [True, False])
def test_a_game_that_servers_held_in_turn_agrees(nodes: Sequence[str], over: bool) -> None:
    assert verified(held_by(*nodes, over=over)) == (4 if over else 2)


TAMPERED = {
    "DELETE FROM owners WHERE epoch = 2": "epoch 2 has no owner, and epoch 3 has one",
    "DELETE FROM owners WHERE epoch = 3": "the game is in epoch 3, and it had 2",
    "DELETE FROM runs WHERE node = 'b'": "the owner in epoch 2, run 2, is not known",
    "UPDATE games SET owner = 2": "the game belongs to run 2, its last owner is 3",
    "INSERT INTO owners SELECT 1, 4, 2, at FROM owners LIMIT 1": "in epoch 3, and it had 4",
}


@pytest.mark.parametrize(("change", "why"), TAMPERED.items(), ids=TAMPERED.values())
def test_owners_that_did_not_follow_each_other_are_found(change: str, why: str) -> None:
    database = held_by("a", "b", "c")
    with tampering(database) as connection:
        connection.exec_driver_sql(change)

    with pytest.raises(DisagreementError, match=why):
        verified(database)


def test_a_running_game_may_be_claimed_after_it_was_read() -> None:
    database = held_by("a", over=False)
    (game,) = database.games.find()
    database.runs.end(1, NOON)
    database.runs.join(database.runs.begin(NOON, "b"))
    assert len(database.ownership.claim(NOON, 1)) == 1

    assert verify_game(database, game) == 2
