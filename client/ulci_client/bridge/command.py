"""``ulci bridge``: from the command line to `Settings`."""

import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TextIO

import click
import trio

from ulci.protocol import DIALECTS, Terms
from ulci_client.engine import EngineError, EngineSettings, open_engine
from ulci_client.options import describe
from ulci_client.server_options import server_from, server_options, token_from

from .crew import Crew, ExitCode
from .introducing import ONLY_GAME
from .record import Record
from .settings import Settings
from .status import Level, View

SECONDS = click.FloatRange(min=0, min_open=True)
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)

EPILOG = """\
Exit codes: 0 all games are played, or somebody asked to stop; 1 the engine or the server failed;
2 wrong usage, or an option that the engine does not take; 4 the server does not want this engine
and says why (a wrong token, a ban, nothing to play there); 130 a second Ctrl-C left a running game.
"""


def _seconds(
    name: str, default: float, what: str
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option(
        name, type=SECONDS, default=default, show_default=True, metavar="SECONDS", help=what
    )


@click.command(epilog=EPILOG)
@click.argument("engine", nargs=-1, required=True, metavar="-- ENGINE [ARGS]...")
@server_options
@click.option(
    "--dialect",
    type=click.Choice([*DIALECTS]),
    default="uci",
    show_default=True,
    help="What the engine speaks; with uci, ULCI is noticed.",
)
@click.option("--name", default="", help="What to be called instead of the engine's own name.")
@click.option(
    "--game", help="What to play; default: what is played at that address, in UTI tictactoe."
)
@click.option("--pool", metavar="NAME", help="Seek in this pool of the server: its game and time.")
@click.option(
    "--start", metavar="FEN|NAME", help="The position to begin with, or its name (liberty: mini)."
)
@click.option("--time", help="Time control, such as 300+3 or 40/300; default: that of the pool.")
@click.option(
    "--against",
    type=click.Choice(["any", "human", "engine"]),
    default="any",
    show_default=True,
    help="Whom to play.",
)
@click.option(
    "--color",
    type=click.Choice(["white", "black", "random"]),
    default="random",
    show_default=True,
    help="Which side to play.",
)
@click.option(
    "--games",
    type=click.IntRange(min=1),
    metavar="N",
    help="Begin no more than N games in all; default: go on for ever.",
)
@click.option(
    "--concurrency",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="K",
    help="Run K engines, which share the games.",
)
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set an option of the engine; may be repeated.",
)
@click.option("--list-options", is_flag=True, help="Show what the engine offers, and exit.")
@click.option("--ponder", is_flag=True, help="Let the engine think on the opponent's time.")
@click.option("--cwd", type=FOLDER, metavar="FOLDER", help="Start the engine in this folder.")
@click.option(
    "--log",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Append both conversations to a file, a line each; secrets are left out.",
)
@_seconds("--start-timeout", 10.0, "How long the engine may take to say uciok.")
@_seconds("--ping-timeout", 15.0, "How long it may take to get ready or to stop.")
@_seconds("--quit-timeout", 2.0, "How long it may take to quit before it is killed.")
@click.option("--quiet", "-q", is_flag=True, help="Show only warnings and errors.")
@click.option("--verbose", "-v", is_flag=True, help="Show more of what happens.")
@click.pass_context
def command(ctx: click.Context, /, **asked: Any) -> None:
    """Let a local engine play at a server, game after game.

    Write -- before the engine, so that its own options are not taken for the bridge's:

        ulci bridge --server tls://chess.example --games 10 -- stockfish

    It speaks UCI or ULCI with the engine, or else what --dialect says. A UGI engine cannot tell
    what it plays, so --game has to.

    The first Ctrl-C finishes the running games, the second leaves at once. An engine that dies or
    hangs is started again, and a lost connection is taken up again, in the middle of a game too: at
    once, or when the server says (retry-after). A server that does not want this engine is not
    called again.

    It accepts a draw when its engine has seen itself no better for eight moves (from move 40 on, or
    behind by a pawn), and takes nothing back.
    """
    engine = _engine(asked)
    if asked["list_options"]:
        ctx.exit(trio.run(_list_options, engine))
    if asked["quiet"] and asked["verbose"]:
        raise click.UsageError("--quiet and --verbose exclude each other")
    settings = _settings(asked, engine)
    level = Level.WARNING if asked["quiet"] else Level.DETAIL if asked["verbose"] else Level.NOTE
    view = View(sys.stdout, live=sys.stdout.isatty(), level=level, errors=sys.stderr)
    with ExitStack() as stack:
        record = Record(_opened(asked["log"], stack), complain=view.warn)
        ctx.exit(trio.run(Crew(settings, view, record).run))


def _engine(asked: dict[str, Any]) -> EngineSettings:
    return EngineSettings(
        argv=asked["engine"],
        dialect=asked["dialect"],
        cwd=asked["cwd"],
        options=asked["options"],
        ponder=asked["ponder"],
        start=asked["start_timeout"],
        ping=asked["ping_timeout"],
        quit=asked["quit_timeout"],
    )


def _settings(asked: dict[str, Any], engine: EngineSettings) -> Settings:
    try:
        return Settings(
            server=server_from(asked),
            engine=engine,
            terms=Terms(
                asked["game"] or ONLY_GAME.get(engine.dialect),
                asked["time"],
                asked["color"],
                against=asked["against"],
                start=asked["start"],
            ),
            pool=asked["pool"] or "",
            name=asked["name"].strip(),
            token=token_from(asked),
            games=asked["games"],
            concurrency=asked["concurrency"],
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def _opened(path: Path | None, stack: ExitStack) -> TextIO | None:
    """The log, whose every line is in the file before the next one is written."""
    if path is None:
        return None
    try:
        return stack.enter_context(path.open("a", encoding="utf-8", buffering=1))
    except OSError as error:
        raise click.UsageError(f"cannot write to {path}: {error.strerror}") from error


async def _list_options(settings: EngineSettings) -> ExitCode:
    try:
        async with open_engine(settings) as engine:
            for option in engine.options:
                click.echo(describe(option))
    except EngineError as error:
        click.echo(f"error: {error}", err=True)
        return ExitCode.FAILED
    return ExitCode.DONE
