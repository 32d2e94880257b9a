"""An ordinary move costs few calls of Python functions, a figure that load on the machine does not
change. Printed by package: ``pytest -n 0 -s`` with this file."""

import json
import random
import select
import signal
import socket
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import chess
import pytest

from deploy.bench import counted_server
from deploy.bench.counted_server import COUNTED
from tests.support.servers import PATIENCE, Server

MOST = {1: 500, 64: 260}
"""Calls of the loop's thread a move, on average, by how many games are played at once. A move that
comes alone pays for four turns of Trio's loop and for a commit, which many moves share."""

PARTS = 4
"""The least of so many counts is taken: what the server does by itself every second is in all of
them, and more of it the longer a busy machine needs for the moves."""

MOVES = 64
"""Of a part, by all games together."""

WARM_UP = 20
"""Plies of each game before them."""


def long_game(plies: int) -> list[bytes]:
    """Moves at random that neither end the game nor let anybody claim a draw."""
    chance = random.Random(1)
    while True:
        board = chess.Board()
        while board.ply() < plies and not board.is_game_over(claim_draw=True):
            board.push(chance.choice([*board.legal_moves]))
        if board.ply() == plies:
            return [move.uci().encode() for move in board.move_stack]


class Pair:
    """Two engines that play a written game in turns."""

    def __init__(self, port: int, number: int, moves: Sequence[bytes]) -> None:
        self._number = number
        self._moves = iter(moves)
        self._mover = 0
        self._players = [
            socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) for _ in range(2)
        ]
        self._files = [player.makefile("rb") for player in self._players]

    def begin(self) -> None:
        """Until White is asked for a move."""
        for number in range(2):
            self._hear(number, b"uci\n")
            self._say(number, b"id name engine %d.%d\nuciok\n" % (self._number, number))
        for number in range(2):
            self._hear(number, b"isready\n")
            self._say(number, b"readyok\n")
        # The colours are drawn by lot, and Black is told nothing before White has moved.
        asked = select.select(self._players, [], [], PATIENCE)[0]
        self._mover = self._players.index(asked[0])
        self.be_asked()

    def move(self) -> None:
        self._say(self._mover, b"bestmove %b\n" % next(self._moves))
        self._mover = 1 - self._mover

    def be_asked(self) -> None:
        """Until the side to move is asked for its move."""
        self._hear(self._mover, b"go ")

    def close(self) -> None:
        for player, file in zip(self._players, self._files, strict=True):
            file.close()
            player.close()

    def _say(self, number: int, text: bytes) -> None:
        self._players[number].sendall(text)

    def _hear(self, number: int, beginning: bytes) -> None:
        for line in self._files[number]:
            if line.startswith(beginning):
                return
        raise AssertionError(f"the server ended the connection of player {number}")


def play(pairs: Sequence[Pair], plies: int) -> None:
    """All move at once, and wait until all are asked again."""
    for _ in range(plies):
        for pair in pairs:
            pair.move()
        for pair in pairs:
            pair.be_asked()


def said(server: Server) -> list[dict[str, Any]]:
    """All counts so far."""
    lines = server.log.read_text().split("\n")[:-1]  # of the last one there may be a part
    return [json.loads(line.removeprefix(COUNTED)) for line in lines if line.startswith(COUNTED)]


def counted(server: Server, games: int) -> list[dict[str, Any]]:
    """The calls of each part, of so many games in step."""
    server.start()
    plies = MOVES // games
    moves = long_game(WARM_UP + PARTS * plies)
    try:
        assert server.process is not None
        with ExitStack() as closing_all:
            pairs = []
            for number in range(games):
                pair = Pair(server.port(), number, moves)
                pairs.append(closing_all.enter_context(closing(pair)))
                pair.begin()
            play(pairs, WARM_UP)
            for part in range(PARTS):
                server.process.send_signal(signal.SIGUSR1)
                play(pairs, plies)
                server.process.send_signal(signal.SIGUSR2)
                while len(said(server)) <= part:
                    time.sleep(0.01)
            for asked in (signal.SIGTERM, signal.SIGINT):  # the second one ends the grace
                server.process.send_signal(asked)
    finally:
        server.stop()
    return said(server)


@pytest.mark.system
@pytest.mark.parametrize(("games", "most"), MOST.items())
def test_an_ordinary_move_costs_few_calls(tmp_path: Path, games: int, most: int) -> None:
    program = [sys.executable, counted_server.__file__, "serve"]
    server = Server(tmp_path, "--listen", "tcp://127.0.0.1:0", program=program)
    parts = counted(server, games)
    assert all(part["loop"]["game"] >= MOVES for part in parts)  # all were counted
    calls = min(parts, key=lambda part: sum(part["loop"].values()))
    loop, threads = calls["loop"], calls["threads"]
    print(f"\ncalls a move, {games} games   loop  other threads")
    for room in loop:
        print(f"{room:22}{loop[room] / MOVES:9.1f}{threads[room] / MOVES:15.1f}")
    total = sum(loop.values()) / MOVES
    print(f"{'together':22}{total:9.1f}{sum(threads.values()) / MOVES:15.1f}")
    for name, number in calls["most"].items():
        print(f"{number / MOVES:31.1f}  {name}")
    assert total <= most
