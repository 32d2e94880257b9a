"""The disk of a recording is full: the recording ends, and the games go on."""

import random
import resource
import signal
import sys
from pathlib import Path

import pytest
import trio

from tests.support.quick import play
from tests.support.servers import PATIENCE, Server, until
from ulci_server.cli.errors import ExitCode

pytestmark = pytest.mark.system

GROWTH = 20_000
"""Bytes that the recording may grow by, once the game is on its way: some hundred moves."""

MOVES = 400


async def test_a_recording_that_cannot_be_written_ends_and_nothing_else_does(
    tmp_path: Path,
) -> None:
    tape = tmp_path / "tape"
    server = Server(tmp_path, "--listen", "tcp://127.0.0.1:0", "--record", str(tape))
    server.database = "memory:"  # the limit is one for all files of a process
    server.start()
    assert server.process is not None
    try:
        told: list[tuple[str, ...]] = []
        async with trio.open_nursery() as nursery:
            for seed in (1, 2):
                nursery.start_soon(play, server.port(), told, random.Random(seed))
            await until(lambda: len(told) > 10, "a game is on its way")
            limit = tape.stat().st_size + GROWTH
            resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (limit, limit))
            await until(lambda: tape.stat().st_size == limit, "the recording is full")
            full = len(told)
            await until(lambda: len(told) > full + MOVES, "the games have gone on")
            async with await trio.open_tcp_stream("127.0.0.1", server.port()) as newcomer:
                assert await newcomer.receive_some() == b"uci\n"
            for asked in (signal.SIGTERM, signal.SIGINT):
                server.process.send_signal(asked)
            await trio.to_thread.run_sync(server.process.wait, PATIENCE)
    finally:
        assert server.stop() == ExitCode.GAMES_CUT
    log = server.log.read_text()
    assert log.count("recording stopped") == log.count("[error") == 1
    assert f"file='{tape}' why='File too large' advice='the games go on; " in log
    command = [sys.executable, "-m", "ulci_server.cli", "replay", str(tape)]
    again = await trio.run_process(command, capture_stdout=True)
    assert b"is the same; it was cut short" in again.stdout
