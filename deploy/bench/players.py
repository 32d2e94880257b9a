"""Many quick players in one process: sockets on one epoll, moves from a game written beforehand."""

import heapq
import random
import selectors
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from processes import worked
from wires import RECEIVE, WIRES, Wire, connect

from ulci.rules import GAMES

# Plies of the prepared game: long enough that starting new games costs little.
PLIES = 240

DECLARED = b"".join(
    b"id %b\n" % what
    for what in (
        b"pieces abcdefghijklmnopqrstuvwxyz",
        *(b"feature " + word for word in (b"boardsize", b"pawnmoves", b"promotion", b"castling")),
    )
)
"""What an engine says that plays Liberty Chess."""

HANG = 120.0
"""s in which games must have begun."""


@cache
def prepared_game(game: str = "chess") -> list[bytes]:
    """A legal game of `PLIES` plies in which nothing ends it, as ``bestmove`` lines."""
    chance = random.Random(1)
    while True:
        rules = GAMES[game]
        position, lines = rules.new(rules.starts[0], claims=True), []
        while len(lines) < PLIES and not (position.outcome() or position.claim()):
            move = chance.choice(position.legal_moves())
            lines.append(b"bestmove " + move.encode())
            position.play_untrusted(move)
        if len(lines) == PLIES:
            return [*lines, b"bestmove 0000"]  # and an engine that says so loses: next game


@dataclass(eq=False, slots=True)
class Player:
    """One connection, to the server at `port`. `ply`: the one it is asked for next. `opponent`: a
    number like its own."""

    sock: socket.socket
    wire: Wire
    number: int
    opponent: int
    port: int
    ply: int = 0

    def say(self, line: bytes) -> None:
        self.sock.sendall(self.wire.said(line))


@dataclass(slots=True)
class Load:
    """What was measured: moves relayed, seconds, the latency in s of each relayed move, those
    between players at different servers apart, and s of processor time that the server (all
    threads) and the players took meanwhile."""

    moves: int = 0
    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    crossing: list[float] = field(default_factory=list)
    server: float = 0.0
    players: float = 0.0


class Players:
    """Both sides of `pairs` games against a server of the relay, or against the bare relay.

    ports: of the servers, to which the players connect in turn.  one_by_one: each pair waits until
    it plays before the next one connects, so that it is known who plays whom.
    think: s between being asked and answering; 0 saturates the server.  spread: how far it varies
    from move to move, evenly, as a share of it.  wire: a key of `WIRES`.  game: of `GAMES`.
    """

    def __init__(
        self,
        ports: Sequence[int],
        pairs: int,
        *,
        bare: bool,
        think: float = 0.0,
        spread: float = 0.0,
        wire: str = "tcp",
        game: str = "chess",
        one_by_one: bool = False,
    ) -> None:
        self._selector = selectors.EpollSelector()
        self._bare = bare
        self._think = think
        self._spread = spread
        self._chance = random.Random(pairs)
        self._game = prepared_game(game)
        self._said: dict[int, float] = {}
        self._due: list[tuple[float, int, Player]] = []
        self._asked_for: set[int] = set()
        self._load = Load()
        self._began = False
        self._players: list[Player] = []
        for number in range(2 * pairs):
            self._players.append(self._connect(ports[number % len(ports)], number, wire))
            if one_by_one and number % 2:
                self._wait_for_games()

    def begin(self) -> None:
        """Until somebody in every game has been asked for a move."""
        if self._began:
            return
        self._began = True
        if self._bare:
            for player in self._players[::2]:
                self._answer(player)
        self._wait_for_games()

    def _wait_for_games(self) -> None:
        """Until somebody in every game has been asked for a move."""
        end = time.perf_counter() + HANG
        while len(self._asked_for) < len(self._players) // 2:
            if time.perf_counter() > end:
                raise SystemExit(f"only {len(self._asked_for)} games began in {HANG:g} s")
            self._turn(end)

    def run(self, seconds: float, pid: int | None = None) -> Load:
        """Play for that long, after half of it to warm up, and say what was seen; longer if there
        were fewer than two moves. `pid`: of the server, whose processor time is wanted."""
        self.begin()
        self._loop(seconds / 2)
        self._load = Load()
        server, players = worked(pid) if pid else 0.0, time.process_time()
        began = time.perf_counter()
        self._loop(seconds)
        end = began + HANG
        while self._load.moves < 2 and time.perf_counter() < end:  # fewer have no median
            self._turn(end)
        self._load.seconds = time.perf_counter() - began
        self._load.players = time.process_time() - players
        self._load.server = worked(pid) - server if pid else 0.0
        return self._load

    def close(self) -> None:
        for player in self._players:
            player.sock.close()
        self._selector.close()

    def _connect(self, port: int, number: int, wire: str) -> Player:
        player_wire = WIRES[wire]()
        sock = connect(port, player_wire)
        player = Player(sock, player_wire, number, number ^ 1, port)
        self._selector.register(sock, selectors.EVENT_READ, player)
        if self._bare:
            sock.recv(RECEIVE)  # its greeting: pairs are made in the order of connecting
            player.ply = number % 2
        return player

    def _loop(self, seconds: float) -> None:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            self._turn(end)

    def _turn(self, end: float) -> None:
        """Hear what has come, or wait for it until `end`, and move for those who have thought."""
        due = self._due[0][0] if self._due else end
        for key, _ in self._selector.select(max(0.0, min(due, end) - time.perf_counter())):
            self._read(key.data)
        now = time.perf_counter()
        while self._due and self._due[0][0] <= now:
            self._answer(heapq.heappop(self._due)[2])

    def _read(self, player: Player) -> None:
        data = player.sock.recv(RECEIVE)
        if not data:
            raise SystemExit(f"the server ended the connection of player {player.number}")
        for line in player.wire.heard(data):
            if line.startswith(b"position"):
                at = line.find(b" moves ")
                player.ply = line.count(b" ", at) - 1 if at >= 0 else 0
            elif line.startswith((b"go ", b"bestmove")):
                self._asked(player)
            elif line == b"isready":
                player.say(b"readyok")
            elif line.startswith(b"setoption name UCI_Opponent"):
                player.opponent = int(line.rpartition(b"p")[2])
            elif line == b"uci":
                self._introduce(player)

    def _introduce(self, player: Player) -> None:
        lines = b"id name p%d\n%boption name UCI_Opponent type string\nuciok"
        said = (lines % (player.number, DECLARED)).split(b"\n")
        player.sock.sendall(b"".join(map(player.wire.said, said)))

    def _asked(self, player: Player) -> None:
        now = time.perf_counter()
        if (said := self._said.pop(player.number, None)) is not None:
            elsewhere = self._players[player.opponent].port != player.port
            (self._load.crossing if elsewhere else self._load.latencies).append(now - said)
            self._load.moves += 1
        if len(self._asked_for) < len(self._players) / 2:
            self._asked_for.add(min(player.number, player.opponent))
        if self._think:
            vary = self._chance.uniform(1 - self._spread, 1 + self._spread)
            heapq.heappush(self._due, (now + self._think * vary, player.number, player))
        else:
            self._answer(player)

    def _answer(self, player: Player) -> None:
        line = self._game[player.ply % len(self._game)]
        if self._bare:
            player.ply += 2
        self._said[player.opponent] = time.perf_counter()
        if player.wire.analysis:
            player.sock.sendall(player.wire.analysis)
        player.say(line)


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
