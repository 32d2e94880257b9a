"""A PostgreSQL that is paused: everybody is told, nothing is lost, and the server can be ended."""

import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import trio

from tests.faults.databases import Cluster, cluster, programs
from tests.support.players import Player, kept, told
from tests.support.servers import PATIENCE, Server, until
from ulci.protocol.messages import Go
from ulci_server.cli.errors import ExitCode
from ulci_server.storage import migrate

pytestmark = [pytest.mark.system, pytest.mark.slow]


@pytest.fixture
def ours(tmp_path: Path) -> Iterator[Cluster]:
    if programs() is None:
        pytest.skip("the programs of PostgreSQL are not installed")
    with cluster(tmp_path) as made:
        migrate(made.url)
        yield made


@contextmanager
def serving(folder: Path, ours: Cluster) -> Iterator[Server]:
    server = Server(folder, "--listen", "tcp://127.0.0.1:0", "--time", "600")
    server.database = ours.url
    server.start()
    try:
        yield server
    finally:
        server.stop()


async def refused(server: Server) -> bytes:
    """What somebody is told who comes meanwhile, to the end."""
    async with await trio.open_tcp_stream("127.0.0.1", server.port()) as stream:
        await stream.send_all(b"id username Eve\nid feature lobby\nuciok\n")
        said = b""
        with suppress(trio.BrokenResourceError):
            async for data in stream:
                said += data
        return said


async def test_players_are_told_and_the_game_goes_on_when_it_is_back(
    tmp_path: Path, ours: Cluster
) -> None:
    players = Player("A"), Player("B")
    with serving(tmp_path, ours) as server:
        async with trio.open_nursery() as nursery:
            for player in players:
                nursery.start_soon(player.play, server.port())
            await until(lambda: min(p.plies() for p in players) > 10, "the game is on its way")
            with ours.paused():
                began = trio.current_time()
                await until(lambda: all(p.complaints() for p in players), "both are told")
                assert b"the account database does not answer" in await refused(server)
                plies = [p.plies() for p in players]
                paused = trio.current_time() - began
            await until(lambda: min(p.plies() for p in players) > max(plies) + 2, "it goes on")
            left = players[0].last(Go)
            nursery.cancel_scope.cancel()
    assert "the database does not answer" in players[0].complaints()[0]
    assert 2 * 600_000 - left.wtime - left.btime < 1000 * paused
    assert told(*players) <= kept(ours.url)
    log = server.log.read_text()
    assert "storage fails" in log
    assert "storage works again" in log
    server.run("verify")


async def test_the_server_can_be_ended_and_says_what_is_not_stored(
    tmp_path: Path, ours: Cluster
) -> None:
    players = Player("A"), Player("B")
    with serving(tmp_path, ours) as server:
        assert server.process is not None
        async with trio.open_nursery() as nursery:
            for player in players:
                nursery.start_soon(player.play, server.port())
            await until(lambda: min(p.plies() for p in players) > 10, "the game is on its way")
            with ours.paused():
                await until(lambda: all(p.complaints() for p in players), "both are told")
                for asked in (signal.SIGTERM, signal.SIGINT):
                    server.process.send_signal(asked)
                await trio.to_thread.run_sync(server.process.wait, PATIENCE)
        assert server.process.returncode == ExitCode.FAILED
    log = server.log.read_text()
    assert "Error: the database refused to the end: the database has not answered for 6 s" in log
    assert re.search(r"Not stored, and told to nobody: \d+ (move|other event)s? .*of game", log)
    assert "Traceback" not in log
    assert "Fatal" not in log

    assert told(*players) <= kept(ours.url)
    with serving(tmp_path, ours) as server:
        pass
    server.run("verify")
