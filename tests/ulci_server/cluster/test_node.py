"""Games and people at different servers."""

from datetime import timedelta
from types import SimpleNamespace

import msgspec
import pytest
import trio
import trio.testing
from structlog.testing import capture_logs

from tests.support import cluster as support
from tests.support.cluster import accounts, people
from ulci.protocol.messages import (
    Accept,
    Admin,
    BestMove,
    Challenge,
    Draw,
    Games,
    GiveTime,
    Go,
    Hello,
    HelloOk,
    Id,
    Position,
    Quit,
    Report,
    Resign,
    Say,
    Seek,
    Seeks,
    TellPlayer,
    Terms,
    Watch,
    Who,
)
from ulci.rules import Outcome, Reason, Side
from ulci_server.cluster import OtherVersionError, edge
from ulci_server.cluster import messages as said
from ulci_server.cluster.post_office import MEETING
from ulci_server.cluster.remote_player import owned
from ulci_server.game import Away, Commanded
from ulci_server.lobby import lobby_lines
from ulci_server.storage import StorageError, directory, secret_hash

LOST = 1.5
"""Seconds in which messages are lost without a word."""

MOVES = ("e2e4", "e7e5", "g1f3", "b8c6")


async def engines(white, black):
    """An engine at each of two servers, at their table."""
    first = await white.engine("W")
    await trio.sleep(1)  # until it is logged in
    players = first, await black.engine("B")
    for player in players:
        await player.get_ready()
    return players


async def lose_messages(cluster, sender, receiver) -> None:
    """Nothing comes from the one server to the other for a while; a message at least is lost."""
    way = sender.node.bus.channel, receiver.node.bus.channel
    cluster.hub.fate = lambda *those: () if those == way else (0.0,)
    sender.node.post.send(receiver.node.run, said.Announce(lobby_lines.error("lost", "not heard")))
    await trio.sleep(LOST)
    cluster.hub.fate = lambda *_: (0.0,)


async def play(white, black, moves=MOVES) -> None:
    for number, move in enumerate(moves):
        await (white, black)[number % 2].move(move)


async def test_two_engines_at_two_servers_play(cluster, autojump_clock):
    a, b = await cluster.start("a"), await cluster.start("b")
    white, black = await engines(a, b)
    await play(white, black)
    await white.be_asked()
    assert [len(a.hall.tables), len(b.hall.tables)] == [1, 0]
    [table] = a.hall.tables.values()
    assert [*table.game.moves] == [*MOVES]


async def test_an_engine_thinks_on_when_the_owner_of_its_game_is_killed(cluster, autojump_clock):
    a, b = await cluster.start("a"), await cluster.start("b")
    c = await cluster.start("c")
    white, black = await engines(b, c)
    await play(white, black, MOVES[:1])
    await black.be_asked()
    heard = len(black.heard)
    b.kill()
    await trio.sleep(5)
    [owner] = [server for server in (a, c) if server.hall.tables]
    assert [one for one in black.heard[heard:] if isinstance(one, Go | Position)] == []
    black.say(BestMove("e7e5"))
    await trio.testing.wait_all_tasks_blocked()
    await trio.sleep(1)
    [table] = owner.hall.tables.values()
    assert [*table.game.moves] == ["e2e4", "e7e5"]
    assert table.game.searching is None or table.game.absent


async def test_an_answer_that_the_dead_owner_had_not_stored_is_given_again(cluster, autojump_clock):
    a, b = await cluster.start("a"), await cluster.start("b")
    white, black = await engines(b, a)
    await white.move("e2e4")
    await black.be_asked()
    b.kill()
    black.say(BestMove("e7e5"))
    await trio.sleep(5)
    [table] = a.hall.tables.values()
    assert [*table.game.moves] == ["e2e4", "e7e5"]


async def test_a_person_returns_to_its_game_by_another_server(cluster, autojump_clock):
    a, b, c = [await cluster.start(name) for name in "abc"]
    ada, bob = await a.person("Ada"), await b.person("Bob")
    ada.say(Seek(Terms(time="60+1", color="white")))
    offer = await bob.hear_line("seek")
    bob.say(Accept(int(offer.split()[1])))
    for player in (ada, bob):
        await player.get_ready()
    await ada.move("e2e4")
    await bob.be_asked()
    b.kill()
    await trio.sleep(1)
    back = await c.person("Bob", Id("resume", bob.secret))
    await back.get_ready()
    await back.move("e7e5")
    await ada.be_asked()
    ada.say(Resign())
    assert "0-1" in await back.hear_line("game")


async def test_a_game_goes_on_when_the_server_of_neither_player_owned_it(cluster, autojump_clock):
    a, b, c = [await cluster.start(name) for name in "abc"]
    white, black = await engines(b, c)
    b_game = next(iter(b.hall.tables))
    await white.move("e2e4")
    await black.be_asked()
    await b.node.drain()
    await trio.sleep(1)
    assert not b.hall.tables
    owner = a if a.hall.tables else c
    assert [*owner.hall.tables] == [b_game]
    black.say(BestMove("e7e5"))
    await white.move("g1f3")
    await black.move("b8c6")
    await white.be_asked()
    [table] = owner.hall.tables.values()
    assert [*table.game.moves] == [*MOVES]
    assert table.game.clocks(trio.current_time()).btime > 60_000


async def test_a_server_that_was_fenced_begins_anew_and_its_players_stay(cluster, autojump_clock):
    a, b = await cluster.start("a"), await cluster.start("b")
    white, black = await engines(b, a)
    await white.move("e2e4")
    await black.be_asked()
    run = b.node.run
    state = a.node.post.membership.living[run]
    while not a.database.runs.fence(run, state.beat, cluster.now()):
        [state] = [one for one in a.database.runs.living() if one.id == run]
    await trio.sleep(5)
    assert b.node.run != run
    assert [len(a.hall.tables) + len(b.hall.tables)] == [1]
    black.say(BestMove("e7e5"))
    await white.move("g1f3")
    await black.move("b8c6")
    await white.be_asked()


async def test_who_calls_a_server_that_cannot_begin_anew_is_told_why(cluster, autojump_clock):
    a, b = await cluster.start("a"), await cluster.start("b")
    begin, answers = b.database.runs.begin, trio.Event()

    def begin_run(*args: object, **owns: bool) -> object:
        if answers.is_set():
            return begin(*args, **owns)
        raise StorageError("it does not answer")

    b.database.runs.begin = begin_run
    [state] = [one for one in a.database.runs.living() if one.id == b.node.run]
    while not a.database.runs.fence(b.node.run, state.beat, cluster.now()):
        [state] = [one for one in a.database.runs.living() if one.id == b.node.run]
    await trio.sleep(2)
    late = b.connect()
    await late.introduce(Id("username", "Bob"), Id("feature", "lobby"))
    assert "cannot reach its database; retry-after 1" in str(await late.hear_the_end())
    answers.set()
    await trio.sleep(5)
    back = await b.person("Bob")
    assert back.secret


async def test_the_flag_of_a_player_elsewhere_falls_when_its_time_is_over(cluster, autojump_clock):
    a, b = await cluster.start("a"), await cluster.start("b")
    white, black = await engines(a, b)
    await play(white, black)
    await white.move("f1b5")
    await black.be_asked()
    await trio.sleep(70)
    assert not a.hall.tables
    [record] = a.database.games.find()
    assert (record.outcome.score, record.outcome.reason.value) == ("1-0", "time")


async def test_a_person_elsewhere_is_asked_again_once_for_each_illegal_move(
    cluster, autojump_clock
):
    a, b = await cluster.start("a"), await cluster.start("b")
    ada, bob = await people(a, b)
    await ada.move("e2e4")
    for _ in range(2):
        await bob.move("e7e4")
        assert "illegal move" in (await bob.hear(Report)).text
    await bob.be_asked()
    heard = len(bob.heard)
    bob.say(BestMove("e7e5"))
    await ada.be_asked()
    await trio.sleep(5)
    assert not [one for one in bob.heard[heard:] if isinstance(one, Go)]
    [table] = a.hall.tables.values()
    assert [*table.game.moves] == ["e2e4", "e7e5"]


async def test_everybody_is_in_one_lobby(cluster, autojump_clock):
    a, b = await cluster.start("a"), await cluster.start("b")
    ada, bob = await a.person("Ada"), await b.person("Bob")
    twin = await b.person("Ada")
    assert "Ada-2" in " ".join(" ".join(one.words) for one in twin.heard if hasattr(one, "words"))
    ada.say(TellPlayer("Bob", "hello there"))
    assert await bob.hear_line("tell") == "tell Ada hello there"
    bob.say(Who())
    assert {(await bob.hear_line("player")).split()[1] for _ in range(3)} == {"Ada", "Ada-2", "Bob"}
    bob.say(Challenge("Ada", Terms(time="60+1")))
    ada.say(Accept(int((await ada.hear_line("challenge")).split()[1])))
    for player in (ada, bob):
        await player.get_ready()
    await trio.testing.wait_all_tasks_blocked()
    ada.say(Say("good luck"))
    assert await bob.hear_line("say") == "say Ada good luck"
    twin.say(Games())
    assert (await twin.hear_line("game 1 playing")).startswith("game 1 playing white ")


async def test_seeks_are_told_at_all_servers(cluster, autojump_clock):
    a, b = await cluster.start("a"), await cluster.start("b")
    ada, bob = await a.person("Ada"), await b.person("Bob")
    ada.say(Seek(Terms(time="3+2")))
    offer = await bob.hear_line("seek")
    bob.say(Seeks())
    assert await bob.hear_line("seeks") == "seeks 1"
    assert await bob.hear_line("seek") == offer


async def test_a_game_is_watched_at_another_server(cluster, autojump_clock):
    a, b, c = [await cluster.start(name) for name in "abc"]
    white, black = await engines(a, b)
    eve = await c.person("Eve")
    eve.say(Watch(1))
    await eve.hear_line("watch 1")
    await white.move("e2e4")
    position = await eve.hear(Position)
    while not position.moves:
        position = await eve.hear(Position)
    assert [*position.moves] == ["e2e4"]
    await black.move("e7e5")
    await white.be_asked()
    white.say(BestMove("a1a8"))
    await eve.hear_line("game 1 over")


async def test_spectators_at_different_servers_talk(cluster, autojump_clock):
    a, b, c = [await cluster.start(name) for name in "abc"]
    await engines(a, b)
    watchers = {name: await at.person(name) for name, at in {"Ann": a, "Mia": b, "Eve": c}.items()}
    for watcher in watchers.values():
        watcher.say(Watch(1))
        await watcher.hear_line("watch 1")
    for name, speaker in watchers.items():
        speaker.say(Say("hello"))
        for other in {*watchers} - {name}:
            assert await watchers[other].hear_line("say") == f"say {name} hello"


async def test_who_watches_after_somebody_else_is_told_first_which_game_it_is(
    cluster, autojump_clock
):
    a, b, c = [await cluster.start(name) for name in "abc"]
    white, black = await engines(a, b)
    eve, mia = [await c.person(name) for name in ("Eve", "Mia")]
    eve.say(Watch(1))
    await eve.hear_line("watch 1")
    await white.move("e2e4")
    await black.be_asked()
    slow = c.node.bus.channel
    cluster.hub.fate = lambda sender, _: [0.3 if sender == slow else 0.0]
    await eve.peer.aclose()
    await trio.sleep(0.1)
    mia.say(Watch(1))
    await trio.sleep(0.1)
    black.say(BestMove("e7e5"))
    await mia.hear_line("watch 1")
    assert not any(isinstance(heard, Position) for heard in mia.heard)


async def test_a_new_lobby_knows_everybody_when_its_server_dies(cluster, autojump_clock):
    a, b, c = [await cluster.start(name) for name in "abc"]
    bob, eve = await b.person("Bob"), await c.person("Eve")
    white = await b.engine("W")
    a.kill()
    await trio.sleep(4)
    assert b.node.lobby_server is not None
    bob.say(TellPlayer("Eve", "still here"))
    assert await eve.hear_line("tell") == "tell Bob still here"
    black = await c.engine("B")
    for player in (white, black):
        await player.get_ready()
    await play(white, black)


async def test_messages_that_the_bus_loses_are_made_up_for(cluster, autojump_clock):
    a, b = await cluster.start("a"), await cluster.start("b")
    white, black = await engines(a, b)
    await white.move("e2e4")
    await black.be_asked()
    cluster.hub.part(a.node.bus.channel, b.node.bus.channel)
    black.say(BestMove("e7e5"))
    await trio.sleep(3)
    cluster.hub.heal()
    await white.be_asked()
    [table] = a.hall.tables.values()
    assert [*table.game.moves] == ["e2e4", "e7e5"]
    white.say(BestMove("g1f3"))
    await black.move("b8c6")


async def test_an_administrator_ends_a_game_at_another_server(cluster, autojump_clock):
    a, b, c = [await cluster.start(name) for name in "abc"]
    await engines(b, c)
    root = await c.person("", Id("token", "root-token"))
    root.say(Admin(("games",)))
    assert "white W black B" in await root.hear_line("admin game 1")
    root.say(Admin(("adjudicate", "1", "0-1", "it", "was", "lost")))
    await root.hear_line("admin done")
    await trio.sleep(1)
    [record] = a.database.games.find()
    assert (record.outcome.score, record.detail) == ("0-1", "Root adjudicated it: it was lost")


async def test_who_played_at_another_server_gets_its_next_game(cluster, autojump_clock):
    a, b = await cluster.start("a"), await cluster.start("b")
    white, black = await engines(a, b)
    await white.move("a1a8")
    for player in (white, black, white, black):  # behind the last game, and for the next one
        await player.get_ready()
    await trio.sleep(1)
    assert [*a.hall.tables, *b.hall.tables] == [2]


async def test_the_end_of_a_game_is_told_again_if_it_was_lost(cluster, autojump_clock):
    a, b = await cluster.start("a"), await cluster.start("b")
    ada, bob = await a.person("Ada"), await b.person("Bob")
    ada.say(Seek(Terms(time="60+1", color="white")))
    bob.say(Accept(int((await bob.hear_line("seek")).split()[1])))
    for player in (ada, bob):
        await player.get_ready()
    await ada.be_asked()
    cluster.hub.part(a.node.bus.channel, b.node.bus.channel)
    ada.say(Resign())
    await trio.sleep(3)
    cluster.hub.heal()
    assert "resignation" in await bob.hear_line("game 1 over")
    await bob.get_ready()
    bob.say(Seek(Terms(time="60+1", color="white")))
    assert "Bob" in await ada.hear_line("seek")


async def test_a_game_whose_player_was_not_told_of_it_begins_all_the_same(cluster, autojump_clock):
    a, b = await cluster.start("a"), await cluster.start("b")
    white = await a.engine("W")
    await trio.sleep(1)
    black = await b.engine("B")
    await a.hall.any_game()
    cluster.hub.part(a.node.bus.channel, b.node.bus.channel)
    await trio.sleep(3)
    cluster.hub.heal()
    for player in (white, black):
        await player.get_ready()
    await play(white, black)


async def test_a_seek_stands_though_messages_of_its_server_were_lost(cluster, autojump_clock):
    a, b = await cluster.start("a"), await cluster.start("b")
    ada, bob = await a.person("Ada"), await b.person("Bob")
    bob.say(Seek(Terms(time="60+1")))
    await ada.hear_line("seek")
    cluster.hub.part(a.node.bus.channel, b.node.bus.channel)
    bob.say(TellPlayer("Ada", "can you hear me"))
    await trio.sleep(3)
    cluster.hub.heal()
    await trio.sleep(3)
    ada.say(Seeks())
    assert await ada.hear_line("seeks") == "seeks 1"


async def test_a_server_ends_though_the_database_does_not_answer(
    cluster, autojump_clock, errors_logged
):
    servers = a, b = await cluster.start("a"), await cluster.start("b")
    white, _ = await engines(b, a)
    await white.be_asked()

    def refuse(*_: object) -> None:
        raise StorageError("it does not answer")

    for database in [server.database for server in servers]:
        database.save = database.runs.beat = database.runs.fence = database.ownership.claim = refuse
    with trio.fail_after(9):
        assert await b.node.drain() == 0
    await b.hall.closing.hand_over(trio.CancelScope(), 0.0, "it ends")
    b.scope.cancel()
    await trio.sleep(1)
    assert all("it does not answer" in error for error in errors_logged.take())


async def test_who_was_sent_away_to_return_elsewhere_has_not_left_for_good(cluster, autojump_clock):
    a, b = await cluster.start("a"), await cluster.start("b")
    ada, bob = await a.person("Ada"), await b.person("Bob")
    ada.say(Seek(Terms(time="60+1", color="white")))
    bob.say(Accept(int((await bob.hear_line("seek")).split()[1])))
    for player in (ada, bob):
        await player.get_ready()
    await ada.be_asked()
    await a.node.drain()
    assert await a.hall.closing.hand_over(trio.CancelScope(), 0.0, "it ends") == 0
    await a.hall.closing.say_goodbye(1)
    await trio.sleep(3)
    back = await b.person("Ada", Id("resume", ada.secret))
    await back.get_ready()
    await back.move("e2e4")
    await bob.be_asked()


async def test_who_was_sent_away_pays_nothing_until_it_is_back(cluster, autojump_clock):
    a, b = await cluster.start("a"), await cluster.start("b")
    ada, bob = await b.person("Ada"), await a.person("Bob")
    ada.say(Seek(Terms(time="60+1", color="white")))
    bob.say(Accept(int((await bob.hear_line("seek")).split()[1])))
    for player in (ada, bob):
        await player.get_ready()
    await ada.move("e2e4")
    await bob.be_asked()
    await trio.sleep(2)
    await a.leave()
    await trio.sleep(20)
    back = await b.person("Bob", Id("resume", bob.secret))
    await back.get_ready()
    assert 57_900 <= (await back.be_asked()).btime <= 58_100


async def test_who_is_back_keeps_its_seat_though_the_server_that_sent_it_away_hears_of_the_claim(
    cluster, autojump_clock
):
    a, b, c = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(c, b)
    await ada.be_asked()
    [older] = map(c.node.edge.link, c.node.edge.sessions.values())
    claim = b.database.ownership.claim
    for server in (a, b):
        server.database.ownership.claim = lambda *_: []
    await c.node.drain()
    await c.hall.closing.hand_over(trio.CancelScope(), 0.0, "it ends")
    back = await b.person("Ada", Id("resume", ada.secret))
    await back.get_ready()
    b.database.ownership.claim = claim
    await trio.sleep(1)
    seat = 1, b.node.owner.epoch(1), Side.WHITE
    away = Away(Side.WHITE, 0.0, 0.0)
    older = msgspec.structs.replace(older, age=trio.current_time())
    c.node.post.send(b.node.run, said.Expect(*seat, older, again=True, gone=True))
    c.node.post.send(b.node.run, said.Happening(*seat, away))
    await trio.sleep(1)
    assert not b.hall.tables[1].game.absent
    await back.move("e2e4")
    await bob.be_asked()


async def with_two_connections(cluster):
    """The owner of a game, another server, Ada and, at the owner by its newer connection, Bob; and
    a message by which the older one, at the other server, takes his seat. He is to move."""
    a, b = await cluster.start("a"), await cluster.start("b")
    ada, bob = await people(a, b)
    await ada.move("e2e4")
    await bob.be_asked()
    [older] = map(b.node.edge.link, b.node.edge.sessions.values())
    await bob.peer.aclose()
    await ada.hear_line("game 1 opponent away")
    back = await a.person("Bob", Id("resume", bob.secret))
    return a, b, ada, back, said.Expect(1, 1, Side.BLACK, older)


async def test_an_older_connection_that_is_seated_late_does_not_take_the_seat(
    cluster, autojump_clock
):
    """The lobby had it take the seat just before the newer one came."""
    a, b, ada, bob, late = await with_two_connections(cluster)
    older = msgspec.structs.replace(late.player, age=3.0)
    b.node.post.send(a.node.run, msgspec.structs.replace(late, player=older))
    await trio.sleep(0.1)
    await bob.get_ready()
    await bob.move("e7e5")
    await ada.be_asked()


async def test_who_lost_its_seat_to_a_connection_that_is_closed_is_seated_again(
    cluster, autojump_clock
):
    a, b, ada, bob, late = await with_two_connections(cluster)
    newer = msgspec.structs.replace(late.player, age=-1.0)  # as far as its server knows
    b.node.post.send(a.node.run, msgspec.structs.replace(late, player=newer))
    await trio.sleep(1)
    for _ in ("its first seat", "its second"):
        await bob.get_ready()
    await bob.move("e7e5")
    await ada.be_asked()


async def test_who_is_back_finds_its_seat_at_the_end_of_every_server(cluster, autojump_clock):
    a, b = await cluster.start("a"), await cluster.start("b")
    ada, bob = await a.person("Ada"), await b.person("Bob")
    ada.say(Seek(Terms(time="60+1", color="white")))
    bob.say(Accept(int((await bob.hear_line("seek")).split()[1])))
    for player in (ada, bob):
        await player.get_ready()
    await ada.be_asked()
    for leaving, name in ((a, "c"), (b, "d")):
        staying = await cluster.start(name)
        await leaving.leave()
        await trio.sleep(1)
        ada, bob = [
            await staying.person(who, Id("resume", before.secret))
            for who, before in (("Ada", ada), ("Bob", bob))
        ]
        for player in (ada, bob):
            await player.get_ready()
        assert not [s for s in staying.node.edge.sessions.values() if s.gone]
    await ada.move("e2e4")
    await bob.be_asked()


async def test_who_logs_in_while_the_server_of_the_lobby_ends_waits_for_the_next_lobby(
    cluster, autojump_clock
):
    a, b = await cluster.start("a"), await cluster.start("b")
    await trio.sleep(1)
    a.node.post.draining = a.hall.closing.ended = True
    bob = await b.person("Bob")
    assert bob.reports() == []


async def test_an_engine_gets_no_next_game_from_a_server_that_ends(cluster, autojump_clock):
    a, b = await cluster.start("a"), await cluster.start("b")
    white, black = await engines(a, b)
    await b.node.drain()
    await white.move("e2e5")
    for player in (white, black):
        await player.get_ready()
    await trio.sleep(2)
    assert len(a.hall.tables) == 0


async def test_who_returns_before_its_game_is_claimed_waits_for_it(cluster, autojump_clock):
    a, b, c = [await cluster.start(name) for name in "abc"]
    ada, bob = await a.person("Ada"), await b.person("Bob")
    ada.say(Seek(Terms(time="60+1", color="white")))
    bob.say(Accept(int((await bob.hear_line("seek")).split()[1])))
    for player in (ada, bob):
        await player.get_ready()
    await ada.move("e2e4")
    await bob.be_asked()
    a.kill()  # the server of the lobby, of the game and of Ada
    back = await c.person("Ada", Id("resume", ada.secret))
    await back.get_ready()
    bob.say(BestMove("e7e5"))
    await back.be_asked()
    assert "Ada-2" not in str(back.heard)


async def test_who_returns_waits_as_long_as_games_are_being_claimed(
    cluster, monkeypatch, autojump_clock
):
    a, b = await cluster.start("a"), await cluster.start("b")
    for number in range(3):
        ada, bob = await a.person(f"Ada{number}"), await a.person(f"Bob{number}")
        ada.say(Seek(Terms(time="60+1", color="white")))
        bob.say(Accept(int((await bob.hear_line("seek")).split()[1])))
        for player in (ada, bob):
            await player.get_ready()
        await ada.be_asked()
    monkeypatch.setattr("ulci_server.cluster.claims.CLAIMED_AT_ONCE", 1)
    claim = b.node.claims.claim

    async def claim_slowly() -> bool:
        await trio.sleep(2)
        return await claim()

    monkeypatch.setattr(b.node.claims, "claim", claim_slowly)
    a.kill()
    back = await b.person("Ada2", Id("resume", ada.secret))
    assert back.secret == ada.secret
    await back.get_ready()
    await back.be_asked()


async def test_a_server_that_only_has_connections_gets_no_game(cluster, autojump_clock):
    a = await cluster.start("a", owns=False)
    b, c = await cluster.start("b"), await cluster.start("c", owns=False)
    await engines(c, a)
    assert [len(one.hall.tables) for one in (a, b, c)] == [0, 1, 0]
    b.kill()
    await trio.sleep(10)
    assert [len(one.hall.tables) for one in (a, c)] == [0, 0]


async def test_a_list_that_a_dead_lobby_left_in_the_middle_is_not_told(cluster, autojump_clock):
    a, _, c = [await cluster.start(name) for name in "abc"]
    bob = await c.person("Bob")
    [link] = c.node.edge.sessions
    half = said.TellList(link, "who", (lobby_lines.error("old", "half of a list"),), ends=False)
    a.node.post.send(c.node.run, half)
    await trio.sleep(1)
    a.kill()
    await trio.sleep(4)
    bob.say(Who())
    await bob.hear_line("player Bob")
    assert "half of a list" not in str(bob.heard)


async def test_a_list_that_nobody_hears_to_its_end_is_forgotten(cluster, autojump_clock):
    a, b = [await cluster.start(name) for name in "ab"]
    bob = await b.person("Bob")
    [link] = b.node.edge.sessions
    half = said.TellList(link, "who", (lobby_lines.error("old", "half of a list"),), ends=False)
    a.node.post.send(b.node.run, half)
    await trio.sleep(1)
    assert b.node.edge.lists
    bob.say(Quit())
    await trio.sleep(1)
    assert not b.node.edge.sessions
    assert not b.node.edge.lists


async def test_a_lobby_that_has_moved_logs_nobody_in(cluster, autojump_clock):
    a, b, c = [await cluster.start(name) for name in "abc"]
    bob = c.connect()
    await bob.hear(Hello)
    cluster.hub.part(a.node.bus.channel, c.node.bus.channel)
    bob.say(Id("username", "Bob"), Id("feature", "lobby"), HelloOk())
    await trio.testing.wait_all_tasks_blocked()
    [link] = c.node.edge.sessions
    b.node.post.send(c.node.run, said.LoggedIn(link))
    await trio.sleep(1)
    assert not c.node.edge.logged_in[link].is_set()
    cluster.hub.heal()
    assert "Bob" in await bob.hear_line("welcome")


async def test_who_returns_gets_its_seat_though_the_word_of_it_was_lost(cluster, autojump_clock):
    a, b = await cluster.start("a"), await cluster.start("b")
    ada, bob = await people(a, b)
    await ada.move("e2e4")
    await bob.be_asked()
    bob.peer.cut("its line broke")
    back = b.connect()
    await back.introduce(Id("username", "Bob"), Id("feature", "lobby"), Id("resume", bob.secret))
    await lose_messages(cluster, a, b)
    await back.get_ready()
    await back.move("e7e5")
    await ada.be_asked()


async def test_who_has_logged_in_gets_its_seat_though_the_word_of_it_was_lost(
    cluster, autojump_clock, monkeypatch
):
    a, b = await cluster.start("a"), await cluster.start("b")
    ada, bob = await people(a, b)
    await ada.move("e2e4")
    await bob.be_asked()
    bob.peer.cut("its line broke")
    with monkeypatch.context() as patch:
        patch.setitem(edge._TO_MEMBER, said.TakeSeat, lambda *_: None)
        back = await b.person("Bob", Id("resume", bob.secret))
        await trio.sleep(1)
    await lose_messages(cluster, a, b)
    await back.get_ready()
    await back.move("e7e5")
    await ada.be_asked()


async def test_who_waits_for_a_game_that_is_claimed_late_gets_its_seat(cluster, autojump_clock):
    a, b = await cluster.start("a"), await cluster.start("b")
    ada, bob = await people(b, a)
    await ada.move("e2e4")
    await bob.be_asked()
    bob.peer.cut("its line broke")
    a.node.post.owns = False
    await b.node.drain()
    await trio.sleep(1)
    c = await cluster.start("c", owns=False)
    back = await c.person("Bob", Id("resume", bob.secret))
    await trio.sleep(12)
    a.node.post.owns = True
    await back.get_ready()
    await back.move("e7e5")
    await ada.be_asked()


async def test_nobody_pays_for_the_end_of_the_own_server(cluster, autojump_clock):
    a, b, c = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(b, c)
    await ada.move("e2e4")
    await bob.be_asked()
    c.kill()
    await trio.sleep(10)
    back = await a.person("Bob", Id("resume", bob.secret))
    await back.get_ready()
    assert (await back.hear(Go)).btime > 59_000
    await trio.sleep(5)
    back.say(BestMove("e7e5"))
    await ada.be_asked()
    [table] = b.hall.tables.values()
    assert 55_000 < table.game.clocks(trio.current_time()).btime < 57_000


async def test_who_resigns_while_nobody_owns_the_game_has_resigned(cluster, autojump_clock):
    a, b, c = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(b, c)
    await ada.move("e2e4")
    await bob.be_asked()
    b.kill()
    bob.say(Resign())
    assert "resignation" in await bob.hear_line("game 1 over")
    [record] = a.database.games.find()
    assert record.outcome.score == "1-0"


async def test_who_calls_anew_while_its_game_begins_is_told_of_it(cluster, autojump_clock):
    _a, b, c = [await cluster.start(name) for name in "abc"]
    ada, bob = await b.person("Ada"), await c.person("Bob")
    ada.say(Seek(Terms(time="60+1", color="white")))
    offer = await bob.hear_line("seek")
    bob.say(Accept(int(offer.split()[1])))
    again = await c.person("Ada", Id("resume", ada.secret))
    await again.get_ready()
    assert "white Ada" in await again.hear_line("game 1 start")
    for player in (again, bob):
        await player.get_ready()
    await again.move("e2e4")
    await bob.be_asked()


async def test_who_plays_at_a_server_without_its_database_is_sent_to_another_one(
    cluster, autojump_clock
):
    a, b = await cluster.start("a"), await cluster.start("b")
    ada, bob = await people(b, a)

    def down(*_: object, **__: object) -> None:
        raise StorageError("it does not answer")

    for part, name in (
        (b.database, "save"),
        (b.database.runs, "begin"),
        (b.database.runs, "beat"),
        (b.database.runs, "fence"),
        (b.database.ownership, "claim"),
    ):
        setattr(part, name, down)
    await trio.sleep(4)
    await ada.hear_the_end()
    again = await a.person("Ada", Id("resume", ada.secret))
    await again.get_ready()
    await again.move("e2e4")
    await bob.be_asked()


async def test_a_game_that_died_before_it_was_stored_is_over(cluster, autojump_clock):
    a, b = await cluster.start("a"), await cluster.start("b")
    ada, bob = await people(b, a)
    await ada.be_asked()
    a.database.ownership.claim = lambda *_: []
    a.database.games.outcomes = lambda _: {}
    b.kill()
    assert await bob.hear_line("game 1 over") == "game 1 over result * reason aborted"
    await bob.get_ready()
    assert not a.node.games_elsewhere.tables
    bob.say(Seek(Terms(time="60+1", color="white")))
    assert "Bob" in await bob.hear_line("seek")


async def test_who_is_back_before_its_game_is_known_to_be_lost_is_told(cluster, autojump_clock):
    a, b, c = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(b, b)
    await ada.be_asked()
    await trio.sleep(0.1)
    for server in (a, c):
        server.database.ownership.claim = lambda *_: []
        server.database.games.outcomes = lambda _: {}
    b.kill()
    await trio.sleep(2)
    member = a.node.lobby_server.host.known("Bob")
    member.table, member.plays = None, 1  # as in a lobby that does not know the game
    back = await c.person("Bob", Id("resume", bob.secret))
    assert await back.hear_line("game 1 over") == "game 1 over result * reason aborted"
    back.say(Seek(Terms(time="60+1", color="white")))
    assert "Bob" in await back.hear_line("seek")


async def waits_by_the_word_of_the_lobby(cluster, *, stores: bool = True):
    """The lobby, at A, alone knows that Bob, who is at D, plays a game that B began. stores:
    whether it stores that he is there. Returns the other servers, their claims, and Bob."""

    def fails(*_):
        raise StorageError("it does not answer")

    a, b, c, d = [await cluster.start(name) for name in "abcd"]
    ada, bob = await people(b, c)
    await ada.be_asked()
    claims = [server.database.ownership.claim for server in (a, c, d)]
    for server in (a, c, d):
        server.database.ownership.claim = lambda *_: []
    if not stores:
        a.database.directory.save = fails
    b.kill()
    await bob.peer.aclose()
    await trio.sleep(0.1)
    for server in (a, c, d):
        server.node.games_elsewhere.remove(1, None)
    member = a.node.lobby_server.host.known("Bob")
    member.table, member.plays = None, 1
    return (a, c, d), claims, await d.person("Bob", Id("resume", bob.secret))


async def test_who_waits_for_a_game_is_told_of_its_end_though_only_a_dead_lobby_knew_that_it_plays(
    cluster, autojump_clock
):
    (a, c, d), _, bob = await waits_by_the_word_of_the_lobby(cluster)
    a.kill()
    for server in (c, d):
        server.database.games.outcomes = lambda _: {}
    assert await bob.hear_line("game 1 over") == "game 1 over result * reason aborted"
    bob.say(Seek(Terms(time="60+1")))
    assert "Bob" in await bob.hear_line("seek")


@pytest.mark.parametrize(
    ("stores", "place"),
    [(True, 2), (False, 1)],
    ids=["and stored that", "and could not store that"],
)
async def test_who_waits_for_a_game_gets_its_seat_though_the_lobby_that_knew_of_it_died(
    cluster, autojump_clock, stores, place
):
    servers, claims, bob = await waits_by_the_word_of_the_lobby(cluster, stores=stores)
    lobby, claimer = servers[0], servers[place]
    await trio.sleep(0.1)
    cluster.hub.part(lobby.node.bus.channel, claimer.node.bus.channel)
    claimer.database.ownership.claim = claims[place]
    await trio.sleep(1)
    assert 1 in claimer.hall.tables
    lobby.kill()
    await bob.get_ready()
    await trio.sleep(0.1)
    assert Side.BLACK not in claimer.hall.tables[1].game.absent


async def test_who_waits_for_a_game_that_ends_as_soon_as_it_is_claimed_is_told_the_result(
    cluster, autojump_clock
):
    (_, c, _), (_, claim, _), bob = await waits_by_the_word_of_the_lobby(cluster)
    c.database.ownership.claim = claim
    with trio.fail_after(5):
        while 1 not in c.hall.tables:  # noqa: ASYNC110
            await trio.sleep(0.02)
    await trio.sleep(0.1)
    c.hall.tables[1].handle(Commanded(Side.WHITE, trio.current_time(), Resign()))
    assert "result 0-1" in await bob.hear_line("game 1 over")


async def test_who_plays_is_not_seated_at_another_game(cluster, autojump_clock):
    """A lobby that knows it from an older game could say so."""
    a, b, c = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(a, b)
    await ada.be_asked()
    eve, mia = await a.person("Eve"), await b.person("Mia")
    eve.say(Seek(Terms(time="60+1", color="white")))
    mia.say(Accept(int((await mia.hear_line("seek")).split()[1])))
    for player in (eve, mia):
        await player.get_ready()
    await eve.be_asked()
    [link] = [link for link, one in b.node.edge.sessions.items() if one.profile.handle == "Mia"]
    a.node.post.send(b.node.run, said.TakeSeat(link, 1, Side.BLACK, 0.0))
    eve.say(BestMove("d2d4"))
    await mia.move("d7d5")
    await eve.be_asked()
    ada.say(BestMove("e2e4"))
    await bob.be_asked()
    assert c.hall.tables == {}


async def test_who_waits_at_a_game_that_nobody_has_is_seated_at_the_one_that_the_lobby_names(
    cluster, autojump_clock
):
    a, b = await cluster.start("a"), await cluster.start("b")
    ada, bob = await people(a, b)
    await ada.move("e2e4")
    await bob.be_asked()
    await bob.peer.aclose()
    eve, mia = await a.person("Eve"), await b.person("Mia")
    eve.say(Seek(Terms(time="60+1", color="white")))
    mia.say(Accept(int((await mia.hear_line("seek")).split()[1])))
    for player in (eve, mia):
        await player.get_ready()
    await eve.be_asked()
    b.node.games_elsewhere.tables[2].owner = 0
    [link] = [link for link, one in b.node.edge.sessions.items() if one.profile.handle == "Mia"]
    a.node.post.send(b.node.run, said.TakeSeat(link, 1, Side.BLACK, 0.0))
    await mia.get_ready()
    await mia.move("e7e5")
    await ada.be_asked()


async def test_a_server_that_missed_the_death_of_an_owner_knows_when_a_game_is_lost(
    cluster, autojump_clock
):
    a, b, c = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(b, c)
    await ada.be_asked()
    for server in (a, c):
        server.database.ownership.claim = lambda *_: []
        server.database.games.outcomes = lambda _: {}
    b.kill()
    for run in (b.node.run, c.node.run):
        [state] = [one for one in a.database.runs.living() if one.id == run]
        assert a.database.runs.fence(run, state.beat, cluster.now())
    assert await bob.hear_line("game 1 over") == "game 1 over result * reason aborted"


async def test_a_server_that_cannot_claim_games_lets_their_players_wait(cluster, autojump_clock):
    b, a = await cluster.start("b"), await cluster.start("a")
    ada, bob = await people(b, a)
    await ada.move("e2e4")
    await bob.be_asked()
    claim = a.database.ownership.claim

    def fails(*_):
        raise StorageError("it does not answer")

    a.database.ownership.claim = fails
    b.kill()
    await trio.sleep(4)
    back = a.connect()
    await back.introduce(Id("username", "Ada"), Id("feature", "lobby"), Id("resume", ada.secret))
    await trio.sleep(7)
    a.database.ownership.claim = claim
    await trio.sleep(1)
    assert 1 in a.hall.tables
    bob.say(BestMove("e7e5"))
    await back.get_ready()
    await back.be_asked()


async def test_the_result_that_a_dead_server_had_stored_is_told(cluster, autojump_clock):
    a, b = await cluster.start("a"), await cluster.start("b")
    ada, bob = await people(b, a)
    await ada.move("e2e4")
    await bob.be_asked()
    b.node.post.send = b.node.post.send_all = lambda *_: None
    bob.say(Resign())
    await trio.sleep(0.1)
    b.kill()
    assert "result 1-0 reason resignation" in await bob.hear_line("game 1 over")


async def test_a_game_that_its_owner_was_not_asked_to_begin_is_asked_for_again(
    cluster, autojump_clock
):
    a, b = await cluster.start("a"), await cluster.start("b")
    white = await b.engine("W")
    await trio.sleep(1)
    black = b.connect()
    await black.hear(Hello)
    way = a.node.bus.channel, b.node.bus.channel
    cluster.hub.fate = lambda *those: () if those == way else (0.0,)
    black.say(Id("name", "B"), HelloOk())
    await trio.sleep(2)
    assert not b.hall.tables
    cluster.hub.fate = lambda *_: (0.0,)
    for player in (white, black):
        await player.get_ready()
    await play(white, black)


async def test_a_seek_survives_the_server_of_its_lobby(cluster, autojump_clock):
    a, b, c = [await cluster.start(name) for name in "abc"]
    bob, eve = await b.person("Bob"), await c.person("Eve")
    bob.say(Seek(Terms(time="60+1", color="white")))
    number = (await eve.hear_line("seek")).split()[1]
    await trio.sleep(0.1)
    a.kill()
    await trio.sleep(5)
    fay = await c.person("Fay")
    fay.say(Seeks())
    again = await fay.hear_line("seek ")
    assert f"seek {number} player Bob" in again
    assert "color white" in again
    eve.say(Accept(int(number)))
    for player in (bob, eve):
        await player.get_ready()
    await bob.move("e2e4")
    await eve.be_asked()


async def test_a_challenge_outlives_the_server_of_its_lobby(cluster, autojump_clock):
    a, b, c = [await cluster.start(name) for name in "abc"]
    bob, eve = await b.person("Bob"), await c.person("Eve")
    bob.say(Challenge("Eve", Terms(time="60+1", color="white")))
    number = (await eve.hear_line("challenge")).split()[1]
    a.kill()
    await trio.sleep(5)
    eve.say(Accept(int(number)))
    for player in (bob, eve):
        await player.get_ready()
    await bob.move("e2e4")
    await eve.be_asked()


async def test_a_challenge_whose_lobby_died_before_it_was_stored_is_refused(
    cluster, autojump_clock
):
    a, b, c = [await cluster.start(name) for name in "abc"]
    bob, eve = await b.person("Bob"), await c.person("Eve")
    a.database.directory.save = refuse
    bob.say(Challenge("Eve", Terms(time="60+1")))
    await trio.sleep(1)
    a.kill()
    assert "try again in a second" in await bob.hear_line("error moving")
    bob.say(Challenge("Eve", Terms(time="60+1")))
    await bob.hear_line("challenging")
    eve.say(Accept(int((await eve.hear_line("challenge")).split()[1])))
    for player in (bob, eve):
        await player.get_ready()


def refuse(*_: object) -> None:
    raise StorageError("it does not answer")


async def test_a_match_outlives_the_server_of_its_lobby(cluster, autojump_clock):
    a, b, c = [await cluster.start(name) for name in "abc"]
    bob, eve = await b.person("Bob"), await c.person("Eve")
    bob.say(Seek(Terms(time="60+1", color="white", games=2)))
    eve.say(Accept(int((await eve.hear_line("seek")).split()[1])))
    for player in (bob, eve):
        await player.get_ready()
    await trio.sleep(0.1)
    a.kill()
    await trio.sleep(5)
    bob.say(Resign())
    for player in (bob, eve):
        await player.hear_line("game 1 over")
        await player.get_ready()
    for player in (bob, eve):
        await player.get_ready()
    await eve.move("e2e4")
    await bob.be_asked()


async def test_an_administrator_is_told_what_became_of_a_ruling_elsewhere(cluster, autojump_clock):
    a, b, c = [await cluster.start(name) for name in "abc"]
    white, black = await engines(b, c)
    await play(white, black)
    await white.be_asked()
    root = await a.person("", Id("token", "root-token"))

    async def answer(*words: str) -> str:
        root.say(Admin(words))
        return await root.hear_line("")

    assert await answer("takeback", "1", "9", "why", "not") == "admin game 1 takeback 4"
    assert await root.hear_line("") == "admin done"
    assert "no-takeback" in await answer("takeback", "1", "1", "too", "far")
    assert await answer("givetime", "1", "white", "5", "a", "gift") == "admin done"
    b.node.owner.epochs[1] = 7
    assert "error moving" in await answer("abort", "1", "it", "moves")
    del b.node.owner.epochs[1]
    assert await answer("abort", "1", "enough") == "admin done"


async def test_who_returned_before_the_lobby_knew_of_its_game_is_seated(cluster, autojump_clock):
    a, b, c = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(b, c)
    await ada.move("e2e4")
    await bob.be_asked()
    server = a.node.lobby_server
    told = owned(b.node.post, b.hall.tables[1])
    bob.peer.cut("its line is lost")
    await trio.sleep(1)
    member = server.host.known("Bob")
    member.table = None  # as a lobby that has just moved knows it
    back = await c.person("Bob", Id("resume", bob.secret))
    server.hear(b.node.run, told)
    await back.get_ready()
    await back.move("e7e5")
    await ada.be_asked()


async def test_a_program_elsewhere_is_asked_what_only_ugi_has_words_for(cluster, autojump_clock):
    a, b = await cluster.start("a"), await cluster.start("b")
    await engines(a, b)
    [session] = b.node.edge.sessions.values()
    [table] = a.hall.tables.values()
    asked, told = [], []

    def answer(questions, then) -> bool:
        asked.append(questions)
        then(("true", "p1win"))
        return True

    b.node.edge.sessions[1] = SimpleNamespace(player=SimpleNamespace(ask=answer))
    assert table.seats[Side.BLACK].ask(("gameover", "result"), told.append)
    await trio.sleep(1)
    b.node.edge.sessions[1] = session
    assert (asked, told) == ([("gameover", "result")], [("true", "p1win")])


async def test_what_waited_for_a_move_to_be_stored_is_not_lost_when_the_game_moves(
    cluster, autojump_clock
):
    a, b = await cluster.start("a"), await cluster.start("b")
    ada, bob = await people(b, a)
    await ada.move("e2e4")
    await bob.be_asked()
    durable = b.journal.when_durable
    b.journal.when_durable = lambda _: False
    bob.say(BestMove("e7e5"))
    await trio.sleep(0.1)
    ada.say(Draw())
    await trio.sleep(0.1)
    b.journal.when_durable = durable
    await b.node.drain()
    await trio.sleep(2)
    assert [*a.hall.tables[1].game.moves] == ["e2e4", "e7e5"]


async def test_a_move_that_waited_for_a_gift_to_be_stored_is_not_lost_when_the_game_moves(
    cluster, autojump_clock
):
    a, b = await cluster.start("a"), await cluster.start("b")
    ada, _ = await people(b, a)
    await ada.be_asked()
    durable = b.journal.when_durable
    b.journal.when_durable = lambda _: False
    ada.say(GiveTime(5000))
    ada.say(BestMove("e2e4"))
    await trio.sleep(0.1)
    b.journal.when_durable = durable
    await b.node.drain()
    await trio.sleep(2)
    assert [*a.hall.tables[1].game.moves] == ["e2e4"]


async def test_who_was_there_before_a_game_came_to_its_server_stays_when_it_leaves_again(
    cluster, autojump_clock
):
    a, b = await cluster.start("a", owns=False), await cluster.start("b")
    c = await cluster.start("c")
    ada, bob = await people(b, c)
    await ada.move("e2e4")
    await bob.be_asked()
    b.kill()
    await trio.sleep(3)
    assert [*c.hall.tables] == [1]
    d = await cluster.start("d")
    back = await a.person("Ada", Id("resume", ada.secret))
    await back.get_ready()
    run = c.node.run
    [state] = [one for one in c.database.runs.living() if one.id == run]
    while not c.database.runs.fence(run, state.beat, cluster.now()):
        [state] = [one for one in c.database.runs.living() if one.id == run]
    await trio.sleep(5)
    assert c.node.run != run
    assert [*c.hall.tables, *d.hall.tables] == [1]
    bob.say(BestMove("e7e5"))
    await back.be_asked()


async def test_servers_get_to_know_each_other_without_a_warning(cluster, autojump_clock):
    with capture_logs() as logs:
        for name in "abc":
            await cluster.start(name)
        await trio.sleep(5)
    assert {log["event"] for log in logs} >= {"messages were lost", "server joined"}
    assert not [log for log in logs if log["log_level"] == "warning"]


async def test_a_new_run_that_cannot_reach_the_others_sends_players_elsewhere(
    cluster, autojump_clock
):
    _, b = [await cluster.start(name) for name in "ab"]
    ada = await b.person("Ada")
    cluster.hub.stop()
    b.node.runs.be_fenced()
    await ada.hear_the_end()
    bob = b.connect()
    await bob.introduce(Id("username", "Bob"), Id("feature", "lobby"))
    await bob.hear_the_end()


async def test_who_was_let_in_before_the_lobby_knew_of_its_game_does_not_pay_for_that(
    cluster, autojump_clock
):
    a, b, c = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(b, c)
    await ada.move("e2e4")
    await bob.be_asked()
    await bob.peer.aclose()
    await trio.sleep(0.1)
    back = await c.person("Eve")  # the lobby finds out later who that is
    [link] = [link for link, one in c.node.edge.sessions.items() if one.handle == "Eve"]
    await trio.sleep(2)
    a.node.post.send(c.node.run, said.TakeSeat(link, 1, Side.BLACK, 0.0))
    await back.get_ready()
    await back.move("e7e5")
    await ada.be_asked()
    move = b.database.games.moves(1)[1]
    assert move.spent > 2000
    assert move.spent - move.stall <= 200


async def test_what_waits_for_the_lobby_to_open_is_heard_in_its_order(cluster, autojump_clock):
    a, b, _ = [await cluster.start(name) for name in "abc"]
    bob = await b.person("Bob")
    friends = [await b.person(f"Friend{number}") for number in range(20)]
    lobby = a.node.lobby_server
    lobby.ready = False
    for number, friend in enumerate(friends[:-1]):
        friend.say(TellPlayer("Bob", str(number)))
        await trio.sleep(0.001)
    await trio.sleep(0.1)
    a.hall.begin_gradually(lobby._hear_early())
    (last,) = [
        link for link, one in b.node.edge.sessions.items() if one.profile.handle == "Friend19"
    ]
    lobby.hear(b.node.run, said.Command(last, TellPlayer("Bob", "19"), 0))
    told = [(await bob.hear_line("tell")).split()[2] for _ in friends]
    assert told == [str(number) for number in range(20)]


async def ends_without(ada, bob):
    """Bob's line is lost, and Ada resigns."""
    await bob.peer.aclose()
    await ada.hear_line("game 1 opponent away")
    ada.say(Resign())
    await ada.hear_line("game 1 over")


async def is_told(server, bob, *said) -> bool:
    """Whether Bob, who returns, is told the result."""
    back = await server.person("Bob", Id("resume", bob.secret), *said)
    with trio.move_on_after(8) as waited:
        assert await back.hear_line("game 1 over") == "game 1 over result 0-1 reason resignation"
        await back.get_ready()
    await back.peer.aclose()
    await trio.sleep(1)
    return not waited.cancelled_caught


@pytest.mark.parametrize("owner", ["b", "c"])
async def test_who_missed_a_result_is_told_it_though_the_lobby_that_knew_that_has_died(
    cluster, autojump_clock, owner
):
    """The next one was the server of the game, or another one."""
    servers = {name: await cluster.start(name) for name in "abc"}
    ada, bob = await people(servers[owner], servers["c"])
    await ends_without(ada, bob)
    servers["a"].kill()
    assert await is_told(servers["c"], bob)
    assert not await is_told(servers["c"], bob)


@pytest.mark.parametrize("late", [False, True])
async def test_nor_is_it_lost_with_the_server_of_the_game_that_did_not_tell_it(
    cluster, autojump_clock, late
):
    """It hosted the lobby, too; the next one may learn the result when it knows all its members."""
    a, b, c = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(a, a)
    await trio.sleep(1)
    await bob.peer.aclose()
    await ada.hear_line("game 1 opponent away")
    send, here = a.node.post.send, a.node.run
    a.node.post.send_all = lambda _: None
    a.node.post.send = lambda run, message: send(run, message) if run == here else None
    ada.say(Resign())
    await ada.hear_line("game 1 over")
    a.kill()
    asked = [server.database.games.outcomes for server in (b, c)]
    for server in (b, c):
        server.database.games.outcomes = (
            (lambda _: {1: None}) if late else server.database.games.outcomes
        )
    await trio.sleep(15)
    b.database.games.outcomes, c.database.games.outcomes = asked
    await trio.sleep(10)
    assert await is_told(c, bob)


async def test_nor_though_the_next_lobby_heard_nothing_of_the_whole_game(cluster, autojump_clock):
    """It hears of it together with all else that was lost between it and the game's server."""
    a, b, c = [await cluster.start(name) for name in "abc"]
    await trio.sleep(MEETING + 1)
    with capture_logs() as logs:
        cluster.hub.part(b.node.bus.channel, c.node.bus.channel)
        ada, bob = await people(c, c)
        await ends_without(ada, bob)
        await trio.sleep(0.5)
        cluster.hub.heal()
        a.kill()
        assert await is_told(c, bob)
    assert "messages were lost" in [entry["event"] for entry in logs]
    assert not await is_told(c, bob)


async def test_nor_if_it_has_got_a_new_secret_during_the_game(cluster, autojump_clock, monkeypatch):
    known, proof = accounts(), Id("token", "bob-token")
    known.add_token(known.add_player("Bob", "human").id, secret_hash("bob-token"), "play")
    monkeypatch.setattr(support, "accounts", lambda: known)
    a, b, c = [await cluster.start(name) for name in "abc"]
    ada, bob = await b.person("Ada"), await c.person("Bob", proof)
    ada.say(Seek(Terms(time="60+1", color="white")))
    bob.say(Accept(int((await bob.hear_line("seek")).split()[1])))
    for player in (ada, bob):
        await player.get_ready()
    await bob.peer.aclose()
    await ada.hear_line("game 1 opponent away")
    back = await c.person("Bob", proof)
    assert back.secret != bob.secret
    await back.get_ready()
    await ada.hear_line("game 1 opponent back")
    await ends_without(ada, back)
    a.kill()
    assert await is_told(c, back, proof)


async def test_nobody_is_told_an_old_result(cluster, autojump_clock, monkeypatch):
    monkeypatch.setattr(directory, "RECENT", timedelta(seconds=20))
    a, b, c = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(b, c)
    await ends_without(ada, bob)
    await trio.sleep(25)
    a.kill()
    assert not await is_told(c, bob)


async def test_who_was_told_a_result_is_not_told_it_again_by_the_next_lobby(
    cluster, autojump_clock
):
    a, b, _ = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(b, b)
    ada.say(Resign())
    await bob.hear_line("game 1 over")
    await bob.get_ready()
    a.kill()
    await trio.sleep(5)
    assert b.node.lobby_server is not None
    await bob.peer.aclose()
    await trio.sleep(1)
    assert not await is_told(b, bob)


async def test_beside_a_living_server_of_another_version_no_server_begins(
    cluster, autojump_clock, monkeypatch
):
    a = await cluster.start("a")
    monkeypatch.setattr(said, "SPEAKS", said.SPEAKS + 1)
    why = "server a is of a version with which this one cannot work"
    with pytest.RaisesGroup(
        pytest.RaisesExc(OtherVersionError, match=why),
        allow_unwrapped=True,
        flatten_subgroups=True,
    ):
        await cluster.start("b")
    a.kill()
    b = await cluster.start("b")
    await trio.sleep(1)
    assert b.node.hosts_lobby


async def test_who_cannot_return_does_not_lose_because_its_server_ends(cluster, autojump_clock):
    a, b = await cluster.start("a"), await cluster.start("b")
    white, black = await engines(b, a)
    await white.move("e2e4")
    await black.move("e7e5")
    await white.be_asked()
    await b.leave()
    await trio.sleep(1)
    [game] = a.database.games.find()
    assert game.outcome == Outcome(None, Reason.SERVER)
    assert game.detail == "the server is shutting down, and W cannot return to this game"


@pytest.mark.parametrize("where", ["here", "elsewhere"])
async def test_nor_because_all_servers_end_at_once(cluster, autojump_clock, where):
    """Their next run could give nobody the seat, and the clock would run on."""
    a, b = await cluster.start("a"), await cluster.start("b")
    white, black = await engines(b, a if where == "elsewhere" else b)
    await white.move("e2e4")
    await black.move("e7e5")
    await white.be_asked()
    async with trio.open_nursery() as nursery:
        for server in (a, b):
            nursery.start_soon(server.leave)
    later = await cluster.start("c")
    [game] = later.database.games.find()
    assert game.outcome == Outcome(None, Reason.SERVER)
    assert "cannot return to this game" in game.detail


async def test_who_plays_with_somebody_who_cannot_return_stays_at_the_end_of_all_servers(
    cluster, autojump_clock
):
    a = await cluster.start("a")
    ada, bob = await people(a, a)
    ada.say(Resign())
    await bob.hear_line("game 1 over")
    eve = await a.engine("E")
    ada.say(Seek(Terms(time="60+1")))
    for player in (ada, eve):
        await player.get_ready()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(a.leave)
        assert "reason server" in await ada.hear_line("game 2 over")
