"""What it costs the server when many do something together, or one does it before many.

Thousands of people are in the lobby, ten thousand bans are known, and two pools draw from fifty
thousand starts each. Of each event the longest step that a task of the server took is measured,
during which everybody else waited. See README.md here.
"""

import argparse
import random
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import chess
from measured_server import Server, served
from processes import leave_to_server, resident

from ulci_server.storage import Database, migrate, secret_hash

CONFIG = """
listen = [{ address = "tcp://127.0.0.1:0", pool = "one" }, { address = "ws://127.0.0.1:0" }]

[database]
url = "sqlite:///{folder}/together.db"
durability = "process"

[limits]
exempt = ["127.0.0.0/8"]

[log]
level = "warning"

[[pool]]
name = "one"
game = "chess"
time = "600+10"
starts_file = "{folder}/one.epd"

[[pool]]
name = "other"
game = "chess"
time = "60+1"
starts_file = "{folder}/other.epd"
"""

RECEIVE = 1 << 18
QUIET = 1.0
"""Seconds in which nobody is told anything: an event is over."""

FLAG = 3.0
"""The same, where a flag falls after two seconds."""

LEAST = 4500
"""People, or else there are not enough for all that happens."""

LONGEST = 100
"""Plies of a random game: those after it have few men."""

TOKEN = "together"


class People:
    """Connections that listen to all that they are told, in a thread of their own."""

    def __init__(self, port: int) -> None:
        self.lines = 0
        """Told to them so far."""
        self._port = port
        self._here: dict[int, socket.socket] = {}
        self._heard_at = time.monotonic()
        self._poll = select.epoll()
        threading.Thread(target=self._listen, daemon=True).start()

    def come(self, number: int, name: str, *more: str) -> list[socket.socket]:
        """So many, each with a name of its own."""
        came = []
        said = "".join(f"{word}\n" for word in ("id feature lobby", *more, "uciok"))
        for at in range(number):
            sock = socket.create_connection(("127.0.0.1", self._port))
            self._here[sock.fileno()] = sock
            self._poll.register(sock, select.EPOLLIN)
            sock.sendall(f"id username {name}{at or ''}\n{said}".encode())
            came.append(sock)
        return came

    def say(self, who: Sequence[socket.socket], line: str) -> None:
        for sock in who:
            sock.sendall(f"{line}\n".encode())

    def leave(self, who: Sequence[socket.socket]) -> None:
        for sock in who:
            if sock.fileno() >= 0:  # the server may have ended it
                sock.shutdown(socket.SHUT_WR)

    def settle(self, quiet: float) -> None:
        """Until nobody has been told anything for so many seconds."""
        self._heard_at = time.monotonic()
        while time.monotonic() - self._heard_at < quiet:
            time.sleep(quiet / 10)

    def _listen(self) -> None:
        while True:
            for number, _ in self._poll.poll():
                sock = self._here[number]
                try:
                    data = sock.recv(RECEIVE)
                except OSError:
                    data = b""
                self._heard_at = time.monotonic()
                self.lines += data.count(b"\n")
                if b"isready\n" in data:
                    sock.sendall(b"readyok\n")
                if not data:
                    self._poll.unregister(number)
                    del self._here[number]
                    sock.close()


def starts(number: int, seed: int) -> Iterator[str]:
    """So many different positions of random games that are not over."""
    chance = random.Random(seed)
    seen: set[str] = set()
    while True:
        board = chess.Board()
        while not board.is_game_over() and board.ply() < LONGEST:
            if (fen := board.fen()) not in seen:
                seen.add(fen)
                yield fen
                if len(seen) == number:
                    return
            board.push(chance.choice([*board.legal_moves]))


def prepare(folder: Path, number: int, bans: int) -> None:
    """The starts of both pools, an administrator, and so many bans."""
    fens = [*starts(2 * number, seed=1)]
    for name, some in (("one", fens[:number]), ("other", fens[number:])):
        (folder / f"{name}.epd").write_text("\n".join(some))
    url = f"sqlite:///{folder}/together.db"
    migrate(url)
    database = Database(url, durability="process")
    boss = database.accounts.add_player("Boss", "human")
    database.accounts.add_token(boss.id, secret_hash(TOKEN), "admin")
    for at in range(bans):
        if at % 2:
            database.accounts.add_ban("name", f"Rude{at}", by="Boss")
        else:
            database.accounts.add_ban("address", f"10.{at >> 8 & 255}.{at & 255}.0/24", by="Boss")
    database.close()


class Events:
    """Each is one row of the table."""

    def __init__(self, server: Server, number: int) -> None:
        self._server = server
        self._people = People(server.ports["tcp"])
        self._number = number

    def run(self) -> None:
        people, number = self._people, self._number
        crowd: list[socket.socket] = []
        self._row("one comes", lambda: people.come(1, "first"))
        self._row(f"{number} come", lambda: crowd.extend(people.come(number, "p")))
        boss = people.come(1, "Boss", f"id token {TOKEN}")
        one, other, third, *rest = crowd
        self._say(one, "who")
        self._say(one, "seek game chess time 7+7")
        self._say(one, "unseek")
        self._say(rest[-1], "seek time 60+1")
        self._say(other, "seek time 600+10 color white")
        self._say(third, "seek time 600+10 color black")
        self._row("seek of 1000", lambda: people.say(rest[:1000], "seek time 900+9 color white"))
        self._say(one, "seeks")
        self._row("1000 games begin", lambda: people.say(rest[1000:2000], "seek time 900+9"))
        self._say(one, "games")
        self._say(boss[0], "admin tell all hello")
        self._say(boss[0], "admin who")
        self._row("1000 leave", lambda: people.leave(rest[2000:3000]))
        self._row("1000 leave in a game", lambda: people.leave(rest[:1000]))
        self._row("500 seek", lambda: people.say(rest[3000:3500], "seek time 2+2 color white"))
        self._row(
            "500 games, 500 flags fall", lambda: people.say(rest[3500:4000], "seek time 2+2"), FLAG
        )
        self._row("one comes", lambda: people.come(1, "last"))
        left = [one, other, third, *rest[1000:2000], *rest[3000:]]
        self._row("all others leave", lambda: people.leave(left))

    def _say(self, who: socket.socket, line: str) -> None:
        self._row(line, lambda: self._people.say([who], line))

    def _row(self, what: str, happens: Callable[[], object], quiet: float = QUIET) -> None:
        before, began = self._people.lines, time.monotonic()
        self._server.longest_step()
        happens()
        self._people.settle(quiet)
        lasted = time.monotonic() - began - quiet
        step = self._server.longest_step()
        told = self._people.lines - before
        print(f"{what:34}{step.ms:9.1f}{told:10}{lasted:9.1f}  {step.task}", flush=True)


HEAD = f"{'what happens':34}{'step ms':>9}{'lines':>10}{'seconds':>9}  whose step"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=6500, help=f"in the lobby, {LEAST} at least")
    parser.add_argument("--starts", type=int, default=50_000, help="of each of two pools")
    parser.add_argument("--bans", type=int, default=10_000)
    parser.add_argument("--server-cpu", type=int, default=0)
    options = parser.parse_args()
    if options.people < LEAST:
        parser.error(f"there must be {LEAST} people at least")
    leave_to_server(options.server_cpu)
    made = partial(prepare, number=options.starts, bans=options.bans)
    with served(CONFIG, options.server_cpu, made) as server:
        print(f"{options.starts} starts in each of two pools, {options.bans} bans")
        print(HEAD)
        Events(server, options.people).run()
        print("\n".join(server.said()))
        print(f"memory of the server: {resident(server.process.pid) / 1000:.0f} MB")


if __name__ == "__main__":
    main()
