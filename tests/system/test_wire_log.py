"""A log of the wire whose disk is full ends, and the games go on."""

import random
import resource
import signal
from pathlib import Path

import pytest
import trio

from tests.support.clients import Client
from tests.support.databases import postgres_url
from tests.support.hosting import connection
from tests.support.quick import play
from tests.support.redis_servers import redis_url
from tests.support.server_clusters import serving_together
from tests.support.servers import PATIENCE, Server, until
from ulci.net import Address, dial
from ulci.protocol.messages import Resign, Seek, Terms
from ulci.wire_log import conversation, merged
from ulci_server.cli.errors import ExitCode

__all__ = ["postgres_url", "redis_url"]

pytestmark = pytest.mark.system

GROWTH = 20_000
"""Bytes that the log may grow by, once the game is on its way: some dozen moves."""

MOVES = 400


async def test_a_log_that_cannot_be_written_ends_and_nothing_else_does(tmp_path: Path) -> None:
    log = tmp_path / "wire.log"
    server = Server(tmp_path, "--listen", "tcp://127.0.0.1:0", "--wire-log", str(log))
    server.database = "memory:"  # the limit is one for all files of a process
    server.start()
    assert server.process is not None
    try:
        told: list[tuple[str, ...]] = []
        async with trio.open_nursery() as nursery:
            for seed in (1, 2):
                nursery.start_soon(play, server.port(), told, random.Random(seed))
            await until(lambda: len(told) > 10, "a game is on its way")
            limit = log.stat().st_size + GROWTH
            resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (limit, limit))
            # Or a little more, if the log has grown by as much before the limit was set.
            await until(lambda: log.stat().st_size >= limit, "the log is full")
            full = len(told)
            await until(lambda: len(told) > full + MOVES, "the games have gone on")
            async with await trio.open_tcp_stream("127.0.0.1", server.port()) as newcomer:
                assert await newcomer.receive_some() == b"uci\n"
            for asked in (signal.SIGTERM, signal.SIGINT):
                server.process.send_signal(asked)
            await trio.to_thread.run_sync(server.process.wait, PATIENCE)
    finally:
        assert server.stop() == ExitCode.GAMES_CUT
    written = server.log.read_text()
    assert written.count("wire log ended") == written.count("[error") == 1
    assert f"file='{log}' why='File too large' advice='the games go on " in written
    assert sum(entry.event == "said" for _, entry in conversation(log, game=1)) > 10


async def test_a_game_across_a_cluster_is_read_from_the_logs_of_its_servers(
    tmp_path: Path, postgres_url: str, redis_url: str
) -> None:
    more = f'[wire_log]\nfile = "{tmp_path}/{{name}}.log"\n'
    with serving_together(tmp_path, postgres_url, redis_url, more) as (a, b, _):
        here, there = (Address.parse(f"tcp://127.0.0.1:{server.port()}") for server in (a, b))
        async with dial(here, connection) as one, dial(there, connection) as other:
            ada, bob = Client(one), Client(other)
            for client, name, color in ((ada, "Ada", "white"), (bob, "Bob", "black")):
                await client.introduce_person(name)
                client.say(Seek(Terms(color=color)))
            for client in (ada, bob):
                await client.get_ready()
            await ada.move("e2e4")
            await bob.be_asked()
            bob.say(Resign())
            for client in (ada, bob):
                await client.hear_line("game 1 over")
                await client.get_ready()
    files = [tmp_path / "a.log", tmp_path / "b.log"]
    told = [
        (who, entry.event, entry.text)
        for who, entry in merged([conversation(file, game=1) for file in files])
    ]
    move, heard = ("Ada", "heard", "bestmove e2e4"), ("Bob", "said", "position startpos moves e2e4")
    assert told.index(move) < told.index(heard) < told.index(("Bob", "heard", "resign"))
    assert {who for who, *_ in told} == {"Ada", "Bob"}
