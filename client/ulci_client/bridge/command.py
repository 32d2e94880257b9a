"""``ulci bridge``: from the command line to `BridgeSettings`."""

import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any, NoReturn

import click
import trio
from click.core import ParameterSource

from ulci.engines.errors import EngineError
from ulci.engines.options import describe
from ulci.engines.process import open_engine
from ulci.protocol import DIALECTS
from ulci.protocol.messages import Terms
from ulci.settings import ConfigError
from ulci_client.bot.books import BookError
from ulci_client.bot.engines import EngineLine, engine_settings
from ulci_client.bot.games_file import default_path
from ulci_client.bot.load import load, located
from ulci_client.bot.sections import MOST_AT_ONCE, Config
from ulci_client.bot.tablebases import TablebaseError
from ulci_client.engine_settings import DEFAULT_MAX_HASH, ClientEngineSettings
from ulci_client.server_address import addresses
from ulci_client.server_options import server_options, servers_from
from ulci_client.typed_time import typed_time
from ulci_client.wire_log import no_log, open_wire_log, wire_log_option

from .check_config import file_faults, summary
from .console import Console, Level
from .engine_pool import EnginePool, ExitCode
from .settings import ONLY_GAME, BridgeSettings

SECONDS = click.FloatRange(min=0, min_open=True)
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)

EPILOG = """\
Exit codes: 0 all games played, or asked to stop; 1 the engine or the server failed; 2 wrong usage,
or an option that the engine does not take; 4 the server rejects this engine and says why (wrong
token, ban, nothing to play there); 130 a second Ctrl-C left a running game.
"""


def _seconds(
    name: str, default: float, what: str
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option(
        name, type=SECONDS, default=default, show_default=True, metavar="SECONDS", help=what
    )


def _print_config(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo((resources.files("ulci_client.bot") / "bot.toml").read_text("utf-8"), nl=False)
        ctx.exit()


@click.command(epilog=EPILOG)
@click.argument("engine", nargs=-1, metavar="[-- ENGINE [ARGS]...]")
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Play as this file says; --print-config prints one to begin with. Options given here win.",
)
@click.option(
    "--check-config",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Show all errors of such a file, or what a bot would do with it, and exit.",
)
@click.option(
    "--print-config",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_config,
    help="Print such a file, which explains every setting and has its default, and exit.",
)
@server_options
@click.option(
    "--dialect",
    type=click.Choice([*DIALECTS]),
    default="uci",
    show_default=True,
    help="The engine's protocol; with uci, ULCI is detected.",
)
@click.option("--name", default="", help="Name to use instead of the engine's own.")
@click.option(
    "--game", help="Game to play; default: the server's at that address, tictactoe for UTI."
)
@click.option(
    "--pool", metavar="NAME", help="Seek in this pool of the server, with its game and time."
)
@click.option(
    "--tournament",
    metavar="NAME",
    help="Play in this tournament of the server and seek nothing, until it is over; with a token.",
)
@click.option("--start", metavar="FEN|NAME", help="Start position, or its name (liberty: mini).")
@click.option(
    "--time",
    callback=typed_time,
    help="Time control, such as 5m+3s, 300+3 (seconds) or 40/5m; default: that of the pool.",
)
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
    help="Start at most N games in all; default: no limit.",
)
@click.option(
    "--concurrency",
    type=click.IntRange(min=1, max=MOST_AT_ONCE),
    default=1,
    show_default=True,
    metavar="K",
    help="Run K engines; they share the games.",
)
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set an engine option; may be repeated.",
)
@click.option(
    "--allow-option",
    "allow_options",
    multiple=True,
    metavar="NAME",
    help="Let the server set this option, too: otherwise it may set only those that cannot harm"
    " this machine. Do not name one that holds a file: the server could then write it. May be"
    " repeated.",
)
@click.option(
    "--max-hash",
    type=click.IntRange(min=1),
    default=DEFAULT_MAX_HASH,
    show_default=True,
    metavar="MB",
    help="Memory that the server may ask for (Hash), for each engine.",
)
@click.option("--list-options", is_flag=True, help="Show the engine's options and exit.")
@click.option("--ponder", is_flag=True, help="Let the engine think on the opponent's time.")
@click.option("--cwd", type=FOLDER, metavar="FOLDER", help="Start the engine in this folder.")
@wire_log_option
@_seconds("--start-timeout", 10.0, "Time for the engine to send uciok.")
@_seconds(
    "--ping-timeout",
    15.0,
    "Time for it to answer isready or stop; after ucinewgame four times as long.",
)
@_seconds("--quit-timeout", 2.0, "Time for it to quit before it is killed.")
@click.option("--quiet", "-q", is_flag=True, help="Show only warnings and errors.")
@click.option("--verbose", "-v", is_flag=True, help="Show more of what happens.")
@click.pass_context
def command(ctx: click.Context, /, **asked: Any) -> None:
    """Let a local engine play at a server, game after game.

    Put -- before the engine, to separate its options from the bridge's:

        ulci bridge --server tls://chess.example --games 10 -- stockfish

    The engine speaks UCI or ULCI, or the protocol given by --dialect. A UGI engine cannot name its
    game, so --game must.

    The first Ctrl-C finishes the running games, the second leaves at once. An engine that dies or
    hangs is restarted, and a lost connection is reestablished, even during a game: at once, or when
    the server says (retry-after). A server that rejects this engine is not dialled again.

    It accepts a draw when the engine has scored itself no better than equal for eight moves (from
    move 40 on, or at any time when a pawn behind). It declines takebacks, and challenges, unless a
    file says which to accept:

        ulci bridge --config bot.toml

    The file says whom to play and how much, what to say, and which engine, book and tables play
    which game. Every challenge that it declines gets the reason, and so does the output.
    """
    if asked["check_config"] is not None:
        _check(ctx, asked["check_config"])
    bot = _bot(ctx, asked)
    if not asked["engine"]:
        missing = (
            "put -- and the engine at the end" if bot is None else "the file has no [[engine]]"
        )
        raise click.UsageError(f"which engine? {missing}")
    engine = _engine(asked)
    lines = _lines(ctx, asked, bot, engine)
    if lines:
        engine = lines[0].settings
    if asked["list_options"]:
        ctx.exit(trio.run(_list_options, engine))
    if asked["quiet"] and asked["verbose"]:
        raise click.UsageError("--quiet and --verbose exclude each other")
    settings = _settings(asked, engine, bot, lines)
    level = Level.WARNING if asked["quiet"] else Level.DETAIL if asked["verbose"] else Level.NOTE
    console = Console(sys.stdout, live=sys.stdout.isatty(), level=level, errors=sys.stderr)
    with ExitStack() as stack:
        log = open_wire_log(asked["wire_log"], "ulci bridge", console.warn, stack)
        try:
            pool = EnginePool(settings, console, no_log if log is None else log.follow)
        except (BookError, TablebaseError) as error:
            raise click.UsageError(str(error)) from error
        ctx.exit(trio.run(pool.run))


FLAGS = (
    *("token_file", "token_in_clear", "cafile", "insecure", "msgpack"),
    *("name", "games", "concurrency", "wire_log"),
)
SEEK_FLAGS = ("game", "pool", "start", "time", "against", "color")
"""The options of the command line that stand in the file too, outside tables and in [seek]. Those
of the engine stand in [[engine]]; see `ENGINE_FLAGS`."""

ENGINE_FLAGS: Mapping[str, str] = {
    "dialect": "dialect",
    "options": "options",
    "allow_options": "allow_options",
    "max_hash": "max_hash",
    "ponder": "ponder",
    "cwd": "cwd",
    "start_timeout": "start",
    "ping_timeout": "ping",
    "quit_timeout": "quit",
}
"""The options of the command line about the engine, and the fields of `ClientEngineSettings`."""


def _said(ctx: click.Context, name: str) -> bool:
    """Whether the command line says it, so that the file does not count."""
    return ctx.get_parameter_source(name) is not ParameterSource.DEFAULT


def _check(ctx: click.Context, path: Path) -> NoReturn:
    try:
        config = load(path)
        if faults := [*file_faults(config)]:
            raise located(path, faults)
    except ConfigError as error:
        click.echo(f"Error: {error}", err=True)
        ctx.exit(ExitCode.USAGE)
    click.echo(f"{path} is fine; a bot with it would")
    click.echo("\n".join(f"  {line}" for line in summary(config)))
    ctx.exit(ExitCode.DONE)


def _bot(ctx: click.Context, asked: dict[str, Any]) -> Config | None:
    """The file, of which `asked` gets what the command line does not say."""
    asked["games_file"] = None
    if asked["config"] is None:
        return None
    try:
        bot = load(asked["config"])
    except ConfigError as error:
        raise click.UsageError(str(error)) from error
    if not _said(ctx, "servers"):
        asked["servers"] = addresses(bot.server)
    for table, names in ((bot, FLAGS), (bot.seek, SEEK_FLAGS)):
        asked |= {name: getattr(table, name) for name in names if not _said(ctx, name)}
    asked["quiet"] = asked["quiet"] or (bot.show == "warnings" and not asked["verbose"])
    asked["verbose"] = asked["verbose"] or (bot.show == "details" and not asked["quiet"])
    if not asked["engine"] and bot.engine:
        asked["engine"] = bot.engine[0].command
        asked["several"] = True
    asked["games_file"] = bot.limits.games_file or default_path(asked["config"])
    seek = bot.seek.model_copy(update={name: asked[name] for name in ("game", "against")})
    return bot.model_copy(update={"seek": seek, "concurrency": asked["concurrency"]})


def _lines(
    ctx: click.Context, asked: dict[str, Any], bot: Config | None, engine: ClientEngineSettings
) -> tuple[EngineLine, ...]:
    """The engines of the file, or that of the command line; empty without a file."""
    if bot is None:
        return ()
    if "several" not in asked:
        return (EngineLine(engine),)
    changes = {
        field: getattr(engine, field) for flag, field in ENGINE_FLAGS.items() if _said(ctx, flag)
    }
    return tuple(
        EngineLine(replace(engine_settings(table), **changes), table.games) for table in bot.engine
    )


def _engine(asked: dict[str, Any]) -> ClientEngineSettings:
    given = {field: asked[flag] for flag, field in ENGINE_FLAGS.items()}
    return ClientEngineSettings(asked["engine"], **given)


def _settings(
    asked: dict[str, Any],
    engine: ClientEngineSettings,
    bot: Config | None,
    lines: tuple[EngineLine, ...],
) -> BridgeSettings:
    rated = None if bot is None else bot.seek.rated
    try:
        return BridgeSettings(
            servers=servers_from(asked),
            engine=engine,
            terms=Terms(
                asked["game"] or ONLY_GAME.get(engine.dialect),
                asked["time"],
                asked["color"],
                rated,
                against=asked["against"],
                start=asked["start"],
            ),
            pool=asked["pool"] or "",
            tournament=asked["tournament"] or "",
            name=asked["name"].strip(),
            games=asked["games"],
            concurrency=asked["concurrency"],
            bot=bot,
            engines=lines,
            games_file=asked["games_file"],
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from error


async def _list_options(settings: ClientEngineSettings) -> ExitCode:
    try:
        async with open_engine(settings) as engine:
            for option in engine.options:
                click.echo(describe(option))
    except EngineError as error:
        click.echo(f"error: {error}", err=True)
        return ExitCode.FAILED
    return ExitCode.DONE
