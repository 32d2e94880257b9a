"""Objects are looked through for garbage only when nobody waits long for it, or when they must."""

import gc
import weakref
from collections.abc import Iterator
from functools import partial

import pytest
import trio

from ulci_server.app.garbage import (
    INTERVAL,
    LEAST_NEW,
    MOST_YOUNG,
    SPARE,
    collect_garbage,
    no_automatic_collection,
    resident,
)


@pytest.fixture
def seen() -> Iterator[list[int]]:
    """The generations that were looked through, as a list that grows. All is frozen before, so that
    nobody has to look through what other tests left."""
    generations: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            generations.append(info["generation"])

    gc.callbacks.append(note)
    try:
        with no_automatic_collection():
            gc.freeze()
            yield generations
    finally:
        gc.callbacks.remove(note)


class Cycle:
    """Refers to itself."""

    def __init__(self) -> None:
        self.myself = self


def garbage() -> "weakref.ref[Cycle]":
    return weakref.ref(Cycle())


def many_objects(number: int = 2 * LEAST_NEW) -> list[list[int]]:
    return [[] for _ in range(number)]


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


def test_by_pythons_own_rule_objects_would_be_looked_through_again_and_again(seen) -> None:
    gc.enable()
    kept = many_objects()
    assert 1 in seen
    del kept


def test_however_many_objects_there_are_nothing_happens_by_itself(seen) -> None:
    kept = many_objects()
    assert not seen
    del kept


def test_the_rule_of_python_holds_again_afterwards() -> None:
    with no_automatic_collection():
        gc.freeze()
        assert not gc.isenabled()
    assert gc.isenabled()
    assert not gc.get_freeze_count()


async def test_what_became_garbage_in_this_second_is_collected(
    autojump_clock, seen, server
) -> None:
    await trio.sleep(INTERVAL / 2)
    young = garbage()
    assert young() is not None
    await trio.sleep(INTERVAL)
    assert young() is None
    assert 2 not in seen


async def test_so_many_that_others_would_wait_are_left_until_the_server_is_idle(
    autojump_clock, seen, server
) -> None:
    await trio.sleep(INTERVAL / 2)
    kept = many_objects(MOST_YOUNG + 1)
    young = garbage()
    await trio.sleep(10 * INTERVAL)
    assert young() is not None
    server.playing = False
    kept += many_objects()
    await trio.sleep(INTERVAL)
    assert young() is not None, "newcomers in their hundreds had to wait"
    await trio.sleep(INTERVAL)
    assert young() is None
    assert seen.count(2) == 1


async def test_while_games_run_nothing_is_looked_through_twice(
    autojump_clock, seen, server
) -> None:
    kept = [many_objects(MOST_YOUNG // 2)]
    await trio.sleep(INTERVAL / 2)
    for _ in range(10):
        await trio.sleep(INTERVAL)
        assert len(gc.get_objects()) < MOST_YOUNG // 2
    assert 2 not in seen
    kept.clear()


async def test_when_no_game_runs_all_is_looked_through_once(autojump_clock, seen, server) -> None:
    kept = many_objects()
    server.playing = False
    await trio.sleep(10 * INTERVAL)
    assert seen.count(2) == 1
    del kept


async def test_where_hardly_anything_is_new_there_is_nothing_to_collect(
    autojump_clock, seen, server
) -> None:
    server.playing = False
    await trio.sleep(10 * INTERVAL)
    assert 2 not in seen


async def test_a_process_that_has_grown_by_half_is_cleared_even_while_games_run(
    autojump_clock, seen, server
) -> None:
    await trio.sleep(INTERVAL / 2)
    server.memory = 150_000_001 + SPARE
    await trio.sleep(10 * INTERVAL)
    assert seen.count(2) == 1


def test_the_memory_of_this_process_is_known() -> None:
    assert resident() > 1_000_000
