"""Many quick players in one process: sockets on one epoll, moves from a game written beforehand."""

import heapq
import random
import selectors
import socket
import time
from dataclasses import dataclass, field

import chess

# Plies of the prepared game: long enough that starting new games costs little.
PLIES = 240
RECEIVE = 1 << 16


def prepared_game(plies: int = PLIES, seed: int = 1) -> list[bytes]:
    """A legal game of that many plies in which nothing ends it, as ``bestmove`` lines."""
    chance = random.Random(seed)
    while True:
        board, lines = chess.Board(), []
        while len(lines) < plies and not board.is_game_over(claim_draw=True):
            move = chance.choice([*board.legal_moves])
            lines.append(b"bestmove " + move.uci().encode() + b"\n")
            board.push(move)
        if len(lines) == plies:
            return [*lines, b"bestmove 0000\n"]  # and an engine that says so loses: next game


@dataclass(eq=False, slots=True)
class Player:
    """One connection. `ply`: the one it is asked for next. `opponent`: a number like its own."""

    sock: socket.socket
    number: int
    opponent: int
    rest: bytes = b""
    ply: int = 0


@dataclass(slots=True)
class Load:
    """What was measured: moves relayed, seconds, and the latency in s of each relayed move."""

    moves: int = 0
    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)


class Players:
    """Both sides of `pairs` games against a server of the relay, or against the bare relay.

    think: s between being asked and answering; 0 saturates the server.
    """

    def __init__(self, port: int, pairs: int, *, bare: bool, think: float = 0.0) -> None:
        self._selector = selectors.EpollSelector()
        self._bare = bare
        self._think = think
        self._game = prepared_game()
        self._said: dict[int, float] = {}
        self._due: list[tuple[float, int, Player]] = []
        self._load = Load()
        self._players = [self._connect(port, number) for number in range(2 * pairs)]

    def run(self, seconds: float) -> Load:
        """Play for that long, after half of it to warm up, and say what was seen."""
        if self._bare:
            for player in self._players[::2]:
                self._answer(player)
        self._loop(seconds / 2)
        self._load = Load()
        began = time.perf_counter()
        self._loop(seconds)
        self._load.seconds = time.perf_counter() - began
        return self._load

    def close(self) -> None:
        for player in self._players:
            player.sock.close()
        self._selector.close()

    def _connect(self, port: int, number: int) -> Player:
        sock = socket.create_connection(("127.0.0.1", port))
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        player = Player(sock, number, number ^ 1)
        self._selector.register(sock, selectors.EVENT_READ, player)
        if self._bare:
            sock.recv(RECEIVE)  # its greeting: pairs are made in the order of connecting
            player.ply = number % 2
        return player

    def _loop(self, seconds: float) -> None:
        end = time.perf_counter() + seconds
        while (now := time.perf_counter()) < end:
            due = self._due[0][0] if self._due else end
            for key, _ in self._selector.select(max(0.0, min(due, end) - now)):
                self._read(key.data)
            now = time.perf_counter()
            while self._due and self._due[0][0] <= now:
                self._answer(heapq.heappop(self._due)[2])

    def _read(self, player: Player) -> None:
        data = player.rest + player.sock.recv(RECEIVE)
        lines, _, player.rest = data.rpartition(b"\n")
        for line in lines.split(b"\n"):
            if line.startswith(b"position"):
                player.ply = line.count(b" ") - 2 if b" moves " in line else 0
            elif line.startswith((b"go ", b"bestmove")):
                self._asked(player)
            elif line == b"isready":
                player.sock.sendall(b"readyok\n")
            elif line.startswith(b"setoption name UCI_Opponent"):
                player.opponent = int(line.rpartition(b"p")[2])
            elif line == b"uci":
                name = b"id name p%d\n" % player.number
                player.sock.sendall(name + b"option name UCI_Opponent type string\nuciok\n")

    def _asked(self, player: Player) -> None:
        now = time.perf_counter()
        if (said := self._said.pop(player.number, None)) is not None:
            self._load.latencies.append(now - said)
            self._load.moves += 1
        if self._think:
            heapq.heappush(self._due, (now + self._think, player.number, player))
        else:
            self._answer(player)

    def _answer(self, player: Player) -> None:
        line = self._game[player.ply % len(self._game)]
        if self._bare:
            player.ply += 2
        self._said[player.opponent] = time.perf_counter()
        player.sock.sendall(line)


def idle_connections(port: int, number: int, *, bare: bool) -> list[socket.socket]:
    """Connections that have introduced themselves and wait; in the relay, outside every pool."""
    sockets = []
    for _ in range(number):
        sock = socket.create_connection(("127.0.0.1", port))
        sock.recv(RECEIVE)
        if not bare:
            sock.sendall(b"id username idle\nid feature lobby\nuciok\n")
            while b"lobby welcome" not in sock.recv(RECEIVE):
                pass
        sockets.append(sock)
    return sockets
