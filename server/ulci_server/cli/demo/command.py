"""``ulci-server demo``: everything once, within bounds, and nothing left behind."""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from functools import partial
from pathlib import Path

import click

from ulci.net import Address, NetError
from ulci_server.cli.banner import command_line
from ulci_server.cli.errors import Failure, reporting_errors
from ulci_server.cli.options import TIME_CONTROL, Checked, Command
from ulci_server.cli.output import columns
from ulci_server.cli.words import words
from ulci_server.storage import Database, GameRecord, MoveRecord, open_database
from ulci_server.storage.export import pgn

from .engines import Contender, two_engines
from .programs import LOOK, Programs, ending_at_signals
from .view import on_terminal, view, without_comments

FAREWELL = 10.0
"""Seconds that the bridges have to end by themselves after their only game."""

WITHIN = 240.0
"""Seconds for the whole. With 10 s and 0.1 s a move, a game of 300 moves takes 80."""

MODULE = [sys.executable, "-m"]


engine_option = click.option(
    "--engine",
    "engines",
    type=Checked("COMMAND", words),
    multiple=True,
    help="An engine to take instead of one that is found; may be given twice.",
)
time_option = click.option(
    "--time",
    "control",
    type=TIME_CONTROL,
    default="10+0.1",
    show_default=True,
    help="The time control.",
)


def within_option(seconds: float) -> Callable[[Command], Command]:
    """The limit of the whole; `seconds` if none is asked for."""
    return click.option(
        "--within",
        type=click.FloatRange(min=1),
        default=seconds,
        show_default=True,
        metavar="SECONDS",
        help="Give up when it takes longer.",
    )


@click.command()
@engine_option
@time_option
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep the database and all output there; default: a temporary folder.",
)
@within_option(WITHIN)
@click.option(
    "--web",
    is_flag=True,
    help="Show it in a browser instead: prints the address of the page, and the engines play game"
    " after game until Ctrl-C or --within.",
)
def demo(
    engines: Sequence[str], control: str, folder: Path | None, within: float, *, web: bool
) -> None:
    """Show a game between two engines, from the first move to the stored record.

    It starts a server on a free port and lets two engines of this machine (else our own small one)
    play one game at it, each through the bridge, as it would from anywhere. What is shown is read
    from the database while the game is played.
    """
    if len(engines) > 2:
        raise click.UsageError("--engine may be given twice at most: two play")
    with reporting_errors(NetError), ending_at_signals(), ExitStack() as stack:
        if folder is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ulci-demo-")))
        try:
            folder.mkdir(parents=True, exist_ok=True)
            one = Demo(folder, within)
            (one.host if web else one.run)(two_engines(engines), control)
        except BrokenPipeError:  # whoever read our output has seen enough
            raise
        except OSError as error:
            raise Failure(f"cannot work in {folder}: {error.strerror}; see --folder") from None
    click.echo(_what_next())


class Demo(Programs):
    """One demonstration in one folder."""

    def run(self, engines: Sequence[Contender], control: str) -> None:
        """Play a game, and print its record."""
        url = f"sqlite:///{self.folder.absolute() / 'ulci.db'}"
        with ExitStack() as stack:
            server = self.start("server", _server(url, control), stack)
            address = self.wait_for_address(server)
            click.echo(f"the server listens at {address}")
            database = stack.enter_context(closing(open_database(url, writing=False)))
            before = database.games.last_id()
            bridges = [
                self.start(f"bridge-{number}", bridge([address], engine), stack)
                for number, engine in enumerate(engines, 1)
            ]
            game = self._watch(database, before)
            for program in bridges:
                program.wait(FAREWELL)
            click.echo(f"{ended(game)}\n\n{record(game, database)}")

    def host(self, engines: Sequence[Contender], control: str) -> None:
        """Let them play game after game at a server with a page, until Ctrl-C or the time limit."""
        url = f"sqlite:///{self.folder.absolute() / 'ulci.db'}"
        with ExitStack() as stack:
            server = self.start("server", _server(url, control, web=True), stack)
            address = self.wait_for_address(server)
            page = next(line.split()[1] for line in server.said if line.startswith("page "))
            for number, engine in enumerate(engines, 1):
                self.start(f"bridge-{number}", bridge([address], engine, games=None), stack)
            click.echo(f"two engines play at {page}")
            click.echo(f"Ctrl-C ends it, else it ends by itself after {self.within:g} s")
            with suppress(KeyboardInterrupt):
                while time.monotonic() < self.deadline:
                    self.check(early=True)
                    time.sleep(LOOK)

    def _watch(self, database: Database, before: int) -> GameRecord:
        """The game that comes after number `before`, when it is over."""
        show = view()
        number = next_game(database, before, partial(self.check, early=True))
        for game, moves in played(database, number, self.check):
            show(game, moves)
        return game


def _server(url: str, control: str, *, web: bool = False) -> list[str]:
    options = ["--no-engine", "--listen", "tcp://127.0.0.1:0"]
    if web:
        options += ["--listen", "ws://127.0.0.1:0"]
    return [*MODULE, "ulci_server.cli", "serve", *options, "--database", url, "--time", control]


def bridge(addresses: Sequence[Address], engine: Contender, games: int | None = 1) -> list[str]:
    """Plays at the first address that answers. `games`: after which it leaves; None: never."""
    return [
        *(*MODULE, "ulci_client.cli", "bridge"),
        *(word for address in addresses for word in ("--server", str(address))),
        *(("--games", str(games)) if games is not None else ()),
        *(("--name", engine.name) if engine.name else ()),
        *("--", *engine.argv),
    ]


def ended(game: GameRecord) -> str:
    """``1-0: checkmate``, with the evidence if there is any."""
    assert game.outcome is not None
    detail = f" ({game.detail})" if game.detail else ""
    return f"{game.result}: {game.outcome.reason}{detail}"


def record(game: GameRecord, database: Database) -> str:
    """As `export` writes it; on a terminal without the comments, to stay short."""
    whole = pgn(game, database.games.moves(game.id), site="demo")
    return without_comments(whole) if on_terminal() else whole


def _what_next() -> str:
    server, client = command_line("ulci-server"), command_line("ulci")
    ways = [
        (f"{server} serve", "host games on this machine"),
        (f"{client} bridge -- ENGINE", "let an engine of yours play there"),
        (f"{client} play", "play there yourself"),
        (f"{server} games", "what was played there"),
    ]
    return "\n".join(["", "Now it is your turn:", columns([(f"    {a}", b) for a, b in ways])])


POLL = 0.1
"""Seconds between two looks: twice as often as a person notices."""

Snapshot = tuple[GameRecord, Sequence[MoveRecord]]


def next_game(database: Database, after: int, check: Callable[[], None]) -> int:
    """Wait for a game with a higher number than `after`. `check` is called at every look, and
    raises when there is nothing more to wait for."""
    while (number := database.games.last_id()) <= after:
        check()
        time.sleep(POLL)
    return number


def played(database: Database, number: int, check: Callable[[], None]) -> Iterator[Snapshot]:
    """The game whenever it has changed, until it is over."""
    seen = -1
    while True:
        (game,) = database.games.find(ids=[number])
        moves = database.games.moves(number)
        if len(moves) != seen or not game.running:
            seen = len(moves)
            yield game, moves
        if not game.running:
            return
        check()
        time.sleep(POLL)
