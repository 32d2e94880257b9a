"""A database in memory: as strict as a file, and as safe between threads."""

import threading

import pytest

from tests.support.facts import finished, noted, played, reported, started
from ulci_server.storage import MemoryDatabase, RefusedError


def test_everything_of_a_refused_batch_is_taken_back() -> None:
    database = MemoryDatabase()
    database.save(noted([started(1), reported(1, "first")]))
    before = (database.games.find(), database.games.moves(1), database.games.reports(1))
    facts = [
        started(2),
        *(played(game, ply, "e2e4") for game in (1, 2) for ply in range(3)),
        *(reported(game, text) for game in (1, 2) for text in ("a", "b")),
        finished(1),
        finished(2),
        finished(9),
    ]

    with pytest.raises(RefusedError, match="never begun"):
        database.save(noted(facts))

    assert (database.games.find(), database.games.moves(1), database.games.reports(1)) == before
    assert database.games.moves(2) == database.games.reports(2) == []


def test_readers_see_whole_batches_only() -> None:
    database = MemoryDatabase()
    database.save(noted([started()]))
    done = threading.Event()
    seen: list[int] = []

    def read() -> None:
        while not done.is_set():
            seen.append(len(database.games.moves(1)))

    reader = threading.Thread(target=read)
    reader.start()
    try:
        for first in range(0, 200, 4):
            database.save(noted([played(1, first + n, "e2e4") for n in range(4)]))
    finally:
        done.set()
        reader.join()

    assert {count % 4 for count in seen} <= {0}
    assert len(database.games.moves(1)) == 200
