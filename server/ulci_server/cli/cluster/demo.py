"""``ulci-server cluster demo``: the server of a game is killed, and the game goes on."""

import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from string import ascii_lowercase

import click

from ulci.net import Address, NetError
from ulci_server.cli.banner import command_line
from ulci_server.cli.demo.command import (
    FAREWELL,
    MODULE,
    bridge,
    ended,
    engine_option,
    next_game,
    played,
    record,
    time_option,
    within_option,
)
from ulci_server.cli.demo.engines import Contender, two_engines
from ulci_server.cli.demo.programs import Program, Programs, ending_at_signals
from ulci_server.cli.demo.view import Show, draws, view
from ulci_server.cli.errors import Failure, reporting_errors
from ulci_server.cli.options import BUS_VARIABLE, DATABASE_URL, DATABASE_VARIABLE
from ulci_server.cli.output import columns
from ulci_server.storage import (
    Database,
    Epoch,
    GameRecord,
    SchemaStatus,
    migrate,
    open_database,
    schema_state,
)
from ulci_server.storage.membership import Membership

from .services import start_services

WITHIN = 300.0
"""Seconds for the whole. With 10 s and 0.1 s a move, a game of 300 moves takes 80."""

KILL_AFTER = 20
"""Plies after which the server of the game is killed: there is something to lose by then."""

LOOK = 0.01
"""Seconds between two looks for the new owner; what is shown is exact to so much."""

FEWEST = 3
"""Servers: the engines connect to two of them, and another one hosts the lobby."""

MOST = 9
"""Servers: each is a process with its connections to the database."""


@click.command()
@click.option(
    "--nodes",
    type=click.IntRange(FEWEST, MOST),
    default=3,
    show_default=True,
    help="How many servers there are.",
)
@engine_option
@time_option
@click.option(
    "--database",
    type=DATABASE_URL,
    help="A PostgreSQL database to use instead of starting a PostgreSQL; no server may use it.",
)
@click.option(
    "--cluster", metavar="URL", help="A Redis to use instead of starting one: redis://host."
)
@within_option(WITHIN)
def demo(
    nodes: int,
    engines: Sequence[str],
    control: str,
    database: str | None,
    cluster: str | None,
    within: float,
) -> None:
    """Show a game whose server is killed in its middle.

    It starts PostgreSQL, Redis and some servers in a temporary folder, and lets two engines of this
    machine (else our own small one) play one game, connected to two different servers. The server
    that owns the game is killed (kill -9); another one takes the game over. At the end everything
    is stopped and removed.
    """
    if len(engines) > 2:
        raise click.UsageError("--engine may be given twice at most: two play")
    if (database is None) != (cluster is None):
        raise click.UsageError("--database and --cluster belong together: name both, or neither")
    with reporting_errors(NetError), ending_at_signals(), ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ulci-demo-")))
        try:
            one = ClusterDemo(folder, within, stack)
            if database is None or cluster is None:
                click.echo("starting PostgreSQL and Redis in a temporary folder …")
                database, cluster = start_services(one, stack)
            one.run(two_engines(engines), control, nodes, database, cluster)
        except BrokenPipeError:  # whoever read our output has seen enough
            raise
        except OSError as error:
            raise Failure(f"cannot work in {folder}: {error.strerror}") from None
    click.echo(_what_next())


class ClusterDemo(Programs):
    """One demonstration in one folder."""

    def __init__(self, folder: Path, within: float, stack: ExitStack) -> None:
        super().__init__(folder, within)
        self._stack = stack
        self._servers: dict[str, Program] = {}

    def run(
        self,
        engines: Sequence[Contender],
        control: str,
        nodes: int,
        url: str,
        bus: str,
    ) -> None:
        """Play a game, kill its server, and print what becomes of it."""
        if schema_state(url).standing is SchemaStatus.EMPTY:
            migrate(url)
        database = self._stack.enter_context(closing(open_database(url, writing=False)))
        if database.runs.living():
            raise Failure("servers use this database, and one of them might be killed; use another")
        before = database.games.last_id()
        addresses, lobby = self._start_servers(nodes, control, url, bus, database)
        bridges = self._start_bridges(engines, addresses, lobby)
        number = next_game(database, before, partial(self.check, early=True))
        game = self._watch(database, number)
        for program in bridges:
            program.wait(FAREWELL)
        click.echo(f"{ended(game)}\n\n{record(game, database)}")

    def _start_servers(
        self, nodes: int, control: str, url: str, bus: str, database: Database
    ) -> tuple[dict[str, Address], str]:
        """Where they listen, and the name of the one that hosts the lobby."""
        secrets = {DATABASE_VARIABLE: url, BUS_VARIABLE: bus}  # passwords may be in both
        for name in ascii_lowercase[:nodes]:
            options = ["--no-engine", "--listen", "tcp://127.0.0.1:0"]
            options += ["--time", control, "--name", name]
            argv = [*MODULE, "ulci_server.cli", "serve", *options]
            self._servers[name] = self.start(f"server {name}", argv, self._stack, env=secrets)
        addresses = {name: self.wait_for_address(server) for name, server in self._servers.items()}
        members = Membership(0)
        while len(members.living) < nodes:
            self.check(early=True)
            members.look(database.runs.living(), 0)
        lobby = members.living[members.lobby].node
        rows = [
            (f"    {name}", f"at {address}", "and hosts the lobby for all" if name == lobby else "")
            for name, address in addresses.items()
        ]
        click.echo(f"{nodes} servers act as one:\n{columns(rows)}")
        return addresses, lobby

    def _start_bridges(
        self, engines: Sequence[Contender], addresses: dict[str, Address], lobby: str
    ) -> list[Program]:
        """Each begins with another server, not that of the lobby, and knows all of them."""
        names = [*(name for name in addresses if name != lobby), lobby]
        bridges = []
        for number, engine in enumerate(engines):
            order = [*names[number:], *names[:number]]
            argv = bridge([addresses[name] for name in order], engine)
            bridges.append(self.start(f"bridge-{number + 1}", argv, self._stack))
        first, second, *_ = names
        click.echo(f"two engines come to play, one to {first} and one to {second}\n")
        return bridges

    def _watch(self, database: Database, number: int) -> GameRecord:
        """The game, when it is over."""
        show = view()
        killed = False
        for game, moves in played(database, number, self.check):
            show(game, moves)
            if len(moves) >= KILL_AFTER and game.running and not killed:
                killed = True
                show = self._kill_owner(database, number, show)
        if not killed:
            raise Failure(f"the game was over before its move {KILL_AFTER // 2 + 1}; try again")
        return game

    def _kill_owner(self, database: Database, number: int, show: Show) -> Show:
        """Kill the server that owns the game, and say who takes it over and when the next move
        comes. Returns what shows the rest of the game."""
        owner = database.ownership.epochs(number)[-1]
        assert owner.node is not None
        plies = len(database.games.moves(number))
        self.kill(self._servers[owner.node])
        begun = time.monotonic()
        click.secho(f"\nkill -9 {owner.node}: the server that plays this game is dead", bold=True)
        heir = self._wait_for_heir(database, number, owner)
        _tell(begun, f"{heir.node} has taken the game over, with all {plies} half-moves")
        if self._goes_on(database, number, plies):
            _tell(begun, "the next move is played\n")
        return view() if draws() else show

    def _goes_on(self, database: Database, number: int, plies: int) -> bool:
        """Whether there is another move, when there is; False when the game is over without."""
        while len(database.games.moves(number)) == plies:
            if not database.games.find(ids=[number])[0].running:
                return False
            self.check()
            time.sleep(LOOK)
        return True

    def _wait_for_heir(self, database: Database, number: int, before: Epoch) -> Epoch:
        while (owner := database.ownership.epochs(number)[-1]).run == before.run:
            self.check()
            time.sleep(LOOK)
        return owner


def _tell(begun: float, what: str) -> None:
    click.echo(f"{(time.monotonic() - begun) * 1000:8.0f} ms  {what}")


def _what_next() -> str:
    server = command_line("ulci-server")
    serve = f"{server} serve --database postgresql://… --cluster redis://…"
    return f"""
Now it is your turn, on as many machines as you like:
    {serve} --name a
Which of them live:
    {server} cluster status --database postgresql://…"""
