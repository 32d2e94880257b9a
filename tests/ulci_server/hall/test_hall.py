"""The hall: coming, going, and the whole house at once."""

import pytest
import trio
import trio.testing

from ulci.protocol.messages import (
    Accept,
    BestMove,
    Challenge,
    Claim,
    Clock,
    Draw,
    Games,
    Hello,
    Id,
    Info,
    NewGame,
    Option,
    OptionType,
    Position,
    Report,
    Resign,
    Say,
    Seek,
    Terms,
    Who,
)
from ulci.rules import GAMES, Outcome, Reason, Side
from ulci_server.game import Controls, Game, GameFinished
from ulci_server.lobby import Pool


async def test_two_engines_play_game_after_game_with_colours_changed(autojump_clock, server):
    async with server() as h:
        players = dict(zip("AB", await h.engines(), strict=True))
        for white, black in ("AB", "BA", "AB"):
            await players[white].move("e2e5")  # illegal: the quickest way to the next game
            for name in (white, black):
                await players[name].get_ready()  # the barrier after the game
            for name in (white, black):
                await players[name].get_ready()  # and the next one's
        assert [end.outcome.score for end in h.journal.kinds(GameFinished)] == ["0-1"] * 3


async def test_a_seek_takes_what_it_does_not_say_from_the_pool_of_its_listener(
    autojump_clock, server
):
    chess = Pool("chess", GAMES["chess"], Controls.parse("180+2"), (None,))
    board = Pool("board", GAMES["mnk"], Controls.parse("10+1"), (None,))
    async with server(chess, board) as h:
        ada = h.connect(pool="board")
        await ada.introduce_person("Ada")
        ada.say(Seek())
        assert "game mnk time 10+1" in await ada.hear_line("seek 1")


async def test_words_without_end_are_answered_with_when_to_go_on(autojump_clock, server):
    async with server() as h:
        ada, _ = await h.people()
        await ada.be_asked()
        ada.say(*[Who()] * 150)
        assert "retry-after" in await ada.hear_line("error too-fast")
        ada.say(Resign())  # which is never too fast
        await ada.hear_line("game 1 over")
        ada.say(BestMove("e2e4"))  # which was owed
        await ada.get_ready()
        await trio.sleep(30)
        ada.say(Who())
        await ada.hear_line("who 2")


async def test_an_introduction_without_end_is_cut_short(autojump_clock, server):
    async with server() as h:
        client = h.connect()
        await client.introduce(*[Option("o", OptionType.CHECK)] * 2000, *[Id("name", "x")] * 2000)
        await client.hear_the_end()
        assert any("uciok" in report for report in client.reports())


@pytest.mark.parametrize(("claimed", "winner"), [("win", Side.WHITE), ("draw", None)])
async def test_a_person_may_claim_the_game_of_an_opponent_who_does_not_come_back_in_time(
    autojump_clock, server, claimed, winner
):
    async with server() as h:
        ada, bob = await h.people()
        await ada.move("e2e4")
        await bob.move("e7e5")
        await ada.be_asked()
        bob.peer.cut("the line is lost")
        # A fifth of what either has for a game: 60 s and 40 increments of a second.
        await ada.hear_line("game 1 opponent away claim-in 20000")
        ada.say(Claim("win"))
        await ada.hear_line("error no-claim")
        await ada.hear_line("game 1 opponent away claim-in 0")
        ada.say(Claim(claimed))
        await ada.hear_line("game 1 over")
        assert h.journal.kinds(GameFinished)[0].outcome == Outcome(winner, Reason.DISCONNECT)


async def test_an_engine_has_won_when_its_opponent_does_not_come_back_in_time(
    autojump_clock, server
):
    async with server() as h:
        ada, engine = await h.person("Ada"), await h.engine("B")
        ada.say(Seek(Terms(color="white")))
        await trio.testing.wait_all_tasks_blocked()
        await ada.get_ready()
        await engine.get_ready()
        await ada.move("e2e4")
        await engine.move("e7e5")
        await ada.be_asked()
        began = trio.current_time()
        ada.peer.cut("the line is lost")
        await engine.hear(Position)
        [end] = h.journal.kinds(GameFinished)
        assert end.outcome == Outcome(Side.BLACK, Reason.DISCONNECT)
        assert trio.current_time() - began == 20


async def test_a_client_that_cannot_come_back_has_lost_at_once(autojump_clock, server):
    async with server() as h:
        white, black = await h.engines()
        await white.move("e2e4")
        await black.move("e7e5")
        await white.be_asked()
        began = trio.current_time()
        black.peer.cut("gone")
        await trio.testing.wait_all_tasks_blocked()
        [end] = h.journal.kinds(GameFinished)
        assert (end.outcome.score, trio.current_time()) == ("1-0", began)


async def test_people_talk_offer_and_agree(autojump_clock, server):
    async with server() as h:
        ada, bob = await h.people()
        await ada.be_asked()
        bob.say(Say("good luck"))
        assert await ada.hear_line("say") == "say Bob good luck"
        bob.say(Draw())
        await ada.hear_line("game 1 offer draw from Bob")
        ada.say(Draw())
        await bob.hear_line("game 1 over result 1/2-1/2 reason agreement")


async def test_nobody_hears_who_talks_alone(autojump_clock, server):
    async with server() as h:
        ada = await h.person("Ada")
        ada.say(Say("hello?"))
        await ada.hear_line("error not-heard")


async def test_games_and_who_are_listed(autojump_clock, server):
    async with server() as h:
        ada, _ = await h.people()
        ada.say(Games(), Who())
        assert await ada.hear_line("games") == "games 1"
        line = await ada.hear_line("game 1 playing")
        assert line == "game 1 playing white Ada black Bob game chess time 60+1 ply 0"
        assert await ada.hear_line("who") == "who 2"


async def test_two_of_one_name_are_told_apart_by_what_each_was_welcomed_as(autojump_clock, server):
    async with server() as h:
        ada, other = await h.person("Ada"), await h.person("Ada")
        ada.say(Challenge("Ada-2", Terms(color="white")))
        await other.hear_line("challenge 1 player Ada ")
        other.say(Accept(1))
        assert "white Ada black Ada-2 " in await other.hear_line("game 1 start")
        other.say(Games())
        assert "white Ada black Ada-2 " in await other.hear_line("game 1 playing")


async def test_trouble_with_the_database_is_told_and_new_games_wait(autojump_clock, server):
    async with server() as h:
        ada, _bob = await h.people()
        await ada.be_asked()
        h.hall.trouble("the disk is full")
        carl = await h.person("Carl")
        carl.say(Seek())
        await carl.hear_line("error closed")
        await ada.hear(Report)
        assert "the database does not answer" in ada.reports()[-1]
        assert not any("disk" in str(said) for said in (*ada.heard, *carl.heard))
        h.hall.trouble(None)
        carl.say(Seek())
        await carl.hear_line("seek")


async def test_whoever_lost_a_game_to_an_absent_opponent_goes_first(autojump_clock, server):
    async with server() as h:
        await h.engine("A")
        ready = await h.engine("B")
        await ready.get_ready()
        await trio.sleep(31)
        await ready.get_ready()
        later = await h.engine("C")
        await later.hear(NewGame)
        await ready.hear(NewGame)


async def test_a_game_on_a_lost_line_of_both_is_decided_by_the_clock(autojump_clock, server):
    async with server() as h:
        ada, bob = await h.people()
        await ada.move("e2e4")
        await bob.move("e7e5")
        await ada.be_asked()
        ada.peer.cut("lost")
        bob.peer.cut("lost")
        await trio.sleep(200)
        [end] = h.journal.kinds(GameFinished)
        assert end.outcome == Outcome(Side.BLACK, Reason.TIME)
        assert h.hall.tables == {}


async def before_uciok(h):
    client = h.connect()
    await client.hear(Hello)
    return client


async def while_waiting(h):
    return await h.engine("X")


async def while_preparing(h):
    client = await h.engine("X")
    await h.engine("Y")
    return client


async def on_its_turn(h):
    white, _ = await h.engines()
    await white.be_asked()
    return white


async def on_the_others_turn(h):
    white, black = await h.engines()
    await white.be_asked()
    return black


async def while_the_record_is_written(h):
    white, _ = await h.engines()
    await white.be_asked()
    h.journal.hold()
    white.say(BestMove("e2e4"))
    await trio.testing.wait_all_tasks_blocked()
    return white


async def after_the_game(h):
    white, black = await h.engines()
    await white.move("e2e5")
    await black.hear(Position)
    return white


async def away(h):
    ada, bob = await h.people()
    await ada.be_asked()
    return bob


@pytest.mark.parametrize(
    "phase",
    [
        before_uciok,
        while_waiting,
        while_preparing,
        on_its_turn,
        on_the_others_turn,
        while_the_record_is_written,
        after_the_game,
        away,
    ],
)
async def test_a_disconnection_in_any_phase_leaves_the_hall_as_it_was(
    autojump_clock, server, phase
):
    async with server() as h:
        client = await phase(h)
        client.peer.cut("gone")
        await trio.testing.wait_all_tasks_blocked()
        h.journal.release()
        await trio.sleep(1000)
        assert h.hall.tables == {}
        assert not any(session.handle.startswith("X") for session in h.hall.present)
        # And two who come later play each other as if nothing had been.
        late = [await h.engine(name) for name in ("L1", "L2")]
        for player in late:
            await player.get_ready()


async def test_who_is_never_ready_keeps_the_other_from_nobody(autojump_clock, server):
    async with server() as h:
        slow, quick = await h.engine("Slow"), await h.engine("Quick")
        await quick.get_ready()
        first, second = await h.engine("First"), await h.engine("Second")
        third = await h.engine("Third")
        for client in (first, second):
            await client.get_ready()
        await first.be_asked()
        await trio.sleep(31)  # Slow never gets ready, and Third waits
        await quick.get_ready()  # the barrier after the game
        await third.get_ready()
        seats = {seat.name for table in h.hall.tables.values() for seat in table.game.seats}
        assert seats == {"First", "Second", "Third", "Quick"}
        await slow.peer.aclose()


async def test_who_cannot_play_what_is_played_here_is_told_so_and_let_go(autojump_clock, server):
    pool = Pool("atomic", GAMES["atomic"], Controls.parse("60"), (None,))
    async with server(pool) as h:
        client = await h.engine("Plain")
        await client.hear_the_end()
        [report] = client.reports()
        assert "Plain does not offer the option UCI_Variant" in report


async def test_two_whose_programs_have_nothing_in_common_are_told_while_they_wait(
    autojump_clock, server
):
    starts = ("4k3/8/8/8/8/8/8/C3K3 w - - 0 1", "4k3/8/8/8/8/8/8/A3K3 w - - 0 1")
    pool = Pool("mixed", GAMES["liberty"], Controls.parse("60"), starts)
    async with server(pool) as h:
        one = await h.engine("One", Id("version", "1"), Id("pieces", "kc"))
        other = await h.engine("Other", Id("version", "1"), Id("pieces", "ka"))
        for client in (one, other):
            info = await client.hear(Info)
            assert "does not know the pieces" in info.string
        assert h.hall.tables == {}


async def test_who_could_not_come_back_for_a_while_has_that_time_later(autojump_clock, server):
    async with server() as h:
        ada, bob = await h.people()
        await ada.be_asked()
        ada.peer.cut("the line is lost")
        await bob.hear_line("game 1 opponent away")
        await trio.sleep(50)
        h.hall.hindered(30)
        await trio.sleep(35)
        assert h.hall.tables
        await trio.sleep(10)
        assert not h.hall.tables


async def test_of_a_pause_nothing_is_dealt_with_before_a_game_has_to_know(
    autojump_clock, server, monkeypatch
):
    handled = []
    async with server() as h:
        ada, bob = await h.people()
        await ada.be_asked()
        ada.peer.cut("the line is lost")
        await bob.hear_line("game 1 opponent away")
        handle = Game.handle
        monkeypatch.setattr(
            Game,
            "handle",
            lambda game, event, **held: (
                handled.append(type(event).__name__) or handle(game, event, **held)
            ),
        )
        for _ in range(3):
            h.hall.hindered(1)
        assert handled == []
        bob.say(Resign())
        await trio.testing.wait_all_tasks_blocked()
        assert handled == [*["Hindered"] * 3, "Commanded"]


async def test_who_begins_to_watch_after_a_pause_sees_the_clock_without_it(autojump_clock, server):
    async with server() as h:
        ada, bob = await h.people()
        await ada.be_asked()
        ada.peer.cut("the line is lost")
        await bob.hear_line("game 1 opponent away")
        await trio.sleep(30)
        h.hall.hindered(20)
        (table,) = h.hall.tables.values()
        (clock,) = (said for said in table.snapshot() if isinstance(said, Clock))
        assert clock.wtime == 50_000
