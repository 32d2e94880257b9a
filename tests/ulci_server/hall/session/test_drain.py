"""After a game nobody waits for what a client still owes but the client itself."""

import pytest
import trio
import trio.testing
from structlog.testing import capture_logs

from tests.support.clients import memory_client
from ulci.protocol.messages import (
    BestMove,
    Hello,
    Id,
    Info,
    IsReady,
    NewGame,
    Quit,
    ReadyOk,
    Rematch,
    Resign,
    Seeks,
    Stop,
    Who,
)
from ulci_server.game import MovePlayed
from ulci_server.hall.session.drain import MAX_DEFERRED_COMMANDS, PostGameDrain
from ulci_server.hall.session.pending import ReadyQueue
from ulci_server.hall.timers import Alarms

HUMAN = (Id("version", "1"), Id("username", "Ada"))


async def over(h, *clients) -> float:
    """The first game ends, and everybody is ready for the next; the moment at which it ended."""
    [table] = h.hall.tables.values()
    table.stop("enough")
    ended = trio.current_time()
    for client in clients:
        await client.get_ready()
    return ended


async def test_a_person_without_a_lobby_sees_the_end_of_a_game_before_the_next(
    autojump_clock, server
):
    async with server() as h:
        person, engine = await h.engine("GUI", *HUMAN), await h.engine("B")
        for client in (person, engine):
            await client.get_ready()
        ended = await over(h, person, engine)
        await engine.hear(NewGame)
        assert trio.current_time() - ended == 10
        said = [message.string for message in person.heard if isinstance(message, Info)]
        assert said[-1] == "your next game begins in 10 s at the earliest"


async def test_who_played_against_a_person_is_paired_with_others_during_the_pause(
    autojump_clock, server
):
    async with server() as h:
        person, engine = await h.engine("GUI", *HUMAN), await h.engine("B")
        for client in (person, engine):
            await client.get_ready()
        other = await h.engine("C")
        ended = await over(h, engine, person)
        await other.hear(NewGame)
        assert trio.current_time() == ended
        assert not any(isinstance(message, NewGame) for message in person.heard[-5:])


@pytest.mark.parametrize(
    ("said", "pause"),
    [
        ((Id("feature", "pause"),), 10),
        ((Id("version", "1"),), 0),
        ((), 0),
    ],
)
async def test_a_program_pauses_only_if_it_says_so(autojump_clock, server, said, pause):
    async with server() as h:
        pair = await h.engine("A", *said), await h.engine("B")
        for client in pair:
            await client.get_ready()
        ended = await over(h, *pair)
        await pair[0].hear(NewGame)
        assert trio.current_time() - ended == pause


async def test_a_person_whose_opponent_was_never_ready_does_not_pause(autojump_clock, server):
    async with server() as h:
        person, _ = await h.engine("GUI", *HUMAN), await h.engine("B")
        await person.get_ready()
        await trio.sleep(25)
        other = await h.engine("C")
        await person.get_ready()  # after the game that was aborted
        await other.hear(NewGame)
        assert trio.current_time() == 30


async def test_nobody_is_reproached_with_what_it_owes_after_it_has_left(autojump_clock, server):
    async with server() as h:
        white, black = await h.engines()
        await white.move("e2e4")
        await black.be_asked()
        with capture_logs() as logs:
            white.say(Quit())
            await black.hear(Stop)
            await black.peer.aclose()
            await trio.sleep(1000)
        assert [log["event"] for log in logs if "error" in log] == []


async def test_the_owed_bestmove_is_thrown_away_before_the_next_game(autojump_clock, server):
    async with server() as h:
        white, black = await h.engines()
        await white.move("e2e4")
        await black.be_asked()
        white.say(Quit())
        await black.hear(Stop)
        await black.hear(IsReady)
        black.say(ReadyOk())
        other = await h.engine("C")
        with trio.move_on_after(100):
            await other.hear(NewGame)
        assert not any(isinstance(m, NewGame) for m in other.heard)
        black.say(BestMove("e7e5"))
        await other.hear(NewGame)
        assert [move.move for move in h.journal.kinds(MovePlayed)] == ["e2e4"]


async def test_a_person_who_ignores_stop_is_forgiven(autojump_clock, server):
    async with server() as h:
        ada, bob = await h.people()
        await ada.be_asked()
        bob.say(Resign())
        await ada.hear(Stop)
        await ada.get_ready()
        await bob.get_ready()
        ada.say(Rematch())
        bob.say(Rematch())
        await bob.get_ready()
        await ada.get_ready()
        await bob.move("d2d4")
        assert (await ada.be_asked()).btime == 60_000


async def test_words_said_before_a_client_is_free_are_heard_when_it_is(autojump_clock, server):
    async with server() as h:
        ada, bob = await h.people()
        await ada.be_asked()
        bob.say(Resign(), Rematch())
        await ada.hear_line("game 1 over")
        ada.say(Rematch())
        for person in (ada, bob):
            await person.get_ready()
        for person in (bob, ada):
            await person.get_ready()
        await bob.be_asked()


async def test_a_client_that_never_rests_is_dropped(autojump_clock, server):
    async with server() as h:
        white, black = await h.engines()
        await white.move("e2e4")
        await black.be_asked()
        white.say(Quit())
        await black.hear_the_end()
        assert "no " in black.peer.why or black.peer.why


class Draining:
    """Somebody who rests, or not, and what it is told of that."""

    def __init__(self) -> None:
        self.peer, _ = memory_client()
        self.peer.put(Hello())
        self.alarms = Alarms()
        self.ready_queue = ReadyQueue(self.peer)
        self.heard: list[object] = []
        hear = self.heard.append
        self.drain = PostGameDrain(self.peer, self.ready_queue, self.alarms, 30.0, hear, hear)


async def test_a_rest_is_over_when_nothing_is_owed_and_what_was_kept_is_told(autojump_clock):
    one = Draining()
    assert not one.drain.defer(Who())
    one.drain.begin(forgive_owed=False)
    assert one.drain.active
    assert one.drain.defer(Who())
    one.drain.check()
    assert one.heard == []
    one.ready_queue.hear(1.0)
    assert one.heard == [[Who()]]
    assert not one.drain.active
    one.drain.check()
    assert one.heard == [[Who()]]


async def test_a_rest_is_not_over_before_the_last_barrier(autojump_clock):
    one = Draining()
    one.drain.begin(forgive_owed=False)
    one.ready_queue.ask(lambda _: one.heard.append("probe"))
    one.ready_queue.hear(1.0)
    assert one.drain.active
    one.ready_queue.hear(2.0)
    one.drain.check()
    assert one.heard == ["probe", []]


async def test_only_so_many_words_are_kept(autojump_clock):
    one = Draining()
    one.drain.begin(forgive_owed=False)
    kept = [one.drain.defer(Seeks()) for _ in range(MAX_DEFERRED_COMMANDS + 2)]
    assert kept == [True] * MAX_DEFERRED_COMMANDS + [False, False]


async def test_who_rests_too_long_is_told_of_with_what_it_owes(autojump_clock):
    one, other = Draining(), Draining()
    async with trio.open_nursery() as nursery:
        for each in (one, other):
            nursery.start_soon(each.alarms.run)
            each.drain.begin(forgive_owed=False)
        other.ready_queue.hear(1.0)
        await trio.sleep(29)
        assert one.heard == []
        await trio.sleep(2)
        nursery.cancel_scope.cancel()
    assert (one.heard, other.heard) == (["readyok"], [[]])
