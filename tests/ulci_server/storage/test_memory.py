"""A repository in memory: as strict as a file, and as safe between threads."""

import threading

import pytest

from tests.support.facts import finished, noted, played, reported, started
from ulci_server.storage import MemoryRepository, RefusedError


def test_everything_of_a_refused_batch_is_taken_back() -> None:
    repository = MemoryRepository()
    repository.save(noted([started(1), reported(1, "first")]))
    before = (repository.games(), repository.moves(1), repository.reports(1))
    facts = [
        started(2),
        *(played(game, ply, "e2e4") for game in (1, 2) for ply in range(3)),
        *(reported(game, text) for game in (1, 2) for text in ("a", "b")),
        finished(1),
        finished(2),
        finished(9),
    ]

    with pytest.raises(RefusedError, match="never begun"):
        repository.save(noted(facts))

    assert (repository.games(), repository.moves(1), repository.reports(1)) == before
    assert repository.moves(2) == repository.reports(2) == []


def test_readers_see_whole_batches_only() -> None:
    repository = MemoryRepository()
    repository.save(noted([started()]))
    done = threading.Event()
    seen: list[int] = []

    def read() -> None:
        while not done.is_set():
            seen.append(len(repository.moves(1)))

    reader = threading.Thread(target=read)
    reader.start()
    try:
        for first in range(0, 200, 4):
            repository.save(noted([played(1, first + n, "e2e4") for n in range(4)]))
    finally:
        done.set()
        reader.join()

    assert {count % 4 for count in seen} <= {0}
    assert len(repository.moves(1)) == 200
