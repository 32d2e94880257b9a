"""A lone server begins: it shuts out whoever ran before, and goes on with all games."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from typing import Any

import pytest
import trio

from tests.support.databases import Start, owners_of, start
from tests.support.facts import NOON, finished, line, noted, played, started
from tests.support.hosting import HANG, Hosted, config, hosting
from tests.support.locks import lose_lock
from ulci.protocol.messages import BestMove
from ulci.rules import Side
from ulci_server.app import Shutdown, alone, run_server, serving
from ulci_server.game import Fact, Released, Seat
from ulci_server.storage import (
    Claimed,
    Database,
    FencedError,
    TakenOverError,
    migrate,
)
from ulci_server.storage.ownership import Ownership

__all__ = ["start"]

pytestmark = pytest.mark.system

SEATS = Seat("Ada", "human", key="a"), Seat("Bob", "human", key="b")
"""Of players who can return."""


def begun(game: int, move: str = "") -> list[Fact]:
    """A game that can go on, with its first move."""
    timed = {"seq": 1, "side": Side.WHITE, "spent": 1000, "left": 302_000}
    return [started(game, seats=SEATS), *([played(game, 1, move, **timed)] if move else [])]


@asynccontextmanager
async def killed(url: str) -> AsyncIterator[Hosted]:
    """A server that ends in the middle of everything it does."""
    hosted = Hosted()
    with trio.fail_after(HANG):
        async with trio.open_nursery() as nursery:
            await nursery.start(hosted.run, config(url))
            yield hosted
            nursery.cancel_scope.cancel()


async def once_more(url: str) -> None:
    """Another server, from its start to its end."""
    async with hosting(config(url, grace=0.0)):
        pass


def owners(url: str, *games: int) -> dict[int, tuple[int, int]]:
    with closing(Database(url)) as database:
        return owners_of(database, games)


def whats(url: str, game: int) -> list[str]:
    """What happened in the game, besides moves."""
    with closing(Database(url)) as database:
        return [fact.what for fact, _ in database.games.history(game) if hasattr(fact, "what")]


async def test_after_a_crash_the_games_are_the_next_servers_in_their_next_epoch(
    database_url: str,
) -> None:
    migrate(database_url)
    async with killed(database_url) as first, first.game() as (white, black):
        white.say(BestMove("e2e4"))
        await black.be_asked()
        assert owners(database_url, 1) == {1: (1, 1)}
    await once_more(database_url)
    assert owners(database_url, 1) == {1: (2, 2)}
    assert whats(database_url, 1)[-2:] == ["resumed", "paused"]
    await once_more(database_url)
    assert owners(database_url, 1) == {1: (3, 3)}
    with closing(Database(database_url)) as database:
        assert [one.run for one in database.ownership.epochs(1)] == [1, 2, 3]
        assert [move.move for move in database.games.moves(1)] == ["e2e4"]


async def test_what_a_cluster_left_is_resumed_and_no_server_of_it_writes_any_more(
    database_url: str, start: Start
) -> None:
    a, b = start("a"), start("b")
    a.database.save(noted([*begun(1, "e2e4"), *begun(2), finished(2)]))
    b.database.save(noted([*begun(3, "d2d4"), *begun(4), Released(4, 1)]))

    async with hosting(config(database_url, grace=0.0)):
        assert owners(database_url, 1, 2, 3, 4) == dict.fromkeys([1, 3, 4], (b.run + 1, 2))
        for member in (a, b):
            with pytest.raises(FencedError):
                member.database.save(noted([played(1, 1, "e7e5")]))

    assert [whats(database_url, game)[-2] for game in (1, 3, 4)] == ["resumed"] * 3
    c = start("c")
    assert len(c.database.ownership.claim(NOON, 9)) == 3


async def test_games_of_versions_without_owners_are_resumed_too(database_url: str) -> None:
    migrate(database_url)
    with closing(Database(database_url)) as old:
        old.runs.begin(NOON)
        old.save(noted(begun(1, "e2e4")))
        assert owners(database_url, 1) == {}

    await once_more(database_url)

    assert owners(database_url, 1) == {1: (2, 1)}
    assert "resumed" in whats(database_url, 1)


async def test_all_games_are_resumed_before_anybody_comes_in_however_many_they_are(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alone, "CLAIMED_AT_ONCE", 2)
    migrate(database_url)
    games = range(1, 8)
    with closing(Database(database_url)) as before:
        before.runs.begin_alone(NOON, "1.2")
        before.save(noted([fact for game in games for fact in begun(game)]))

    async with hosting(config(database_url, grace=0.0)):
        assert owners(database_url, *games) == dict.fromkeys(games, (2, 2))


async def test_what_cannot_go_on_is_ended_for_all_to_see(database_url: str) -> None:
    migrate(database_url)
    seats = SEATS[0], Seat("Cy", "engine")
    with closing(Database(database_url)) as before:
        before.runs.begin_alone(NOON, "1.2")
        gone = started(2, seats=SEATS, rules="nim")
        before.save(noted([*line(1, "e2e4", seats=seats), gone, *begun(3)]))

    await once_more(database_url)

    with closing(Database(database_url)) as after:
        details = {game.id: game.detail for game in after.games.find(running=False)}
        assert owners(database_url, 1, 2, 3) == {3: (2, 2)}
    ended = "the server ended during the game, and"
    assert details == {
        1: f"{ended} Cy cannot return to this game",
        2: f"{ended} it cannot go on: the game nim is no longer configured",
    }


async def test_who_is_shut_out_while_it_begins_resumes_nothing_and_says_why(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It hung before it claimed anything, and lost its lock."""
    migrate(database_url)
    with closing(Database(database_url)) as before:
        before.runs.begin_alone(NOON, "1.2")
        before.save(noted(begun(1, "e2e4")))
    claim = Ownership.claim

    def hang(self: Ownership, *asked: Any) -> list[Claimed]:
        monkeypatch.setattr(Ownership, "claim", claim)
        lose_lock(database_url)
        with closing(Database(database_url)) as other:
            other.runs.begin_alone(NOON, "1.2")
            assert len(other.ownership.claim(NOON, 9)) == 1
        return claim(self, *asked)

    monkeypatch.setattr(Ownership, "claim", hang)
    with trio.fail_after(HANG), pytest.raises(ExceptionGroup) as caught:
        await run_server(config(database_url), Shutdown())

    assert "another ulci-server has taken over the games in " in str(leaf(caught.value))
    assert owners(database_url, 1) == {1: (3, 2)}
    assert whats(database_url, 1) == []


async def test_games_of_a_server_that_is_to_end_before_anybody_came_are_paused_at_once(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(database_url)
    with closing(Database(database_url)) as before:
        before.runs.begin_alone(NOON, "1.2")
        before.save(noted(begun(1, "e2e4")))
    shutdown, loop, claim = Shutdown(), trio.lowlevel.current_trio_token(), Ownership.claim

    def claim_and_ask(self: Ownership, *asked: Any) -> list[Claimed]:
        loop.run_sync_soon(shutdown.ask, idempotent=True)
        monkeypatch.setattr(Ownership, "claim", claim)
        return claim(self, *asked)

    monkeypatch.setattr(Ownership, "claim", claim_and_ask)
    monkeypatch.setattr(serving, "BEGINNING", HANG)  # a busy machine needs more than a second
    with trio.fail_after(2 * HANG):
        assert await run_server(config(database_url), shutdown) == 1

    assert whats(database_url, 1) == ["resumed", "paused"]


def leaf(error: BaseException) -> TakenOverError:
    """The only error in these groups."""
    while isinstance(error, BaseExceptionGroup):
        [error] = error.exceptions
    assert isinstance(error, TakenOverError)
    return error


async def test_a_server_that_hung_writes_no_move_and_no_end_after_it_goes_on(
    database_url: str,
) -> None:
    migrate(database_url)
    with closing(Database(database_url)) as hung, closing(Database(database_url)) as other:
        hung.runs.begin_alone(NOON, "1.2")
        hung.save(noted(begun(1, "e2e4")))
        other.runs.begin_alone(NOON, "1.2")
        for fact in (played(1, 1, "e7e5"), finished(1, Side.BLACK), *line(2, "")):
            with pytest.raises(FencedError):
                hung.save(noted([fact]))
        assert [game.id for game in other.games.find()] == [1]
        assert other.games.find()[0].running
        assert [move.move for move in other.games.moves(1)] == ["e2e4"]
