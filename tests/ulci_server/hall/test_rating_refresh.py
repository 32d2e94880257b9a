"""Ratings are known when somebody logs in, and again after each game."""

import trio
import trio.testing

from tests.support.facts import NOON
from tests.ulci_server.hall.conftest import POOL, TOKENS
from ulci.protocol.messages import Accept, Challenge, Id, Option, OptionType, Resign, Terms, Who
from ulci_server.game import GameStarted
from ulci_server.hall.rating_refresh import RatingRefresh
from ulci_server.lobby import KnownRating
from ulci_server.storage import Accounts, StorageError


def anchor(database, name: str, rating: int) -> None:
    account = database.accounts.find_player(name)
    assert database.ratings.anchor(account.id, "chess", rating, NOON)


async def ratings(client) -> dict[str, str]:
    client.say(Who())
    count = int((await client.hear_line("who")).split()[1])
    lines = [(await client.hear_line("player")).split() for _ in range(count)]
    return {line[1]: line[-1] for line in lines if line[-2] == "rating"}


async def play(h, ada, bob, number: int = 1) -> None:
    ada.say(Challenge("Root", Terms(color="white", rated=True)))
    await bob.hear_line("challenge")
    bob.say(Accept(number))
    await ada.get_ready()
    await bob.get_ready()


async def test_who_logs_in_has_the_rating_of_the_account(
    autojump_clock, server, database, authenticator
):
    anchor(database, "Ada", 1812)
    async with server(authenticator=authenticator) as h:
        ada = await h.person("x", Id("token", TOKENS["Ada"]))
        await h.person("Guest")
        assert await ratings(ada) == {"Ada": "1812"}


async def test_after_a_game_the_new_ratings_are_known_and_told(
    autojump_clock, server, database, authenticator
):
    anchor(database, "Ada", 1812)
    async with server(authenticator=authenticator) as h:
        ada = await h.person("x", Id("token", TOKENS["Ada"]))
        second = await h.person("x", Id("token", TOKENS["Ada"]))
        bob = await h.person("x", Id("token", TOKENS["Root"]))
        await play(h, ada, bob)
        (started,) = h.journal.kinds(GameStarted)
        assert [seat.rating for seat in started.seats] == [1812, None]
        anchor(database, "Ada", 1900)  # as the end of the game would
        anchor(database, "Root", 1700)
        ada.say(Resign())
        for client in (ada, bob):
            await client.hear_line("game 1 over")
            await client.get_ready()
        await trio.testing.wait_all_tasks_blocked()
        assert await ratings(second) == {"Ada": "1900", "Ada-2": "1900", "Root": "1700"}


async def test_an_engine_is_told_the_rating_of_its_opponent(
    autojump_clock, server, database, authenticator
):
    anchor(database, "Ada", 1812)
    async with server(POOL, authenticator=authenticator) as h:
        ada = await h.person("x", Id("token", TOKENS["Ada"]))
        opponent = Option("UCI_Opponent", OptionType.STRING, "")
        fish = await h.engine("Fish", Id("token", TOKENS["Fish"]), opponent)
        ada.say(Challenge("Fish", Terms(color="white")))
        await fish.get_ready()
        told = [said.value for said in fish.heard if getattr(said, "name", "") == "UCI_Opponent"]
        assert told == ["none 1812 human Ada"]


async def test_while_the_database_fails_ratings_stay_as_they_were(
    autojump_clock, server, database, authenticator, monkeypatch
):
    anchor(database, "Ada", 1812)
    async with server(authenticator=authenticator) as h:
        ada = await h.person("x", Id("token", TOKENS["Ada"]))
        bob = await h.person("x", Id("token", TOKENS["Root"]))
        await play(h, ada, bob)

        def fail(*_: object) -> None:
            raise StorageError("gone")

        monkeypatch.setattr(Accounts, "ratings", fail)
        ada.say(Resign())
        for client in (ada, bob):
            await client.hear_line("game 1 over")
            await client.get_ready()
        await trio.testing.wait_all_tasks_blocked()
        assert await ratings(bob) == {"Ada": "1812"}


async def test_those_whose_games_end_while_it_is_asked_are_asked_for_together(autojump_clock):
    asked: list[list[int]] = []
    told: dict[int, int] = {}

    async def read(accounts):
        asked.append([*accounts])
        await trio.sleep(1)
        return {account: {"chess": KnownRating(len(asked))} for account in accounts}

    async with trio.open_nursery() as nursery:
        refresh = RatingRefresh(
            nursery.start_soon,
            read,
            lambda account, found: told.__setitem__(account, found["chess"].rating),
        )
        refresh.want(1)
        await trio.testing.wait_all_tasks_blocked()
        for account in (2, 3, 1, 2):
            refresh.want(account)
    assert asked == [[1], [2, 3, 1]]
    assert told == {1: 2, 2: 2, 3: 2}
