"""Which tables stand, who takes which seat at them, and how they are left."""

import trio
import trio.testing

from tests.ulci_server.hall.login.test_registry import with_accounts
from ulci.protocol.messages import (
    BestMove,
    Go,
    Id,
    IsReady,
    Option,
    OptionType,
    Position,
    Quit,
    ReadyOk,
    Seek,
    SetOption,
    Terms,
)
from ulci.rules import Reason, Side
from ulci_server.game import GameFinished, GameStarted, MovePlayed

# Seats


async def test_the_record_knows_the_seats_by_account_handle_and_key(
    autojump_clock, server, authenticator
):
    async with server(authenticator=authenticator) as h:
        ada, _ = await with_accounts(h)
        [begun] = h.journal.kinds(GameStarted)
        white, black = begun.seats
        assert (white.name, white.handle, black.name) == ("Ada", "Ada", "Root")
        assert white.account != black.account
        assert ada.secret not in str(begun)
        assert len(white.key) == 64


# Coming back


async def test_who_is_back_hears_nothing_twice(autojump_clock, server):
    async with server() as h:
        ada, bob = await h.people()
        await ada.be_asked()
        bob.peer.cut("the line is lost")
        await ada.hear_line("game 1 opponent away")
        again = await h.back("Bob", bob.secret)
        await again.hear(IsReady)
        ada.say(BestMove("e2e4"))  # before Bob has answered
        await trio.testing.wait_all_tasks_blocked()
        again.say(ReadyOk())
        await again.be_asked()
        assert [type(m) for m in again.heard].count(Go) == 1
        assert [m for m in again.heard if isinstance(m, Position)] == [Position(None, ("e2e4",))]


async def test_who_comes_back_before_the_first_move_is_prepared_anew(autojump_clock, server):
    option = Option("UCI_Opponent", OptionType.STRING, "")
    async with server() as h:
        ada = await h.person("Ada")
        bob = await h.person("Bob")
        for person, color in ((ada, "white"), (bob, "black")):
            person.say(Seek(Terms(color=color)))
            await trio.testing.wait_all_tasks_blocked()
        await ada.get_ready()
        bob.peer.cut("the line is lost")
        again = await h.person("Bob", Id("resume", bob.secret), option)
        await again.get_ready()
        assert await again.hear(SetOption) == SetOption("UCI_Opponent", "none none human Ada")
        await again.get_ready()
        await ada.be_asked()


async def test_a_newer_line_may_be_lost_as_well_before_it_was_ready(autojump_clock, server):
    async with server() as h:
        ada, bob = await h.people()
        await ada.move("e2e4")
        await bob.move("e7e5")
        await ada.be_asked()
        bob.peer.cut("the line is lost")
        await ada.hear_line("game 1 opponent away claim-in 20000")
        await trio.sleep(15)
        again = await h.back("Bob", bob.secret)
        await again.hear(IsReady)
        again.peer.cut("and lost again")
        await ada.hear_line("game 1 opponent away claim-in 20000")
        await trio.sleep(15)
        last = await h.back("Bob", bob.secret)
        await last.get_ready()
        await ada.hear_line("game 1 opponent back")
        ada.say(BestMove("g1f3"))
        await last.be_asked()


async def test_the_secret_is_good_again_and_again(autojump_clock, server):
    async with server() as h:
        ada, _ = await h.people()
        await ada.be_asked()
        for _ in range(3):
            ada.peer.cut("the line is lost")
            secret = ada.secret
            ada = await h.back("Ada", secret)
            assert ada.secret == secret
            await ada.get_ready()
            await ada.be_asked()
        ada.say(BestMove("e2e4"))
        await trio.testing.wait_all_tasks_blocked()
        assert len(h.journal.kinds(MovePlayed)) == 1


async def test_who_waits_in_the_lobby_is_the_same_on_a_new_line(autojump_clock, server):
    async with server() as h:
        ada = await h.person("Ada")
        ada.say(Seek(Terms(color="white")))
        await ada.hear_line("seek")
        again = await h.back("Ada", ada.secret)
        await ada.hear_the_end()
        bob = await h.person("Bob")
        bob.say(Seek(Terms(color="black")))
        await again.hear_line("game 1 start white Ada black Bob")


async def test_a_secret_is_worth_nothing_when_its_owner_has_left(autojump_clock, server):
    async with server() as h:
        ada = await h.person("Ada")
        ada.say(Quit())
        await ada.hear_the_end()
        again = await h.back("Ada", ada.secret)
        assert again.secret != ada.secret


# Closing


async def test_a_person_who_quits_in_mid_game_has_left_it(autojump_clock, server):
    async with server() as h:
        ada, bob = await h.people()
        await ada.move("e2e4")
        await bob.move("e7e5")
        await ada.be_asked()
        bob.say(Quit())
        await ada.hear_line("game 1 over result 1-0 reason disconnect")
        [end] = h.journal.kinds(GameFinished)
        assert (end.outcome.winner, end.outcome.reason) == (Side.WHITE, Reason.DISCONNECT)
