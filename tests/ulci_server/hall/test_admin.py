"""What those may do who look after the server: all of it is in the record, with who and why."""

from itertools import pairwise

import pytest
import trio
import trio.testing
from structlog.testing import capture_logs

from ulci.protocol.messages import (
    Admin,
    BestMove,
    Id,
    Position,
    Quit,
    Seek,
    Terms,
    Unwatch,
    Watch,
)
from ulci.rules import Outcome, Reason, Side
from ulci_server.app import Shutdown
from ulci_server.game import EventKind, GameFinished, Happened, Reported
from ulci_server.hall import Hall
from ulci_server.hall.admin import DRAIN_AFTER, KICKS_A_STEP, MAX_PENDING_COMMANDS
from ulci_server.hall.session.connection import LOG_BURST
from ulci_server.storage import StorageError


async def root(h):
    return await h.person("", Id("token", "root-token"))


async def ask(client, words: str) -> list[str]:
    """What is answered, without the last line."""
    client.say(Admin(tuple(words.split())))
    said = []
    while True:
        line = await client.hear_line("")
        if line.startswith("error"):
            return [line]
        if line == "admin done":
            return said
        if line.startswith("admin"):
            said.append(line)


async def game(h):
    """Ada and Bob have each moved once; Root looks on from the lobby."""
    ada, bob = await h.people()
    admin = await root(h)
    await ada.move("e2e4")
    await bob.move("e7e5")
    await ada.be_asked()
    return ada, bob, admin


# Who may


@pytest.mark.parametrize("said", [(), (Id("token", "ada-token"),)])
async def test_only_a_token_for_it_makes_an_administrator(
    autojump_clock, server, authenticator, said
):
    async with server(authenticator=authenticator) as h:
        ada, bob = await h.people()
        await ada.be_asked()
        client = await h.person("Root", *said)
        [refused] = await ask(client, "abort 1 because")
        assert refused.startswith("error not-allowed")
        assert h.journal.kinds(GameFinished) == []
        bob.say(Admin(("games",)))
        await bob.hear_line("error not-allowed")


async def test_a_stranger_does_not_fill_the_log(autojump_clock, server, authenticator):
    async with server(authenticator=authenticator) as h:
        stranger = await h.person("Eve")
        with capture_logs() as logs:
            for _ in range(4 * LOG_BURST):
                stranger.say(Admin(("games",)))
                await stranger.hear_line("error")
                await trio.testing.wait_all_tasks_blocked()
        refused = [log["client"] for log in logs if log["event"] == "admin command refused"]
        assert refused == ["Eve"] * LOG_BURST


@pytest.mark.parametrize("words", ["dance", "abort", "abort 1", "abort x why", "kick Ada"])
async def test_words_that_are_wrong_are_explained(autojump_clock, server, authenticator, words):
    async with server(authenticator=authenticator) as h:
        [refused] = await ask(await root(h), words)
        assert refused.startswith("error admin-usage")


# The end of a server


async def test_a_server_that_ends_by_other_means_does_not_end_by_a_command(
    autojump_clock, server, authenticator
):
    async with server(authenticator=authenticator) as h:
        [refused] = await ask(await root(h), "drain")
        assert refused == "error no-such-server this server does not end by a command"


async def test_an_administrator_has_the_answer_before_the_server_ends(
    autojump_clock, server, authenticator
):
    async with server(authenticator=authenticator) as h:
        shutdown = Shutdown()
        h.hall.drain = shutdown.drain_alone
        admin = await root(h)
        [refused] = await ask(admin, "drain a")
        assert refused == "error no-such-server this server is alone, and has no name"
        assert await ask(admin, "drain") == ["admin draining others 0"]
        assert not shutdown.asked.is_set()
        await shutdown.asked.wait()
        # Said once more, it changes nothing: the games keep their grace.
        assert await ask(admin, "drain") == ["admin draining others 0"]
        await trio.sleep(2 * DRAIN_AFTER)
        assert not shutdown.grace.cancel_called


# What is asked


async def test_how_much_there_is_to_do_is_told(autojump_clock, server, authenticator, monkeypatch):
    statistics = {"up": 30, "tasks": 17, "held": 2}
    monkeypatch.setattr("ulci_server.hall.hall.ProcessStatistics", lambda: lambda: statistics)
    async with server(authenticator=authenticator) as h:
        _, bob, admin = await game(h)
        bob.peer.cut("the line is lost")
        await trio.testing.wait_all_tasks_blocked()
        assert await ask(admin, "status") == [
            "admin status up 30 connections 2 players 3 games 1 watchers 0 tasks 17 held 2"
        ]


async def test_words_are_obeyed_in_the_order_in_which_they_are_said(
    autojump_clock, server, authenticator
):
    async with server(authenticator=authenticator) as h:
        ada, _, admin = await game(h)
        admin.say(*(Admin(("tell", "Ada_(guest)", f"n{number}")) for number in range(40)))
        admin.say(Admin(("dance",)), Admin(("games",)))
        await admin.hear_line("error admin-usage")
        await admin.hear_line("admin game 1")
        told = [await ada.hear_line("tell") for _ in range(40)]
        assert told == [f"tell Root n{number}" for number in range(40)]


async def test_words_that_wait_for_each_other_are_bounded(autojump_clock, server, authenticator):
    async with server(authenticator=authenticator) as h:
        admin = await root(h)
        session = h.hall.lobby.find("Root")
        session.admin_commands.extend([Admin(("who",))] * MAX_PENDING_COMMANDS)
        assert (await ask(admin, "who"))[0].startswith("error too-fast")


async def test_games_and_people_are_listed(autojump_clock, server, authenticator):
    async with server(authenticator=authenticator) as h:
        _, bob, admin = await game(h)
        admin.say(Watch(1))
        assert await ask(admin, "games") == [
            "admin game 1 playing white Ada_(guest) black Bob game chess time 60+1 ply 2 watchers 1"
        ]
        admin.say(Unwatch())
        bob.peer.cut("the line is lost")
        await trio.testing.wait_all_tasks_blocked()
        assert await ask(admin, "who") == [
            "admin player Ada_(guest) kind human account no from - line up",
            "admin player Bob kind human account no from - line down",
            "admin player Root kind human account yes from - line up",
        ]


async def test_who_and_what_is_meant_is_listed(autojump_clock, server, authenticator):
    async with server(authenticator=authenticator) as h:
        _, _, admin = await game(h)
        await h.person("Cy", host="192.0.2.7")
        for words, found in (
            ("who ada", ["Ada_(guest)"]),
            ("who 192.0.2", ["Cy"]),
            ("who nobody", []),
            ("games BOB", ["1"]),
            ("games 1", ["1"]),
            ("games 11", []),
        ):
            assert [line.split()[2] for line in await ask(admin, words)] == found


async def test_nobody_is_taken_for_whom_an_administrator_means(
    autojump_clock, server, authenticator
):
    async with server(authenticator=authenticator) as h:
        bill = await h.person("Bill")
        admin = await root(h)
        for words in ("kick BiIl rude", "tell Bi1l you are rude"):
            [refused] = await ask(admin, words)
            assert refused.endswith('here, but a similar "Bill"')
        assert bill.reports() == []
        assert await ask(admin, "tell BILL hello") == []
        await bill.hear_line("tell Root hello")


async def test_many_who_are_banned_go_in_steps(autojump_clock, server, authenticator, monkeypatch):
    at_once = []

    def start(hall, task, start=Hall.start):
        at_once.append(sum(not session.gone for session in hall.present))
        start(hall, task)

    monkeypatch.setattr(Hall, "start", start)
    async with server(authenticator=authenticator) as h:
        crowd = [await h.person(f"p{n}", host="192.0.2.7") for n in range(3 * KICKS_A_STEP + 1)]
        other = await h.person("Cy", host="198.51.100.1")
        admin = await root(h)
        at_once.clear()
        await ask(admin, "ban 192.0.2.0/24 1h war")
        for client in crowd:
            await client.hear_the_end()
            assert client.reports()[-1] == "you are banned here: war"
        here = [before - after for before, after in pairwise(at_once)]
        assert len(here) >= 3
        assert max(here) <= KICKS_A_STEP
        assert not other.reports()


# Games


async def test_an_aborted_game_has_no_result(autojump_clock, server, authenticator):
    async with server(authenticator=authenticator) as h:
        ada, _, admin = await game(h)
        assert await ask(admin, "abort 1 a broken engine") == []
        await ada.hear_line("game 1 over result * reason aborted")
        [end] = h.journal.kinds(GameFinished)
        assert end.detail == "Root aborted it: a broken engine"
        ruled = h.journal.kinds(Happened)[-1]
        assert (ruled.what, ruled.text) == (EventKind.RULED, end.detail)


@pytest.mark.parametrize(
    ("score", "winner"), [("1-0", Side.WHITE), ("0-1", Side.BLACK), ("1/2-1/2", None)]
)
async def test_a_game_is_adjudicated(autojump_clock, server, authenticator, score, winner):
    async with server(authenticator=authenticator) as h:
        _, bob, admin = await game(h)
        await ask(admin, f"adjudicate 1 {score} he left the hall")
        await bob.hear_line(f"game 1 over result {score} reason adjudication")
        [end] = h.journal.kinds(GameFinished)
        assert end.outcome == Outcome(winner, Reason.ADJUDICATION)
        assert end.detail == "Root adjudicated it: he left the hall"


async def test_moves_are_taken_back_and_no_more_than_there_are(
    autojump_clock, server, authenticator
):
    async with server(authenticator=authenticator) as h:
        ada, bob, admin = await game(h)
        assert await ask(admin, "takeback 1 1 touched by the cat") == ["admin game 1 takeback 1"]
        await bob.hear_line("game 1 takeback 1 ply 1")
        assert await bob.hear(Position) == Position(None, ("e2e4",))
        taken = h.journal.kinds(Happened)[-1]
        assert (taken.what, taken.amount, taken.side) == (EventKind.TAKEN_BACK, 1, None)
        assert taken.text == "Root took them back: touched by the cat"
        assert await ask(admin, "takeback 1 9 again") == ["admin game 1 takeback 1"]
        [refused] = await ask(admin, "takeback 1 1 again")
        assert refused.startswith("error no-takeback")
        await ada.move("d2d4")


async def test_time_is_given(autojump_clock, server, authenticator):
    async with server(authenticator=authenticator) as h:
        ada, bob, admin = await game(h)
        assert await ask(admin, "givetime 1 black 15 the light went out") == []
        await ada.hear_line("game 1 givetime 15000 to black from Root")
        given = h.journal.kinds(Happened)[-1]
        assert (given.what, given.side, given.amount) == (EventKind.TIME_GIVEN, Side.BLACK, 15_000)
        assert given.text == "Root: the light went out"
        ada.say(BestMove("g1f3"))
        assert (await bob.be_asked()).btime == 76_000


async def test_there_must_be_such_a_game(autojump_clock, server, authenticator):
    async with server(authenticator=authenticator) as h:
        admin = await root(h)
        for words in ("abort 7 x", "adjudicate 7 1-0 x", "takeback 7 1 x", "givetime 7 white 1 x"):
            [refused] = await ask(admin, words)
            assert refused.startswith("error no-such-game")


async def test_a_game_that_is_over_is_not_ended_again(autojump_clock, server, authenticator):
    async with server(authenticator=authenticator) as h:
        *_, admin = await game(h)
        h.journal.hold()
        await ask(admin, "adjudicate 1 1-0 first")
        [refused] = await ask(admin, "abort 1 second")
        assert refused.startswith("error no-such-game")
        h.journal.release()
        [end] = h.journal.kinds(GameFinished)
        assert end.outcome.winner is Side.WHITE


# People


async def test_who_is_sent_away_is_told_by_whom_and_why_and_so_is_the_record(
    autojump_clock, server, authenticator
):
    async with server(authenticator=authenticator) as h:
        ada, bob, admin = await game(h)
        assert await ask(admin, "kick bob swearing") == []
        await bob.hear_the_end()
        assert bob.reports()[-1] == "you were kicked by Root: swearing"
        await ada.hear_line("game 1 opponent away")
        [report] = h.journal.kinds(Reported)
        assert (report.side, report.text) == (Side.BLACK, "you were kicked by Root: swearing")
        sent, away = h.journal.kinds(Happened)
        assert (sent.what, sent.side, sent.text) == (EventKind.KICKED, Side.BLACK, "Root: swearing")
        assert away.what is EventKind.AWAY
        [refused] = await ask(admin, "kick bob again")
        assert refused.startswith("error no-such-player")
        again = await h.back("Bob", bob.secret)  # sent away is not banned
        await again.get_ready()
        await ada.hear_line("game 1 opponent back")


@pytest.mark.parametrize("who", ["Bob", "192.0.2.7", "192.0.2.0/24"])
async def test_who_is_banned_is_cut_off_and_does_not_come_back(
    autojump_clock, server, authenticator, who
):
    async with server(authenticator=authenticator) as h:
        bob = await h.person("Bob", host="192.0.2.7")
        cy = await h.person("Cy", host="198.51.100.1")
        admin = await root(h)
        assert await ask(admin, f"ban {who} 1h swearing") == [
            f"admin banned {who} until 2026-11-20 13:00 UTC"
        ]
        await bob.hear_the_end()
        assert bob.reports()[-1] == "you are banned here: swearing"
        again = h.connect("192.0.2.7")
        await again.introduce(Id("username", "Bob"), Id("feature", "lobby"))
        await again.hear_the_end()
        assert "you are banned here until" in again.reports()[-1]
        assert await ask(admin, f"unban {who}") == []
        await h.person("Bob", host="192.0.2.7")
        [refused] = await ask(admin, f"unban {who}")
        assert refused.startswith("error no-such-ban")
        cy.say(Admin(("x",)))
        await cy.hear_line("error not-allowed")


async def test_everybody_is_banned_only_by_who_means_it(autojump_clock, server, authenticator):
    async with server(authenticator=authenticator) as h:
        bob = await h.person("Bob", host="192.0.2.7")
        admin = await h.person("", Id("token", "root-token"), host="198.51.100.1")
        for who, why in (
            ("0.0.0.0/0", "0.0.0.0/0 is every IPv4 address"),
            ("198.51.100.1", "your own address 198.51.100.1 is in 198.51.100.1/32"),
            ("127.0.0.1", "127.0.0.1/32 contains addresses of 127.0.0.0/8"),
        ):
            [refused] = await ask(admin, f"ban {who} 1h swearing")
            assert refused.startswith(f"error too-wide {why}")
            assert refused.endswith(f"; to ban it all the same: admin banwide {who} …")
        assert await ask(admin, "ban 0.0.0.0/0_(guest) 1h swearing") != []
        assert not bob.reports()
        [said] = await ask(admin, "banwide 192.0.0.0/7 1h swearing")
        assert said == "admin banned 192.0.0.0/7 until 2026-11-20 13:00 UTC"
        await bob.hear_the_end()


@pytest.mark.parametrize("gone", [False, True], ids=["here", "line lost"])
async def test_nobody_waits_for_an_opponent_who_is_banned(
    autojump_clock, server, authenticator, gone
):
    async with server(authenticator=authenticator) as h:
        ada, bob, admin = await game(h)
        if gone:
            bob.peer.cut("the line is lost")
            await ada.hear_line("game 1 opponent away")
        assert await ask(admin, "ban bob 1h cheating") == [
            "admin banned bob until 2026-11-20 13:00 UTC"
        ]
        await ada.hear_line("game 1 over result 1-0 reason disconnect")
        [end] = h.journal.kinds(GameFinished)
        assert end.detail == "Black (Bob) left: banned by Root: cheating"


async def administering(h, token: str = "root-token"):
    """As ``ulci-server admin`` does it."""
    client = h.connect()
    await client.introduce(Id("username", "root"), Id("feature", "lobby admin"), Id("token", token))
    return client


async def test_who_only_administers_takes_no_seat_not_even_its_own(
    autojump_clock, server, authenticator
):
    async with server(authenticator=authenticator) as h:
        boss, bob = await h.person("", Id("token", "root-token")), await h.person("Bob")
        for client, color in ((boss, "white"), (bob, "black")):
            client.say(Seek(Terms(color=color)))
        for client in (boss, bob):
            await client.get_ready()
        await boss.be_asked()
        boss.peer.cut("the line is lost")
        await bob.hear_line("game 1 opponent away")
        command = await administering(h)
        assert await ask(command, "games") != []
        assert [line.split()[2] for line in await ask(command, "who")] == ["Root", "Bob"]
        command.say(Seek())
        await command.hear_line("error not-allowed")
        command.say(Quit())
        await trio.testing.wait_all_tasks_blocked()
        assert h.journal.kinds(GameFinished) == []
        assert not any("back" in str(said) for said in bob.heard)
        again = await h.back("Root", boss.secret)
        await again.get_ready()
        await again.be_asked()


async def test_who_may_not_administer_is_told_so_at_once(autojump_clock, server, authenticator):
    async with server(authenticator=authenticator) as h:
        client = await administering(h, "ada-token")
        await client.hear_the_end()
        assert client.reports() == ["your token is not an administrator's"]


async def test_a_token_that_was_revoked_is_none_also_for_who_is_here(
    autojump_clock, server, accounts, authenticator
):
    async with server(authenticator=authenticator) as h:
        admin = await root(h)
        assert await ask(admin, "who") != []
        accounts.revoke_all(accounts.find_player("Root").id)
        [refused] = await ask(admin, "games")
        assert refused.startswith("error not-allowed")


async def test_a_game_can_be_aborted_while_the_database_does_not_answer(
    autojump_clock, server, accounts, authenticator, monkeypatch
):
    def refuse(*_: object, **__: object) -> None:
        raise StorageError("the disk is full")

    async with server(authenticator=authenticator) as h:
        ada, _, admin = await game(h)
        monkeypatch.setattr(accounts, "find_token", refuse)
        assert await ask(admin, "abort 1 the hall burns") == []
        await ada.hear_line("game 1 over")


async def test_a_message_reaches_one_or_all(autojump_clock, server, authenticator):
    async with server(authenticator=authenticator) as h:
        ada, bob, admin = await game(h)
        await ask(admin, "tell bob be polite")
        await bob.hear_line("tell Root be polite")
        await ask(admin, "tell all the server ends at noon")
        for client in (ada, bob):
            await client.hear_line("tell Root the server ends at noon")
        assert not any("polite" in str(message) for message in ada.heard)
        [refused] = await ask(admin, "tell nobody hello")
        assert refused.startswith("error no-such-player")


async def test_a_database_that_refuses_is_an_answer(
    autojump_clock, server, accounts, authenticator, monkeypatch
):
    def refuse(*_: object, **__: object) -> None:
        raise StorageError("the disk is full")

    async with server(authenticator=authenticator) as h:
        admin = await root(h)
        monkeypatch.setattr(accounts, "add_ban", refuse)
        [refused] = await ask(admin, "ban Bob forever swearing")
        assert refused == "error database the database failed: the disk is full"


async def test_every_word_is_in_the_log(autojump_clock, server, authenticator, capsys):
    async with server(authenticator=authenticator) as h:
        await ask(await root(h), "kick nobody swearing")
    assert "kick nobody swearing" in capsys.readouterr().out
