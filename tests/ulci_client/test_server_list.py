"""Which server is dialled next, and when. Chance gives the longest pauses."""

from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from ulci.net import Peer
from ulci_client.server_list import NEXT_PAUSE, ServerList


@dataclass(frozen=True)
class Named:
    address: str

    def dial(self) -> AbstractAsyncContextManager[Peer]:
        raise NotImplementedError  # nobody dials here


def listed(names: str) -> ServerList:
    return ServerList([Named(name) for name in names], lambda: 1.0)


def way(servers: ServerList, *pauses: float) -> Iterator[tuple[str, float]]:
    """Where the servers lead, and after how long, if each attempt at 0 s fails."""
    for pause in pauses:
        wait = servers.lost(0.0, pause)
        yield servers.current.address, wait


def test_the_only_server_is_dialled_after_the_pause_and_not_before_it_says() -> None:
    servers = listed("a")
    assert not servers.untried
    assert [*way(servers, 1.0, 2.0)] == [("a", 1.0), ("a", 2.0)]
    assert servers.lost(5.0, 1.0, retry_after=30.0) == 30.0
    assert servers.lost(5.0, 4.0, retry_after=1.0) == 4.0


def test_each_server_is_tried_in_order_before_the_client_waits() -> None:
    servers = listed("abc")
    assert servers.current.address == "a"
    assert [*way(servers, 1.0, 2.0, 4.0)] == [("b", NEXT_PAUSE), ("c", NEXT_PAUSE), ("a", 4.0)]
    assert [*way(servers, 8.0)] == [("b", NEXT_PAUSE)]


def test_in_haste_the_next_server_is_dialled_as_soon_as_the_same_one_would_be() -> None:
    assert [*way(listed("ab"), 0.0)] == [("b", 0.0)]


def test_there_is_another_server_to_try_until_each_was_tried() -> None:
    servers = listed("abc")
    untried = []
    for _ in "abc":
        untried.append(servers.untried)
        servers.lost(0.0, 1.0)
    assert untried == [True, True, False]


def test_after_a_good_connection_all_others_are_worth_a_try_at_once() -> None:
    servers = listed("ab")
    assert servers.lost(0.0, 1.0) == NEXT_PAUSE
    assert servers.lost(100.0, 1.0, good=True) == NEXT_PAUSE
    assert servers.current.address == "a"


def test_servers_that_both_fall_at_once_are_not_hammered() -> None:
    waits = [wait for _, wait in way(listed("ab"), 1.0, 2.0, 4.0, 8.0)]
    assert waits == [NEXT_PAUSE, 2.0, NEXT_PAUSE, 8.0]


def test_a_server_that_says_when_is_not_dialled_before_though_others_are() -> None:
    servers = listed("ab")
    assert servers.lost(0.0, 1.0, retry_after=60.0) == NEXT_PAUSE
    assert servers.current.address == "b"
    # `a` is to be left alone, so it is `b` again.
    assert servers.lost(10.0, 1.0, good=True) == 1.0
    assert servers.current.address == "b"
    assert servers.lost(50.0, 1.0, retry_after=30.0) == 10.0
    assert servers.current.address == "a"
