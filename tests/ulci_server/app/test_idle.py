"""A server without games gives back what it has of memory, and one with games keeps it."""

import gc
import weakref
from collections.abc import Iterator

import pytest
import trio

from ulci.net import network
from ulci_server.app import idle
from ulci_server.app.garbage import no_automatic_collection
from ulci_server.app.idle import AGAIN, MOST_CONNECTIONS, MOST_LIVING, QUIET, release_memory
from ulci_server.lobby.names import looks
from ulci_server.storage import StorageError


class Server:
    """A server whose games are what we say; `given` counts how often it gave back."""

    def __init__(self) -> None:
        self.playing = True
        self.connections = 0
        self.given = 0
        self.breaks = False

    def give_up(self) -> None:
        self.given += 1
        if self.breaks:
            raise StorageError("the disk hangs")


@pytest.fixture
def _no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trio's clock may not jump while a thread works."""

    async def at_once(work, *args: object, abandon_on_cancel: bool) -> object:
        await trio.lowlevel.checkpoint()
        return work(*args)

    monkeypatch.setattr(trio.to_thread, "run_sync", at_once)


@pytest.fixture
def _only_new_objects() -> Iterator[None]:
    with no_automatic_collection():
        gc.freeze()
        yield


@pytest.fixture
async def server(_no_threads, _only_new_objects, nursery: trio.Nursery) -> Server:
    server = Server()
    nursery.start_soon(
        release_memory, lambda: server.playing, lambda: server.connections, [server.give_up]
    )
    await trio.sleep(0.5)
    return server


class Cycle:
    """Refers to itself."""

    def __init__(self) -> None:
        self.myself = self


async def test_while_games_run_nothing_is_given_back(autojump_clock, server) -> None:
    garbage = weakref.ref(Cycle())
    await trio.sleep(3 * AGAIN)
    assert server.given == 0
    assert garbage() is not None


async def test_some_seconds_after_the_last_game_all_is_given_back_once(
    autojump_clock, server
) -> None:
    garbage = weakref.ref(Cycle())
    server.playing = False
    await trio.sleep(QUIET - 1)
    assert server.given == 0
    await trio.sleep(2)
    assert server.given == 1
    assert garbage() is None
    await trio.sleep(AGAIN - QUIET)
    assert server.given == 1


async def test_what_is_easily_made_again_of_names_and_addresses_is_forgotten(
    autojump_clock, server
) -> None:
    looks("Ada")
    network("192.0.2.1")
    server.playing = False
    await trio.sleep(QUIET + 1)
    assert looks.cache_info().currsize == network.cache_info().currsize == 0


async def test_a_server_that_stays_idle_gives_back_now_and_then(autojump_clock, server) -> None:
    server.playing = False
    await trio.sleep(3 * AGAIN + QUIET + 1)
    assert server.given == 4


async def test_a_game_begins_the_wait_anew(autojump_clock, server) -> None:
    server.playing = False
    await trio.sleep(QUIET - 2)
    server.playing = True
    await trio.sleep(2)
    server.playing = False
    await trio.sleep(QUIET - 2)
    assert server.given == 0
    await trio.sleep(3)
    assert server.given == 1


async def test_where_a_look_at_all_objects_would_take_long_only_the_rest_is_given_back(
    autojump_clock, server
) -> None:
    garbage = weakref.ref(Cycle())
    many = [[] for _ in range(MOST_LIVING)]
    server.playing = False
    await trio.sleep(QUIET + 1)
    assert server.given == 1
    assert garbage() is not None
    del many
    await trio.sleep(AGAIN)
    assert garbage() is None


async def test_the_objects_of_thousands_are_not_even_counted(
    autojump_clock, monkeypatch: pytest.MonkeyPatch, server
) -> None:
    counted = []
    monkeypatch.setattr(idle, "living", lambda: counted.append(1) or 0)
    server.connections = MOST_CONNECTIONS + 1
    server.playing = False
    await trio.sleep(QUIET + 1)
    assert (server.given, counted) == (1, [])
    server.connections = MOST_CONNECTIONS
    await trio.sleep(AGAIN)
    assert (server.given, counted) == (2, [1])


async def test_a_database_that_fails_keeps_nothing_from_being_given_back(
    autojump_clock, monkeypatch: pytest.MonkeyPatch, server
) -> None:
    class Libc:
        trimmed = 0

        def malloc_trim(self, pad: int) -> int:
            self.trimmed += 1
            return pad

    monkeypatch.setattr(idle, "_LIBC", libc := Libc())
    server.breaks, server.playing = True, False
    await trio.sleep(AGAIN + QUIET + 1)
    assert server.given == 2
    assert libc.trimmed == 2


async def test_where_the_allocator_releases_nothing_the_server_goes_on(
    autojump_clock, monkeypatch: pytest.MonkeyPatch, server
) -> None:
    monkeypatch.setattr(idle, "_LIBC", object())
    server.playing = False
    await trio.sleep(AGAIN + QUIET + 1)
    assert server.given == 2
