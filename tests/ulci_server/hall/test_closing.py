"""The end of a hall: no new games, some seconds for the running ones, and goodbye."""

from functools import partial
from time import perf_counter
from types import SimpleNamespace

import pytest
import trio
import trio.testing

from ulci.protocol.messages import (
    BestMove,
    Blame,
    Id,
    Quit,
    Report,
    Seek,
    Unknown,
)
from ulci.rules import Reason, Side
from ulci_server.game import EventKind, GameFinished, GameStarted, Happened
from ulci_server.hall import closing


async def test_a_drain_waits_for_running_games_and_starts_no_new_ones(autojump_clock, server):
    async with server() as h:
        ada, _bob = await h.people()
        await ada.be_asked()
        results = []

        async def drain():
            results.append(
                await h.hall.closing.drain(
                    trio.CancelScope(), 30, "the server is shutting down", keeps=True
                )
            )

        async with trio.open_nursery() as nursery:
            nursery.start_soon(drain)
            await trio.sleep(5)
            ada.say(Unknown("resign"))
        assert results == [0]
        assert h.journal.kinds(GameFinished)[0].outcome.score in ("0-1", "*")


async def test_a_drain_cuts_short_what_takes_too_long(autojump_clock, server):
    async with server() as h:
        white, black = await h.engines()
        await white.move("e2e4")
        await black.be_asked()
        began = trio.current_time()
        why = "the server is shutting down"
        assert await h.hall.closing.drain(trio.CancelScope(), 30, why, keeps=True) == 1
        assert trio.current_time() - began == 30
        [end] = h.journal.kinds(GameFinished)
        assert (end.outcome.score, end.outcome.reason) == ("*", Reason.SERVER)
        assert end.detail == f"{why}, and A and B cannot return to this game"


async def test_what_its_players_can_come_back_to_is_paused_and_not_ended(autojump_clock, server):
    async with server() as h:
        ada, bob = await h.people()
        await ada.move("e2e4")
        await bob.be_asked()
        await trio.sleep(1.5)
        assert await h.hall.closing.drain(trio.CancelScope(), 0, "shutting down", keeps=True) == 1
        assert h.journal.kinds(GameFinished) == []
        assert h.journal.kinds(Happened)[-1] == Happened(
            1, 2, 1, EventKind.PAUSED, Side.BLACK, 1500
        )
        await bob.hear_line("game 1 paused")


async def test_where_nothing_is_kept_a_drain_ends_every_game(autojump_clock, server):
    async with server() as h:
        ada, _bob = await h.people()
        await ada.be_asked()
        assert await h.hall.closing.drain(trio.CancelScope(), 0, "shutting down", keeps=False) == 1
        [end] = h.journal.kinds(GameFinished)
        assert (end.outcome.reason, end.detail) == (Reason.SERVER, "shutting down")


async def test_farewell_says_quit_and_does_not_wait_for_the_slow(autojump_clock, server):
    async with server() as h:
        client = await h.person("Ada")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(h.hall.closing.say_goodbye, 2)
            await client.hear(Quit)
        assert client.heard[-2] == Report(Blame.SERVER, "the server is shutting down")


async def test_no_game_begins_while_the_server_ends_though_the_database_is_back(
    autojump_clock, server
):
    async with server() as h:
        ada, _bob = await h.people()
        await ada.be_asked()
        h.hall.trouble("the disk is full")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(
                partial(h.hall.closing.drain, trio.CancelScope(), 30, "the end", keeps=True)
            )
            await trio.testing.wait_all_tasks_blocked()
            h.hall.trouble(None)
            await h.engine("C")
            await h.engine("D")
        assert [fact.game for fact in h.journal.kinds(GameStarted)] == [1]


async def test_a_paused_game_is_at_no_table_and_its_players_are_not_sent_away(
    autojump_clock, server
):
    async with server() as h:
        ada, bob = await h.people()
        await ada.be_asked()
        idle = await h.person("Cy")
        assert await h.hall.closing.drain(trio.CancelScope(), 0, "shutting down", keeps=True) == 1
        async with trio.open_nursery() as nursery:
            nursery.start_soon(h.hall.closing.say_goodbye, 2)
            await idle.hear(Quit)
        assert h.hall.tables == {}
        for client in (ada, bob):
            await client.hear_line("game 1 paused")
            assert not any(isinstance(message, Quit) for message in client.heard)


@pytest.mark.parametrize("when", ["now", "before the first move"])
async def test_what_was_paused_goes_on(autojump_clock, server, when):
    async with server() as h:
        ada, bob = await h.people()
        await ada.be_asked()
        if when == "now":
            ada.say(BestMove("e2e4"))
            await bob.be_asked()
            await trio.sleep(4)
        await h.hall.closing.drain(trio.CancelScope(), 0, "shutting down", keeps=True)
        later = await h.resumed()
        ada, bob = await later.back("Ada", ada.secret), await later.back("Bob", bob.secret)
        await ada.get_ready()
        await bob.get_ready()
        if when == "now":
            assert (await bob.be_asked()).btime == 56_000
        else:
            assert (await ada.be_asked()).wtime == 60_000


async def test_a_newcomer_is_greeted_while_running_games_have_their_time_but_gets_none(
    autojump_clock, server
):
    async with server() as h, trio.open_nursery() as nursery:
        await h.people()
        scope = trio.CancelScope()
        nursery.start_soon(partial(h.hall.closing.drain, scope, 30, "shutting down", keeps=True))
        cy = await h.person("Cy")
        cy.say(Seek())
        await cy.hear_line("error closed")
        scope.cancel()


async def test_a_newcomer_is_sent_away_when_the_games_are_paused(autojump_clock, server):
    async with server() as h:
        ada, _ = await h.people()
        await ada.be_asked()
        await h.hall.closing.drain(trio.CancelScope(), 0, "shutting down", keeps=True)
        again = h.connect()
        await again.introduce(
            Id("username", "Ada"), Id("feature", "lobby"), Id("resume", ada.secret)
        )
        await again.hear_the_end()
        assert again.reports()[-1].endswith("retry-after 5")


async def test_the_time_before_it_began_counts_as_no_work(autojump_clock, monkeypatch) -> None:
    noted: list[float] = []
    monkeypatch.setattr(closing, "note_duration", lambda began, what: noted.append(began))
    told: list[str] = []
    session = SimpleNamespace(connection=SimpleNamespace(hang_up=told.append))
    ending = closing.Closing(None, None, [session] * closing.AT_A_TIME)  # type: ignore[arg-type]
    began = perf_counter()
    await ending.send_away("the end", 1)
    assert told == ["the end"] * closing.AT_A_TIME
    assert noted
    assert noted[0] >= began
