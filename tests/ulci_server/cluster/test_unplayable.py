"""A game that was claimed and cannot be played is over, for both players, whatever is wrong."""

from dataclasses import replace

import pytest
import trio

from tests.support.cluster import people
from tests.support.tampering import tamper
from ulci.protocol.messages import (
    Accept,
    BestMove,
    Draw,
    Go,
    Id,
    IsReady,
    ReadyOk,
    Report,
    Seek,
    Terms,
)
from ulci.rules import Outcome, Reason
from ulci_server.game import MovePlayed
from ulci_server.hall import Hall
from ulci_server.storage import Claimed

SPOILT = {
    "its time control is not read here": ("games", {"control": "as it pleases"}),
    "its rules are unknown here": ("games", {"rules": "go"}),
    "its start is no position": ("games", {"start": "nowhere"}),
    "a move is illegal": ("moves", {"move": "e2e5"}),
    "a move is of no side": ("moves", {"side": 7}),
}


def spoil(server, what: str) -> None:
    table, changes = SPOILT[what]
    history = server.database.games.history(1)
    [seq] = [noted.fact.seq for noted in history if isinstance(noted.fact, MovePlayed)]
    tamper(server.database, table, changes, None if table == "games" else seq)


async def at_three_servers(cluster, place):
    """Ada plays White with the owner of the game; Bob, somewhere else, has offered a draw."""
    servers = {name: await cluster.start(name) for name in "abc"}
    ada, bob = await people(servers["b"], servers[place])
    await ada.move("e2e4")
    await bob.be_asked()
    bob.say(Draw())
    await ada.hear_line("game 1 offer draw")
    return servers, ada, bob


async def is_over(client) -> list[str]:
    """What it is told of the reason."""
    before = len(client.heard)
    assert await client.hear_line("game 1 over") == "game 1 over result * reason server"
    return [said.text for said in client.heard[before:] if isinstance(said, Report)]


async def plays_again(server, client) -> None:
    other = await server.person("Cora")
    client.say(Seek(Terms(time="60+1", color="white")))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(is_asked_to_move, client)
        other.say(Accept(int((await other.hear_line("seek")).split()[1])))
        await other.get_ready()
    client.say(BestMove("d2d4"))
    await other.be_asked()


async def is_asked_to_move(client) -> None:
    """Until then it answers each ``isready``."""
    while not isinstance(await client.hear(IsReady | Go), Go):
        client.say(ReadyOk())


@pytest.mark.parametrize("place", ["a", "c"])
@pytest.mark.parametrize("what", SPOILT)
async def test_a_claimed_game_that_cannot_be_played_is_over_for_both(
    cluster, autojump_clock, errors_logged, what, place
):
    servers, ada, bob = await at_three_servers(cluster, place)
    spoil(servers["b"], what)
    servers["b"].kill()

    [why] = await is_over(bob)

    assert why.startswith("the server ended during the game, and it cannot go on: ")
    database = servers["a"].database
    await trio.sleep(6)
    assert database.games.outcomes([1]) == {1: Outcome(None, Reason.SERVER)}
    assert database.ownership.unowned() == 0
    assert not any(server.hall.find_table(1) for server in servers.values() if server.name != "b")
    back = await servers["c"].person("Ada", Id("resume", ada.secret))
    await is_over(back)
    await plays_again(servers["a"], bob)
    errors_logged.take()


async def test_nor_is_it_played_by_nobody_if_to_resume_it_fails_for_a_reason_that_nobody_foresaw(
    cluster, autojump_clock, errors_logged, monkeypatch
):
    def fail(*_: object) -> None:
        raise RuntimeError("a bug")

    servers, _, bob = await at_three_servers(cluster, "c")
    monkeypatch.setattr(Hall, "agreement_again", fail)
    servers["b"].kill()
    assert await is_over(bob) == [
        "the server ended during the game, and it cannot go on: a fault of the server"
    ]
    assert "game not resumed" in errors_logged.take()[0]


def nobody(claimed: Claimed) -> Claimed:
    return replace(claimed, before=None)


def no_time(claimed: Claimed) -> Claimed:
    assert claimed.before is not None
    return replace(claimed, before=replace(claimed.before, last_alive="noon"))


@pytest.mark.parametrize("spoilt", [nobody, no_time], ids=lambda one: one.__name__)
async def test_an_unknown_downtime_is_told_without_its_length_and_nobody_pays_for_it(
    cluster, autojump_clock, errors_logged, spoilt
):
    a, b = await cluster.start("a"), await cluster.start("b")
    ada, bob = await people(b, a)
    await ada.move("e2e4")
    await bob.move("e7e5")
    await ada.be_asked()
    [table] = b.hall.tables.values()
    before = table.game.clocks(trio.current_time()).wtime
    claim = a.database.ownership.claim
    a.database.ownership.claim = lambda *asked: [spoilt(one) for one in claim(*asked)]
    await trio.sleep(20)
    b.kill()
    await trio.sleep(5)
    assert await bob.hear_line("game 1 resumed") == "game 1 resumed"
    [table] = a.hall.tables.values()
    assert table.game.clocks(trio.current_time()).wtime == before
    assert len(errors_logged.take()) == (spoilt is no_time)
