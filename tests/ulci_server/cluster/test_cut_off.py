"""Servers that are cut from the bus, and live."""

import pytest
import trio

from tests.support.clients import Client
from tests.support.cluster import people
from ulci.protocol.messages import (
    Accept,
    BestMove,
    Go,
    Id,
    Info,
    IsReady,
    Lobby,
    NewGame,
    Option,
    OptionType,
    Position,
    ReadyOk,
    Resign,
    Say,
    Seek,
    SetOption,
    Stop,
    TellPlayer,
    Terms,
    Watch,
    Who,
)
from ulci.rules import Side
from ulci_server.cluster.remote_player import RemotePlayer, owned
from ulci_server.game import EventKind, Happened, TakebackRuled
from ulci_server.storage import FencedError, StorageError

CUT = 8.0
"""Seconds after which a server that is cut off has withdrawn."""


def cost(owner) -> int:
    """What the answer to the first move took from its player's clock, ms."""
    reply = owner.database.games.moves(1)[1]
    return reply.spent - reply.stall - reply.lag


async def with_black_to_move(cluster):
    """Three servers, Ada at the second, which owns her game, and Bob at the third: she has moved,
    and he is asked."""
    servers = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(*servers[1:])
    await ada.move("e2e4")
    await bob.be_asked()
    return *servers, ada, bob


async def engines(white, black):
    """At their table."""
    first = await white.engine("W")
    await trio.sleep(1)
    players = first, await black.engine("B")
    for player in players:
        await player.get_ready()
    return players


async def test_a_game_whose_owner_is_cut_off_goes_on_at_another_server(cluster, autojump_clock):
    a, b, c, ada, bob = await with_black_to_move(cluster)
    cluster.hub.cut(b.node.bus.channel)
    await trio.sleep(CUT)
    assert [*a.hall.tables, *c.hall.tables] == [1]
    assert not b.hall.tables
    await ada.hear_the_end()
    back = await c.person("Ada", Id("resume", ada.secret))
    bob.say(BestMove("e7e5"))
    await back.get_ready()
    await back.move("g1f3")
    await bob.be_asked()


async def test_an_engine_at_a_server_that_was_cut_off_plays_on(cluster, autojump_clock):
    a, b, c = [await cluster.start(name) for name in "abc"]
    white, black = await engines(b, c)
    await white.move("e2e4")
    await black.be_asked()
    cluster.hub.cut(b.node.bus.channel)
    await trio.sleep(CUT)
    black.say(BestMove("e7e5"))
    cluster.hub.mend(b.node.bus.channel)
    await white.move("g1f3")
    await black.be_asked()
    assert len(a.hall.tables) + len(c.hall.tables) == 1


async def test_a_game_of_players_who_are_cut_off_together_goes_on_where_it_is(
    cluster, autojump_clock
):
    _, b = [await cluster.start(name) for name in "ab"]
    white, black = await engines(b, b)
    cluster.hub.cut(b.node.bus.channel)
    await trio.sleep(CUT)
    await white.move("e2e4")
    await black.move("e7e5")
    await white.be_asked()
    assert [*b.hall.tables] == [1]


async def test_who_plays_with_a_server_that_is_cut_off_does_not_wait_for_ever(
    cluster, autojump_clock
):
    a, b = [await cluster.start(name) for name in "ab"]
    white, black = await engines(a, b)
    await white.move("e2e4")
    await black.be_asked()
    cluster.hub.cut(b.node.bus.channel)
    await trio.sleep(CUT)
    [table] = a.hall.tables.values()
    assert [*table.game.absent]
    cluster.hub.mend(b.node.bus.channel)
    await trio.sleep(3)
    assert not table.game.absent
    heard = len(black.heard)
    black.say(BestMove("e7e5"))
    await white.be_asked()
    assert not [one for one in black.heard[heard:] if isinstance(one, Go)]


async def test_another_server_hosts_the_lobby_while_its_server_is_cut_off(cluster, autojump_clock):
    a, b, c = [await cluster.start(name) for name in "abc"]
    bob, eve = await b.person("Bob"), await c.person("Eve")
    cluster.hub.cut(a.node.bus.channel)
    await trio.sleep(3)
    assert b.node.lobby_server is not None
    bob.say(TellPlayer("Eve", "still here"))
    assert await eve.hear_line("tell") == "tell Bob still here"
    await trio.sleep(CUT)
    assert a.node.lobby_server is None
    cluster.hub.mend(a.node.bus.channel)
    await trio.sleep(2)
    assert [one.node.lobby_server is not None for one in (a, b, c)] == [True, False, False]
    eve.say(TellPlayer("Bob", "me too"))
    assert await bob.hear_line("tell") == "tell Eve me too"


async def test_a_lobby_that_another_server_has_hosted_meanwhile_begins_anew(
    cluster, autojump_clock
):
    """The old one believes that Bob is in a game."""
    a, b, c = [await cluster.start(name) for name in "abc"]
    _, bob = await people(a, a)
    before = a.node.lobby_server
    cluster.hub.cut(a.node.bus.channel)
    await trio.sleep(2.8)
    assert b.node.lobby_server is not None
    assert a.node.lobby_server is before
    await bob.peer.aclose()
    other = await c.person("Bob")
    cluster.hub.mend(a.node.bus.channel)
    await trio.sleep(3)
    assert a.node.lobby_server not in (before, None)
    back = await c.person("Bob", Id("resume", other.secret))
    assert back.secret == other.secret


async def test_of_two_of_one_name_who_came_to_different_lobbies_each_has_its_own(
    cluster, autojump_clock
):
    a, b, c = [await cluster.start(name) for name in "abc"]
    first = await a.person("Bob")
    await trio.sleep(0.1)
    cluster.hub.cut(a.node.bus.channel)
    while b.node.lobby_server is None:  # noqa: ASYNC110 - nobody tells
        await trio.sleep(0.1)
    second = await c.person("Bob")
    cluster.hub.mend(a.node.bus.channel)
    await trio.sleep(5)
    for player in (first, second):
        player.say(Who())
    for player in (first, second):
        assert await player.hear_line("who") == "who 2"
        names = {(await player.hear_line("player")).split()[1] for _ in range(2)}
        assert names == {"Bob", "Bob-2"}
        assert not player.reports()


async def test_nothing_moves_while_the_hub_is_down_for_all(cluster, autojump_clock):
    servers = a, b, _ = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(a, b)
    await ada.move("e2e4")
    await bob.be_asked()
    lobby = a.node.lobby_server
    cluster.hub.stop()
    await trio.sleep(2 * CUT)
    assert [[*one.hall.tables] for one in servers] == [[1], [], []]
    assert a.node.lobby_server is lobby
    cluster.hub.start()
    await trio.sleep(3)
    assert a.node.lobby_server is lobby
    bob.say(BestMove("e7e5"))
    await ada.be_asked()
    ada.say(Say("good luck"))
    assert await bob.hear_line("say") == "say Ada good luck"


async def log_in_in_order(white, black):
    """An engine that is told its opponent at one server, and another one at another."""
    first = await white.engine("W", Option("UCI_Opponent", OptionType.STRING, ""))
    await trio.sleep(3)  # until it is logged in
    return first, await black.engine("B")


async def thinks_about_its_first_move(cluster):
    """An engine, at another server than its game."""
    a, b = await cluster.start("a"), await cluster.start("b", owns=False)
    white, black = await log_in_in_order(b, a)
    for player in (white, black):
        await player.get_ready()
    await white.be_asked()
    assert [[*one.hall.tables] for one in (a, b)] == [[1], []]
    return a, white, black


@pytest.mark.parametrize("down", [1.0, CUT])
async def test_an_engine_thinks_on_about_its_first_move_while_the_hub_is_down(
    cluster, autojump_clock, down
):
    _, white, black = await thinks_about_its_first_move(cluster)
    heard = len(white.heard)
    cluster.hub.stop()
    white.say(Info(depth=1, pv=("e2e4",)))  # it is lost
    await trio.sleep(down)
    cluster.hub.start()
    await trio.sleep(3)
    white.say(BestMove("e2e4"))
    await black.be_asked()
    black.say(BestMove("e7e5"))
    await white.be_asked()
    asked = [one for one in white.heard[heard:] if not isinstance(one, Lobby | Info)]
    assert [type(one) for one in asked] == [Position, Go]


async def test_so_it_does_when_the_owner_of_its_game_dies(cluster, autojump_clock):
    a, white, _ = await thinks_about_its_first_move(cluster)
    c = await cluster.start("c")
    heard = len(white.heard)
    a.kill()
    await trio.sleep(5)
    assert not {NewGame, SetOption, Stop, Go} & {type(one) for one in white.heard[heard:]}
    white.say(BestMove("e2e4"))
    await trio.sleep(1)
    [table] = c.hall.tables.values()
    assert [*table.game.moves] == ["e2e4"]


async def test_an_engine_whose_introduction_to_the_game_was_lost_is_asked_anew(
    cluster, autojump_clock
):
    a, white, black = await thinks_about_its_first_move(cluster)
    [b] = [run for run in a.node.post.membership.living if run != a.node.run]
    [player] = [one for one in a.hall.tables[1].players if isinstance(one, RemotePlayer)]
    player.tell(SetOption("UCI_Opponent", "none none computer B"), NewGame())
    player.ask_move(Position(None, ()), Go(wtime=60_000, btime=60_000))
    assert player.run == b
    await white.hear(Stop)
    white.say(BestMove("a2a3"))
    await white.hear(NewGame)
    await white.move("e2e4")
    await black.be_asked()
    [table] = a.hall.tables.values()
    assert [*table.game.moves] == ["e2e4"]


async def test_a_server_that_is_cut_off_lets_nobody_in(cluster, autojump_clock):
    _, b = [await cluster.start(name) for name in "ab"]
    cluster.hub.cut(b.node.bus.channel)
    await trio.sleep(3)
    late = await b.engine("late")
    assert "cannot reach the others; retry-after" in str(await late.hear_the_end())


async def test_nobody_pays_while_the_own_server_is_cut_off(cluster, autojump_clock):
    a, b, c = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(a, b)
    await ada.move("e2e4")
    await bob.be_asked()
    cluster.hub.cut(b.node.bus.channel)
    await bob.hear_the_end()
    back = await c.person("Bob", Id("resume", bob.secret))
    await back.get_ready()
    assert (await back.be_asked()).btime > 59_000
    back.say(BestMove("e7e5"))
    await ada.be_asked()


async def test_an_answer_that_a_cut_held_up_costs_no_more_than_its_player_thought(
    cluster, autojump_clock
):
    a, b, c, ada, bob = await with_black_to_move(cluster)
    cluster.hub.cut(b.node.bus.channel)
    await trio.sleep(0.5)
    bob.say(BestMove("e7e5"))
    await trio.sleep(CUT)
    back = await c.person("Ada", Id("resume", ada.secret))
    await back.get_ready()
    await back.move("g1f3")
    await bob.be_asked()
    assert cost(a) <= 501


async def test_a_game_that_is_given_away_while_the_database_is_down_is_not_over(
    cluster, errors_logged, autojump_clock
):
    a, b, c = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(c, b)
    await ada.move("e2e4")
    await bob.be_asked()

    def down(*_: object) -> None:
        raise StorageError("it does not answer")

    save, c.database.save = c.database.save, down
    cluster.hub.cut(c.node.bus.channel)
    await trio.sleep(4)
    assert not c.hall.tables
    cluster.hub.mend(c.node.bus.channel)
    await trio.sleep(1)
    c.database.save = save
    await trio.sleep(3)
    assert "does not answer" in str(errors_logged.take())
    assert "is over" not in str(bob.heard)
    bob.say(BestMove("e7e5"))
    back = await a.person("Ada", Id("resume", ada.secret))
    await back.get_ready()
    await back.be_asked()


async def test_a_go_that_was_lost_costs_nothing(cluster, autojump_clock):
    a, b = await cluster.start("a"), await cluster.start("b")
    ada, bob = await people(a, b)
    await ada.be_asked()
    cluster.hub.part(a.node.bus.channel, b.node.bus.channel)
    ada.say(BestMove("e2e4"))
    await trio.sleep(3)
    cluster.hub.heal()
    await bob.move("e7e5")
    await ada.be_asked()
    assert cost(a) <= 5


async def test_who_returns_while_the_lobby_moves_does_not_pay_for_that(cluster, autojump_clock):
    a, b, c, ada, bob = await with_black_to_move(cluster)
    a.kill()  # it hosted the lobby
    await bob.peer.aclose()
    back = await c.person("Bob", Id("resume", bob.secret))
    await back.get_ready()
    await back.move("e7e5")
    await ada.be_asked()
    assert b.database.games.moves(1)[1].spent > 500
    assert cost(b) <= 10


async def test_nor_if_the_owner_does_not_hear_at_first_that_it_is_back(cluster, autojump_clock):
    b, _, ada, back = await is_back_in_vain(cluster)
    await trio.sleep(0.1)
    cluster.hub.heal()
    await back.move("e7e5")
    await ada.be_asked()
    assert b.database.games.moves(1)[1].spent > 500
    assert cost(b) <= 60


async def test_nor_if_its_line_is_lost_before_that(cluster, autojump_clock):
    b, c, ada, there = await is_back_in_vain(cluster)
    await trio.sleep(0.6)
    await there.peer.aclose()
    await trio.sleep(0.01)
    cluster.hub.heal()
    await trio.sleep(0.3)
    back = await c.person("Bob", Id("resume", there.secret))
    await back.get_ready()
    await back.move("e7e5")
    await ada.be_asked()
    assert b.database.games.moves(1)[1].spent > 1500
    assert cost(b) <= 350


async def is_back_in_vain(cluster, thinks: float = 0.0):
    """Bob returns while the lobby moves, after `thinks` s of his turn, and the owner of his game
    does not hear that. Returns the owner, Bob's server, Ada and Bob."""
    a, b, c, ada, bob = await with_black_to_move(cluster)
    await trio.sleep(thinks)
    a.kill()
    await bob.peer.aclose()
    back = await c.person("Bob", Id("resume", bob.secret))
    await back.hear(IsReady)
    await trio.sleep(0.05)  # the owner expects it
    cluster.hub.part(b.node.bus.channel, c.node.bus.channel)
    back.say(ReadyOk())
    return b, c, ada, back


async def test_who_is_ready_does_not_lose_on_time_before_its_server_can_say_so(
    cluster, autojump_clock
):
    b, _, ada, bob = await is_back_in_vain(cluster, 57)
    await trio.sleep(3)
    assert 1 in b.hall.tables
    cluster.hub.heal()
    await bob.move("e7e5")
    await ada.be_asked()
    assert 56_950 <= cost(b) <= 57_100


async def test_who_is_not_ready_does(cluster, autojump_clock):
    """Its server knows that, and says so."""
    *_, c, ada, bob = await with_black_to_move(cluster)
    await trio.sleep(57)
    back = await returns(c, bob)
    assert "aborted" in await ada.hear_line("game 1 over")  # a game of one move is not lost
    assert trio.current_time() < 70
    assert not [one for one in back.heard if isinstance(one, Go)]


async def test_nor_if_its_lobby_has_it_take_its_seat_once_more(cluster, autojump_clock):
    """Nobody owns the game for a moment, as far as its server knows."""
    a, b, c, ada, bob = await with_black_to_move(cluster)
    a.kill()
    await bob.peer.aclose()
    back = await c.person("Bob", Id("resume", bob.secret))
    await back.hear(IsReady)
    table = c.node.games_elsewhere.tables[1]
    owner, table.owner = table.owner, 0
    back.say(ReadyOk())
    await trio.sleep(0.1)
    b.node.lobby_server.host.known("Bob").take_seat(b.hall.find_table(1), Side.BLACK)
    await trio.sleep(0.1)
    table.move_to(owner, table.epoch)
    await back.move("e7e5")
    await ada.be_asked()
    assert b.database.games.moves(1)[1].spent > 500
    assert cost(b) <= 10


async def returns_after_a_cut(cluster, where: str, *, ends: bool = False) -> int:
    """What a move costs (ms) that its player could not be asked for in time: its server was cut off
    for 1.5 s, and could not tell then that the player left. `ends`: it ends 2 s before the player
    is back."""
    servers = {name: await cluster.start(name) for name in "abc"}
    owner, edge = servers["b"], servers["c"]
    ada, bob = await people(owner, edge)
    await ada.be_asked()
    cluster.hub.cut(edge.node.bus.channel)
    ada.say(BestMove("e2e4"))
    await trio.sleep(1.5)
    await bob.peer.aclose()
    cluster.hub.mend(edge.node.bus.channel)
    await trio.sleep(0.6)
    if ends:
        await edge.leave()
        await trio.sleep(2)
    back = await servers[where].person("Bob", Id("resume", bob.secret))
    await back.get_ready()
    await back.move("e7e5")
    await ada.be_asked()
    reply = owner.database.games.moves(1)[1]
    assert reply.spent + reply.held > 2000
    return cost(owner)


async def test_who_was_sent_away_while_the_owner_was_cut_off_does_not_pay_for_that(
    cluster, autojump_clock
):
    a, b, c = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(b, b)
    await ada.move("e2e4")
    await bob.be_asked()
    cluster.hub.cut(b.node.bus.channel)
    await bob.peer.aclose()
    there = await c.person("Bob", Id("resume", bob.secret))
    await there.get_ready()
    await c.node.drain()
    await c.hall.closing.hand_over(trio.CancelScope(), 0.0, "the server is shutting down")
    await there.hear_the_end()
    cluster.hub.mend(b.node.bus.channel)
    await trio.sleep(20)
    back = await a.person("Bob", Id("resume", bob.secret))
    await back.get_ready()
    await back.move("e7e5")
    await ada.be_asked()
    assert cost(b) <= 1500


async def test_who_could_not_be_asked_and_returns_elsewhere_pays_for_the_return_alone(
    cluster, autojump_clock
):
    assert await returns_after_a_cut(cluster, "a") <= 700


async def test_nor_does_who_returns_at_the_server_of_the_game(cluster, autojump_clock):
    assert await returns_after_a_cut(cluster, "b") <= 700


async def test_nor_does_who_returns_at_the_same_server(cluster, autojump_clock):
    assert await returns_after_a_cut(cluster, "c") <= 700


async def test_who_had_left_that_server_before_it_ended_pays_for_the_return_alone(
    cluster, autojump_clock
):
    assert 2000 <= await returns_after_a_cut(cluster, "a", ends=True) <= 2700


async def returns_at_once(cluster, where: str, *, killed: bool) -> int:
    """What a move costs (ms) that its player makes at once, after a return 0.4 s after its line was
    lost: with its server, or by half, so that its server does not know."""
    servers = {name: await cluster.start(name) for name in "abc"}
    owner, edge = servers["b"], servers["c"]
    ada, bob = await people(owner, edge)
    await ada.move("e2e4")
    await bob.be_asked()
    await trio.sleep(0.1)
    if killed:
        edge.kill()
    await trio.sleep(0.4)
    back = await servers[where].person("Bob", Id("resume", bob.secret))
    await back.hear(IsReady)
    await trio.sleep(0.05)  # the servers talk
    back.say(ReadyOk())
    await back.move("e7e5")
    await ada.be_asked()
    return cost(owner)


@pytest.mark.parametrize("where", ["a", "b"])
async def test_who_returns_before_anybody_knows_that_its_server_has_died_does_not_pay(
    cluster, autojump_clock, where
):
    assert await returns_at_once(cluster, where, killed=True) <= 150


async def test_who_returns_twice_from_a_server_that_has_died_pays_for_its_second_return(
    cluster, autojump_clock
):
    a, b, c, ada, bob = await with_black_to_move(cluster)
    c.kill()
    await trio.sleep(0.4)
    there = await a.person("Bob", Id("resume", bob.secret))
    await there.hear(IsReady)
    await trio.sleep(1)
    await there.peer.aclose()
    back = await b.person("Bob", Id("resume", bob.secret))
    await back.get_ready()
    await back.move("e7e5")
    await ada.be_asked()
    assert 950 <= cost(b) <= 1150


@pytest.mark.parametrize("where", ["a", "b"])
async def test_who_returns_from_a_server_that_lives_pays(cluster, autojump_clock, where):
    assert 500 <= await returns_at_once(cluster, where, killed=False) <= 600


async def test_who_returns_at_a_server_that_dies_does_not_pay_for_the_next_return(
    cluster, autojump_clock
):
    a, b, c, ada, bob = await with_black_to_move(cluster)
    await bob.peer.aclose()
    await trio.sleep(1)
    await c.person("Bob", Id("resume", bob.secret))
    await trio.sleep(0.1)  # it has not said that it is ready
    c.kill()
    await trio.sleep(5)
    back = await a.person("Bob", Id("resume", bob.secret))
    await back.get_ready()
    await back.move("e7e5")
    await ada.be_asked()
    assert 500 <= cost(b) <= 1200


async def test_who_could_not_come_back_as_the_owner_was_cut_off_does_not_pay_for_that(
    cluster, autojump_clock
):
    a, b, _, _, bob = await with_black_to_move(cluster)
    await bob.peer.aclose()
    await trio.sleep(1)
    cluster.hub.cut(b.node.bus.channel)
    await trio.sleep(1)
    back = await a.person("Bob", Id("resume", bob.secret))
    await back.get_ready()
    await back.move("e7e5")
    assert not b.hall.tables
    await trio.sleep(1)
    assert cost(a) <= 1300


async def test_an_owner_that_is_cut_off_gives_a_game_away_with_the_clock_of_when_it_was_heard(
    cluster, autojump_clock
):
    """Nobody else may know what the player thinks: its server may end meanwhile."""
    a, b, _, _, bob = await with_black_to_move(cluster)
    cluster.hub.cut(b.node.bus.channel)
    await trio.sleep(CUT)
    facts = [fact for fact, _ in a.database.games.history(1) if isinstance(fact, Happened)]
    [thought] = [fact.amount for fact in facts if fact.what is EventKind.PAUSED]
    assert thought <= 100
    bob.say(BestMove("e7e5"))
    await trio.sleep(1)
    assert 4000 <= cost(a) <= 5000


async def test_who_could_not_be_asked_before_the_owner_died_does_not_pay(cluster, autojump_clock):
    a, b, c = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(b, c)
    await ada.be_asked()
    cluster.hub.cut(c.node.bus.channel)
    ada.say(BestMove("e2e4"))
    await trio.sleep(1.5)
    b.kill()
    await bob.peer.aclose()
    back = await a.person("Bob", Id("resume", bob.secret))
    await back.get_ready()
    await back.move("e7e5")
    await trio.sleep(1)
    reply = a.database.games.moves(1)[1]
    assert reply.spent <= 100


async def test_who_could_not_be_asked_but_is_heard_again_at_the_claim_does_not_pay(
    cluster, autojump_clock
):
    a, b, c = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(b, c)
    await ada.be_asked()
    cluster.hub.cut(c.node.bus.channel)
    await trio.sleep(1)
    ada.say(BestMove("e2e4"))
    await trio.sleep(0.8)
    b.kill()
    cluster.hub.mend(c.node.bus.channel)
    back = await a.person("Ada", Id("resume", ada.secret))
    await back.get_ready()
    await bob.move("e7e5")
    await back.be_asked()
    facts = [fact for fact, _ in a.database.games.history(1) if isinstance(fact, Happened)]
    [thought] = [fact.amount for fact in facts if fact.what is EventKind.RESUMED]
    assert thought <= 50


async def test_who_was_told_to_stop_in_vain_is_told_so_before_its_next_position(
    cluster, autojump_clock
):
    a, b = await cluster.start("a"), await cluster.start("b")
    ada, bob = await people(a, b)
    await ada.move("e2e4")
    await bob.be_asked()
    cluster.hub.part(a.node.bus.channel, b.node.bus.channel)
    a.hall.tables[1].handle(TakebackRuled(trio.current_time(), 1, "a slip"))
    await ada.be_asked()
    await trio.sleep(2)
    cluster.hub.heal()
    await trio.sleep(2)
    ada.say(BestMove("d2d4"))
    await bob.hear(Stop)
    bob.say(BestMove("e7e5"))
    await bob.move("d7d5")
    await ada.be_asked()
    assert [move.move for move in a.database.games.moves(1)] == ["d2d4", "d7d5"]


async def test_who_resigned_in_vain_is_asked_again(cluster, autojump_clock):
    a, b, c = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(b, b)
    await ada.move("e2e4")
    await bob.be_asked()

    def fenced(*_: object) -> None:
        raise FencedError("it was shut out")

    b.database.save, save = fenced, b.database.save
    bob.say(Resign())
    await trio.sleep(0.1)
    b.database.save = save
    await bob.hear(Stop)
    await bob.be_asked()
    bob.say(Resign())
    await bob.hear_line("game 1 over")
    assert len(a.hall.tables) + len(b.hall.tables) + len(c.hall.tables) == 0


async def test_who_answered_in_vain_is_asked_again_though_an_owner_before_asked_the_same(
    cluster, autojump_clock
):
    a, b, c = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(a, b)
    await ada.move("e2e4")
    await bob.be_asked()
    await bob.peer.aclose()
    c.database.ownership.claim, claim = lambda *_: [], c.database.ownership.claim
    a.kill()
    await trio.sleep(3)
    assert 1 in b.hall.tables
    back = await b.person("Bob", Id("resume", bob.secret))
    await back.get_ready()
    await back.be_asked()

    def fenced(*_: object) -> None:
        raise FencedError("it was shut out")

    b.database.save, save = fenced, b.database.save
    back.say(BestMove("e7e5"))
    await trio.sleep(0.1)
    b.database.save, c.database.ownership.claim = save, claim
    await back.move("d7d5")
    await trio.sleep(1)
    assert [move.move for move in c.database.games.moves(1)] == ["e2e4", "d7d5"]


async def test_nor_for_that_who_is_away_by_its_own_line_when_it_returns(cluster, autojump_clock):
    a, b, c = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(b, c)
    await ada.be_asked()
    cluster.hub.cut(c.node.bus.channel)
    ada.say(BestMove("e2e4"))
    await trio.sleep(1.5)
    cluster.hub.mend(c.node.bus.channel)
    await bob.be_asked()
    await bob.peer.aclose()
    await trio.sleep(0.5)
    assert [*b.hall.tables[1].game.absent]
    back = await a.person("Bob", Id("resume", bob.secret))
    await back.get_ready()
    await back.move("e7e5")
    await ada.be_asked()
    assert b.database.games.moves(1)[1].spent > 2000
    assert cost(b) <= 1000


@pytest.mark.parametrize("where", ["b", "c"])
async def test_a_silence_counts_once_however_often_its_player_calls(cluster, autojump_clock, where):
    servers = {name: await cluster.start(name) for name in "abc"}
    b, c = servers["b"], servers["c"]
    ada, bob = await people(b, c)
    await ada.be_asked()
    cluster.hub.cut(c.node.bus.channel)
    ada.say(BestMove("e2e4"))
    await trio.sleep(1.5)
    cluster.hub.mend(c.node.bus.channel)
    await bob.be_asked()
    for _ in range(3):
        await bob.peer.aclose()
        bob = await servers[where].person("Bob", Id("resume", bob.secret))
        await bob.hear(IsReady)
        await trio.sleep(1)
    bob.say(ReadyOk())
    await bob.move("e7e5")
    await ada.be_asked()
    assert b.database.games.moves(1)[1].spent > 4000
    assert 2900 <= cost(b) <= 3100


async def plays_again_while_cut_off(cluster, a, b, c) -> tuple[Client, Client, Client]:
    """Ada, and two connections of Bob. The older one, whose server is cut off, could not hear that
    he came back, has ended the game, and begun another one."""
    ada, older = await people(b, c)
    await ada.be_asked()
    cluster.hub.cut(c.node.bus.channel)
    bob = await b.person("Bob", Id("resume", older.secret))
    await bob.get_ready()
    bob.say(Resign())
    await ada.hear(Stop)
    ada.say(BestMove("e2e4"))
    for player in (ada, bob):
        await player.hear_line("game 1 over")
        await player.get_ready()
    ada.say(Seek(Terms(time="60+1", color="white")))
    bob.say(Accept(int((await bob.hear_line("seek")).split()[1])))
    for player in (ada, bob):
        await player.get_ready()
    return ada, older, bob


async def test_an_older_connection_is_closed_though_the_word_of_it_was_lost(
    cluster, autojump_clock
):
    a, b, c = [await cluster.start(name) for name in "abc"]
    ada, older, bob = await plays_again_while_cut_off(cluster, a, b, c)
    cluster.hub.mend(c.node.bus.channel)
    await older.hear_the_end()
    assert "you reconnected elsewhere" in older.reports()[-1]
    await ada.move("e2e4")
    await bob.be_asked()


@pytest.mark.parametrize("where", ["a", "b"])
async def test_an_older_connection_does_not_take_the_seat_back(cluster, autojump_clock, where):
    servers = {name: await cluster.start(name) for name in "abc"}
    owner, edge = servers["b"], servers["c"]
    ada, older = await people(owner, edge)
    await ada.move("e2e4")
    await older.be_asked()
    cluster.hub.cut(edge.node.bus.channel)
    bob = await servers[where].person("Bob", Id("resume", older.secret))
    await bob.get_ready()
    await bob.move("e7e5")
    await ada.be_asked()
    cluster.hub.mend(edge.node.bus.channel)
    await older.hear_the_end()
    assert "you reconnected elsewhere" in older.reports()[-1]
    ada.say(BestMove("g1f3"))
    await bob.move("b8c6")
    await ada.be_asked()
    history = owner.database.games.history(1)
    assert EventKind.AWAY not in [fact.what for fact, _ in history if isinstance(fact, Happened)]


@pytest.mark.parametrize("lobby_moves", [False, True])
async def test_nor_does_one_that_could_not_be_let_in_before(cluster, autojump_clock, lobby_moves):
    a, b, c, d = [await cluster.start(name) for name in "abcd"]
    ada, bob = await people(b, c)
    await bob.peer.aclose()
    await ada.hear_line("game 1 opponent away")
    cluster.hub.cut(d.node.bus.channel)
    older = d.connect()
    await older.introduce(Id("username", "Bob"), Id("feature", "lobby"), Id("resume", bob.secret))
    await trio.sleep(1)
    back = await c.person("Bob", Id("resume", bob.secret))
    await back.get_ready()
    if lobby_moves:
        a.kill()
    cluster.hub.mend(d.node.bus.channel)
    await older.hear_the_end()
    assert "you reconnected elsewhere" in older.reports()[-1]
    ada.say(BestMove("e2e4"))
    await back.move("e7e5")
    await ada.be_asked()


async def test_a_newer_connection_has_the_seat_though_the_word_of_it_was_lost(
    cluster, autojump_clock
):
    """Its server, which hosts the lobby, is cut off just then; the older one is still open."""
    a, b, c = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(b, c)
    await ada.be_asked()
    await trio.sleep(1)
    cluster.hub.cut(a.node.bus.channel)
    back = await a.person("Ada", Id("resume", ada.secret))
    await back.get_ready()
    await trio.sleep(1)
    cluster.hub.mend(a.node.bus.channel)
    await ada.hear_the_end()
    await back.move("e2e4")
    await bob.be_asked()
    [move] = b.database.games.moves(1)
    assert move.spent - move.stall - move.lag < 1500


async def test_nobody_pays_who_cannot_come_back_to_a_server_that_is_cut_off(
    cluster, autojump_clock
):
    """The owner does not know that Ada's connection to it is of no use any more."""
    a, b, c = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(b, c)
    await ada.be_asked()
    await trio.sleep(1)
    cluster.hub.cut(b.node.bus.channel)
    await trio.sleep(2)
    cluster.hub.mend(b.node.bus.channel)
    back = await a.person("Ada", Id("resume", ada.secret))
    await back.get_ready()
    await back.move("e2e4")
    await bob.be_asked()
    [move] = b.database.games.moves(1)
    assert move.spent >= 3000
    assert move.spent - move.stall - move.lag <= 1500


async def test_nobody_is_let_in_whose_server_has_died(cluster, autojump_clock):
    """Its name would be taken for ever."""
    a, b, c = [await cluster.start(name) for name in "abc"]
    cluster.hub.part(a.node.bus.channel, b.node.bus.channel)
    await trio.sleep(3)
    late = c.connect()
    await late.introduce(Id("username", "Bob"), Id("feature", "lobby"), Id("resume", "unknown"))
    await trio.sleep(2)
    c.kill()
    await trio.sleep(5)
    cluster.hub.heal()
    await trio.sleep(10)
    assert a.node.lobby_server.host.find("Bob") is None


async def test_an_older_connection_does_not_lose_the_seat_of_an_absent_player(
    cluster, autojump_clock
):
    """The new lobby does not know which of its connections is the older one."""
    a, b, c = [await cluster.start(name) for name in "abc"]
    ada, older, bob = await plays_again_while_cut_off(cluster, a, b, c)
    await bob.peer.aclose()
    await a.leave()
    cluster.hub.mend(c.node.bus.channel)
    await ada.move("e2e4")
    await older.hear_line("game 1 over")
    for _ in ("the older game", "the new one"):
        await older.get_ready()
    await older.move("e7e5")
    await ada.be_asked()


async def test_an_answer_that_could_not_be_told_counts_though_its_player_has_left_since(
    cluster, autojump_clock
):
    _, b, c, ada, bob = await with_black_to_move(cluster)
    cluster.hub.cut(c.node.bus.channel)
    bob.say(BestMove("e7e5"))
    await trio.sleep(0.5)
    await bob.peer.aclose()
    cluster.hub.mend(c.node.bus.channel)
    await ada.be_asked()
    assert cost(b) <= 10


async def test_who_leaves_while_its_server_is_cut_off_is_known_to_be_away(cluster, autojump_clock):
    _, _, c, ada, bob = await with_black_to_move(cluster)
    cluster.hub.cut(c.node.bus.channel)
    await trio.sleep(0.5)
    await bob.peer.aclose()
    cluster.hub.mend(c.node.bus.channel)
    assert "opponent away" in await ada.hear_line("game 1 opponent")


async def test_who_was_asked_late_and_returns_pays_for_what_it_thought_and_its_return(
    cluster, autojump_clock
):
    _, b, c = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(b, c)
    await ada.be_asked()
    cluster.hub.cut(c.node.bus.channel)
    ada.say(BestMove("e2e4"))
    await trio.sleep(0.2)  # nobody takes that for a silence
    cluster.hub.mend(c.node.bus.channel)
    await bob.be_asked()
    await trio.sleep(1)
    await bob.peer.aclose()
    await trio.sleep(2)
    back = await c.person("Bob", Id("resume", bob.secret))
    await back.get_ready()
    await back.move("e7e5")
    await ada.be_asked()
    assert b.database.games.moves(1)[1].spent > 3150
    assert 2950 <= cost(b) <= 3050


async def returns(server, bob: Client) -> Client:
    """Its line is lost, and it comes back at once."""
    await bob.peer.aclose()
    back = await server.person("Bob", Id("resume", bob.secret))
    await back.hear(IsReady)
    return back


async def test_who_is_slow_to_say_that_it_is_ready_pays_for_that(cluster, autojump_clock):
    _, b, c, ada, bob = await with_black_to_move(cluster)
    back = await returns(c, bob)
    await trio.sleep(5)
    back.say(ReadyOk())
    await back.move("e7e5")
    await ada.be_asked()
    assert 4950 <= cost(b) <= 5100


async def test_nobody_gets_time_by_leaving_before_it_is_asked_again(cluster, autojump_clock):
    _, b, c, ada, bob = await with_black_to_move(cluster)
    await trio.sleep(5)
    for _ in range(3):
        bob = await returns(c, bob)
        bob.say(ReadyOk())
    back = await returns(c, bob)
    back.say(ReadyOk())
    await back.move("e7e5")
    await ada.be_asked()
    assert 4950 <= cost(b) <= 5100


async def test_a_new_lobby_is_told_of_a_player_whose_newer_connection_nobody_let_in(
    cluster, autojump_clock
):
    a, b = [await cluster.start(name) for name in "ab"]
    ada, bob = await people(a, b)
    await ada.move("e2e4")
    await bob.be_asked()
    send = a.node.post.send
    a.node.post.send = lambda run, message: None if run == b.node.run else send(run, message)
    back = b.connect()
    await back.introduce(Id("username", "Ada"), Id("feature", "lobby"), Id("resume", ada.secret))
    await ada.hear_the_end()  # the word of that was lost on its way to the new one
    a.node.post.send = send
    a.node.election.host_no_more()  # another server did for a moment
    assert (await back.hear_line("welcome")).split()[2] == "Ada"
    await back.get_ready()
    bob.say(BestMove("e7e5"))
    await back.be_asked()


async def test_what_an_owner_gave_back_it_gave_back_though_it_is_killed(cluster, autojump_clock):
    a, b, c = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(b, c)
    await ada.be_asked()
    cluster.hub.cut(c.node.bus.channel)
    ada.say(BestMove("e2e4"))
    await trio.sleep(1.5)
    cluster.hub.mend(c.node.bus.channel)
    await bob.be_asked()
    await bob.peer.aclose()
    await trio.sleep(1)
    b.kill()
    back = await a.person("Bob", Id("resume", bob.secret))
    await back.get_ready()
    await back.move("e7e5")
    await trio.sleep(1)
    assert cost(a) <= 1300


async def test_an_illegal_move_gives_nobody_elsewhere_time(cluster, autojump_clock):
    _, b, _, ada, bob = await with_black_to_move(cluster)
    await trio.sleep(30)
    for _ in range(2):
        bob.say(BestMove("e7e4"))
        await bob.be_asked()
        await trio.sleep(1)
    bob.say(BestMove("e7e5"))
    await ada.be_asked()
    assert 31_900 <= cost(b) <= 32_100


async def test_nobody_gets_time_in_its_first_turn_by_leaving_twice(cluster, autojump_clock):
    _, b, c = [await cluster.start(name, owns=name != "c") for name in "abc"]
    ada, bob = await people(c, b)
    await ada.be_asked()
    await trio.sleep(5)
    back = await returns(c, await returns(c, ada))
    back.say(ReadyOk())
    await back.move("e2e4")
    await bob.be_asked()
    move = b.database.games.moves(1)[0]
    assert 4900 <= move.spent - move.stall <= 5100


async def test_who_thinks_while_its_server_is_not_heard_pays_for_that_though_it_leaves(
    cluster, autojump_clock
):
    _, b, c, ada, bob = await with_black_to_move(cluster)
    await trio.sleep(1)
    cluster.hub.cut(c.node.bus.channel)
    await trio.sleep(1.5)
    cluster.hub.mend(c.node.bus.channel)
    await trio.sleep(2)
    back = await returns(c, bob)
    back.say(ReadyOk())
    await back.move("e7e5")
    await ada.be_asked()
    assert 4400 <= cost(b) <= 4600


async def test_a_program_that_leaves_while_its_server_is_cut_off_has_left(cluster, autojump_clock):
    _, b, c = [await cluster.start(name) for name in "abc"]
    white, black = await engines(b, c)
    await white.move("e2e4")
    await black.be_asked()
    cluster.hub.cut(c.node.bus.channel)
    await trio.sleep(0.5)
    await black.peer.aclose()
    cluster.hub.mend(c.node.bus.channel)
    await trio.sleep(5)
    assert not b.hall.tables


async def test_nobody_loses_on_time_what_its_server_did_not_hear(cluster, autojump_clock):
    a, _, c, ada, bob = await with_black_to_move(cluster)
    await trio.sleep(59)
    c.kill()
    back = await a.person("Bob", Id("resume", bob.secret))
    await back.get_ready()
    await back.move("e7e5")
    await ada.be_asked()


async def test_who_is_cut_twice_when_its_server_has_died_pays_for_neither(cluster, autojump_clock):
    _, b, c, ada, bob = await with_black_to_move(cluster)
    c.kill()
    await trio.sleep(0.5)
    bob = await b.person("Bob", Id("resume", bob.secret))
    await bob.hear(IsReady)
    back = await returns(b, bob)
    await trio.sleep(0.3)
    back.say(ReadyOk())
    await back.move("e7e5")
    await ada.be_asked()
    assert b.database.games.moves(1)[1].spent >= 800
    assert cost(b) <= 500


async def test_a_lobby_that_is_cut_off_takes_nobody_who_plays_elsewhere_for_somebody_new(
    cluster, autojump_clock
):
    a, b = [await cluster.start(name) for name in "ab"]
    ada, bob = await people(b, b)
    await ada.be_asked()
    a.node.election.host_no_more()
    cluster.hub.cut(a.node.bus.channel)
    await bob.peer.aclose()
    back = await a.person("Bob", Id("resume", bob.secret))
    assert back.secret == bob.secret
    await back.hear_the_end()
    again = await b.person("Bob", Id("resume", bob.secret))
    await again.get_ready()
    ada.say(BestMove("e2e4"))
    await again.be_asked()


async def test_nor_does_one_that_does_not_hear_a_server_that_lives(cluster, autojump_clock):
    a, b, _ = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(b, b)
    await ada.be_asked()
    cluster.hub.part(a.node.bus.channel, b.node.bus.channel)
    a.node.election.host_no_more()
    await bob.peer.aclose()
    back = await a.person("Bob", Id("resume", bob.secret))
    assert back.secret == bob.secret
    await trio.sleep(1)
    cluster.hub.heal()
    await back.get_ready()
    ada.say(BestMove("e2e4"))
    await back.be_asked()


async def test_who_begins_to_watch_a_game_without_an_owner_is_told_nothing_old(
    cluster, autojump_clock
):
    a, b, c = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(b, c)
    eve = await c.person("Eve")
    eve.say(Watch(1))
    await eve.hear(Position)
    await ada.move("e2e4")
    await bob.be_asked()
    c.node.games_elsewhere.orphan(b.node.run)  # as if it had died
    mia = await c.person("Mia")
    mia.say(Watch(1))
    with trio.move_on_after(0.2) as waited:
        await mia.hear(Position)
    assert waited.cancelled_caught
    b.node.post.send_all(owned(b.node.post, b.hall.tables[1]))
    assert (await mia.hear(Position)).moves == ("e2e4",)
    table = c.node.games_elsewhere.tables[1]
    table.move_to(a.node.run, table.epoch + 1)
    assert not table.snapshot()


async def test_nor_before_the_games_of_a_server_that_has_died_unheard_are_claimed(
    cluster, autojump_clock
):
    a, b, c = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(b, b)
    await ada.be_asked()
    cluster.hub.part(a.node.bus.channel, b.node.bus.channel)
    a.node.election.host_no_more()
    await bob.peer.aclose()
    back = await a.person("Bob", Id("resume", bob.secret))
    assert back.secret == bob.secret
    claims = [one.node.claims.soon for one in (a, c)]
    for one in (a, c):
        one.node.claims.soon = lambda: None
    b.kill()
    await trio.sleep(2.5)
    for claim in claims:
        claim()
    await back.get_ready()
    ada = await c.person("Ada", Id("resume", ada.secret))
    await ada.get_ready()
    await ada.move("e2e4")
    await back.be_asked()


async def test_nobody_waits_for_ever_though_servers_die_again_and_again(cluster, autojump_clock):
    a, b, _ = [await cluster.start(name) for name in "abc"]
    _, bob = await people(b, b)
    cluster.hub.part(a.node.bus.channel, b.node.bus.channel)
    a.node.election.host_no_more()
    await bob.peer.aclose()
    back = a.connect()
    await back.introduce(Id("username", "Bob"), Id("feature", "lobby"), Id("resume", bob.secret))

    async def die_again_and_again() -> None:
        while True:
            await trio.sleep(2)
            a.node.lobby_server.dead(99)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(die_again_and_again)
        with trio.fail_after(30):
            await back.hear_line("welcome")
        nursery.cancel_scope.cancel()
