"""The file of the database is deleted under the server: everybody is told, and nothing is lost."""

import re
import shutil
import signal
from pathlib import Path

import pytest
import trio

from tests.support.players import Player, kept, told
from tests.support.servers import Server, serving, until
from ulci_server.cli.errors import ExitCode

pytestmark = pytest.mark.system

LISTEN = ("--listen", "tcp://127.0.0.1:0", "--time", "600")


def delete(*files: Path) -> None:
    for file in files:
        file.unlink(missing_ok=True)


async def test_a_deleted_database_is_told_and_its_copy_goes_on(tmp_path: Path) -> None:
    server = Server(tmp_path, *LISTEN)
    server.start()
    players = Player("A"), Player("B")
    try:
        async with trio.open_nursery() as nursery:
            for player in players:
                nursery.start_soon(player.play, server.port())
            await until(lambda: min(p.plies() for p in players) > 10, "the game is on its way")
            delete(*(tmp_path / f"ulci.db{part}" for part in ("", "-wal", "-shm")))
            await until(lambda: all(p.complaints() for p in players), "both are told")
            assert "the database does not answer" in players[0].complaints()[0]
            assert server.process is not None
            for asked in (signal.SIGTERM, signal.SIGINT):
                server.process.send_signal(asked)
            code = await trio.to_thread.run_sync(server.stop)
    finally:
        server.stop()
    assert code == ExitCode.FAILED
    log = server.log.read_text()
    assert f"the database file {tmp_path}/ulci.db was deleted or moved away" in log
    assert "Error: the database refused to the end" in log

    advice = re.search(r"then mv (\S+) (\S+) && rm -f (\S+) (\S+), and start it again", log)
    assert advice is not None
    copy, name, *rest = advice.groups()
    shutil.move(copy, name)
    delete(*map(Path, rest))
    assert told(*players) <= kept(server.database)
    with serving(tmp_path, *LISTEN):
        pass
    server.run("verify")


async def test_a_database_that_is_moved_away_and_back_goes_on(tmp_path: Path) -> None:
    path, elsewhere = tmp_path / "ulci.db", tmp_path / "elsewhere"
    players = Player("A"), Player("B")
    with serving(tmp_path, *LISTEN) as server:
        async with trio.open_nursery() as nursery:
            for player in players:
                nursery.start_soon(player.play, server.port())
            await until(lambda: min(p.plies() for p in players) > 10, "the game is on its way")
            path.rename(elsewhere)
            await until(lambda: all(p.complaints() for p in players), "both are told")
            for player in players:  # who are told at their table: not if the game is over by then
                player.held = True
            plies = [p.plies() for p in players]
            elsewhere.rename(path)
            await until(lambda: all(p.is_told_of_return() for p in players), "both are told again")
            for player in players:
                player.release()
            await until(lambda: min(p.plies() for p in players) > max(plies) + 2, "it goes on")
            nursery.cancel_scope.cancel()
    assert told(*players) <= kept(server.database)
    server.run("verify")
