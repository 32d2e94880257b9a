"""Old objects are looked through for garbage only when nobody waits, or when they must be."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import pytest
import trio

from ulci_server.app.garbage import (
    INTERVAL,
    LEAST_YOUNG,
    SPARE,
    collect_garbage,
    only_young_garbage,
    resident,
)


@contextmanager
def full_collections() -> Iterator[list[int]]:
    """How many there were, as a list that grows."""
    seen: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start" and info["generation"] == 2:
            seen.append(1)

    gc.callbacks.append(note)
    try:
        yield seen
    finally:
        gc.callbacks.remove(note)


def many_objects() -> list[list[int]]:
    """More than double of all that lives, so that Python's own rule would look through them."""
    return [[] for _ in range(4 * len(gc.get_objects()))]


@pytest.fixture
def counted() -> Iterator[list[int]]:
    with full_collections() as seen, only_young_garbage():
        gc.collect()
        seen.clear()
        yield seen


def test_by_pythons_own_rule_old_objects_are_looked_through_again_and_again() -> None:
    gc.collect()
    with full_collections() as seen:
        kept = many_objects()
    assert seen
    del kept


def test_however_many_objects_there_are_only_young_ones_are_looked_through(counted) -> None:
    kept = many_objects()
    assert not counted
    assert gc.get_count()[2] >= LEAST_YOUNG
    del kept


def test_the_rule_of_python_holds_again_afterwards() -> None:
    before = gc.get_threshold()
    with only_young_garbage():
        assert gc.get_threshold() != before
    assert gc.get_threshold() == before


class Server:
    """A server whose memory and games are what we say."""

    def __init__(self) -> None:
        self.playing = True
        self.memory = 100_000_000


@pytest.fixture
async def server(nursery: trio.Nursery) -> Server:
    server = Server()
    nursery.start_soon(partial(collect_garbage, lambda: server.playing, lambda: server.memory))
    return server


async def test_while_games_run_nothing_old_is_looked_through(
    autojump_clock, counted, server
) -> None:
    kept = many_objects()
    await trio.sleep(10 * INTERVAL)
    assert not counted
    del kept


async def test_when_no_game_runs_garbage_is_collected_once(autojump_clock, counted, server) -> None:
    kept = many_objects()
    server.playing = False
    await trio.sleep(10 * INTERVAL)
    assert len(counted) == 1
    del kept


async def test_where_hardly_anything_is_new_there_is_nothing_to_collect(
    autojump_clock, counted, server
) -> None:
    server.playing = False
    await trio.sleep(10 * INTERVAL)
    assert not counted


async def test_a_process_that_has_grown_by_half_is_cleared_even_while_games_run(
    autojump_clock, counted, server
) -> None:
    await trio.sleep(INTERVAL / 2)
    server.memory = 150_000_001 + SPARE
    await trio.sleep(10 * INTERVAL)
    assert len(counted) == 1


def test_the_memory_of_this_process_is_known() -> None:
    assert resident() > 1_000_000
