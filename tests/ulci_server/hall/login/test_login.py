"""As whom somebody comes in, and comes back."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
import trio
import trio.testing

from tests.support.clients import Client
from ulci.protocol.messages import (
    Admin,
    BestMove,
    Blame,
    Id,
    Position,
    Report,
    Seek,
    Terms,
)
from ulci.rules import GAMES
from ulci_server.game import Controls, MovePlayed
from ulci_server.hall import Authenticator
from ulci_server.hall.login.authenticator import BannedError
from ulci_server.lobby import Pool
from ulci_server.storage import StorageError


async def test_a_lost_line_is_away_and_comes_back_with_its_secret(autojump_clock, server):
    async with server() as h:
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


async def test_the_secret_takes_the_seat_from_a_line_that_only_seems_to_live(
    autojump_clock, server
):
    async with server() as h:
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


async def test_a_wrong_secret_is_just_another_guest(autojump_clock, server):
    async with server() as h:
        await h.person("Ada")
        again = h.connect()
        await again.introduce(Id("username", "Ada"), Id("feature", "lobby"), Id("resume", "guess"))
        assert "Ada-2" in await again.hear_line("welcome")


LOBBY = Id("feature", "lobby")


class KnowingDoor(Authenticator):
    """Everybody has an account and is an administrator, until it is looked at again."""

    def __init__(self) -> None:
        super().__init__(now=lambda: datetime.now(UTC))
        self.banned = self.believes = False

    async def authenticate(self, said, host):
        return replace(said, account=sum(map(ord, said.name)), admin=True)

    async def recheck_admin(self, said, host):
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
async def test_a_secret_does_not_make_an_administrator(autojump_clock, server, believes, answer):
    authenticator = KnowingDoor()
    async with server(authenticator=authenticator) as h:
        ada = await h.person("Ada")
        ada.say(Admin(("games",)))
        await ada.hear_line("admin done")
        authenticator.believes = believes
        again = await back_by_secret(h, ada.secret, Id("token", "of mine"))
        await again.hear_line("welcome")
        again.say(Admin(("games",)))
        await again.hear_line(answer)


async def test_who_is_banned_does_not_come_back_to_the_game(autojump_clock, server):
    authenticator = KnowingDoor()
    async with server(authenticator=authenticator) as h:
        ada, bob = await h.people()
        await ada.be_asked()
        authenticator.banned = True
        ada.peer.cut("sent away")
        await bob.hear_line("game 1 opponent away")
        again = await back_by_secret(h, ada.secret)
        with pytest.raises(AssertionError):
            await again.be_asked()
        assert any("banned" in report for report in again.reports())


async def test_an_old_secret_leads_nowhere_once_the_account_has_taken_its_seat(
    autojump_clock, server
):
    async with server(authenticator=KnowingDoor()) as h:
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
    autojump_clock, server, authenticator
):
    async with server(authenticator=authenticator) as h:
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
    autojump_clock, server, authenticator
):
    async with server(authenticator=authenticator) as h:
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
    autojump_clock, server, accounts, authenticator, monkeypatch
):
    def refuse(*_: object, **__: object) -> None:
        raise StorageError("the disk is full")

    async with server(authenticator=authenticator) as h:
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
            "the account database does not answer; retry-after 10",
        )


async def test_nobody_comes_back_with_a_program_that_cannot_play_the_game(autojump_clock, server):
    liberty = Pool("liberty", GAMES["liberty"], Controls.parse("60+1"), GAMES["liberty"].starts)
    pieces = Id("pieces", "pnbrqkacehiluwxz")
    async with server(liberty) as h:
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
