"""The whole server in this process, with real sockets and a real database."""

import os
import signal
import socket
from pathlib import Path

import pytest
import structlog.testing
import trio

from tests.support.facts import line, noted
from tests.support.hosting import HANG, NEVER, config, hosting
from ulci.net import ListenError
from ulci.protocol.messages import BestMove, Id, Quit, Report, Resign, Seek, Terms
from ulci.rules import Outcome, Reason, Side
from ulci_server.app import Shutdown, UnsavedError, run_server, running, serving
from ulci_server.storage import (
    Database,
    GameRecord,
    MemoryDatabase,
    StorageError,
    migrate,
    open_database,
)

pytestmark = pytest.mark.system


def stored(url: str) -> GameRecord:
    """The only game."""
    database = open_database(url, writing=False)
    [game] = database.games.find()
    database.close()
    return game


async def test_it_plays_and_keeps_a_game(sqlite_url: str) -> None:
    async with hosting(config(sqlite_url)) as hosted, hosted.game() as (white, black):
        white.say(BestMove("f2f3"))
        await black.move("e7e5")
        await white.move("g2g4")
        await black.move("d8h4")
        assert "result 0-1 reason checkmate" in await white.hear_line("game 1 over")
    assert hosted.cut == 0
    assert stored(sqlite_url).outcome == Outcome(Side.BLACK, Reason.CHECKMATE)


async def test_lines_of_a_book_that_are_not_played_are_logged(
    sqlite_url: str, tmp_path: Path
) -> None:
    book = tmp_path / "book.epd"
    book.write_text("8/8/8/4k3/8/8/4P3/4K3 w - -\n7k/8/6QK/8/8/8/8/8 b - -\n")
    pools = [{"name": "endings", "starts_file": str(book)}]
    with structlog.testing.capture_logs() as logs:
        async with hosting(config(sqlite_url, pool=pools)):
            pass
    assert [log["why"] for log in logs if log.get("pool") == "endings"] == [
        "line 2 is skipped: the game is over there already: drawn (stalemate)"
    ]


async def test_asked_to_end_it_begins_no_game_and_waits_for_those_that_run(sqlite_url: str) -> None:
    async with (
        hosting(config(sqlite_url)) as hosted,
        hosted.game() as (white, black),
        hosted.client() as late,
    ):
        await late.introduce_person("Late")
        hosted.shutdown.ask()
        await late.hear(Report)
        late.say(Seek(Terms()))
        assert "closed the server is shutting down" in await late.hear_line("error")
        assert not hosted.over.is_set()
        white.say(BestMove("e2e4"))
        await black.be_asked()
        assert "running games have 3600 s" in black.reports()[0]
        black.say(Resign())
        for client in (white, black, late):
            await client.hear(Quit)
    assert hosted.cut == 0
    assert stored(sqlite_url).outcome == Outcome(Side.WHITE, Reason.RESIGNATION)


@pytest.mark.parametrize("grace", [0.0, NEVER])
async def test_when_the_grace_is_over_or_it_is_asked_again_games_wait_for_the_next_server(
    sqlite_url: str, grace: float
) -> None:
    async with (
        hosting(config(sqlite_url, grace=grace)) as hosted,
        hosted.game() as (white, black),
    ):
        white.say(BestMove("e2e4"))
        await black.be_asked()
        hosted.shutdown.ask()
        if grace:
            await black.hear(Report)
            hosted.shutdown.ask()
        await black.hear_line("game 1 paused")
        await black.hear_the_end()
        assert not any(isinstance(said, Quit) for said in black.heard)
    assert hosted.cut == 1
    assert stored(sqlite_url).running
    database = open_database(sqlite_url, writing=False)
    assert [move.move for move in database.games.moves(1)] == ["e2e4"]
    database.close()


async def test_who_does_not_leave_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "FAREWELL", 0.01)
    async with hosting(config()) as hosted:
        sock = socket.create_connection(("127.0.0.1", hosted.addresses[0].port))
        async with hosted.client() as other:
            await other.introduce(Id("name", "A"))
        hosted.shutdown.ask()
        await hosted.over.wait()
        sock.close()
    assert hosted.cut == 0


async def test_games_that_nobody_can_come_back_to_are_ended_at_the_next_start(
    sqlite_url: str,
) -> None:
    migrate(sqlite_url)
    database = Database(sqlite_url)
    database.save(noted(line(7, "e2e4")))
    database.close()
    with structlog.testing.capture_logs() as logs:
        async with hosting(config(sqlite_url, grace=0.0)) as hosted, hosted.game():
            pass
    database = open_database(sqlite_url, writing=False)
    games = {game.id: game.detail for game in database.games.find()}
    database.close()
    assert games.keys() == {7, 8}
    why = "Ada and Bob cannot return to this game"
    assert games[7] == f"the server ended during the game, and {why}"
    [given_up] = [event for event in logs if event["event"] == "game not resumed"]
    assert given_up["game"] == 7


async def test_a_second_server_does_not_touch_the_games_of_the_first(sqlite_url: str) -> None:
    async with hosting(config(sqlite_url, grace=0.0)) as hosted, hosted.game():
        with pytest.raises(StorageError, match="another ulci-server keeps its games in"):
            await run_server(config(sqlite_url), Shutdown())
        assert stored(sqlite_url).running


async def test_a_port_that_is_taken_is_told_and_the_database_let_go(sqlite_url: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        busy = [{"address": f"tcp://127.0.0.1:{taken.getsockname()[1]}"}]
        with pytest.RaisesGroup(
            pytest.RaisesExc(ListenError, match="another program listens there"),
            flatten_subgroups=True,
        ):
            await run_server(config(sqlite_url, listen=busy), Shutdown())
    async with hosting(config(sqlite_url)):
        pass


async def test_every_listener_has_its_pool(sqlite_url: str) -> None:
    listeners = [
        {"address": "tcp://127.0.0.1:0", "pool": "slow"},
        {"address": "ws://127.0.0.1:0", "pool": "fast"},
    ]
    pools = [{"name": "fast", "time": "1+1"}, {"name": "slow", "time": "600"}]
    async with hosting(config(sqlite_url, grace=0.0, listen=listeners, pool=pools)) as hosted:
        assert [address.scheme for address in hosted.addresses] == ["tcp", "ws"]
        for number in range(2):
            async with hosted.client(number) as one, hosted.client(number) as other:
                for client in (one, other):
                    await client.introduce(Id("name", "S"))
                for client in (one, other):
                    await client.get_ready()
    database = open_database(sqlite_url, writing=False)
    games = [(game.pool, game.control) for game in database.games.find()]
    database.close()
    assert games == [("fast", "1+1"), ("slow", "600")]


class Refusing(MemoryDatabase):
    """A database that refuses from some moment on."""

    refuses = False

    def save(self, batch) -> None:
        if self.refuses:
            raise StorageError("the disk is full")
        super().save(batch)


async def test_what_the_database_refused_to_the_end_is_told(
    monkeypatch: pytest.MonkeyPatch, errors_logged
) -> None:
    database = Refusing()
    monkeypatch.setattr(serving, "open_database", lambda *_, **__: database)
    monkeypatch.setattr(running, "LAST_COMMIT", 0.0)
    monkeypatch.setattr(running, "FAREWELL", 0.0)
    with pytest.RaisesGroup(
        pytest.RaisesExc(UnsavedError, match="refused to the end: the disk is full"),
        flatten_subgroups=True,
    ):
        async with hosting(config(grace=0.0)) as hosted, hosted.game() as (white, _):
            database.refuses = True
            white.say(BestMove("e2e4"))
            await white.hear(Report)
            hosted.shutdown.ask()
            await trio.sleep_forever()
    fails, lost = errors_logged.take()
    assert "storage fails" in fails
    assert "not stored" in lost


async def test_both_signals_ask_and_ask_again() -> None:
    shutdown = Shutdown()
    async with trio.open_nursery() as nursery:
        await nursery.start(shutdown.ask_at_signals)
        os.kill(os.getpid(), signal.SIGINT)
        await shutdown.asked.wait()
        assert not shutdown.grace.cancel_called
        os.kill(os.getpid(), signal.SIGTERM)
        with trio.fail_after(HANG), shutdown.grace:
            await trio.sleep_forever()
        nursery.cancel_scope.cancel()


async def test_a_plain_listener_that_others_may_reach_is_warned_of() -> None:
    with structlog.testing.capture_logs() as logs:
        async with hosting(config(listen=[{"address": "tcp://0.0.0.0:0"}])):
            pass
    (warning,) = [entry for entry in logs if entry["event"] == "not encrypted"]
    assert warning["log_level"] == "warning"
    assert "Write tls://" in warning["advice"]
