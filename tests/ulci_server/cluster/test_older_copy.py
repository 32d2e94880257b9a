"""The database is restored from yesterday's copy, while servers run or before they start."""

import trio
from structlog.testing import capture_logs

from tests.support.cluster import people
from tests.support.older_copies import copy_of, restore
from ulci.protocol.messages import BestMove, Id, Stop
from ulci_server.cluster.post_office import MEETING

SETTLED = 8.0
"""Seconds in which all that follows is over."""


async def with_an_older_copy(cluster):
    """Three servers; Ada and Bob have played two moves. That was copied. Then the game went on, and
    a fourth server began."""
    servers = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(*servers[1:])
    await ada.move("e2e4")
    await bob.move("e7e5")
    await ada.be_asked()
    await trio.sleep(MEETING)
    copy = copy_of(servers[0].database)
    servers.append(await cluster.start("d"))
    await trio.sleep(MEETING)
    ada.say(BestMove("g1f3"))
    await bob.move("b8c6")
    await ada.be_asked()
    return servers, ada, bob, copy


async def test_servers_begin_anew_with_the_games_of_the_copy_and_fence_nobody(
    cluster, autojump_clock
):
    servers, ada, bob, copy = await with_an_older_copy(cluster)
    before = [server.node.run for server in servers]
    with capture_logs() as logs:
        restore(servers[0].database, copy)
        await trio.sleep(SETTLED)
    after = [server.node.run for server in servers]
    assert not {*before} & {*after}
    assert len({*after}) == len(servers)
    assert [server.node.fenced for server in servers] == [1, 1, 1, 1]
    assert [server.node.fences for server in servers] == [0, 0, 0, 0]
    told = [log for log in logs if "restored from an older copy" in log["event"]]
    assert {log["name"] for log in told} == {*"abcd"}
    assert [log for log in logs if log["log_level"] in ("error", "critical")] == []
    [table] = [table for server in servers for table in server.hall.tables.values()]
    assert [*table.game.moves] == ["e2e4", "e7e5"]
    await ada.hear(Stop)
    ada.say(BestMove("f1b5"))  # of the turn that never was
    await ada.move("d2d4")
    await bob.be_asked()
    assert [*table.game.moves] == ["e2e4", "e7e5", "d2d4"]


async def test_there_is_one_lobby_afterwards(cluster, autojump_clock):
    servers, _, _, copy = await with_an_older_copy(cluster)
    restore(servers[0].database, copy)
    await trio.sleep(SETTLED)
    assert sum(server.node.hosts_lobby for server in servers) == 1
    eve, mia = await servers[1].person("Eve"), await servers[3].person("Mia")
    assert eve.secret
    assert mia.secret


async def test_a_game_that_is_not_in_the_copy_is_over_for_its_players(cluster, autojump_clock):
    a, b = await cluster.start("a"), await cluster.start("b")
    await trio.sleep(MEETING)
    copy = copy_of(a.database)
    ada, bob = await people(a, b)
    await ada.move("e2e4")
    await bob.be_asked()
    restore(a.database, copy)
    for player in (ada, bob):
        assert await player.hear_line("game 1 over") == "game 1 over result * reason aborted"


async def test_the_number_of_such_a_game_is_not_given_again_while_it_is_known(
    cluster, autojump_clock
):
    a, b = await cluster.start("a"), await cluster.start("b")
    copy = copy_of(a.database)
    await people(a, b)
    restore(a.database, {**copy, "installation": [{**copy["installation"][0], "last_game": 0}]})
    await trio.sleep(1.5)
    assert a.hall.find_table(1) is not None
    await people(a, b)
    assert [number for number in (*a.hall.tables, *b.hall.tables) if number <= 1] == []
    assert [*a.hall.tables, *b.hall.tables]


async def test_a_lone_server_of_a_cluster_has_its_lobby_again(cluster, autojump_clock):
    a = await cluster.start("a")
    copy = copy_of(a.database)
    b = await cluster.start("b")
    await trio.sleep(MEETING)
    b.kill()
    await trio.sleep(MEETING)
    restore(a.database, copy)
    await trio.sleep(SETTLED)
    eve = await a.person("Eve")
    assert eve.secret


async def test_a_server_that_begins_where_another_one_had_its_number_is_not_taken_for_it(
    cluster, autojump_clock
):
    """It began after the copy, and knows of no server that the copy does not name."""
    servers, _, _, copy = await with_an_older_copy(cluster)
    *_, d = servers
    d.node.runs.be_fenced = lambda: None  # it finds out late
    run = d.node.run
    restore(d.database, copy)
    e = await cluster.start("e")
    assert e.node.run == run
    del d.node.runs.be_fenced
    await trio.sleep(SETTLED)
    assert d.node.run > run
    assert e.node.run >= run
    assert {server.node.run for server in (*servers, e)} == {
        state.id for state in e.database.runs.living()
    }


async def test_servers_that_start_with_a_copy_of_living_ones_go_on_with_its_games(
    cluster, autojump_clock
):
    servers, ada, _, copy = await with_an_older_copy(cluster)
    for server in servers:
        server.kill()
    await trio.sleep(1)
    later = await cluster.start("x")
    restore(later.database, copy)
    later.kill()
    with capture_logs() as logs:
        again = await cluster.start("a")
        await trio.sleep(SETTLED)
        back = await again.person("Ada", Id("resume", ada.secret))
        await back.get_ready()
        await back.be_asked()
    assert [log for log in logs if log["log_level"] in ("error", "critical")] == []
    [table] = again.hall.tables.values()
    assert [*table.game.moves] == ["e2e4", "e7e5"]
