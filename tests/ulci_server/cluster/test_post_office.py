"""What a server sends, and how well others are heard, in one run after the other."""

import pytest
import trio

from tests.support.memory_hub import MemoryHub
from ulci_server.bus import PING
from ulci_server.cluster import messages as said
from ulci_server.cluster.post_office import CUT_OFF, MEETING, SAY_FENCED, PostOffice

KNOWN = 2 * PING
"""Seconds in which two servers hear each other."""


class Office:
    """One of a run, which hears what is sent to it."""

    def __init__(self, hub: MemoryHub, nursery: trio.Nursery) -> None:
        self.post = PostOffice(hub)
        self.heard: list[tuple[int, said.AnyMessage]] = []
        self._nursery = nursery

    async def begin(self, run: int, *others: int) -> None:
        bus = self.post.begin(
            run, "key", heard=self._hear, lost=lambda _: None, deaf=lambda _: None
        )
        await self._nursery.start(bus.run)
        for other in others:
            self.post.add(other)

    def _hear(self, run: int, messages: list[bytes]) -> None:
        self.heard += [(run, said.decode_untrusted(data)) for data in messages]


@pytest.fixture
async def hub() -> MemoryHub:
    return MemoryHub()


@pytest.fixture
async def two(hub, nursery, autojump_clock):
    """Runs 1 and 2, which know each other."""
    offices = Office(hub, nursery), Office(hub, nursery)
    await offices[0].begin(1, 2)
    await offices[1].begin(2, 1)
    await trio.sleep(KNOWN)
    yield offices
    nursery.cancel_scope.cancel()


async def test_before_its_first_run_nothing_is_sent_and_nobody_is_cut_off(hub):
    post = PostOffice(hub)
    post.send(1, said.Ping())
    post.send_all(said.Ping())
    await post.flush()
    assert (post.run, post.silence, post.silence_of(1), post.is_cut_off) == (0, 0.0, 0.0, False)
    assert post.heard_since(1, 7.0)
    assert post.heard_before(1, 7.0) == 7.0
    assert [*post.silent(1, 0.0, 7.0)] == []
    assert not post.reaches_lobby


async def test_a_message_comes_to_the_server_that_it_is_sent_to(two):
    one, other = two
    one.post.send(2, said.Drain("Root"))
    one.post.send(1, said.Ping())
    await trio.sleep(KNOWN)
    assert other.heard == [(1, said.Drain("Root"))]
    assert one.heard == [(1, said.Ping())]


async def test_what_is_for_all_is_for_this_server_too(two):
    one, other = two
    one.post.membership.living = {1: None, 2: None}
    one.post.send_all(said.Ping())
    await trio.sleep(KNOWN)
    assert one.heard == other.heard == [(1, said.Ping())]


async def test_a_ping_is_answered(two):
    one, other = two
    other.post.answer_ping(1, said.Ping())
    await trio.sleep(KNOWN)
    assert one.heard == [(2, said.Pong())]


async def test_a_server_that_was_fenced_is_told_so_and_then_nothing_more(two):
    one, other = two
    one.post.tell_fenced(2)
    assert not one.post.is_new(2)
    await one.post.forget(2)
    one.post.send(2, said.Ping())
    await trio.sleep(SAY_FENCED)
    assert other.heard == [(1, said.Fenced())]


async def test_a_server_is_new_for_a_while(two):
    one, _ = two
    assert one.post.is_new(2)
    assert not one.post.is_new(3)
    await trio.sleep(MEETING)
    assert not one.post.is_new(2)


async def test_a_server_that_is_cut_off_reaches_no_lobby_but_its_own(hub, two):
    one, other = two
    one.post.lobby = other.post.lobby = 1
    assert one.post.reaches_lobby
    assert other.post.reaches_lobby
    hub.stop()
    await trio.sleep(CUT_OFF + KNOWN)
    assert other.post.is_cut_off
    assert one.post.reaches_lobby
    assert not other.post.reaches_lobby
    assert one.post.silence_of(2) > CUT_OFF
    assert not one.post.heard_since(2, trio.current_time() - CUT_OFF)


async def test_a_new_run_knows_nobody_and_follows_nobody(two):
    one, _ = two
    one.post.lobby = 2
    one.post.membership.living = {1: None, 2: None}
    await one.begin(3)
    assert (one.post.run, one.post.lobby) == (3, 0)
    assert not one.post.membership.living
    assert not one.post.is_new(2)
    assert one.post.heard_at(2) is None


async def test_links_and_epochs_are_those_of_the_parts_that_know_them(hub):
    post = PostOffice(hub)
    post.serve(lambda player: ("link", player), lambda game: 7 * game)
    assert post.link("Ada") == ("link", "Ada")
    assert post.epoch(2) == 14
