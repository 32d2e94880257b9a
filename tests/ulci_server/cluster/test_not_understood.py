"""Two servers of different versions: nobody waits for an answer to what was not understood."""

import msgspec
import pytest
import trio
from structlog.testing import capture_logs

from ulci.protocol.messages import (
    Accept,
    BestMove,
    Blame,
    Go,
    Id,
    IsReady,
    Lobby,
    ReadyOk,
    Report,
    Seek,
    TellPlayer,
    Terms,
    Watch,
)
from ulci_server.cluster import messages as said
from ulci_server.cluster.mirrors import kind_of
from ulci_server.cluster.not_understood import WHY
from ulci_server.cluster.post_office import MEETING
from ulci_server.hall.member import HostedMember
from ulci_server.hall.table.interfaces import SeatedPlayer

SEEK = Seek(Terms(time="60+1", color="white"))


@pytest.fixture
def unknown(monkeypatch):
    """Lets no server know a message of that class from now on, as if it were newer."""
    kinds: set[str] = set()
    decode = said.decode_untrusted

    def older(data: bytes) -> said.AnyMessage:
        message = decode(data)
        if type(message).__name__ in kinds:
            raise msgspec.ValidationError("Invalid value")
        return message

    def forget(kind: type):
        """Returns what lets them know it again."""
        kinds.add(kind.__name__)
        return kinds.clear

    monkeypatch.setattr(said, "decode_untrusted", older)
    return forget


async def test_whose_command_is_not_understood_is_told_so(cluster, autojump_clock, unknown):
    _, b = await cluster.start("a"), await cluster.start("b")
    bob = await b.person("Bob")
    await trio.sleep(MEETING)
    unknown(said.Command)
    with capture_logs() as logs:
        for _ in range(3):
            bob.say(SEEK)
            assert await bob.hear_line("error") == f"error moving {WHY}"
    noted = [(log["event"], log["kind"]) for log in logs if log["log_level"] == "warning"]
    assert noted == [
        ("not understood", "Command"),
        ("another server did not understand this one", "Command"),
    ]


@pytest.mark.parametrize(
    "kind", [said.LogIn, said.LoggedIn, said.Introduce, kind_of(HostedMember.give_secret)]
)
async def test_whose_login_is_not_understood_is_sent_away(cluster, autojump_clock, unknown, kind):
    _, b = await cluster.start("a"), await cluster.start("b")
    unknown(kind)
    bob = b.connect()
    with trio.fail_after(1):
        await bob.introduce(Id("username", "Bob"), Id("feature", "lobby"))
        await is_sent_away(bob)


async def is_sent_away(client) -> None:
    *_, told, _ = await client.hear_the_end()
    assert getattr(told, "message", told) == Report(Blame.SERVER, f"{WHY}; retry-after 5")


async def test_whom_the_lobby_cannot_tell_something_is_sent_away(cluster, autojump_clock, unknown):
    a, b = await cluster.start("a"), await cluster.start("b")
    ada, bob = await a.person("Ada"), await b.person("Bob")
    unknown(kind_of(HostedMember.tell))
    ada.say(TellPlayer("Bob", "hello"))
    await is_sent_away(bob)


@pytest.mark.parametrize("kind", [said.Open, said.NotOpened])
async def test_a_game_does_not_begin_at_a_server_that_does_not_understand_how(
    cluster, autojump_clock, unknown, kind
):
    _, b = await cluster.start("a", owns=False), await cluster.start("b")
    ada, bob = await b.person("Ada"), await b.person("Bob")
    b.node.post.owns = kind is said.Open  # the lobby does not know
    unknown(kind)
    ada.say(SEEK)
    bob.say(Accept(int((await bob.hear_line("seek")).split()[1])))
    for player in (ada, bob):
        assert WHY in await player.hear_line("error no-game")
    ada.say(SEEK)
    await bob.hear_line("seek")


async def begin(cluster, unknown, kind: type):
    """Ada, at the server of the game, and Bob, who accepted it at another."""
    a, b = await cluster.start("a"), await cluster.start("b", owns=False)
    ada, bob = await a.person("Ada"), await b.person("Bob")
    unknown(kind)
    ada.say(SEEK)
    bob.say(Accept(int((await bob.hear_line("seek")).split()[1])))
    return ada, bob


async def seek_again(client) -> None:
    """Its last game is over: it owes nothing for that but ``readyok``."""
    client.say(SEEK)
    while not isinstance(await client.hear(IsReady | Lobby), Lobby):
        client.say(ReadyOk())
    client.say(SEEK)
    await client.hear_line("seek")


async def play(client, move: str) -> None:
    """Make that move, and return when the game is over."""
    while True:
        match await client.hear(IsReady | Go | Lobby):
            case IsReady():
                client.say(ReadyOk())
            case Go():
                client.say(BestMove(move))
            case Lobby() as line if line.words[:3] == ("game", "1", "over"):
                assert line.words[3:] == ("result", "*", "reason", "server")
                return


@pytest.mark.parametrize("kind", [said.Ask, said.Answer, said.Happening])
async def test_a_game_that_servers_cannot_play_together_ends_without_a_result(
    cluster, autojump_clock, unknown, kind
):
    ada, bob = await begin(cluster, unknown, kind)
    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(play, ada, "e2e4")
            nursery.start_soon(play, bob, "e7e5")


async def test_whoever_cannot_be_seated_is_sent_away_and_the_opponent_is_free(
    cluster, autojump_clock, unknown
):
    ada, bob = await begin(cluster, unknown, said.Sit)
    with trio.fail_after(5):
        await is_sent_away(bob)
        await play(ada, "e2e4")
        await seek_again(ada)


async def test_whom_its_table_cannot_tell_something_hears_why(cluster, autojump_clock, unknown):
    ada, bob = await begin(cluster, unknown, kind_of(SeatedPlayer.tell))
    with trio.fail_after(5):
        assert await bob.hear(Report) == Report(Blame.SERVER, WHY)
        await play(ada, "e2e4")
        await seek_again(bob)


@pytest.mark.parametrize("kind", [said.Follow, said.Feed])
async def test_whoever_cannot_be_shown_a_game_is_told_so(cluster, autojump_clock, unknown, kind):
    a, b = await cluster.start("a"), await cluster.start("b", owns=False)
    ada, bob = await a.person("Ada"), await a.person("Bob")
    cy, di = await b.person("Cy"), await b.person("Di")
    ada.say(SEEK)
    bob.say(Accept(int((await bob.hear_line("seek")).split()[1])))
    await trio.sleep(1)
    forgotten = unknown(kind)
    for watcher in (cy, di):
        watcher.say(Watch(1))
        with trio.fail_after(1):
            error = await watcher.hear_line("error not-watching")
        assert error == f"error not-watching game 1 cannot be watched from here: {WHY}"
    forgotten()
    cy.say(Watch(1))
    assert (await cy.hear_line("watch 1")).startswith("watch 1 white Ada black Bob")


async def test_an_answer_that_is_not_understood_either_is_not_answered(
    cluster, autojump_clock, unknown
):
    a, b = await cluster.start("a"), await cluster.start("b")
    bob = await b.person("Bob")
    unknown(said.Command)
    unknown(said.NotUnderstood)
    before = a.node.bus.counters.messages_out
    bob.say(SEEK)
    await trio.sleep(5)
    assert a.node.bus.counters.messages_out < before + 20
