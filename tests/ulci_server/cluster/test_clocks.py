"""The clocks of servers are a day apart: leases are counters, and no game's times jump back."""

import pytest
import trio

from tests.support.cluster import people
from ulci.protocol.messages import BestMove

DAY = 24 * 3600.0

THOUGHT = 3.0
"""Seconds that a player thinks."""


async def a_day_apart(cluster):
    """The clock of `b` is a day ahead, that of `c` a day behind."""
    ahead = {"a": 0.0, "b": DAY, "c": -DAY}
    return [await cluster.start(name, ahead=by) for name, by in ahead.items()]


async def test_they_live_side_by_side(cluster, autojump_clock):
    servers = await a_day_apart(cluster)
    runs = [server.node.run for server in servers]
    await trio.sleep(60)
    assert [server.node.run for server in servers] == runs
    assert [server.node.fences for server in servers] == [0, 0, 0]
    assert [server.node.servers for server in servers] == [3, 3, 3]


@pytest.mark.parametrize("owner", range(3))
async def test_a_game_goes_on_elsewhere_as_soon_as_ever_and_its_times_never_jump_back(
    cluster, autojump_clock, owner
):
    servers = await a_day_apart(cluster)
    dies = servers.pop(owner)
    ada, bob = await people(dies, servers[1])
    assert [*dies.hall.tables] == [1]
    await ada.move("e2e4")
    await bob.be_asked()
    dies.kill()
    await trio.sleep(5)
    [game] = [table.game for server in servers for table in server.hall.tables.values()]
    await trio.sleep(THOUGHT)
    left = game.clocks(trio.current_time()).btime
    assert 60_000 - left < 1000 * (5 + THOUGHT)
    bob.say(BestMove("e7e5"))
    await trio.sleep(1)
    assert [*game.moves] == ["e2e4", "e7e5"]
    at = [noted.at for noted in servers[0].database.games.history(1)]
    assert at == sorted(at)


async def test_its_times_go_on_at_a_third_server_as_well(cluster, autojump_clock):
    a, b, c = await a_day_apart(cluster)
    ada, bob = await people(b, a)
    await ada.move("e2e4")
    await bob.be_asked()
    b.kill()
    await trio.sleep(5)
    bob.say(BestMove("e7e5"))
    await trio.sleep(1)
    owner, other = (a, c) if a.hall.tables else (c, a)
    await owner.node.drain()
    await trio.sleep(3)
    assert [*other.hall.tables] == [1]
    at = [noted.at for noted in a.database.games.history(1)]
    assert at == sorted(at)
