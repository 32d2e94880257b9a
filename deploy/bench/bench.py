"""What the relay costs, row by row, each beside a bare Trio line relay of the same run.

Quote the ratio, not the number. README.md here says what each row plays.
"""

import argparse
import os
import sys
import tempfile
import uuid
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

import sqlalchemy as sa
from crowd import crowd
from players import Load, Players, idle_connections
from processes import (
    HERE,
    allow_connections,
    leave_to_server,
    listening,
    resident,
    server,
    worked,
)
from results_table import Line, Measured, of_moves, table

CONFIG = """
listen = [{{ address = "tcp://127.0.0.1:0" }}]

[database]
url = "{database}"
durability = "{durability}"

[play]
claims = true

[log]
level = "warning"

[[pool]]
name = "bench"
game = "chess"
time = "600+10"
"""

POSTGRES = "ULCI_TEST_POSTGRES_URL"
"""Names a database in which a schema may be made, and dropped."""

THINKING = 3.0
"""Times as long is a row measured whose players think: it has fewer moves."""

ONE_GAME = 0.05
"""s a move of the game that is watched."""


def play(port: int, pairs: int, seconds: float, *, bare: bool) -> Load:
    """Play so many games at a server for that long, after half of it to warm up: for programs that
    measure another server by the same players."""
    players = Players((port,), pairs, bare=bare)
    try:
        return players.run(seconds)
    finally:
        players.close()


class Row(Protocol):
    """One row of the table. `key`: by which ``--only`` asks for it."""

    key: str
    name: str
    paced: bool

    def reference(self) -> object:
        """Rows of which this is equal have the same figures of the bare relay."""
        ...

    def measure(self, options: Namespace, *, bare: bool) -> Measured: ...


Doing = Literal["idle", "watching", "streaming"]


@dataclass(frozen=True, slots=True)
class Games:
    """Moves of games. The bare relay is always spoken to in lines over TCP: it knows no other.

    audience: connected beside the players; `doing`: what they do about game 1.
    """

    key: str
    name: str
    pairs: int
    think: float = 0.0
    spread: float = 0.0
    wire: str = "tcp"
    game: str = "chess"
    database: str | None = None
    audience: int = 0
    doing: Doing = "idle"

    @property
    def paced(self) -> bool:
        return self.think > 0

    def reference(self) -> object:
        return (self.pairs, self.think, self.spread)

    def measure(self, options: Namespace, *, bare: bool) -> Measured:
        seconds = options.seconds * (THINKING if self.think else 1)
        scheme = "tcp" if self.wire in ("tcp", "plain") else "ws"
        streams = self.doing == "streaming" and not bare
        with ExitStack() as stack:
            argv = stack.enter_context(
                command(
                    options, bare=bare, scheme=scheme, game=self.game, database=self.database,
                    web=streams,
                )
            )  # fmt: skip
            ports, pid = stack.enter_context(listening(argv, options.server_cpu, 1 + streams))
            port, people = ports[0], None
            if self.audience and not bare:
                people = stack.enter_context(crowd(ports[-1], self.audience, streams=streams))
            wire = "tcp" if bare else self.wire
            players = Players(
                (port,), self.pairs, bare=bare, think=self.think, spread=self.spread,
                wire=wire, game=self.game,
            )  # fmt: skip
            stack.callback(players.close)
            players.begin()
            if people is not None and self.doing != "idle":
                people.watch(1)
            load = players.run(seconds, pid)
        return of_moves(load.moves, load.seconds, load.latencies, load.server, load.players)


@dataclass(frozen=True, slots=True)
class Start:
    """Games that begin: connections, handshakes, pairing and the first ``go``."""

    key: str
    name: str
    games: int
    paced: bool = False

    def reference(self) -> object:
        return self

    def measure(self, options: Namespace, *, bare: bool) -> Measured:
        with command(options, bare=bare) as argv, server(argv, options.server_cpu) as (port, pid):
            before = worked(pid)
            players = Players((port,), self.games, bare=bare, think=3600.0)
            try:
                players.begin()
                spent = worked(pid) - before
            finally:
                players.close()
        return Measured({"CPU ms a game": 1000 * spent / self.games})


@dataclass(frozen=True, slots=True)
class Idle:
    """Connections that have introduced themselves and wait."""

    key: str
    name: str
    connections: int
    paced: bool = False

    def reference(self) -> object:
        return self

    def measure(self, options: Namespace, *, bare: bool) -> Measured:
        with command(options, bare=bare) as argv, server(argv, options.server_cpu) as (port, pid):
            before = resident(pid)
            idle = idle_connections(port, self.connections, bare=bare)
            memory = (resident(pid) - before) / self.connections
            for sock in idle:
                sock.close()
        return Measured({"kB a connection": memory})


@contextmanager
def command(
    options: Namespace,
    *,
    bare: bool,
    scheme: str = "tcp",
    game: str = "chess",
    database: str | None = None,
    web: bool = False,
) -> Iterator[list[str]]:
    """What starts the server of a row, with a new database: a file unless `database` is given.
    `web`: it has a second listener, for HTTP."""
    if bare:
        yield [sys.executable, str(HERE / "bare_relay.py")]
        return
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = f"sqlite:///{folder}/bench.db"
        if database is not None:
            url = stack.enter_context(schema(database))
        text = CONFIG.format(database=url, durability=options.durability)
        text = text.replace('"tcp:', f'"{scheme}:').replace('"chess"', f'"{game}"')
        if web:
            text = text.replace("}]", '}, { address = "ws://127.0.0.1:0" }]', 1)
        config = folder / "bench.toml"
        config.write_text(text.replace("[database]", "[database]\nmigrate = true"))
        yield [sys.executable, "-m", "ulci_server.cli", "serve", "--config", str(config)]


@contextmanager
def schema(database: str) -> Iterator[str]:
    """The address of a new schema of a PostgreSQL database, dropped afterwards."""
    name = f"ulci_bench_{uuid.uuid4().hex}"
    url = sa.make_url(database).set(drivername="postgresql+psycopg")
    admin = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
    with admin.connect() as connection:
        connection.execute(sa.schema.CreateSchema(name))
    try:
        ours = url.update_query_dict({"options": f"-csearch_path={name}"})
        yield ours.render_as_string(hide_password=False)
    finally:
        with admin.connect() as connection:
            connection.execute(sa.schema.DropSchema(name, cascade=True))
        admin.dispose()


def watched(people: int) -> Iterator[Games]:
    """One game, and those who are there besides its players."""
    audiences: dict[str, Doing] = {
        "idle": "idle", "watching": "watching", "event streams": "streaming"
    }  # fmt: skip
    for name, doing in audiences.items():
        yield Games(
            "watched", f"1 game, {people} {name}", 1, think=ONE_GAME, audience=people, doing=doing
        )


def rows(options: Namespace) -> Iterator[Row]:
    """All of them, in the order of the table. A new one's key is also in `KEYS`."""
    first = options.pairs[0]
    for pairs in options.pairs:
        yield Games("full", f"full load, {pairs} pairs, TCP", pairs)
    yield Games("plain", f"full load, {first} pairs, plain lines", first, wire="plain")
    yield Games("websocket", f"full load, {first} pairs, WebSocket", first, wire="ws")
    yield Games("msgpack", f"full load, {first} pairs, msgpack", first, wire="msgpack")
    yield Games("liberty", f"full load, {first} pairs, Liberty", first, game="liberty")
    if options.database:
        name = f"full load, {first} pairs, PostgreSQL"
        yield Games("postgres", name, first, database=options.database)
    for games in options.games:
        name = f"thinking {options.think:g} s, {games} games"
        yield Games("thinking", name, games, think=options.think, spread=1.0)
    yield from watched(options.watchers)
    yield Start("start", f"{options.start} games begin", options.start)
    yield Idle("idle", "memory of an idle connection", options.idle)


KEYS = (
    *("full", "plain", "websocket", "msgpack", "liberty", "postgres"),
    *("thinking", "watched", "start", "idle"),
)


def measured(options: Namespace, tell: Callable[[str], None]) -> list[Line]:
    """Every row of every round; `tell` hears what is under way."""
    chosen = [row for row in rows(options) if row.key in options.only]
    lines: list[Line] = [Line(row.name, [], [], paced=row.paced) for row in chosen]
    for number in range(options.rounds):
        bare: dict[object, Measured] = {}
        for row, line in zip(chosen, lines, strict=True):
            tell(f"round {number + 1} of {options.rounds}: {row.name}")
            reference = row.reference()
            if reference not in bare:
                bare[reference] = row.measure(options, bare=True)
            line.bare.append(bare[reference])
            line.ours.append(row.measure(options, bare=False))
    return lines


def parsed() -> Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add(
        "--only", nargs="+", default=KEYS, choices=KEYS, metavar="ROW", help=f"of {', '.join(KEYS)}"
    )
    add("--rounds", type=int, default=1, help="of all rows; their medians are told")
    add(
        "--seconds", type=float, default=2, help=f"of each row; times {THINKING:g} where they think"
    )
    add("--pairs", type=int, nargs="+", default=[64, 256], help="games at once at full load")
    add("--games", type=int, nargs="+", default=[64, 256, 1000], help="games at once that think")
    add("--think", type=float, default=2, help="s a move, on average: evenly from 0 to twice that")
    add("--start", type=int, default=1000, help="games that begin at once")
    add("--idle", type=int, default=500, help="idle connections")
    add("--watchers", type=int, default=2000, help="of one game")
    add("--durability", default="power", choices=("power", "process"))
    add(
        "--database",
        default=os.environ.get(POSTGRES),
        help=f"a PostgreSQL URL; default: {POSTGRES}",
    )
    add("--server-cpu", type=int, default=0)
    return parser.parse_args()


def main() -> None:
    options = parsed()
    allow_connections()
    leave_to_server(options.server_cpu)
    lines = measured(options, lambda text: print(text, file=sys.stderr, flush=True))
    print("\n".join(table(lines)))


if __name__ == "__main__":
    main()
