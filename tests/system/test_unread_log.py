"""Nobody reads the log (a full pipe, Ctrl-S at a terminal): games go on, and the server ends."""

import fcntl
import os
import random
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio

from tests.support.quick import play
from tests.support.servers import PATIENCE, Server, until
from ulci_server.cli.errors import ExitCode

pytestmark = pytest.mark.system

PIPE = 4096
"""Bytes of the log that are written before whoever writes more has to wait: some thirty lines."""

MOVES = 300
"""With a line each in the log, far more than the pipe holds."""


@pytest.fixture
def unread(tmp_path: Path) -> Iterator[int]:
    """The end from which the log of a server in this folder could be read."""
    log = tmp_path / "server.log"
    os.mkfifo(log)
    end = os.open(log, os.O_RDONLY | os.O_NONBLOCK)
    fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, PIPE)
    yield end
    os.close(end)


async def test_games_go_on_and_a_signal_ends_the_server(tmp_path: Path, unread: int) -> None:
    server = Server(tmp_path, "--listen", "tcp://127.0.0.1:0", "--log-level", "debug")
    server.start()
    try:
        told: list[tuple[str, ...]] = []
        async with trio.open_nursery() as nursery:
            for seed in (1, 2):
                nursery.start_soon(play, server.port(), told, random.Random(seed))
            await until(lambda: len(told) > MOVES, f"{MOVES} moves were made")
            assert server.process is not None
            for asked in (signal.SIGTERM, signal.SIGINT):  # the second one ends the grace
                server.process.send_signal(asked)
            await trio.to_thread.run_sync(server.process.wait, PATIENCE)
    finally:
        assert server.stop() == ExitCode.GAMES_CUT
    # All that was said before is still there.
    assert b"connected" in os.read(unread, PIPE)
