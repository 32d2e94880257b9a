"""Members of the lobby whose server is not the one that hosts it: each word about them arrives."""

import pytest
import trio

from tests.support.cluster import people
from ulci.protocol.messages import (
    Accept,
    Admin,
    BestMove,
    Blame,
    Id,
    IsReady,
    Lobby,
    Position,
    Quit,
    ReadyOk,
    Report,
    Resign,
    Seek,
    Seeks,
    Terms,
    Watch,
    Who,
)
from ulci_server.cluster import messages as said
from ulci_server.cluster.post_office import MEETING
from ulci_server.game import Conduct, ConductError
from ulci_server.lobby import Lobby as Waiting
from ulci_server.lobby import lobby_lines

SEEK = Seek(Terms(time="60+1"))


async def heard_lines(client, seconds: float = 1.0) -> list[str]:
    """The lines that it is told within that time; it answers ``isready``."""
    lines = []
    with trio.move_on_after(seconds):
        while True:
            heard = await client.hear(IsReady | Lobby)
            if isinstance(heard, Lobby):
                lines.append(" ".join(heard.words))
            else:
                client.say(ReadyOk())
    return lines


async def lose(cluster, sender, receiver, seconds: float = 1.0) -> None:
    """Nothing comes from the one server to the other meanwhile; a message at least is lost."""
    way = sender.node.bus.channel, receiver.node.bus.channel
    cluster.hub.fate = lambda *those: () if those == way else (0.0,)
    sender.node.post.send(receiver.node.run, said.Announce(lobby_lines.error("lost", "not heard")))
    await trio.sleep(seconds)
    cluster.hub.fate = lambda *_: (0.0,)


async def seeker(cluster):
    """Ada at the server of the lobby, and Bob, who seeks, at another one."""
    a, b = await cluster.start("a"), await cluster.start("b")
    ada, bob = await a.person("Ada"), await b.person("Bob")
    bob.say(SEEK)
    await ada.hear_line("seek")
    return a, b, ada, bob


async def test_who_leaves_another_server_is_no_member_any_more(cluster, autojump_clock):
    _, _, ada, bob = await seeker(cluster)
    bob.say(Quit())
    assert "gone 1" in await heard_lines(ada)
    ada.say(Who())
    assert [line for line in await heard_lines(ada) if "Bob" in line] == []


async def test_who_left_another_server_is_no_member_though_the_word_of_it_was_lost(
    cluster, autojump_clock
):
    a, b, ada, bob = await seeker(cluster)
    bob.say(Quit())
    await lose(cluster, b, a)
    assert "gone 1" in await heard_lines(ada)
    ada.say(Who())
    assert [line for line in await heard_lines(ada) if "Bob" in line] == []


async def test_an_administrator_disconnects_a_player_at_another_server(cluster, autojump_clock):
    a, _, _, bob = await seeker(cluster)
    root = await a.person("", Id("token", "root-token"))
    root.say(Admin(("kick", "Bob", "rude")))
    *_, told, _ = await bob.hear_the_end()
    assert told == Report(Blame.CLIENT, "you were kicked by Root: rude")


async def test_who_waits_at_another_server_is_told_why(cluster, autojump_clock):
    a, _, _, bob = await seeker(cluster)
    a.node.lobby_server.host.known("Bob").tell_unmatched("nobody plays that")
    assert [line for line in await heard_lines(bob) if "cannot-play" in line] == [
        "note cannot-play nobody plays that"
    ]


async def test_a_player_at_another_server_is_told_of_the_end_once(cluster, autojump_clock):
    a, b = await cluster.start("a"), await cluster.start("b", owns=False)
    ada, bob = await people(a, b)
    await ada.be_asked()
    ada.say(Resign())
    assert [line for line in await heard_lines(bob) if " over " in line] == [
        "game 1 over result 0-1 reason resignation"
    ]


async def test_a_game_of_which_its_owner_says_no_more_is_over(cluster, autojump_clock):
    """Its end was lost, and forgotten at the server where it was."""
    a, b = await cluster.start("a", owns=False), await cluster.start("b")
    c = await cluster.start("c", owns=False)
    ada, bob = await people(c, b)
    await ada.be_asked()
    watcher = await a.person("Cora")
    watcher.say(Watch(1))
    await watcher.hear(Position)
    others = a.node.bus.channel, c.node.bus.channel
    cluster.hub.fate = lambda sender, to: (
        () if sender == b.node.bus.channel and to in others else (0.0,)
    )
    bob.say(Resign())
    await trio.sleep(1)
    b.node.owner._ended.clear()
    cluster.hub.fate = lambda *_: (0.0,)
    assert "error no-game game 1 is over" in await heard_lines(ada)
    assert "error no-game game 1 is over" in await heard_lines(watcher)
    assert not any(server.hall.find_table(1) for server in (a, b, c))
    ada.say(SEEK)
    await ada.hear_line("seek")


async def test_who_says_its_last_move_again_and_then_nothing_loses_on_time(cluster, autojump_clock):
    _, b = await cluster.start("a"), await cluster.start("b", owns=False)
    ada, bob = await people(b, b)
    await ada.move("e2e4")
    await bob.move("e7e5")
    await ada.be_asked()
    await ada.peer.aclose()
    back = await b.person("Ada", Id("resume", ada.secret))
    await back.get_ready()
    await back.move("e2e4")
    await back.hear(Report)
    with trio.fail_after(70):
        assert await back.hear_line("game 1 over") == "game 1 over result 0-1 reason time"


def plays_none(server) -> str:
    server.node.post.owns = False
    return "its server plays no games"


def plays_others(server) -> str:
    server.node.owner.admission._games = {}
    return "the server of the game does not know chess"


@pytest.mark.parametrize("changes", [plays_none, plays_others], ids=lambda one: one.__name__)
async def test_a_game_does_not_begin_at_a_server_that_does_not_play_it(
    cluster, autojump_clock, changes
):
    _, b = await cluster.start("a", owns=False), await cluster.start("b")
    ada, bob = await b.person("Ada"), await b.person("Bob")
    why = changes(b)  # which the lobby does not know
    ada.say(SEEK)
    bob.say(Accept(int((await bob.hear_line("seek")).split()[1])))
    for player in (ada, bob):
        assert why in await player.hear_line("error no-game")


async def test_a_game_does_not_begin_at_a_server_that_cannot_read_its_conduct(
    cluster, autojump_clock, monkeypatch
):
    def parse(_: str) -> Conduct:
        raise ConductError("there is no word no-castling")

    await cluster.start("a", owns=False)
    b = await cluster.start("b")
    ada, bob = await b.person("Ada"), await b.person("Bob")
    ada.say(SEEK)
    seek = int((await bob.hear_line("seek")).split()[1])
    monkeypatch.setattr(Conduct, "parse", parse)
    bob.say(Accept(seek))
    for player in (ada, bob):
        assert "cannot read its terms" in await player.hear_line("error no-game")


async def test_a_connection_that_was_replaced_says_nothing_of_its_player(cluster, autojump_clock):
    """Both are at one server, and the game at another."""
    a, b = await cluster.start("a"), await cluster.start("b", owns=False)
    ada, bob = await people(a, b)
    await ada.move("e2e4")
    await bob.be_asked()
    back = await b.person("Bob", Id("resume", bob.secret))
    await bob.hear_the_end()
    await back.get_ready()
    await back.be_asked()
    bob.peer.cut("its line is over")
    assert [line for line in await heard_lines(ada, 5) if "away" in line] == []
    back.say(BestMove("e7e5"))
    await ada.be_asked()


async def test_whose_command_was_heard_is_told_nothing_of_it_when_the_lobby_moves(
    cluster, autojump_clock
):
    a, _, _, bob = await seeker(cluster)
    await trio.sleep(MEETING)
    bob.say(Seek(Terms(time="3+2")))
    assert any("3+2" in line for line in await heard_lines(bob))
    a.kill()
    assert await heard_lines(bob, 5) == []
    bob.say(Seeks())
    assert any("3+2" in line for line in await heard_lines(bob))


@pytest.mark.parametrize("place", ["a", "b"])
async def test_whose_opponent_left_before_the_game_began_comes_first_for_the_next_one(
    cluster, autojump_clock, monkeypatch, place
):
    servers = {name: await cluster.start(name) for name in "abc"}
    first = await servers[place].engine("Alfa")
    await trio.sleep(1)
    other = await servers["c"].engine("Bravo")
    await first.hear(IsReady)
    waits, wait = [], Waiting.wait
    monkeypatch.setattr(
        Waiting, "wait", lambda *who, front: waits.append(front) or wait(*who, front=front)
    )
    other.say(Quit())
    first.say(ReadyOk())
    await first.get_ready()  # behind its last game
    await trio.sleep(1)
    assert waits == [True]


async def test_whose_login_was_refused_hears_that_though_the_word_of_it_was_lost(
    cluster, autojump_clock
):
    a, b = await cluster.start("a"), await cluster.start("b")
    await trio.sleep(MEETING)
    bob = b.connect()
    await bob.introduce(Id("username", "Bob"), Id("feature", "lobby"), Id("token", "wrong"))
    await lose(cluster, a, b)
    with trio.fail_after(5):
        *_, told, _ = await bob.hear_the_end()
    assert isinstance(told, Report)
    assert "token" in told.text


async def test_who_logged_in_keeps_its_seat_without_a_line_though_the_word_of_it_was_lost(
    cluster, autojump_clock
):
    a, b = await cluster.start("a"), await cluster.start("b")
    await trio.sleep(MEETING)
    bob = b.connect()
    await bob.introduce(Id("username", "Bob"), Id("feature", "lobby"))
    await lose(cluster, a, b)
    secret = (await bob.hear_line("welcome")).split()[-1]
    ada = await a.person("Ada")
    bob.say(SEEK)
    ada.say(Accept(int((await ada.hear_line("seek")).split()[1])))
    for player in (ada, bob):
        await player.get_ready()
    bob.peer.cut("its line broke")
    assert not any(" over " in line for line in await heard_lines(ada))
    back = await b.person("Bob", Id("resume", secret))
    await back.get_ready()
    ada.say(Resign())
    await back.hear_line("game 1 over")


async def test_a_game_with_somebody_who_has_just_left_another_server_is_over_at_once(
    cluster, autojump_clock
):
    a, b = await cluster.start("a"), await cluster.start("b", owns=False)
    ada, bob = await a.person("Ada"), await b.person("Bob")
    bob.say(SEEK)
    await ada.hear_line("seek")
    slow = b.node.bus.channel, a.node.bus.channel
    cluster.hub.fate = lambda *way: (0.3 if way == slow else 0.0,)
    bob.say(Quit())
    await trio.sleep(0.1)
    ada.say(Accept(1))
    with trio.fail_after(5):
        await ada.get_ready()
        assert "reason aborted" in await ada.hear_line("game 1 over")
