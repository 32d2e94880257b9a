"""A peer without a program: what it keeps, and how programs come and go."""

from functools import partial

import pytest
import trio
import trio.testing

from tests.support.clients import Client, program_client
from ulci.net import Heard, Limits, Misheard
from ulci.protocol import UCI, Connection, Role, TextCodec
from ulci.protocol.messages import (
    BestMove,
    Blame,
    Go,
    Hello,
    Info,
    IsReady,
    NewGame,
    Position,
    Quit,
    ReadyOk,
    Report,
    SetOption,
)
from ulci_server.engines.on_demand import OnDemandPeer


def sleeping() -> OnDemandPeer:
    connection = partial(Connection, Role.SERVER, TextCodec(), UCI)
    return OnDemandPeer(connection, label="engine Fish", limits=Limits())


class Session:
    """Hears what the peer delivers."""

    def __init__(self, peer: OnDemandPeer) -> None:
        self.peer = peer
        self.heard: list[object] = []
        self.over = False

    async def run(self) -> None:
        await self.peer.deliver(self._hear, self._ended)

    def _hear(self, heard: Heard | Misheard) -> bool:
        self.heard.append(heard.message)
        return True

    async def _ended(self) -> None:
        self.over = True


@pytest.fixture
async def session(nursery):
    session = Session(sleeping())
    nursery.start_soon(session.run)
    await trio.testing.wait_all_tasks_blocked()
    return session


async def next_message(far: Client) -> object:
    return (await far.peer.receive()).message


async def test_what_a_game_needs_is_kept_for_the_program_and_all_else_is_not(autojump_clock):
    peer = sleeping()
    peer.put(Info(string="hello"), Report(Blame.SERVER, "soon"))
    with trio.move_on_after(1) as waiting:
        await peer.wanted()
    assert waiting.cancelled_caught
    assert not peer.keeps_new_game
    peer.put(SetOption("Hash", "1"), NewGame(), Info(string="hello"), IsReady())
    await peer.wanted()
    assert peer.keeps_new_game
    near, far = await program_client()
    peer.attach(near)
    assert [await next_message(far) for _ in range(3)] == [
        SetOption("Hash", "1"),
        NewGame(),
        IsReady(),
    ]
    assert peer.connection is near.connection
    peer.put(Position(), Go(depth=1))
    assert await next_message(far) == Position()


async def test_what_a_program_says_is_heard_and_another_one_goes_on(autojump_clock, session):
    peer = session.peer
    for number in (1, 2):
        peer.put(IsReady())
        await peer.wanted()
        near, far = await program_client()
        peer.attach(near)
        await far.hear(IsReady)
        far.say(ReadyOk())
        peer.put(Position(), Go(depth=1))
        await far.move("e2e4")
        await trio.testing.wait_all_tasks_blocked()
        assert session.heard == [ReadyOk(), BestMove("e2e4")] * number
        peer.detach()
        await far.hear_the_end()
        assert peer.connection.owed == 0
        assert not session.over


async def test_it_is_over_with_a_program_that_ends_by_itself(autojump_clock, session):
    peer = session.peer
    peer.put(IsReady())
    near, far = await program_client()
    peer.attach(near)
    far.peer.cut("killed")
    await trio.testing.wait_all_tasks_blocked()
    assert session.over
    assert peer.crashed
    assert peer.why == near.why != ""


@pytest.mark.parametrize("attached", [False, True])
@pytest.mark.parametrize("end", [lambda p: p.cut("no"), lambda p: p.dismiss("no")])
async def test_it_is_over_when_it_is_closed_here(autojump_clock, session, end, attached):
    peer = session.peer
    near, far = await program_client()
    if attached:
        peer.attach(near)
        await trio.testing.wait_all_tasks_blocked()
    end(peer)
    await peer.wanted()  # whoever waits for that looks again
    await trio.testing.wait_all_tasks_blocked()
    assert session.over
    assert peer.over
    assert peer.why == "no"
    assert not peer.crashed
    if attached:
        await far.hear_the_end()
    else:
        peer.attach(near)  # too late: nobody speaks to it
        peer.put(IsReady())
        near.cut("")
        assert await far.hear_the_end() == [Hello()]


async def test_a_goodbye_ends_it_without_a_program(autojump_clock, session):
    session.peer.put(Report(Blame.SERVER, "the server ends"), Quit())
    await trio.testing.wait_all_tasks_blocked()
    assert session.over


async def test_the_log_of_the_wire_is_told_who_plays_what_by_each_program(autojump_clock):
    peer = sleeping()
    peer.remark("client", "Fish")
    peer.remark("game", "white", 7)
    told = []
    for _ in range(2):
        near, _ = await program_client()
        near.remark = lambda event, text="", game=0: told.append((event, text, game))
        peer.attach(near)
        peer.remark("over", game=7)
        peer.detach()
    assert told == [
        ("client", "Fish", 0),
        ("game", "white", 7),
        ("over", "", 7),
        ("closed", "the program is not needed any more", 0),
        ("client", "Fish", 0),
        ("over", "", 7),
        ("closed", "the program is not needed any more", 0),
    ]
