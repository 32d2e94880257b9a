"""What visitors see at servers that do not play the game."""

from types import SimpleNamespace

import pytest
import trio
import trio.testing
from prometheus_client.parser import text_string_to_metric_families

from tests.support.cluster import Server
from tests.ulci_server.cluster.test_node import engines, play
from ulci.protocol.messages import BestMove, Id, Info, Position, Resign, Score, Seek, Terms, Watch
from ulci_server.storage import StorageError
from ulci_server.web import all_games, feed
from ulci_server.web.event_stream import FINAL

EVENTS = "/api/games/1/events"


async def people(white, black):
    """A person at each of two servers, at their table."""
    players = await white.person("Ada"), await black.person("Bob")
    for player, color in zip(players, ("white", "black"), strict=True):
        player.say(Seek(Terms(time="60+1", color=color)))
        await trio.sleep(1)
    for player in players:
        await player.get_ready()
    return players


async def three(cluster):
    """Three servers, the first of which plays the game of two engines."""
    a, b, c = [await cluster.start(name) for name in "abc"]
    white, black = await engines(a, b)
    assert [*a.hall.tables] == [1]
    return (a, b, c), (white, black)


async def test_a_running_game_is_the_same_at_every_server(cluster, autojump_clock):
    servers, (white, black) = await three(cluster)
    await play(white, black, ("e2e4", "e7e5"))
    await white.be_asked()
    await trio.sleep(3)
    for server in servers:
        game = (await server.site.ask("/api/games/1")).json
        assert [move["san"] for move in game["moves"]] == ["e4", "e5"]
        assert game["players"] == {"white": "here", "black": "here"}
        assert game["clocks"]["running"] == "white"
        assert 57_000 <= game["clocks"]["white_ms"] <= 58_500
        legal = (await server.site.ask("/api/games/1/legal")).json
        assert (legal["ply"], legal["san"]["g1f3"]) == (2, "Nf3")
        assert (await server.site.ask("/api/games/1/parse?text=Nf3")).json["move"] == "g1f3"
        assert [game["id"] for game in (await server.site.ask("/api/games")).json["games"]] == [1]
    await trio.sleep(1)
    assert not servers[0].hall.tables[1].spectators


async def test_a_game_that_nobody_plays_for_a_moment_is_paused(cluster, autojump_clock):
    (_, _, c), _ = await three(cluster)
    c.node.games_elsewhere.tables[1].owner = 0
    game = (await c.site.ask("/api/games/1")).json
    assert game["clocks"] is None
    assert (await c.site.ask("/api/games/1/legal")).status == 503


async def test_a_game_is_streamed_by_a_server_that_does_not_play_it(cluster, autojump_clock):
    (_, _, c), (white, black) = await three(cluster)
    await white.move("e2e4")
    async with c.site.stream(EVENTS) as stream:
        game = await stream.until("game")
        assert [move["san"] for move in game["moves"]] == ["e4"]
        assert game["clocks"]["running"] == "black"
        await black.be_asked()
        black.say(Info(depth=9, score=Score(cp=31), pv=("e7e5",)))
        thought = await stream.until("info")
        assert (thought["side"], thought["depth"], thought["pv"]) == ("black", 9, ["e7e5"])
        black.say(BestMove("e7e5"))
        move = await stream.until("move")
        assert (move["ply"], move["side"], move["san"]) == (2, "black", "e5")
        assert move["clocks"]["running"] == "white"
        await white.be_asked()
        white.say(BestMove("a1a8"))
        over = await stream.until("over")
        assert (over["result"], over["reason"]) == ("0-1", "illegal-move")
        assert "a1a8" in over["detail"]
        assert await stream.rest() == b""
    assert stream.ids[-1] == FINAL


async def test_who_is_away_is_told_by_every_server(cluster, autojump_clock):
    a, b, c = [await cluster.start(name) for name in "abc"]
    _, bob = await people(a, b)
    async with c.site.stream(EVENTS) as stream:
        assert (await stream.until("game"))["players"]["black"] == "here"
        await bob.peer.aclose()
        away = await stream.until("player")
        assert (away["side"], away["state"]) == ("black", "away")
        back = b.connect()
        resume = Id("username", "Bob"), Id("feature", "lobby"), Id("resume", bob.secret)
        await back.introduce(*resume)
        await back.get_ready()
        here = await stream.until("player")
        assert (here["side"], here["state"]) == ("black", "here")
    for server in (a, b, c):
        players = (await server.site.ask("/api/games/1")).json["players"]
        assert players == {"white": "here", "black": "here"}


async def test_a_server_pays_only_while_somebody_looks(cluster, autojump_clock):
    (a, _, c), _ = await three(cluster)
    table = a.hall.tables[1]
    sent = a.node.bus.counters.messages_out
    async with c.site.stream(EVENTS) as stream, c.site.stream(EVENTS) as other:
        for one in (stream, other):
            await one.until("game")
        assert len(table.spectators) == 1
    await trio.sleep(feed.LINGER + 1)
    assert not table.spectators
    assert a.node.bus.counters.messages_out - sent < 5


class Passer:
    """Somebody who looks and is gone."""

    def tell(self, *_) -> None:
        raise AssertionError("it has left")


async def test_what_comes_when_the_last_watcher_has_left_is_not_kept(cluster, autojump_clock):
    (_, _, c), (white, black) = await three(cluster)
    table, passer = c.node.games_elsewhere.tables[1], Passer()
    table.watch(passer)
    table.unwatch(passer)
    await play(white, black, ("e2e4", "e7e5"))
    await trio.sleep(1)
    assert table.state() is None
    assert (await c.site.ask("/api/games/1/legal")).json["ply"] == 2


async def die(server):
    server.kill()


@pytest.mark.parametrize("end", [die, Server.leave])
async def test_a_stream_goes_on_when_the_game_does_at_another_server(cluster, autojump_clock, end):
    a, b, c = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(b, c)
    eve = await a.person("Eve")
    eve.say(Watch(1))
    async with a.site.stream(EVENTS) as stream:
        await stream.until("game")
        await ada.move("e2e4")
        await stream.until("move")
        await bob.be_asked()
        await end(b)
        await trio.sleep(5)
        bob.say(BestMove("e7e5"))
        move = await stream.until("move")
        assert (move["ply"], move["san"]) == (2, "e5")
    position = await eve.hear(Position)
    while len(position.moves) < 2:
        position = await eve.hear(Position)


async def test_a_game_is_told_when_it_is_recorded(cluster, autojump_clock, errors_logged):
    a, b, c = [await cluster.start(name) for name in "abc"]
    save = a.database.save

    def fails(*_):
        raise StorageError("the disk is full")

    async with c.site.stream("/api/events") as every:
        a.database.save = fails
        players = await a.person("Ada"), await b.person("Bob")
        for player, color in zip(players, ("white", "black"), strict=True):
            player.say(Seek(Terms(time="60+1", color=color)))
            await trio.sleep(1)
        assert a.hall.tables
        assert (await c.site.ask("/api/games/1")).status == 404
        a.database.save = save
        assert (await every.until("started"))["id"] == 1
    async with c.site.stream(EVENTS) as stream:
        await stream.until("game")
    assert errors_logged.take()


async def test_a_stream_goes_on_at_a_server_that_was_fenced(cluster, autojump_clock):
    (a, b, c), (white, black) = await three(cluster)
    async with a.site.stream(EVENTS) as stream, c.site.stream(EVENTS) as other:
        for one in (stream, other):
            await one.until("game")
        await white.be_asked()
        run = next(state for state in b.database.runs.living() if state.node == "a")
        b.database.runs.fence(run.id, run.beat, cluster.now())
        await trio.sleep(8)
        assert a.node.fenced == 1
        white.say(BestMove("e2e4"))
        for one in (stream, other):
            assert (await one.until("move"))["san"] == "e4"
        await black.be_asked()
        black.say(BestMove("e7e5"))
        for one in (stream, other):
            assert (await one.until("move"))["san"] == "e5"


async def test_a_reader_who_comes_from_another_server_begins_anew(cluster, autojump_clock):
    (a, _, c), (white, _) = await three(cluster)
    async with a.site.stream(EVENTS) as stream, c.site.stream(EVENTS) as other:
        await stream.until("game")
        await other.until("game")
        await white.be_asked()
        white.say(BestMove("e2e4"))
        await stream.until("move")
        await other.until("move")
    async with c.site.stream(EVENTS, {"Last-Event-ID": str(stream.ids[-1])}) as again:
        assert (await again.event())[0] == "game"


async def beginnings_and_ends(stream, games):
    told = []
    while [name for name, _ in told].count("over") < games:
        name, document = await stream.event()
        if name != "move":
            told.append((name, document["id"]))
    return told


async def test_all_games_are_told_by_every_server(cluster, autojump_clock):
    a, b, c = [await cluster.start(name) for name in "abc"]
    async with a.site.stream("/api/events") as own, c.site.stream("/api/events") as other:
        await trio.sleep(1)  # until the servers know that somebody wants to know moves
        ada, bob = await people(a, b)
        for stream in (own, other):
            started = await stream.until("started")
            assert (started["id"], started["white"]["name"]) == (1, "Ada")
            assert (started["plies"], started["state"]) == (0, "running")
        await play(ada, bob, ("e2e4", "e7e5"))
        await ada.be_asked()
        for stream in (own, other):
            move = await stream.until("move")
            while move["ply"] < 2:
                move = await stream.until("move")
            assert (move["side"], move["move"]) == ("black", "e7e5")
        bob.say(Resign())
        for stream in (own, other):
            over = await stream.until("over")
            assert (over["id"], over["result"], over["reason"]) == (1, "1-0", "resignation")
    await trio.sleep(20)
    assert not any(server.hall.wants_moves for server in (a, b, c))


async def test_the_last_move_of_a_game_is_told_before_its_end(cluster, autojump_clock):
    a, b, c = [await cluster.start(name) for name in "abc"]
    async with c.site.stream("/api/events") as stream:
        ada, bob = await people(a, b)
        await play(ada, bob, ("f2f3", "e7e5", "g2g4", "d8h4"))
        move = await stream.until("move")
        while move["ply"] < 4:
            move = await stream.until("move")
        assert move["move"] == "d8h4"
        assert (await stream.until("over"))["reason"] == "checkmate"


async def test_a_game_is_told_once_though_its_owner_dies(cluster, autojump_clock):
    a, b, c = [await cluster.start(name) for name in "abc"]
    async with a.site.stream("/api/events") as one, c.site.stream("/api/events") as other:
        white, black = await engines(b, c)
        await white.move("e2e4")
        await black.be_asked()
        b.kill()
        await trio.sleep(5)
        black.say(BestMove("a1a8"))
        for stream in (one, other):
            assert await beginnings_and_ends(stream, 1) == [("started", 1), ("over", 1)]


async def test_an_end_that_was_lost_is_told_when_it_is_known(cluster, autojump_clock):
    (a, _, c), (white, _) = await three(cluster)
    async with c.site.stream("/api/events") as stream:
        await white.be_asked()
        cluster.hub.part(a.node.bus.channel, c.node.bus.channel)
        white.say(BestMove("a1a8"))
        await trio.sleep(3)
        cluster.hub.heal()
        over = await stream.until("over")
        assert (over["id"], over["result"], over["reason"]) == (1, "0-1", "illegal-move")


async def test_a_game_of_which_all_was_lost_is_told_once(cluster, autojump_clock, monkeypatch):
    monkeypatch.setattr(all_games, "datetime", SimpleNamespace(now=lambda _: cluster.now()))
    a, _, c = [await cluster.start(name) for name in "abc"]
    async with c.site.stream("/api/events") as stream:
        for number in (1, 2):
            cluster.hub.part(a.node.bus.channel, c.node.bus.channel)
            players = await people(a, a)
            await players[0].be_asked()
            players[0].say(Resign())
            await trio.sleep(1)
            cluster.hub.heal()
            assert await beginnings_and_ends(stream, 1) == [("started", number), ("over", number)]
            for player in players:
                await player.peer.aclose()
            await trio.sleep(1)


async def test_the_players_of_all_servers_are_told(cluster, autojump_clock):
    a, b, c = [await cluster.start(name) for name in "abc"]
    await people(a, b)
    for server in (a, b, c):
        answer = (await server.site.ask("/api/players")).json
        assert answer["players"] == [
            {"name": "Ada", "kind": "human", "game": 1, "here": True, "levels": 0, "rating": ""},
            {"name": "Bob", "kind": "human", "game": 1, "here": True, "levels": 0, "rating": ""},
        ]
        assert answer["present"] == 2


async def test_a_server_that_is_cut_off_says_so(cluster, autojump_clock):
    _, b = [await cluster.start(name) for name in "ab"]
    await trio.sleep(1)
    assert (await b.site.ask("/readyz")).status == 200
    cluster.hub.cut(b.node.bus.channel)
    await trio.sleep(5)
    for path in ("/readyz", "/api/players"):
        assert (await b.site.ask(path)).status == 503
    assert (await b.site.ask("/livez")).status == 200


async def test_metrics_are_those_of_each_server(cluster, autojump_clock):
    servers, (white, black) = await three(cluster)
    await play(white, black)

    async def read(server, name):
        answer = await server.site.ask("/metrics", host="127.0.0.1")
        families = {f.name: f for f in text_string_to_metric_families(answer.text)}
        return sum(sample.value for sample in families[name].samples)

    for number, server in enumerate(servers):
        assert await read(server, "ulci_cluster_servers") == 3
        assert await read(server, "ulci_cluster_hosts_lobby") == (number == 0)
        assert await read(server, "ulci_games_running") == (number == 0)
        assert await read(server, "ulci_connections") == (number < 2)
        assert await read(server, "ulci_bus_up") == 1
        assert await read(server, "ulci_bus_messages") > 0
    servers[0].kill()
    await trio.sleep(5)
    b, c = servers[1:]
    assert (
        await read(b, "ulci_cluster_games_claimed") + await read(c, "ulci_cluster_games_claimed")
        == 1
    )
    assert await read(b, "ulci_cluster_fences") + await read(c, "ulci_cluster_fences") == 1
    assert await read(b, "ulci_cluster_hosts_lobby") == 1
