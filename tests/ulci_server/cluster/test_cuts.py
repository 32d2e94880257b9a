"""Servers that are cut off from the bus, and live."""

from types import SimpleNamespace

import pytest
import trio

from tests.support.gradually import Hall
from ulci_server.cluster.cuts import Cuts
from ulci_server.cluster.election import NOT_REACHED, WITHDRAW
from ulci_server.cluster.post_office import CUT_OFF


class Post:
    """Of run 1, beside run 2."""

    def __init__(self) -> None:
        self.run = 1
        self.silence = 0.0
        self.silences = {2: 0.0}
        self.membership = SimpleNamespace(living={1: None, 2: None}, has_successor=True)

    @property
    def is_cut_off(self) -> bool:
        return self.silence > CUT_OFF

    def silence_of(self, run: int) -> float:
        return self.silences[run]


@pytest.fixture
async def server():
    """That notes what follows."""
    hall, post, noted, hindered = Hall(), Post(), [], []
    hall.tables = {1: SimpleNamespace(hindered=hindered.append)}

    def note(what: str):
        return lambda run: noted.append((what, run))

    async def withdraw() -> None:
        noted.append(("withdraws", 1))

    cuts = Cuts(
        hall,
        post,
        SimpleNamespace(part=lambda run: iter([lambda: noted.append(("parted", run))])),
        SimpleNamespace(give_up_on=note("given up on")),
        SimpleNamespace(lose_track=note("gap")),
        SimpleNamespace(withdraw=withdraw),
    )
    cuts.begin_again()
    return SimpleNamespace(cuts=cuts, post=post, noted=noted, hindered=hindered, hall=hall)


async def see_to(server) -> list[tuple[str, int]]:
    """What is done at this look."""
    server.noted.clear()
    await server.cuts.see_to()
    pieces, server.hall.pieces = server.hall.pieces, []
    for piece in pieces:
        piece()
    return server.noted


async def test_players_cannot_come_back_while_this_server_is_cut_off(server, autojump_clock):
    server.cuts.begin_again()
    await trio.sleep(2)
    server.post.silence = 2.0
    server.cuts.notice()
    await trio.sleep(1)
    server.post.silence = 0.2
    server.cuts.notice()
    assert [(one.at, round(one.late, 6)) for one in server.hindered] == [(2.0, 2.0), (2.8, 0.8)]


async def test_a_late_ping_hinders_nobody(server, autojump_clock):
    server.cuts.begin_again()
    await trio.sleep(0.5)
    server.post.silence = NOT_REACHED / 2
    server.cuts.notice()
    assert server.hindered == []


async def test_players_of_a_server_that_is_not_heard_for_long_are_away_until_it_is(server):
    server.post.silences[2] = CUT_OFF + 0.1
    assert await see_to(server) == []
    server.post.silences[2] = WITHDRAW + 0.1
    assert await see_to(server) == [("given up on", 2), ("parted", 2)]
    assert await see_to(server) == []
    server.post.silences[2] = 0.1
    assert await see_to(server) == [("gap", 2)]
    assert await see_to(server) == []


async def test_nor_are_they_away_a_second_time_for_a_server_that_has_died_since(server):
    server.post.silences[2] = WITHDRAW + 0.1
    await see_to(server)
    server.cuts.lose(2)
    server.post.silences[2] = 0.1
    assert await see_to(server) == []


async def test_a_server_that_is_cut_off_itself_does_not_blame_others(server):
    server.post.silence = WITHDRAW - 0.1
    server.post.silences[2] = WITHDRAW + 0.1
    assert await see_to(server) == []


@pytest.mark.parametrize("successor", [True, False])
async def test_it_withdraws_if_another_one_can_go_on(server, successor):
    server.post.silence = WITHDRAW + 0.1
    server.post.membership.has_successor = successor
    assert await see_to(server) == ([("withdraws", 1)] if successor else [])
