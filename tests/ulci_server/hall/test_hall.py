"""The hall: coming, going, coming back, and the whole house at once."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
import trio
import trio.testing

from tests.support.clients import Client
from ulci.protocol.messages import (
    Accept,
    Admin,
    BestMove,
    Blame,
    Challenge,
    Claim,
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
from ulci.rules import GAMES
from ulci.rules.outcome import Outcome, Reason, Side
from ulci_server.game import Controls, GameFinished, MovePlayed
from ulci_server.hall import Door
from ulci_server.hall.door import BannedError
from ulci_server.lobby import Pool
from ulci_server.storage import StorageError


async def test_two_engines_play_game_after_game_with_colours_changed(autojump_clock, house):
    async with house() as h:
        players = dict(zip("AB", await h.engines(), strict=True))
        for white, black in ("AB", "BA", "AB"):
            await players[white].move("e2e5")  # illegal: the quickest way to the next game
            for name in (white, black):
                await players[name].get_ready()  # the barrier after the game
            for name in (white, black):
                await players[name].get_ready()  # and the next one's
        assert [end.outcome.score for end in h.journal.kinds(GameFinished)] == ["0-1"] * 3


async def test_a_lost_line_is_away_and_comes_back_with_its_secret(autojump_clock, house):
    async with house() as h:
        ada, bob = await h.people()
        await ada.move("e2e4")
        await bob.be_asked()
        bob.peer.cut("the line is lost")
        assert "away" in await ada.hear_line("game 1 opponent")
        await trio.sleep(20)
        again = h.connect()
        await again.introduce(
            Id("username", "Bob"), Id("feature", "lobby"), Id("resume", bob.secret)
        )
        await again.hear_line("welcome name Bob")
        await again.get_ready()
        go = await again.be_asked()
        assert Position(None, ("e2e4",)) in again.heard
        assert go.btime == 40_000
        again.say(BestMove("e7e5"))
        await ada.be_asked()
        assert [m.move for m in h.journal.kinds(MovePlayed)] == ["e2e4", "e7e5"]


async def test_the_secret_takes_the_seat_from_a_line_that_only_seems_to_live(autojump_clock, house):
    async with house() as h:
        ada, bob = await h.people()
        await ada.be_asked()
        again = h.connect()
        await again.introduce(
            Id("username", "Ada"), Id("feature", "lobby"), Id("resume", ada.secret)
        )
        await again.get_ready()
        await again.move("e2e4")
        await bob.be_asked()
        await ada.hear_the_end()
        assert [m.move for m in h.journal.kinds(MovePlayed)] == ["e2e4"]


async def test_a_wrong_secret_is_just_another_guest(autojump_clock, house):
    async with house() as h:
        await h.person("Ada")
        again = h.connect()
        await again.introduce(Id("username", "Ada"), Id("feature", "lobby"), Id("resume", "guess"))
        assert "Ada-2" in await again.hear_line("welcome")


LOBBY = Id("feature", "lobby")


class KnowingDoor(Door):
    """Everybody has an account and is an administrator, until it is looked at again."""

    def __init__(self) -> None:
        super().__init__(now=lambda: datetime.now(UTC))
        self.banned = self.believes = False

    async def let_in(self, said, host):
        return replace(said, account=sum(map(ord, said.name)), admin=True)

    async def look_again(self, said, host):
        return self.believes

    def check_bans(self, host, *names):
        if self.banned:
            raise BannedError("you are banned here: cheating")


async def back_by_secret(h, secret: str, *said: Id) -> Client:
    again = h.connect()
    seat = (Id("username", "x"), Id("feature", "lobby"), Id("resume", secret))
    await again.introduce(*seat, *said)
    await trio.testing.wait_all_tasks_blocked()
    return again


@pytest.mark.parametrize(("believes", "answer"), [(False, "error not-allowed"), (True, "admin")])
async def test_a_secret_does_not_make_an_administrator(autojump_clock, house, believes, answer):
    door = KnowingDoor()
    async with house(door=door) as h:
        ada = await h.person("Ada")
        ada.say(Admin(("games",)))
        await ada.hear_line("admin done")
        door.believes = believes
        again = await back_by_secret(h, ada.secret, Id("token", "of mine"))
        await again.hear_line("welcome")
        again.say(Admin(("games",)))
        await again.hear_line(answer)


async def test_who_is_banned_does_not_come_back_to_the_game(autojump_clock, house):
    door = KnowingDoor()
    async with house(door=door) as h:
        ada, bob = await h.people()
        await ada.be_asked()
        door.banned = True
        ada.peer.cut("sent away")
        await bob.hear_line("game 1 opponent away")
        again = await back_by_secret(h, ada.secret)
        with pytest.raises(AssertionError):
            await again.be_asked()
        assert any("banned" in report for report in again.reports())


async def test_an_old_secret_leads_nowhere_once_the_account_has_taken_its_seat(
    autojump_clock, house
):
    async with house(door=KnowingDoor()) as h:
        ada, bob = await h.people()
        await ada.be_asked()
        ada.peer.cut("the line is lost")
        await bob.hear_line("game 1 opponent away")
        newer = await h.person("Ada")  # by the account
        await newer.get_ready()
        older = await back_by_secret(h, ada.secret)
        await newer.move("e2e4")
        await bob.be_asked()
        newer.peer.cut("the line is lost")
        await bob.hear_line("game 1 opponent away")
        assert not any(isinstance(said, Position) for said in older.heard)


async def fishes(h) -> tuple[Client, Client]:
    """Fish, an engine with an account, and Bob: in a game, and Fish was asked."""
    fish = h.connect()
    await fish.introduce(*FISH)
    fish.secret = (await fish.hear_line("welcome")).split()[-1]
    fish.say(Seek(Terms(color="white")))
    bob = await h.person("Bob")
    bob.say(Seek(Terms(color="black")))
    await fish.get_ready()
    await bob.get_ready()
    await fish.be_asked()
    return fish, bob


FISH = (Id("name", "Fish"), LOBBY, Id("token", "fish-token"))


async def test_an_engine_that_has_another_secret_does_not_take_the_seat(
    autojump_clock, house, door
):
    async with house(door=door) as h:
        fish, bob = await fishes(h)
        fish.peer.cut("the line is lost")
        await bob.hear_line("game 1 opponent away")
        other = h.connect()
        await other.introduce(*FISH, Id("resume", "of another line"))
        assert "name Fish-2 " in await other.hear_line("welcome")
        again = h.connect()
        await again.introduce(*FISH, Id("resume", fish.secret))
        await again.get_ready()
        await again.move("e2e4")
        await bob.be_asked()


async def test_whose_engine_still_thinks_takes_the_seat_back_from_whom_only_the_token_brought(
    autojump_clock, house, door
):
    async with house(door=door) as h:
        fish, bob = await fishes(h)
        fish.peer.cut("the line is lost")
        await bob.hear_line("game 1 opponent away")
        fresh = h.connect()
        await fresh.introduce(*FISH)
        await fresh.get_ready()
        await fresh.be_asked()
        again = h.connect()
        await again.introduce(*FISH, Id("resume", fish.secret))
        await fresh.hear_the_end()
        await again.get_ready()
        await again.move("e2e4")
        await bob.be_asked()


async def test_a_token_brings_back_also_while_the_database_does_not_answer(
    autojump_clock, house, accounts, door, monkeypatch
):
    def refuse(*_: object, **__: object) -> None:
        raise StorageError("the disk is full")

    async with house(door=door) as h:
        fish, bob = await fishes(h)
        fish.peer.cut("the line is lost")
        await bob.hear_line("game 1 opponent away")
        monkeypatch.setattr(accounts, "find_token", refuse)
        again = h.connect()
        await again.introduce(*FISH)
        await again.get_ready()
        await again.move("e2e4")
        await bob.be_asked()
        stranger = h.connect()
        await stranger.introduce(Id("name", "Fish"), LOBBY, Id("token", "guess"))
        [report] = [s for s in await stranger.hear_the_end() if isinstance(s, Report)]
        assert (report.blame, report.text) == (
            Blame.SERVER,
            "accounts cannot be looked up just now; try again, retry-after 10",
        )


async def test_nobody_comes_back_with_a_program_that_cannot_play_the_game(autojump_clock, house):
    liberty = Pool("liberty", GAMES["liberty"], Controls.parse("60+1"), GAMES["liberty"].starts)
    pieces = Id("pieces", "pnbrqkacehiluwxz")
    async with house(liberty) as h:
        players = [await h.engine(name, Id("version", "1"), pieces, LOBBY) for name in "AB"]
        secrets = [(await each.hear_line("welcome")).split()[-1] for each in players]
        for each in players:
            each.say(Seek(Terms()))
            await trio.testing.wait_all_tasks_blocked()
        for each in players:
            await each.get_ready()
        await players[0].be_asked()
        players[0].peer.cut("the line is lost")
        await players[1].hear_line("game 1 opponent away")
        for again in (Id("name", "A"), pieces):
            client = h.connect()
            await client.introduce(again, Id("version", "1"), Id("resume", secrets[0]))
            if again is pieces:
                await client.get_ready()
                await client.be_asked()
            else:
                await client.hear_the_end()
                assert any("does not know the pieces" in text for text in client.reports())


async def test_words_without_end_are_answered_with_when_to_go_on(autojump_clock, house):
    async with house() as h:
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


async def test_an_introduction_without_end_is_cut_short(autojump_clock, house):
    async with house() as h:
        client = h.connect()
        await client.introduce(*[Option("o", OptionType.CHECK)] * 2000, *[Id("name", "x")] * 2000)
        await client.hear_the_end()
        assert any("uciok" in report for report in client.reports())


@pytest.mark.parametrize(("claimed", "winner"), [("win", Side.WHITE), ("draw", None)])
async def test_a_person_may_claim_the_game_of_an_opponent_who_does_not_come_back_in_time(
    autojump_clock, house, claimed, winner
):
    async with house() as h:
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
    autojump_clock, house
):
    async with house() as h:
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


async def test_a_client_that_cannot_come_back_has_lost_at_once(autojump_clock, house):
    async with house() as h:
        white, black = await h.engines()
        await white.move("e2e4")
        await black.move("e7e5")
        await white.be_asked()
        began = trio.current_time()
        black.peer.cut("gone")
        await trio.testing.wait_all_tasks_blocked()
        [end] = h.journal.kinds(GameFinished)
        assert (end.outcome.score, trio.current_time()) == ("1-0", began)


async def test_people_talk_offer_and_agree(autojump_clock, house):
    async with house() as h:
        ada, bob = await h.people()
        await ada.be_asked()
        bob.say(Say("good luck"))
        assert await ada.hear_line("say") == "say Bob good luck"
        bob.say(Draw())
        await ada.hear_line("game 1 offer draw from Bob")
        ada.say(Draw())
        await bob.hear_line("game 1 over result 1/2-1/2 reason agreement")


async def test_nobody_hears_who_talks_alone(autojump_clock, house):
    async with house() as h:
        ada = await h.person("Ada")
        ada.say(Say("hello?"))
        await ada.hear_line("error not-heard")


async def test_games_and_who_are_listed(autojump_clock, house):
    async with house() as h:
        ada, _ = await h.people()
        ada.say(Games(), Who())
        assert await ada.hear_line("games") == "games 1"
        line = await ada.hear_line("game 1 playing")
        assert line == "game 1 playing white Ada black Bob game chess time 60+1 ply 0"
        assert await ada.hear_line("who") == "who 2"


async def test_two_of_one_name_are_told_apart_by_what_each_was_welcomed_as(autojump_clock, house):
    async with house() as h:
        ada, other = await h.person("Ada"), await h.person("Ada")
        ada.say(Challenge("Ada-2", Terms(color="white")))
        await other.hear_line("challenge 1 player Ada ")
        other.say(Accept(1))
        assert "white Ada black Ada-2 " in await other.hear_line("game 1 start")
        other.say(Games())
        assert "white Ada black Ada-2 " in await other.hear_line("game 1 playing")


async def test_trouble_with_the_database_is_told_and_new_games_wait(autojump_clock, house):
    async with house() as h:
        ada, _bob = await h.people()
        await ada.be_asked()
        h.hall.trouble("the disk is full")
        carl = await h.person("Carl")
        carl.say(Seek())
        await carl.hear_line("error closed")
        await ada.hear(Report)
        assert "the database of this server does not answer" in ada.reports()[-1]
        assert not any("disk" in str(said) for said in (*ada.heard, *carl.heard))
        h.hall.trouble(None)
        carl.say(Seek())
        await carl.hear_line("seek")


async def test_whoever_lost_a_game_to_an_absent_opponent_goes_first(autojump_clock, house):
    async with house() as h:
        await h.engine("A")
        ready = await h.engine("B")
        await ready.get_ready()
        await trio.sleep(31)
        await ready.get_ready()
        later = await h.engine("C")
        await later.hear(NewGame)
        await ready.hear(NewGame)


async def test_a_game_on_a_lost_line_of_both_is_decided_by_the_clock(autojump_clock, house):
    async with house() as h:
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
async def test_a_disconnection_in_any_phase_leaves_the_hall_as_it_was(autojump_clock, house, phase):
    async with house() as h:
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


async def test_who_is_never_ready_keeps_the_other_from_nobody(autojump_clock, house):
    async with house() as h:
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


async def test_who_cannot_play_what_is_played_here_is_told_so_and_let_go(autojump_clock, house):
    pool = Pool("atomic", GAMES["atomic"], Controls.parse("60"), (None,))
    async with house(pool) as h:
        client = await h.engine("Plain")
        await client.hear_the_end()
        [report] = client.reports()
        assert "Plain does not offer the option UCI_Variant" in report


async def test_two_whose_programs_have_nothing_in_common_are_told_while_they_wait(
    autojump_clock, house
):
    starts = ("4k3/8/8/8/8/8/8/C3K3 w - - 0 1", "4k3/8/8/8/8/8/8/A3K3 w - - 0 1")
    pool = Pool("mixed", GAMES["liberty"], Controls.parse("60"), starts)
    async with house(pool) as h:
        one = await h.engine("One", Id("version", "1"), Id("pieces", "kc"))
        other = await h.engine("Other", Id("version", "1"), Id("pieces", "ka"))
        for client in (one, other):
            info = await client.hear(Info)
            assert "does not know the pieces" in info.string
        assert h.hall.tables == {}
