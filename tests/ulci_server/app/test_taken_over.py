"""A server that lost its lock, while another one began with the same games: one of them writes."""

import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager

import pytest
import trio
from structlog.testing import capture_logs

from tests.support.hosting import HANG, Hosted, config, hosting
from tests.support.locks import is_locked, lose_lock
from tests.support.servers import until
from ulci.protocol.messages import BestMove, Message
from ulci_server.app import Shutdown, lock_keeper, run_server
from ulci_server.storage import (
    DatabaseLock,
    StorageError,
    TakenOverError,
    database_lock,
    lock_database,
    migrate,
    open_database,
)
from ulci_server.storage.verify import verify_game

pytestmark = pytest.mark.system


class Former(Hosted):
    """A server that others take over. `why`: what it says at its end."""

    why = ""

    async def _run(self, config, task_status=trio.TASK_STATUS_IGNORED) -> None:
        try:
            await super()._run(config, task_status)
        except* TakenOverError as group:
            [error] = group.exceptions
            while isinstance(error, BaseExceptionGroup):
                [error] = error.exceptions
            self.why = str(error)
            self.over.set()


@asynccontextmanager
async def former(url: str) -> AsyncIterator[Former]:
    """A server that somebody takes over before this ends."""
    hosted = Former()
    with trio.fail_after(HANG):
        async with trio.open_nursery() as nursery:
            migrate(url)
            await nursery.start(hosted.run, config(url))
            yield hosted
            await hosted.over.wait()
    assert "another ulci-server has taken over the games in " in hosted.why
    assert "has written nothing of them since then" in hosted.why


def moves(url: str) -> list[str]:
    """Of the only game, which must agree with itself."""
    database = open_database(url, writing=False)
    [game] = database.games.each()
    verify_game(database, game)
    found = [move.move for move in database.games.moves(game.id)]
    database.close()
    return found


def texts(messages: list[Message]) -> str:
    return " ".join(map(str, messages))


async def test_who_was_shut_out_tells_nobody_of_a_move_and_ends(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock_keeper, "CHECK", HANG)  # it finds out because it writes
    async with former(database_url) as first, first.game() as (white, black):
        white.say(BestMove("e2e4"))
        await black.be_asked()
        lose_lock(database_url)
        async with hosting(config(database_url, grace=0.0)):
            black.say(BestMove("e7e5"))
            assert "e7e5" not in texts(await white.hear_the_end())
            await first.over.wait()
            assert moves(database_url) == ["e2e4"]
    assert moves(database_url) == ["e2e4"]


async def test_who_was_shut_out_while_nobody_moved_ends_and_sends_its_players_away(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_check = not_checked(monkeypatch)
    async with (
        former(database_url) as first,
        first.game() as (white, black),
        AsyncExitStack() as other,
    ):
        with no_check:
            lose_lock(database_url)
            await other.enter_async_context(hosting(config(database_url, grace=0.0)))
        for player in (white, black):
            await player.hear_the_end()


async def test_a_server_that_lost_its_lock_has_it_again_soon(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock_keeper, "CHECK", 0.01)
    migrate(database_url)
    async with hosting(config(database_url, grace=0.0)) as hosted, hosted.game() as (white, black):
        lose_lock(database_url)
        await until(lambda: is_locked(database_url), "the lock is taken again")
        with pytest.raises(StorageError, match="another ulci-server keeps its games in"):
            await run_server(config(database_url), Shutdown())
        white.say(BestMove("e2e4"))
        await black.be_asked()
    assert moves(database_url) == ["e2e4"]


def not_checked(monkeypatch: pytest.MonkeyPatch) -> threading.Lock:
    """While it is held, no server takes its lock again."""
    held = threading.Lock()
    for kind in (database_lock._FileLock, database_lock._SchemaLock):

        def check(lock: DatabaseLock, check: Callable[[DatabaseLock], None] = kind.check) -> None:
            with held:
                check(lock)

        monkeypatch.setattr(kind, "check", check)
    return held


async def test_a_lock_that_is_refused_ends_nobody_and_is_told_once(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock_keeper, "CHECK", 0.01)
    migrate(database_url)
    no_check = not_checked(monkeypatch)
    with capture_logs() as logs:

        def told() -> list[str]:
            return [log["event"] for log in logs if "the lock of the database" in log["event"]]

        async with (
            hosting(config(database_url, grace=0.0)) as hosted,
            hosted.game() as (white, black),
        ):
            with ExitStack() as other:
                with no_check:
                    lose_lock(database_url)
                    other.enter_context(lock_database(database_url))  # it has shut nobody out
                await until(lambda: len(told()) == 1, "the refusal is told")
                white.say(BestMove("e2e4"))
                await black.be_asked()
            await until(lambda: len(told()) == 2, "the lock is held again")
            black.say(BestMove("e7e5"))
            await white.be_asked()
            assert told() == [
                "the lock of the database was lost, and is refused",
                "the lock of the database is held again",
            ]
    assert moves(database_url) == ["e2e4", "e7e5"]
