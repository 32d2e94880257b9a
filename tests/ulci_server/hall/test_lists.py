"""Long lists: in pages, whole in the end, and no faster than they are taken."""

import pytest
import trio
import trio.testing

from tests.support.clients import Client
from ulci.net import Limits
from ulci.protocol.messages import Admin, Id, Lobby, Seek, Seeks, Terms, Unseek, Who
from ulci.protocol.messages import Games as ListGames
from ulci_server.hall import Hall, HallSettings, lists
from ulci_server.hall.lists import PAGE_TIMEOUT
from ulci_server.hall.session.session import Session
from ulci_server.lobby import Profile

PAGE = HallSettings().listed
MANY = 12 * PAGE + 7


def crowd(hall: Hall, number: int = MANY) -> None:
    """So many who are not there, each with an open seek of their own."""
    for at in range(number):
        who = hall.lobby._lobby.enter(Profile(f"n{at}", "", "human"))
        hall.lobby._lobby.hear(who.handle, Seek(Terms(time=f"{at + 1}+1", color="white")))


def said(client: Client) -> list[str]:
    return [" ".join(m.words) for m in client.heard if isinstance(m, Lobby)]


async def take(client: Client, number: int) -> list[str]:
    """What it is told next, so many lines."""
    return [" ".join((await client.hear(Lobby)).words) for _ in range(number)]


async def test_a_long_list_is_told_in_pages_and_is_whole(autojump_clock, server, monkeypatch):
    async with server() as h:
        crowd(h.hall)
        ada = await h.person("Ada")
        pages = []
        tell = Session.tell
        monkeypatch.setattr(
            Session, "tell", lambda who, *page: (pages.append(len(page)), tell(who, *page))
        )
        ada.say(Who())
        told = await take(ada, MANY + 2)
        assert told[0] == f"who {MANY + 1}"
        assert [line.split()[1] for line in told[1:]] == [*(f"n{n}" for n in range(MANY)), "Ada"]
        assert max(pages) == PAGE


@pytest.mark.parametrize("word", [Who(), Seeks()])
async def test_a_client_that_reads_slowly_gets_its_list_through_a_small_outbox(
    autojump_clock, server, word
):
    async with server() as h:
        crowd(h.hall)
        ada = await h.person("Ada")
        [session] = h.hall.present
        session.connection.peer.limits = Limits(outbox=65_536)
        ada.say(word)
        for _ in range(MANY // 100):
            await trio.sleep(PAGE_TIMEOUT / 2)
            assert session.connection.peer.waiting < 65_536
            await take(ada, 100)
        assert not session.gone


async def test_slow_readers_of_one_address_keep_nobody_else_waiting(
    autojump_clock, server, monkeypatch
):
    monkeypatch.setattr(lists, "MAX_UNDER_WAY", 4)
    monkeypatch.setattr(lists, "MAX_OF_ADDRESS", 3)
    async with server() as h:
        crowd(h.hall)
        slow = [await h.person(f"Slow{n}", host="198.51.100.7") for n in range(8)]
        bob = await h.person("Bob", host="203.0.113.5")
        for client in slow:
            client.say(Seeks())
        await trio.testing.wait_all_tasks_blocked()
        began = trio.current_time()
        bob.say(Seeks())
        await take(bob, MANY + 1)
        assert trio.current_time() - began < PAGE_TIMEOUT
        async with trio.open_nursery() as nursery:  # they wait for each other, and get theirs
            for client in slow:
                nursery.start_soon(take, client, MANY + 1)
        await trio.testing.wait_all_tasks_blocked()
        left = h.hall.lists
        assert (left._asked, left._held, left._of_address) == ({}, {}, {})


async def test_who_takes_nothing_of_a_list_is_cut_off_and_others_get_theirs(autojump_clock, server):
    async with server() as h:
        crowd(h.hall)
        ada, bob = await h.person("Ada"), await h.person("Bob")
        ada.say(*[Seeks()] * 3)
        bob.say(Seeks())
        await take(bob, MANY + 1)
        await trio.sleep(2 * PAGE_TIMEOUT)
        await ada.hear_the_end()
        assert len(said(ada)) < MANY
        assert [session.handle for session in h.hall.present] == ["Bob"]
        assert h.hall.lists._asked == {}


async def test_what_is_announced_during_the_seeks_follows_them(autojump_clock, server):
    async with server() as h:
        crowd(h.hall)
        ada, bob = await h.person("Ada"), await h.person("Bob")
        ada.say(Seeks())
        told = await take(ada, 2)
        bob.say(Seek(Terms(color="white")), Unseek())
        h.hall.lobby._perform(h.hall.lobby._lobby.hear("n5", Unseek()))
        told += await take(ada, MANY + 2)
        listed, after = told[1 : MANY + 1], told[MANY + 1 :]
        assert told[0] == f"seeks {MANY}"
        assert [line.split()[3] for line in listed] == [f"n{n}" for n in range(MANY)]
        gone = listed[5].split()[1]
        assert gone in [line.split()[1] for line in listed]
        assert f"gone {gone}" in after
        await trio.testing.wait_all_tasks_blocked()


async def test_a_kind_of_list_that_is_asked_for_again_meanwhile_is_told_once_more(
    autojump_clock, server
):
    async with server() as h:
        crowd(h.hall)
        ada = await h.person("Ada")
        ada.say(Who())
        await take(ada, 1)
        ada.say(Who(), Seeks(), Who(), ListGames(), Seeks(), Who())
        await trio.sleep(PAGE_TIMEOUT / 2)
        told = await take(ada, 3 * MANY + 5)
        ada.say(Unseek())
        await ada.hear_line("error no-such-seek")
        titles = [line for line in said(ada) if line.split()[0] in ("who", "seeks", "games")]
        assert titles == [f"who {MANY + 1}", f"who {MANY + 1}", f"seeks {MANY}", "games 0"]
        assert told[-1] == "games 0"


async def test_an_administrators_list_is_whole_before_it_is_done(
    autojump_clock, server, authenticator
):
    async with server(authenticator=authenticator) as h:
        root = await h.person("Root", Id("token", "root-token"))
        people = [await h.person(f"P{number}") for number in range(2 * PAGE)]
        root.say(Admin(("who",)))
        await root.hear_line("admin done")
        listed = [line for line in said(root) if line.startswith("admin player")]
        assert len(listed) == len(people) + 1
