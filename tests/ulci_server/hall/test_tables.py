"""Which tables stand, who takes which seat at them, and how they are left."""

from functools import partial

import pytest
import trio
import trio.testing

from ulci.protocol.messages import (
    BestMove,
    Go,
    Id,
    IsReady,
    NewGame,
    Option,
    OptionType,
    Position,
    Quit,
    ReadyOk,
    Resign,
    Seek,
    SetOption,
    Terms,
)
from ulci.rules.outcome import Reason, Side
from ulci_server.game import GameFinished, GameStarted, Happened, MovePlayed, What
from ulci_server.hall.hall import PROOF

ADA = Id("token", "ada-token")
ROOT = Id("token", "root-token")
FISH = Id("token", "fish-token")


async def with_accounts(h):
    """Ada and Root at a table, both ready."""
    ada, root = await h.person("", ADA), await h.person("", ROOT)
    for person, color in ((ada, "white"), (root, "black")):
        person.say(Seek(Terms(color=color)))
        await trio.testing.wait_all_tasks_blocked()
    await ada.get_ready()
    await root.get_ready()
    return ada, root


def welcome(client) -> str:
    return next(" ".join(m.words) for m in client.heard if "welcome" in getattr(m, "words", ()))


# Seats


async def test_the_record_knows_the_seats_by_account_handle_and_key(autojump_clock, house, door):
    async with house(door=door) as h:
        ada, _ = await with_accounts(h)
        [begun] = h.journal.kinds(GameStarted)
        white, black = begun.seats
        assert (white.name, white.handle, black.name) == ("Ada", "Ada", "Root")
        assert white.account != black.account
        assert ada.secret not in str(begun)
        assert len(white.key) == 64


async def test_a_second_login_does_not_take_the_game_of_a_line_that_answers(
    autojump_clock, house, door
):
    async with house(door=door) as h:
        ada, root = await with_accounts(h)
        await ada.be_asked()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ada.get_ready)  # the proof that it is there
            second = await h.person("", ADA)
        assert "name Ada-2 account yes" in welcome(second)
        ada.say(BestMove("e2e4"))
        await root.be_asked()


async def test_a_second_login_takes_the_game_of_a_line_that_does_not_answer(
    autojump_clock, house, door
):
    async with house(door=door) as h:
        ada, root = await with_accounts(h)
        await ada.be_asked()
        began = trio.current_time()
        second = await h.person("", ADA)
        assert trio.current_time() == began + PROOF
        assert "name Ada account yes" in welcome(second)
        await ada.hear_the_end()
        assert ada.reports()[-1] == "you came back on another connection"
        await second.get_ready()
        await second.move("e2e4")
        await root.be_asked()
        assert h.journal.kinds(GameFinished) == []


async def test_a_second_login_takes_the_game_of_a_line_that_is_lost_at_once(
    autojump_clock, house, door
):
    async with house(door=door) as h:
        ada, root = await with_accounts(h)
        await ada.be_asked()
        ada.peer.cut("the line is lost")
        await root.hear_line("game 1 opponent away")
        began = trio.current_time()
        second = await h.person("", ADA)
        assert trio.current_time() == began
        await second.get_ready()
        await root.hear_line("game 1 opponent back")
        await second.be_asked()


async def test_the_secret_of_a_line_that_was_replaced_takes_nothing_back(
    autojump_clock, house, door
):
    async with house(door=door) as h:
        ada, root = await with_accounts(h)
        await ada.be_asked()
        second = await h.person("", ADA)  # the first does not answer in time
        await second.get_ready()
        await second.be_asked()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(second.get_ready)
            first_again = await h.person("", ADA, Id("resume", ada.secret))
        assert "name Ada-2" in welcome(first_again)
        second.say(BestMove("e2e4"))
        await root.be_asked()
        second.peer.cut("the line is lost")
        await root.hear_line("game 1 opponent away")


async def test_nobody_takes_a_game_with_the_token_of_somebody_else(autojump_clock, house, door):
    async with house(door=door) as h:
        ada, root = await with_accounts(h)
        await ada.be_asked()
        ada.peer.cut("the line is lost")
        await root.hear_line("game 1 opponent away")
        second = await h.person("Ada")
        assert "name Ada_(guest) account no" in welcome(second)
        assert h.hall.tables[1].seats[0].gone


async def test_the_old_line_ends_while_it_is_asked_whether_it_lives(autojump_clock, house, door):
    async with house(door=door) as h:
        ada, root = await with_accounts(h)
        await ada.be_asked()
        second = h.connect()
        await second.introduce(Id("feature", "lobby"), Id("username", "x"), ADA)
        await ada.hear(IsReady)
        ada.peer.cut("the line is lost")
        await second.hear_line("welcome name Ada account yes")
        await second.get_ready()
        await root.hear_line("game 1 opponent back")


async def test_the_game_ends_while_the_old_line_is_asked_whether_it_lives(
    autojump_clock, house, door
):
    async with house(door=door) as h:
        ada, root = await with_accounts(h)
        await ada.be_asked()
        second = h.connect()
        await second.introduce(Id("feature", "lobby"), Id("username", "x"), ADA)
        await ada.hear(IsReady)
        root.say(Resign())
        await ada.hear_line("game 1 over")
        await second.hear_line("welcome name Ada-2 account yes")


async def test_two_second_logins_take_one_game_once(autojump_clock, house, door):
    async with house(door=door) as h:
        ada, _ = await with_accounts(h)
        await ada.be_asked()
        clients = [h.connect() for _ in range(2)]
        for client in clients:
            await client.introduce(Id("feature", "lobby"), Id("username", "x"), ADA)
        names = sorted([(await client.hear_line("welcome")).split()[2] for client in clients])
        assert names == ["Ada", "Ada-2"]


async def test_an_engine_account_plays_on_as_many_connections_as_it_has(
    autojump_clock, house, door
):
    async with house(door=door) as h:
        first = await h.engine("x", FISH)
        second = await h.engine("x", FISH)
        assert sorted(s.handle for s in h.hall.present) == ["Fish", "Fish-2"]
        others = [await h.engine("Other"), await h.engine("Another")]
        for client in (first, second, *others):
            await client.hear(NewGame)
        assert len(h.hall.tables) == 2
        third = await h.engine("x", FISH)
        await trio.testing.wait_all_tasks_blocked()
        assert not third.heard[1:]
        assert not any(s.gone for s in h.hall.present)


async def test_an_engine_account_whose_line_is_lost_comes_back_to_its_game(
    autojump_clock, house, door
):
    async with house(door=door) as h:
        fish = await h.engine("x", FISH)
        other = await h.engine("Other")
        await fish.get_ready()
        await other.get_ready()
        await fish.move("e2e4")
        await other.move("e7e5")
        await fish.be_asked()
        fish.peer.cut("the line is lost")
        await trio.testing.wait_all_tasks_blocked()
        assert h.journal.kinds(Happened)[-1].what is What.AWAY
        again = await h.engine("x", FISH)
        await again.get_ready()
        await again.be_asked()
        assert Position(None, ("e2e4", "e7e5")) in again.heard
        again.say(BestMove("g1f3"))
        await other.be_asked()
        assert len(h.journal.kinds(MovePlayed)) == 3


# Coming back


async def test_who_is_back_hears_nothing_twice(autojump_clock, house):
    async with house() as h:
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


async def test_who_comes_back_before_the_first_move_is_prepared_anew(autojump_clock, house):
    option = Option("UCI_Opponent", OptionType.STRING, "")
    async with house() as h:
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


async def test_a_newer_line_may_be_lost_as_well_before_it_was_ready(autojump_clock, house):
    async with house() as h:
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


async def test_the_secret_is_good_again_and_again(autojump_clock, house):
    async with house() as h:
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


async def test_who_waits_in_the_lobby_is_the_same_on_a_new_line(autojump_clock, house):
    async with house() as h:
        ada = await h.person("Ada")
        ada.say(Seek(Terms(color="white")))
        await ada.hear_line("seek")
        again = await h.back("Ada", ada.secret)
        await ada.hear_the_end()
        bob = await h.person("Bob")
        bob.say(Seek(Terms(color="black")))
        await again.hear_line("game 1 start white Ada black Bob")


async def test_a_secret_is_worth_nothing_when_its_owner_has_left(autojump_clock, house):
    async with house() as h:
        ada = await h.person("Ada")
        ada.say(Quit())
        await ada.hear_the_end()
        again = await h.back("Ada", ada.secret)
        assert again.secret != ada.secret


# Closing


async def test_a_person_who_quits_in_mid_game_has_left_it(autojump_clock, house):
    async with house() as h:
        ada, bob = await h.people()
        await ada.move("e2e4")
        await bob.move("e7e5")
        await ada.be_asked()
        bob.say(Quit())
        await ada.hear_line("game 1 over result 1-0 reason disconnect")
        [end] = h.journal.kinds(GameFinished)
        assert (end.outcome.winner, end.outcome.reason) == (Side.WHITE, Reason.DISCONNECT)


async def test_a_paused_game_is_at_no_table_and_its_players_are_not_sent_away(
    autojump_clock, house
):
    async with house() as h:
        ada, bob = await h.people()
        await ada.be_asked()
        idle = await h.person("Cy")
        assert await h.hall.drain(trio.CancelScope(), 0, "shutting down", keeps=True) == 1
        async with trio.open_nursery() as nursery:
            nursery.start_soon(h.hall.farewell, 2)
            await idle.hear(Quit)
        assert h.hall.tables == {}
        for client in (ada, bob):
            await client.hear_line("game 1 paused")
            assert not any(isinstance(message, Quit) for message in client.heard)


@pytest.mark.parametrize("when", ["now", "before the first move"])
async def test_what_was_paused_goes_on(autojump_clock, house, when):
    async with house() as h:
        ada, bob = await h.people()
        await ada.be_asked()
        if when == "now":
            ada.say(BestMove("e2e4"))
            await bob.be_asked()
            await trio.sleep(4)
        await h.hall.drain(trio.CancelScope(), 0, "shutting down", keeps=True)
        later = await h.resumed()
        ada, bob = await later.back("Ada", ada.secret), await later.back("Bob", bob.secret)
        await ada.get_ready()
        await bob.get_ready()
        if when == "now":
            assert (await bob.be_asked()).btime == 56_000
        else:
            assert (await ada.be_asked()).wtime == 60_000


async def test_a_newcomer_is_greeted_while_running_games_have_their_time_but_gets_none(
    autojump_clock, house
):
    async with house() as h, trio.open_nursery() as nursery:
        await h.people()
        scope = trio.CancelScope()
        nursery.start_soon(partial(h.hall.drain, scope, 30, "shutting down", keeps=True))
        cy = await h.person("Cy")
        cy.say(Seek())
        await cy.hear_line("error closed")
        scope.cancel()


async def test_a_newcomer_is_sent_away_when_the_games_are_paused(autojump_clock, house):
    async with house() as h:
        ada, _ = await h.people()
        await ada.be_asked()
        await h.hall.drain(trio.CancelScope(), 0, "shutting down", keeps=True)
        again = h.connect()
        await again.introduce(
            Id("username", "Ada"), Id("feature", "lobby"), Id("resume", ada.secret)
        )
        await again.hear_the_end()
        assert again.reports()[-1].endswith("retry-after 5")
