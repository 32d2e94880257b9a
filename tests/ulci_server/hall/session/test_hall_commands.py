"""What may be said to the hall and, through it, to each other."""

import pytest
import trio
import trio.testing

from ulci.protocol.messages import (
    BestMove,
    Claim,
    Games,
    GiveTime,
    Go,
    Id,
    Ignore,
    Ignored,
    Position,
    Report,
    Say,
    Seek,
    Stop,
    Takeback,
    TellPlayer,
    Terms,
    Unignore,
    Unwatch,
    Watch,
)
from ulci.rules import GAMES, Reason, Side
from ulci_server.game import Controls, EventKind, GameFinished, Happened, MovePlayed
from ulci_server.hall.hall import SPEAKER_BURST, TALK_BURST
from ulci_server.hall.session.hall_commands import LONGEST_TALK
from ulci_server.hall.table.table import Table
from ulci_server.lobby import Pool


async def test_somebody_is_told_something_wherever_they_are(autojump_clock, server):
    async with server() as h:
        ada, _ = await h.people()
        cy = await h.person("Cy")
        cy.say(TellPlayer("ADA", "good luck"))
        assert await ada.hear_line("tell") == "tell Cy good luck"
        ada.say(TellPlayer("Cy", "thank you"))
        assert await cy.hear_line("tell") == "tell Ada thank you"


async def test_one_can_only_tell_who_is_here_and_reads_it(autojump_clock, server):
    async with server() as h:
        ada, bob = await h.people()
        await h.engine("Fish")
        bob.peer.cut("the line is lost")
        await trio.testing.wait_all_tasks_blocked()
        for name, code in (("Nobody", "no-such-player"), ("Bob", "no-such-player")):
            ada.say(TellPlayer(name, "hello"))
            await ada.hear_line(f"error {code}")
        ada.say(TellPlayer("Fish", "hello"))
        await ada.hear_line("error not-heard Fish does not read")


async def test_what_is_said_at_the_board_reaches_a_person_only(autojump_clock, server):
    async with server() as h:
        ada, bob = await h.people()
        ada.say(Say("hello"))
        assert await bob.hear_line("say") == "say Ada hello"
        cy = await h.person("Cy")
        await h.engine("Fish")
        cy.say(Seek(Terms()))
        await cy.hear_line("game 2 start")
        cy.say(Say("hello"))
        await cy.hear_line("error not-heard")


async def watchers(h, *names: str):
    """Spectators of game 1."""
    people = [await h.person(name) for name in names]
    for person in people:
        person.say(Watch(1))
        await person.hear_line("watch 1 ")
    return people


async def test_spectators_talk_among_themselves_and_the_players_do_not_get_it(
    autojump_clock, server
):
    async with server() as h:
        ada, bob = await h.people()
        cy, di = await watchers(h, "Cy", "Di")
        cy.say(Say("Bob should take"))
        assert await di.hear_line("say") == "say Cy Bob should take"
        di.say(Say("no"))
        assert await cy.hear_line("say") == "say Di no"
        ada.say(Say("good luck"))
        await bob.hear_line("say Ada good luck")
        for player in (ada, bob):
            assert not any("Cy" in str(message) or "Di" in str(message) for message in player.heard)
        assert [str(m) for m in cy.heard if "Cy" in str(m) and "say" in str(m)] == []
        di.say(Unwatch())
        await di.hear_line("unwatch 1")
        di.say(Say("hello?"))
        await di.hear_line("error not-heard you have no opponent, and watch no game")


async def test_a_long_line_is_not_sent_to_all_spectators(autojump_clock, server):
    async with server() as h:
        await h.people()
        cy, di = await watchers(h, "Cy", "Di")
        cy.say(Say("x" * (LONGEST_TALK + 1)))
        await cy.hear_line("error not-heard a line to the spectators has at most 500")
        cy.say(Say("x" * LONGEST_TALK))
        assert await di.hear_line("say") == f"say Cy {'x' * LONGEST_TALK}"


async def test_a_spectator_whom_one_ignores_is_not_shown(autojump_clock, server):
    async with server() as h:
        await h.people()
        cy, di, ed = await watchers(h, "Cy", "Di", "Ed")
        di.say(Ignore("Cy"))
        await di.hear_line("ignore Cy")
        cy.say(Say("hm"))
        assert await ed.hear_line("say") == "say Cy hm"
        ed.say(Say("well"))
        assert await di.hear_line("say") == "say Ed well"


async def test_a_spectator_is_told_that_a_game_without_a_server_passes_nothing_on(
    autojump_clock, server, monkeypatch
):
    async with server() as h:
        await h.people()
        [cy] = await watchers(h, "Cy")
        monkeypatch.setattr(Table, "chat", lambda *_: False)
        cy.say(Say("hm"))
        assert await cy.hear_line("error") == (
            "error moving the game moves to another server; say it again"
        )


async def test_spectators_of_a_game_who_talk_too_much_are_asked_to_wait(autojump_clock, server):
    async with server() as h:
        await h.people()
        names = [f"Cy{number}" for number in range(TALK_BURST)]
        speakers = await watchers(h, *names, "Di")
        di = speakers[-1]
        for name, speaker in zip(names, speakers, strict=False):
            speaker.say(Say("hello"))
            assert await di.hear_line("say") == f"say {name} hello"
        di.say(Say("and on"))
        assert await di.hear_line("error") == (
            "error too-fast the spectators of this game talk too much; retry-after 1"
        )
        await trio.sleep(1)
        di.say(Say("sorry"))
        assert await speakers[0].hear_line("say Di") == "say Di sorry"


async def test_one_spectator_does_not_take_all_that_those_of_a_game_may_say(autojump_clock, server):
    async with server() as h:
        await h.people()
        cy, di = await watchers(h, "Cy", "Di")
        for number in range(SPEAKER_BURST):
            cy.say(Say(f"line {number}"))
            assert await di.hear_line("say") == f"say Cy line {number}"
        cy.say(Say("and on"))
        assert await cy.hear_line("error") == "error too-fast you talk too much; retry-after 2"
        di.say(Say("may I?"))
        assert await cy.hear_line("say") == "say Di may I?"
        await trio.sleep(2)
        cy.say(Say("sorry"))
        assert await di.hear_line("say") == "say Cy sorry"


async def test_who_is_ignored_is_not_heard_and_is_told_so(autojump_clock, server):
    async with server() as h:
        ada, bob = await h.people()
        ada.say(Ignore("bob"))
        assert await ada.hear_line("ignore") == "ignore Bob"
        bob.say(Say("you play badly"), TellPlayer("Ada", "very badly"))
        for _ in range(2):
            assert await bob.hear_line("error") == "error ignored Ada ignores you"
        ada.say(Say("good game"))
        assert await bob.hear_line("say") == "say Ada good game"
        ada.say(Unignore("Bob"))
        await ada.hear_line("unignore Bob")
        bob.say(Say("sorry"))
        assert await ada.hear_line("say") == "say Bob sorry"
        assert not any("badly" in str(message) for message in ada.heard)


async def test_a_lost_line_keeps_who_is_ignored(autojump_clock, server):
    async with server() as h:
        ada, bob = await h.people()
        ada.say(Ignore("Bob"), Ignore("Cy"))
        await ada.hear_line("ignore Cy")
        ada.peer.cut("the line is lost")
        await trio.testing.wait_all_tasks_blocked()
        ada = await h.back("Ada", ada.secret)
        bob.say(Say("back already?"))
        await bob.hear_line("error ignored")
        ada.say(Ignored())
        assert [await ada.hear_line("ignore") for _ in range(3)] == [
            "ignored 2", "ignore Bob", "ignore Cy",
        ]  # fmt: skip


@pytest.mark.parametrize("word", ["say \x1b[31mred", "tell Ada \x1b]0;title\x07", "say a\tb\x00c"])
async def test_nothing_that_upsets_a_terminal_gets_through(autojump_clock, server, word):
    async with server() as h:
        ada, bob = await h.people()
        await ada.be_asked()
        bob.peer._write(f"{word}\nsay done\n".encode())
        while "done" not in await ada.hear_line(""):
            pass
        assert all(str(message).isprintable() for message in ada.heard)
        said = [" ".join(m.words) for m in ada.heard if hasattr(m, "words")]
        assert all(line.isprintable() for line in said)


async def test_games_are_listed_with_how_many_there_are(autojump_clock, server):
    async with server() as h:
        ada = await h.person("Ada")
        ada.say(Games())
        assert await ada.hear_line("games") == "games 0"


# At the table


async def test_a_move_is_taken_back_by_agreement(autojump_clock, server):
    async with server() as h:
        ada, bob = await h.people()
        await ada.move("e2e4")
        await bob.be_asked()
        await trio.sleep(4)
        ada.say(Takeback())
        assert await bob.hear_line("game 1 offer") == "game 1 offer takeback 1 from Ada"
        bob.say(Takeback())
        await bob.hear(Stop)
        bob.say(BestMove("e7e5"))  # the answer to what was asked before
        await ada.hear_line("game 1 takeback 1 ply 0")
        go = await ada.be_asked()
        # What the move had added to the clock goes with it.
        assert (go.wtime, go.btime) == (60_000, 60_000)
        await trio.testing.wait_all_tasks_blocked()
        assert [move.move for move in h.journal.kinds(MovePlayed)] == ["e2e4"]
        ada.say(BestMove("d2d4"))
        assert await bob.hear(Position) in (Position(None, ()), Position(None, ("d2d4",)))
        await bob.be_asked()


async def test_a_move_said_twice_is_not_played_after_moves_were_taken_back(autojump_clock, server):
    async with server() as h:
        ada, bob = await h.people()
        await ada.move("e2e4")
        await bob.move("e7e5")
        await ada.be_asked()
        ada.say(Takeback())
        await bob.hear_line("game 1 offer takeback 2")
        bob.say(Takeback())
        await ada.hear(Stop)
        ada.peer._write(2 * b"bestmove d1f3\n")  # what she would have played, before she regretted
        ada.say(BestMove("e2e3"))
        await bob.be_asked()
        assert bob.heard[-2] == Position(None, ("e2e3",))
        report = await ada.hear(Report)
        assert str(report.text) == 'bestmove "d1f3" was said before; go is still open'
        assert h.journal.kinds(GameFinished) == []


CASTLING = [("e2e4", "e7e5"), ("g1f3", "g8f6"), ("f1e2", "f8e7")]


async def test_a_late_castling_in_another_spelling_may_be_said_again_and_counts(
    autojump_clock, server
):
    async with server() as h:
        ada, bob = await h.people()
        for white, black in [*CASTLING, ("a2a3", "a7a6")]:
            await ada.move(white)
            await bob.move(black)
        await ada.be_asked()
        ada.say(Takeback())
        await bob.hear_line("game 1 offer takeback 2")
        bob.say(Takeback())
        await ada.hear(Stop)
        ada.say(BestMove("e1h1"))  # the answer to what she was asked before
        await ada.move("e1h1")
        await bob.be_asked()
        assert [move.move for move in h.journal.kinds(MovePlayed)][-1] == "e1g1"


async def test_a_castling_said_twice_in_another_spelling_than_the_records_is_no_move(
    autojump_clock, server
):
    async with server() as h:
        ada, bob = await h.people()
        for white, black in [*CASTLING, ("e1h1", "a7a6")]:
            await ada.move(white)
            await bob.move(black)
        await ada.be_asked()
        ada.peer.cut("the line is lost")
        ada = await h.back("Ada", ada.secret)
        await ada.get_ready()
        await ada.be_asked()
        ada.say(BestMove("e1h1"))
        report = await ada.hear(Report)
        assert str(report.text) == 'bestmove "e1h1" was said before; go is still open'


UNTIMED = Pool("chess", GAMES["chess"], Controls.parse("depth=4"), (None,))


@pytest.mark.parametrize("lobby", [True, False], ids=["can come back", "cannot"])
async def test_the_last_move_said_again_is_illegal_unless_its_player_has_come_back(
    autojump_clock, server, lobby
):
    """However long the clock: without one the game would stand for ever."""
    said = (Id("feature", "lobby"),) if lobby else ()
    async with server(UNTIMED) as h:
        white, black = await h.engine("A", *said), await h.engine("B", *said)
        if lobby:
            white.say(Seek(Terms(color="white")))
            await trio.testing.wait_all_tasks_blocked()
            black.say(Seek(Terms(color="black")))
        await white.get_ready()
        await black.get_ready()
        await white.move("e2e4")
        await black.move("e7e5")
        await white.move("e2e4")
        await trio.testing.wait_all_tasks_blocked()
        [end] = h.journal.kinds(GameFinished)
        assert (end.outcome.winner, end.outcome.reason) == (Side.BLACK, Reason.ILLEGAL_MOVE)


LOBBY = Id("feature", "lobby")


async def engines_of_the_lobby(h):
    """White's and Black's, in a game; the secret by which White comes back."""
    white, black = await h.engine("A", LOBBY), await h.engine("B", LOBBY)
    secret = (await white.hear_line("welcome")).split()[-1]
    for engine, color in ((white, "white"), (black, "black")):
        engine.say(Seek(Terms(color=color)))
        await trio.testing.wait_all_tasks_blocked()
    await white.get_ready()
    await black.get_ready()
    return white, black, secret


async def back(h, white, secret):
    """White, on another line."""
    white.peer.cut("the line is lost")
    white = await h.engine("A", LOBBY, Id("resume", secret))
    await white.get_ready()
    return white


async def test_an_engine_that_has_come_back_says_its_last_move_again_once(autojump_clock, server):
    async with server(UNTIMED) as h:
        white, black, secret = await engines_of_the_lobby(h)
        await white.move("e2e4")
        await black.move("e7e5")
        await white.be_asked()
        white = await back(h, white, secret)
        await white.move("e2e4")
        assert "was said before" in (await white.hear(Report)).text
        assert h.journal.kinds(GameFinished) == []
        white.peer._write(b"bestmove e2e4\n")
        await trio.testing.wait_all_tasks_blocked()
        [end] = h.journal.kinds(GameFinished)
        assert (end.outcome.winner, end.outcome.reason) == (Side.BLACK, Reason.ILLEGAL_MOVE)


async def test_an_engine_that_has_come_back_and_moved_knows_what_has_arrived(
    autojump_clock, server
):
    async with server(UNTIMED) as h:
        white, black, secret = await engines_of_the_lobby(h)
        await white.be_asked()
        white = await back(h, white, secret)
        await white.move("e2e4")
        await black.move("e7e5")
        await white.move("e2e4")
        await trio.testing.wait_all_tasks_blocked()
        [end] = h.journal.kinds(GameFinished)
        assert end.outcome.reason is Reason.ILLEGAL_MOVE


async def test_to_move_is_to_decline(autojump_clock, server):
    async with server() as h:
        ada, bob = await h.people()
        await ada.move("e2e4")
        await bob.be_asked()
        ada.say(Takeback(1))
        await bob.hear_line("game 1 offer takeback 1 from Ada")
        bob.say(BestMove("e7e5"))
        await ada.hear_line("game 1 decline takeback from Bob")
        bob.say(Takeback())
        await bob.hear_line("game 1 offer takeback 1 from Bob")  # nothing of Ada's to accept


async def test_time_is_given_to_the_opponent(autojump_clock, server):
    async with server() as h:
        ada, bob = await h.people()
        await ada.be_asked()
        bob.say(GiveTime(15_000))
        await ada.hear_line("game 1 givetime 15000 to white from Bob")
        await bob.hear_line("game 1 givetime 15000 to white from Bob")
        given = h.journal.kinds(Happened)[-1]
        assert (given.what, given.side, given.amount) == (EventKind.TIME_GIVEN, Side.WHITE, 15_000)
        ada.say(BestMove("e2e4"))
        assert (await bob.be_asked()).wtime == 76_000


async def test_a_claim_needs_something_to_claim(autojump_clock, server):
    async with server() as h:
        ada, _ = await h.people()
        await ada.be_asked()
        for what in ("win", "draw"):
            ada.say(Claim(what))
            await ada.hear_line("error no-claim")
        assert h.journal.kinds(GameFinished) == []


@pytest.mark.parametrize("word", [Takeback(), Claim("win"), GiveTime(1000)])
async def test_words_for_the_table_need_a_game_that_has_begun(autojump_clock, server, word):
    async with server() as h:
        ada = await h.person("Ada")
        ada.say(word)
        await ada.hear_line("error no-game")
        bob = await h.person("Bob")
        for person in (ada, bob):
            person.say(Seek(Terms()))
        await bob.hear_line("game 1 start")
        bob.say(word)
        await bob.hear_line("error too-early")
        assert not any(isinstance(message, Go) for message in bob.heard)
