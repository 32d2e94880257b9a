"""Objects are looked through for garbage a few at a time, or when they must."""

import gc
import weakref
from collections.abc import Iterator
from functools import partial

import pytest
import trio

from ulci_server.app.garbage import (
    INTERVAL,
    MANY,
    MOST_YOUNG,
    OF_A_CONNECTION,
    SPARE,
    collect_all,
    collect_garbage,
    living,
    no_automatic_collection,
    resident,
)


class Looks(list[int]):
    """The generations that were looked through, and `most`, the objects of the largest one."""

    most = 0

    def note(self, phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            generation = info["generation"]
            self.append(generation)
            looked = sum(map(len, map(gc.get_objects, range(generation + 1))))
            self.most = max(self.most, looked)


@pytest.fixture
def seen() -> Iterator[Looks]:
    """All is frozen before, so that nobody has to look through what other tests left."""
    looks = Looks()
    gc.callbacks.append(looks.note)
    try:
        with no_automatic_collection():
            gc.freeze()
            yield looks
    finally:
        gc.callbacks.remove(looks.note)


class Cycle:
    """Refers to itself."""

    def __init__(self) -> None:
        self.myself: object = self


def garbage() -> "weakref.ref[Cycle]":
    return weakref.ref(Cycle())


def many_objects(number: int) -> list[list[int]]:
    return [[] for _ in range(number)]


class Server:
    """A server whose memory and connections are what we say."""

    def __init__(self) -> None:
        self.connections = 0
        self.memory = 100_000_000


@pytest.fixture
async def server(nursery: trio.Nursery) -> Server:
    server = Server()
    nursery.start_soon(partial(collect_garbage, lambda: server.connections, lambda: server.memory))
    return server


def test_by_pythons_own_rule_objects_would_be_looked_through_again_and_again(seen) -> None:
    gc.enable()
    kept = many_objects(100_000)
    assert 1 in seen
    del kept


def test_however_many_objects_there_are_nothing_happens_by_itself(seen) -> None:
    kept = many_objects(100_000)
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


async def test_what_the_server_began_with_is_never_looked_through(
    autojump_clock, seen, nursery
) -> None:
    kept = many_objects(10 * MOST_YOUNG)
    nursery.start_soon(collect_garbage, lambda: 0, lambda: 100_000_000)
    await trio.sleep(3 * INTERVAL)
    assert living() < MOST_YOUNG
    collect_all()
    assert 2 in seen
    assert seen.most < MOST_YOUNG
    del kept


async def test_a_crowd_is_looked_through_in_steps_while_it_comes(
    autojump_clock, seen, server
) -> None:
    await trio.sleep(INTERVAL / 2)
    crowd = [many_objects(MANY + 1)]
    for _ in range(200):
        await trio.sleep(INTERVAL / 20)
        crowd.append(many_objects(2 * MANY))
        if len(crowd) == 100:
            strange = garbage()
    assert strange() is None
    assert seen
    assert 2 not in seen
    assert seen.most <= 2 * MOST_YOUNG


async def test_what_lived_for_some_seconds_is_collected_while_games_run(
    autojump_clock, seen, server
) -> None:
    await trio.sleep(INTERVAL / 2)
    lives = Cycle()
    old = weakref.ref(lives)
    await trio.sleep(2 * INTERVAL)
    del lives
    kept = []
    for _ in range(MOST_YOUNG // MANY + 2):
        kept.append(many_objects(MANY))
        await trio.sleep(INTERVAL)
    assert old() is None
    assert 2 not in seen
    assert seen.most <= 2 * MOST_YOUNG


async def test_so_many_at_once_that_others_would_wait_are_left_until_they_must(
    autojump_clock, seen, server
) -> None:
    await trio.sleep(INTERVAL / 2)
    kept = many_objects(MOST_YOUNG + 1)
    young = garbage()
    await trio.sleep(10 * INTERVAL)
    assert young() is not None
    assert 2 not in seen
    server.memory = 150_000_001 + SPARE
    await trio.sleep(10 * INTERVAL)
    assert young() is None
    assert seen.count(2) == 1
    del kept


async def test_memory_that_connections_explain_is_no_reason_to_look_through_all(
    autojump_clock, seen, server
) -> None:
    await trio.sleep(INTERVAL / 2)
    server.connections = 3000
    server.memory = 150_000_000 + SPARE + 3000 * OF_A_CONNECTION
    await trio.sleep(10 * INTERVAL)
    assert 2 not in seen
    server.connections = 0
    await trio.sleep(INTERVAL)
    assert seen.count(2) == 1


def test_the_memory_of_this_process_is_known() -> None:
    assert resident() > 1_000_000
