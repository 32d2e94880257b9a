"""Memory: when all have left, the server has no more of it than before thousands of games.

    python -m tests.faults.churn --games 12000

Engines, people, watchers, browsers and strangers come from ever new addresses under ever new names,
over TCP and WebSocket, play short games that end in all ways, and leave; the next ones come. After
each round nobody is left, and the memory of the server's process is measured once it is idle. Ends
with 1 if there is `ALLOWED` more than after the first round, which fills what is filled once
(modules, statements), or if there were fewer games than asked for.
"""

import random
import selectors
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import click

from deploy.bench.wires import WIRES, connect
from tests.support.servers import Server
from ulci_server.app.idle import QUIET

from .bullet import written_game
from .crowd import RECEIVE, Crowd, Member
from .record import now

ALLOWED = 5 * 1024
"""kB by which the memory may have grown."""

CLOCK = 3.0
"""Seconds that a side has: so long may a game last whose players have vanished."""

IDLE = CLOCK + 2 * QUIET
"""Seconds after which the first round has been tidied up on any machine."""

SETTLED = 180.0
"""Seconds at most until a server has given back what it need not keep, however busy the machine."""

LOOK = 0.5
"""Seconds between two looks at it."""

CONFIG = """
listen = [{{ address = "tcp://127.0.0.1:0" }}, {{ address = "ws://127.0.0.1:0" }}]
[database]
url = "{database}"
durability = "process"
[play]
away = 1.0
delay = 0.0
[limits]
exempt = ["127.0.0.1"]
[[pool]]
name = "chess"
time = "{clock:g}+0.1"
"""

SERVE = (sys.executable, "-m", "ulci_server.cli", "serve")

GAME = written_game(1)


class Visitor(Member):
    """Somebody who comes, does something and leaves for good. `over` counts how often any of them
    was told the end of a game."""

    scheme = "tcp"
    over = 0
    done: Callable[[], object]

    def __init__(self, crowd: Crowd, name: str, chance: random.Random) -> None:
        super().__init__(crowd, name)
        self.chance = chance
        self.source = ".".join(["127", *(str(chance.randrange(1, 255)) for _ in range(3))])

    def call(self, port: int) -> None:
        self.attend(socket.create_connection(("127.0.0.1", port), source_address=(self.source, 0)))

    def attend(self, sock: socket.socket) -> None:
        self.sock = sock
        self.crowd.selector.register(sock, selectors.EVENT_READ, self)
        self.come()

    def come(self) -> None:
        """It is connected."""

    def lose(self) -> None:
        super().lose()
        self.done()

    def leave(self) -> None:
        """If it is still here."""
        if self.sock is not None:
            self.lose()

    @contextmanager
    def until_lost(self) -> Iterator[None]:
        """What cannot be sent ends the visit."""
        try:
            yield
        except ConnectionError:
            self.lose()

    def say(self, *lines: str) -> None:
        with self.until_lost():
            super().say(*lines)

    def take(self, line: str) -> None:
        """Most do not read."""


class Engine(Visitor):
    """A plain UCI engine. It loses its first game at a ply of its own, by a move that is none or
    by being gone."""

    ply = 0

    def come(self) -> None:
        self.last = self.chance.randrange(2, 30)
        self.vanishes = self.chance.random() < 0.3

    def take(self, line: str) -> None:
        verb = line.partition(" ")[0]
        if verb == "position":
            self.ply = line.count(" ") - 2 if " moves " in line else 0
        elif verb == "go":
            self.be_asked()
        elif verb == "isready":
            self.say("readyok")
        elif verb == "uci":
            self.say("id version 1", f"id name {self.name}", "uciok")
        elif line.startswith("info string result"):
            self.be_told()

    def be_told(self) -> None:
        Visitor.over += 1
        self.lose()

    def be_asked(self) -> None:
        if self.ply < self.last:
            self.move()
        elif self.vanishes:
            self.lose()
        else:
            self.say("bestmove 0000")

    def move(self) -> None:
        move = GAME[self.ply]
        self.say(f"info depth 9 score cp {self.ply} pv {move}", f"bestmove {move}")


class WebEngine(Engine):
    """The same by WebSocket, in lines or in msgpack."""

    scheme = "ws"

    def call(self, port: int) -> None:
        self.wire = WIRES[self.chance.choice(["ws", "msgpack"])]()
        self.attend(connect(port, self.wire))

    def say(self, *lines: str) -> None:
        with self.until_lost():
            for line in lines:
                self.sock.sendall(self.wire.said(line.encode()))

    def move(self) -> None:
        self.say(f"bestmove {GAME[self.ply]}")

    def take(self, line: str) -> None:
        if line == "isready" and self.ply:  # the result's words are not in these frames
            self.be_told()
        else:
            super().take(line)

    def read(self) -> None:
        try:
            data = self.sock.recv(RECEIVE)
        except ConnectionError:
            data = b""
        if not data:
            self.lose()
            return
        for line in self.wire.heard(data):
            if self.sock is not None:
                self.take(line.decode())


class Person(Engine):
    """Seeks or accepts, talks, and ends the game in a way of people."""

    ENDS = ("resign", "draw", "abort", "takeback", "bestmove 0000")

    PATIENCE = 1.0
    """Seconds until it resigns if that has not ended the game."""

    def come(self) -> None:
        super().come()
        self.seeks = self.chance.random() < 0.5
        self.end = self.chance.choice(self.ENDS)

    def take(self, line: str) -> None:
        match line.split():
            case ["uci"]:
                self.say("id version 1", f"id username {self.name}", "id feature lobby", "uciok")
            case ["lobby", "welcome", *_]:
                self.say("who", "games")
                self.say("seek game chess color random" if self.seeks else "seeks")
            case ["lobby", "seek", number, "player", other, *_]:
                if not self.seeks and other != self.name:
                    self.say(f"accept {number}")
            case ["lobby", "game", _, "start", *_]:
                self.say("say hello")
            case ["lobby", "game", _, "offer", _, "from", other, *_]:
                if other != self.name:
                    self.say("draw")
            case ["lobby", "game", _, "over", *_]:
                self.be_told()
            case ["info", "string", "result", *_]:
                pass
            case _:
                super().take(line)

    def be_asked(self) -> None:
        if self.ply < self.last or self.vanishes:
            super().be_asked()
        else:
            self.say(self.end)
            self.crowd.later(self.PATIENCE, self._resign)

    def _resign(self) -> None:
        if self.sock is not None:
            self.say("resign")


class Watcher(Visitor):
    """Watches a game that is on, for some lines."""

    STAYS = 5.0

    def come(self) -> None:
        self.left = self.chance.randrange(5, 40)
        self.crowd.later(self.STAYS, self.leave)

    def take(self, line: str) -> None:
        self.left -= 1
        match line.split():
            case ["uci"]:
                self.say("id version 1", f"id username {self.name}", "id feature lobby", "uciok")
            case ["lobby", "welcome", *_]:
                self.say("games")
            case ["lobby", "playing", number, *_]:
                self.say(f"watch {number}")
        if self.left <= 0:
            self.leave()


class Browser(Visitor):
    """Asks for a page or an answer, or follows games for a while."""

    scheme = "ws"

    STAYS = 2.0

    def come(self) -> None:
        game = 1 + self.chance.randrange(1 + Visitor.over // 2)
        path = self.chance.choice(
            [
                *("/", "/play", f"/games/{game}", "/static/site.css", "/nosuch"),
                *(f"/api/games/{game}{what}" for what in ("", ".pgn", "/why", "/events")),
                *("/api/games", "/api/games?state=running", "/api/players", "/api/events"),
            ]
        )
        self.say(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        self.crowd.later(self.STAYS, self.leave)

    def read(self) -> None:
        try:
            if self.sock.recv(RECEIVE):
                return
        except ConnectionError:
            pass
        self.lose()


class Stranger(Visitor):
    """Says what nobody understands, or next to nothing."""

    STAYS = 1.0

    SAID = (
        b"",
        b"GET / HTTP/1.1\r\nHost: ",
        b"\x16\x03\x01\x00\xa5\x01",
        b"hello\n" * 120,
        b"uciok\n",
        b"x" * 9000,
    )

    def __init__(self, crowd: Crowd, name: str, chance: random.Random) -> None:
        super().__init__(crowd, name, chance)
        self.scheme = chance.choice(["tcp", "ws"])

    def come(self) -> None:
        self.crowd.later(self.STAYS, self.leave)
        with self.until_lost():
            self.sock.sendall(self.chance.choice(self.SAID))


KINDS = (
    *(Engine, Engine, Engine, WebEngine, WebEngine, Person, Person, Person),
    *(Watcher, Browser, Stranger),
)
"""What those are who come, each as often as another one."""


class Churn:
    """So many visitors at once, each followed by another one until all are told to leave."""

    def __init__(self, server: Server, at_once: int, seed: int) -> None:
        self.crowd = Crowd()
        self.came: Counter[str] = Counter()
        self._at_once = at_once
        self._chance = random.Random(seed)
        self._here: set[Visitor] = set()
        self._leaving = True
        self._ports = {scheme: server.port(scheme) for scheme in ("tcp", "ws")}

    def round(self, games: int, seconds: float) -> int:
        """So many games more, unless they take longer, and all leave; how many there were."""
        before, self._leaving = Visitor.over, False
        for _ in range(self._at_once):
            self._come()
        self.crowd.serve(lambda: Visitor.over >= before + 2 * games, seconds)
        self._leaving = True
        for visitor in [*self._here]:
            visitor.lose()
        return (Visitor.over - before) // 2

    def _come(self) -> None:
        if self._leaving:
            return
        kind = self._chance.choice(KINDS)
        self.came[kind.__name__] += 1
        visitor = kind(self.crowd, f"{kind.__name__}{self.came.total()}", self._chance)
        self._here.add(visitor)
        visitor.done = partial(self._gone, visitor)
        with visitor.until_lost():
            visitor.call(self._ports[visitor.scheme])

    def _gone(self, visitor: Visitor) -> None:
        if visitor in self._here:
            self._here.remove(visitor)
            self.crowd.later(0.0, self._come)


def least(server: Server, goal: int, seconds: float) -> int:
    """kB of memory of the server, as soon as that is not more than `goal`, or the least that was
    seen in that time."""
    found, end = server.resident(), now() + seconds
    while found > goal and now() < end:
        time.sleep(LOOK)
        found = min(found, server.resident())
    return found


def play(
    folder: Path,
    games: int,
    at_once: int,
    rounds: int,
    *,
    seed: int = 1,
    limit: float = 3600.0,
    serve: Sequence[str] = SERVE,
) -> dict:
    """What came of it: a table's rows. The first of the rounds is one more."""
    Visitor.over = 0
    config = folder / "server.toml"
    config.write_text(CONFIG.format(database=f"sqlite:///{folder}/ulci.db", clock=CLOCK))
    server = Server(folder, "--config", str(config), program=serve)
    server.start()
    end, fresh = now() + limit, server.resident()
    churn = Churn(server, at_once, seed)
    try:
        warm = churn.round(games // rounds, limit)
        first = memory = least(server, 0, IDLE)
        print(f"{warm:>6} games, {memory} kB", flush=True)
        played = 0
        for _ in range(rounds):
            played += churn.round(games // rounds, end - now())
            memory = least(server, first + ALLOWED, SETTLED)
            print(f"{warm + played:>6} games, {memory} kB", flush=True)
    finally:
        churn.crowd.close()
        server.stop()
    return {
        "games": played,
        **{f"    {kind}": number for kind, number in churn.came.most_common()},
        "kB at the start": fresh,
        "kB after the first round": first,
        "kB at the end": memory,
    }


def failures(rows: dict, games: int) -> Iterator[str]:
    """Sentences about what is not as it was asked for."""
    if rows["games"] < games:
        yield f"only {rows['games']} of {games} games were played"
    more = rows["kB at the end"] - rows["kB after the first round"]
    if more > ALLOWED:
        yield f"{more} kB are kept of games that are over"


@click.command(help=__doc__)
@click.option("--games", default=12_000, show_default=True)
@click.option("--at-once", default=60, show_default=True, help="Visitors at the same time.")
@click.option("--rounds", default=8, show_default=True, help="After each, nobody is left.")
@click.option("--seed", default=1, show_default=True, help="All chance comes from it.")
@click.option("--limit", default=3600.0, show_default=True, help="s until it stops in any case.")
def main(**asked: object) -> None:
    with tempfile.TemporaryDirectory(prefix="ulci-churn-") as folder:
        rows = play(Path(folder), **asked)
    for name, value in rows.items():
        print(f"{name:<32}{value:>8}")
    failed = [*failures(rows, asked["games"])]
    print(*failed, sep="\n", end="\n" * bool(failed))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
