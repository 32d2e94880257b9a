"""Each owner of a game followed the one before, and is known."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
import sqlalchemy as sa

from tests.support.facts import NOON, finished
from tests.support.games import keep, moves
from ulci.rules import Side
from ulci_server.storage import MemoryRepository, Noted, Repository
from ulci_server.storage.verify import DisagreementError, verify_game

FOOLS_MATE = "f2f3 e7e5 g2g4 d8h4"
PAUSE = timedelta(seconds=3)
"""As `keep` has it."""


def held_by(*nodes: str, over: bool = True) -> Repository:
    """A repository with one game, held by these servers in turn."""
    repository = MemoryRepository()
    for number, node in enumerate(nodes):
        run = repository.begin_run(NOON, node).id
        repository.join(run)
        if not number:
            keep(repository, moves("f2f3 e7e5"))
        else:
            repository.claim(NOON, 1)
        if number < len(nodes) - 1:
            repository.end_run(run, NOON)
    if over:
        rest = [*moves(FOOLS_MATE)[2:], finished(1, Side.BLACK)]
        repository.save([Noted(fact, NOON + (n + 3) * PAUSE) for n, fact in enumerate(rest)])
    return repository


@contextmanager
def tampering(repository: Repository) -> Iterator[sa.Connection]:
    """Foreign keys are not watched over meanwhile."""
    with repository.writer.connect() as connection:
        connection.exec_driver_sql("COMMIT")
        connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
        connection.exec_driver_sql("BEGIN")
        yield connection
        connection.commit()


def verified(repository: Repository) -> int:
    (game,) = repository.games()
    return verify_game(repository, game)


@pytest.mark.parametrize("nodes", ["a", "ab", "abab"])
@pytest.mark.parametrize("over", [True, False])
def test_a_game_that_servers_held_in_turn_agrees(nodes: str, over: bool) -> None:
    assert verified(held_by(*nodes, over=over)) == (4 if over else 2)


TAMPERED = {
    "DELETE FROM owners WHERE epoch = 2": "epoch 2 has no owner, and epoch 3 has one",
    "DELETE FROM owners WHERE epoch = 3": "the game is in epoch 3, and it had 2",
    "DELETE FROM runs WHERE node = 'b'": "the owner in epoch 2, run 2, is no known server",
    "UPDATE runs SET node = '' WHERE node = 'b'": "the owner in epoch 2, run 2, is no known server",
    "UPDATE games SET owner = 2": "the game belongs to run 2, its last owner is 3",
    "INSERT INTO owners SELECT 1, 4, 2, at FROM owners LIMIT 1": "in epoch 3, and it had 4",
}


@pytest.mark.parametrize(("change", "why"), TAMPERED.items(), ids=TAMPERED.values())
def test_owners_that_did_not_follow_each_other_are_found(change: str, why: str) -> None:
    repository = held_by("a", "b", "c")
    with tampering(repository) as connection:
        connection.exec_driver_sql(change)

    with pytest.raises(DisagreementError, match=why):
        verified(repository)


def test_a_running_game_may_be_claimed_after_it_was_read() -> None:
    repository = held_by("a", over=False)
    (game,) = repository.games()
    repository.end_run(1, NOON)
    repository.join(repository.begin_run(NOON, "b").id)
    assert len(repository.claim(NOON, 1)) == 1

    assert verify_game(repository, game) == 2
