"""What the lobby tells a player at another server."""

from collections.abc import Iterator

import trio

from ulci.protocol.messages import Lobby
from ulci_server.cluster import messages as said
from ulci_server.cluster.mirrors import kind_of
from ulci_server.cluster.questions import Questions
from ulci_server.cluster.remote_member import LISTED_AT_ONCE, RemoteMember
from ulci_server.hall.gradual_work import GradualWork
from ulci_server.hall.member import HostedMember
from ulci_server.lobby import lobby_lines

LINES = 10 * LISTED_AT_ONCE


class Sent:
    """Stands for the post."""

    def __init__(self) -> None:
        self.messages: list[said.AnyMessage] = []

    def send(self, run: int, message: said.AnyMessage) -> None:
        assert run == 1
        self.messages.append(message)


def listed() -> tuple[int, Iterator[Lobby]]:
    return LINES, (lobby_lines.gone(number) for number in range(LINES))


def member(sent: Sent, work: GradualWork) -> RemoteMember:
    return RemoteMember(sent, Questions[bool](), work.begin, 1, 7, "host", "label")  # type: ignore[arg-type]


async def test_a_long_list_leaves_turns_to_others_and_comes_once_however_often_it_is_asked_for(
    nursery, autojump_clock
) -> None:
    sent, work = Sent(), GradualWork()
    bob = member(sent, work)
    for _ in range(3):
        bob.tell_list("players", listed)
    assert sent.messages == []  # nothing is made before its turn
    nursery.start_soon(work.run)
    await trio.sleep(1)
    *pages, end = sent.messages
    assert [page.ends for page in pages] == [False] * 10
    assert end == said.TellList(7, "players", (), ends=True)
    bob.tell_list("players", listed)
    await trio.sleep(1)
    assert len(sent.messages) == 2 * len([*pages, end])


async def test_who_has_left_is_sent_no_more_of_it(nursery, autojump_clock) -> None:
    sent, work = Sent(), GradualWork()
    bob = member(sent, work)
    bob.tell_list("players", listed)
    bob.gone = True
    nursery.start_soon(work.run)
    await trio.sleep(1)
    assert [type(one) for one in sent.messages] == [said.TellList]


async def test_no_announcement_overtakes_the_list_of_seeks() -> None:
    sent = Sent()
    bob = member(sent, GradualWork())
    bob.tell_list("seeks", listed)
    bob.tell(lobby_lines.gone(1))
    assert sent.messages[-1] == kind_of(HostedMember.tell)(7, (lobby_lines.gone(1),))
    assert sent.messages[-2] == said.TellList(7, "seeks", (), ends=True)


async def test_one_that_is_to_be_disconnected_is_gone(autojump_clock) -> None:
    sent = Sent()
    bob = member(sent, GradualWork())
    bob.disconnect("why")
    assert bob.gone
    assert not await bob.prove_alive(1.0)
    assert sent.messages == [kind_of(HostedMember.disconnect)(7, "why")]
