"""What changes in the lobby of all servers, and when it is stored."""

from collections.abc import Callable
from datetime import datetime

import pytest
import trio
from structlog.testing import capture_logs

from tests.support.facts import NOON
from ulci.rules import Side
from ulci_server.cluster.lobby_keeper import AGAIN, AT_ONCE, LobbyKeeper
from ulci_server.storage import (
    LobbyChanges,
    LobbyMatch,
    LobbyMember,
    LobbyMovedError,
    LobbySeek,
    RefusedError,
    StorageError,
)
from ulci_server.storage.directory import RESERVED


class Server:
    """Hosts a lobby whose every row has a version, and stores it as fast as a test allows."""

    def __init__(self, last_seek: int = 0) -> None:
        self.version = 1
        self.stored: list[LobbyChanges] = []
        self.tries = 0
        self.fails: Exception | None = None
        self.gate = trio.Event()
        self.gate.set()
        self.moved = 0
        self.happened: list[object] = []
        self.keeper = LobbyKeeper(self._store, last_seek)

    async def _store(self, changes: LobbyChanges) -> None:
        await self.gate.wait()
        await trio.lowlevel.checkpoint()
        self.tries += 1
        if self.fails is not None:
            raise self.fails
        self.stored.append(changes)
        self.happened.append("stored")

    def member_row(self, handle: str) -> LobbyMember | None:
        if handle == "gone":
            return None
        return LobbyMember(
            handle, 1, self.version, "", "", (), "{}", None, Side.WHITE, None, playing=False
        )

    def seek_row(self, number: int) -> LobbySeek | None:
        return LobbySeek(number, "Ada", None, "{}")

    def match_row(self, number: int) -> LobbyMatch | None:
        return LobbyMatch(number, "{}")

    def missed_row(self, key: str) -> tuple[int, datetime] | None:
        return len(key), NOON

    def happens(self, what: object) -> Callable[[], None]:
        return lambda: self.happened.append(what)

    async def run(self) -> None:
        await self.keeper.run(self, self._note_move)

    def _note_move(self) -> None:
        self.moved += 1


@pytest.fixture
async def server(nursery) -> Server:
    """Its lobby is open."""
    made = Server()
    made.keeper.begin()
    nursery.start_soon(made.run)
    return made


async def test_rows_of_every_kind_are_stored_as_they_are_by_then(server, autojump_clock):
    keeper = server.keeper
    keeper.member("Ada")
    keeper.member("gone")
    keeper.seek(1)
    keeper.match(2)
    keeper.missed("key")
    server.version = 2
    await trio.sleep(1)
    [changes] = server.stored
    assert changes.members == {"Ada": server.member_row("Ada"), "gone": None}
    assert changes.seeks == {1: server.seek_row(1)}
    assert changes.matches == {2: server.match_row(2)}
    assert changes.missed == {"key": (3, NOON)}
    assert changes.last_seek is None
    assert keeper.waiting == 0


async def test_a_row_that_changes_often_is_stored_once(server, autojump_clock):
    server.gate = trio.Event()
    server.keeper.member("Ada")
    await trio.sleep(1)  # that is being stored
    for _ in range(3):
        server.version += 1
        server.keeper.member("Ada")
    assert server.keeper.waiting == 1
    server.gate.set()
    await trio.sleep(1)
    assert [changes.members["Ada"].link for changes in server.stored] == [1, 4]


async def test_a_transaction_has_so_many_rows_at_most(server, autojump_clock):
    for number in range(AT_ONCE + 1):
        server.keeper.seek(number)
    await trio.sleep(1)
    assert [len(changes.seeks) for changes in server.stored] == [AT_ONCE, 1]


async def test_what_follows_a_change_waits_until_that_is_stored(server, autojump_clock):
    server.gate = trio.Event()
    server.keeper.member("Ada")
    server.keeper.when_kept(server.happens("first"))
    server.keeper.when_kept(server.happens("second"))
    server.keeper.member("Bob")
    await trio.sleep(1)
    server.keeper.member("Ada")
    server.keeper.when_kept(server.happens("third"))
    assert server.happened == []
    server.gate.set()
    await trio.sleep(1)
    assert server.happened == ["stored", "first", "second", "stored", "third"]


async def test_what_follows_a_row_of_a_later_transaction_waits_for_that_one(server, autojump_clock):
    for number in range(AT_ONCE):
        server.keeper.seek(number)
    server.keeper.when_kept(server.happens("then"))
    await trio.sleep(1)
    assert server.happened == ["stored", "then"]


async def test_what_follows_nothing_happens_without_a_transaction(server, autojump_clock):
    server.keeper.when_kept(server.happens("then"))
    await trio.sleep(1)
    assert server.happened == ["then"]


async def test_what_fails_stops_nothing_that_follows(server, autojump_clock):
    def fail() -> None:
        raise ValueError("it is not as expected")

    server.keeper.when_kept(fail)
    server.keeper.when_kept(server.happens("then"))
    with capture_logs() as logs:
        await trio.sleep(1)
    assert [log["log_level"] for log in logs] == ["error"]
    server.keeper.member("Ada")
    await trio.sleep(1)
    assert server.happened == ["then", "stored"]


async def test_a_database_that_does_not_answer_is_tried_again_and_nothing_is_lost(
    server, autojump_clock
):
    server.fails = StorageError("it is down")
    with capture_logs() as logs:
        server.keeper.member("Ada")
        server.keeper.when_kept(server.happens("then"))
        await trio.sleep(2.5 * AGAIN)
        server.keeper.seek(1)
    assert (server.tries, server.happened) == (3, [])
    assert [log["why"] for log in logs] == ["it is down"]
    server.fails = None
    await trio.sleep(2 * AGAIN)
    first, second = server.stored
    assert ([*first.members], [*second.seeks]) == (["Ada"], [1])
    assert server.happened == ["stored", "then", "stored"]


async def test_a_row_that_the_database_refuses_is_left_out_and_no_other(server, autojump_clock):
    store = server.keeper._store

    async def refuse_one(changes: LobbyChanges) -> None:
        await store(changes)
        if "Bob" in changes.members:
            server.stored.pop()
            raise RefusedError("the name is too long")

    server.keeper._store = refuse_one
    with capture_logs() as logs:
        for name in ("Ada", "Bob", "Cora"):
            server.keeper.member(name)
        server.keeper.seek(1)
        server.keeper.match(2)
        server.keeper.missed("key")
        server.keeper.number(RESERVED)
        server.keeper.when_kept(server.happens("then"))
        await trio.sleep(1)
    assert [log["row"] for log in logs] == ["member Bob"]
    assert [[*changes.members] for changes in server.stored] == [["Ada"], ["Cora"], [], [], [], []]
    stored = [(*one.seeks, *one.matches, *one.missed, one.last_seek) for one in server.stored[2:]]
    assert stored == [(1, None), (2, None), ("key", None), (2 * RESERVED,)]
    assert (server.happened[-1], server.keeper.waiting) == ("then", 0)


async def test_where_another_server_hosts_the_lobby_nothing_more_is_stored(server, autojump_clock):
    server.fails = LobbyMovedError("run 2 hosts the lobby no more")
    server.keeper.member("Ada")
    server.keeper.when_kept(server.happens("then"))
    await trio.sleep(1)
    server.fails = None
    server.keeper.member("Bob")
    server.keeper.when_kept(server.happens("then"))
    await trio.sleep(1)
    assert (server.tries, server.moved, server.keeper.waiting) == (1, 1, 0)
    assert (server.stored, server.happened) == ([], [])


async def test_one_that_ends_stores_nothing_more_and_has_not_been_moved(server, autojump_clock):
    server.gate = trio.Event()
    server.keeper.member("Ada")
    server.keeper.when_kept(server.happens("then"))
    await trio.sleep(1)
    server.keeper.end()
    server.gate.set()
    server.keeper.member("Bob")
    await trio.sleep(1)
    assert (server.stored, server.happened, server.moved) == ([], [], 0)


async def test_nothing_follows_what_is_stored_though_it_has_ended(server, autojump_clock):
    server.gate, store = trio.Event(), server.keeper._store

    async def store_for_sure(changes: LobbyChanges) -> None:
        with trio.CancelScope(shield=True):
            await store(changes)

    server.keeper._store = store_for_sure
    server.keeper.member("Ada")
    server.keeper.when_kept(server.happens("then"))
    await trio.sleep(1)
    server.keeper.end()
    server.gate.set()
    await trio.sleep(1)
    assert server.happened == ["stored"]


async def test_numbers_are_reserved_ahead_of_those_that_are_given_out(nursery, autojump_clock):
    server = Server(last_seek=7)
    server.keeper.begin()
    nursery.start_soon(server.run)
    for last in range(8, 8 + RESERVED):
        server.keeper.number(last)
        await trio.lowlevel.checkpoint()
    await trio.sleep(1)
    reserved = [changes.last_seek for changes in server.stored]
    assert reserved == [8 + RESERVED // 2 + RESERVED]


async def test_what_was_so_before_it_begins_is_not_stored(nursery, autojump_clock):
    server = Server()
    nursery.start_soon(server.run)
    server.keeper.member("Ada")
    server.keeper.seek(1)
    await trio.sleep(1)
    server.keeper.begin()
    server.keeper.member("Bob")
    await trio.sleep(1)
    [changes] = server.stored
    assert ([*changes.members], changes.seeks) == (["Bob"], {})
