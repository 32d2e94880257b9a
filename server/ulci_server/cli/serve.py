"""``ulci-server serve``: host games until a signal ends it."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, get_args

import click
import trio

from ulci.net import Address, NetError
from ulci.rules import GAMES
from ulci.wire_log import WireLogError
from ulci_server.app import Reload, Shutdown, UnsavedError, run_server, server_name
from ulci_server.bus import HubError
from ulci_server.cluster import NameTakenError, OtherVersionError
from ulci_server.config import Config, Log, load
from ulci_server.hall import RefereeError
from ulci_server.hall.table.tablebases import TablebaseError
from ulci_server.openings import BookError
from ulci_server.storage import Durability, TakenOverError

from . import logs
from .banner import banner
from .errors import ExitCode, reporting_errors
from .options import (
    ENGINE,
    LISTEN_URL,
    TIME_CONTROL,
    cluster_option,
    config_option,
    database_option,
)
from .own_engine import own_engine
from .public import LISTEN, own_addresses, public_lines
from .words import words

EPILOG = """\
SIGTERM or Ctrl-C ends it: no new games, and running ones have their grace (30 s by default); asked
again, it ends at once. Games that are not over by then are paused: they go on at the next start,
and no clock pays for the time between. Games that nobody could come back to are aborted instead:
with memory:, or of a player without an account whose client has no lobby.

SIGHUP reads the certificates and the configuration again, and it goes on, also when its terminal is
closed. Applied are the level of the log and the limits of an address; the log names what else was
changed and waits for a restart.

\b
Exit codes: 0 all games were finished
            1 it could not start, the database refused to the end, or another server has taken
              over its games
            2 wrong usage, or a wrong configuration
            3 games were paused or aborted when it ended
"""

_EXPECTED = (
    BookError,
    NetError,
    HubError,
    NameTakenError,
    OtherVersionError,
    RefereeError,
    TablebaseError,
    TakenOverError,
    UnsavedError,
    WireLogError,
)

DURABILITIES = get_args(Durability)
LEVELS = get_args(Log.model_fields["level"].annotation)


@click.command(epilog=EPILOG)
@config_option
@click.option(
    "--listen",
    type=LISTEN_URL,
    multiple=True,
    help="Where to listen, instead of what is configured; may be repeated. Default:"
    " tcp://127.0.0.1:25565 and ws://127.0.0.1:25566; * is every interface, port 0 any.",
)
@click.option(
    "--public",
    is_flag=True,
    help="Open to others: listen for programs and browsers on every interface (tcp://*:25565 and"
    " ws://*:25566, or as --listen says), let the page be played on under any name by which a"
    " browser reached it, and tell which addresses others type. Anybody may play as a guest.",
)
@click.option(
    "--known-as",
    "known_as",
    multiple=True,
    metavar="NAME",
    help="A name of this server in addresses of its page, such as games.lan, instead of what is"
    " configured; may be repeated. Known without it: this machine's name, IP addresses, localhost.",
)
@database_option
@click.option(
    "--time",
    type=TIME_CONTROL,
    help="Offer one pool with this time control, such as 300+3 or 40/300, in seconds where it has"
    " no unit, as 5m+3s has.",
)
@click.option(
    "--game",
    type=click.Choice([*GAMES]),
    metavar="NAME",
    help=f"Offer one pool with this game: {', '.join(GAMES)}.",
)
@click.option(
    "--engine",
    "engines",
    type=ENGINE,
    multiple=True,
    metavar="COMMAND",
    help="An engine that people can ask for a game, such as stockfish, instead of what is"
    " configured; may be repeated. Default without a configuration: our own small one.",
)
@click.option("--no-engine", is_flag=True, help="No engine of the server, not even our own.")
@click.option(
    "--log-level", type=click.Choice(LEVELS), help="The lowest level that is logged. Default: info."
)
@click.option("--log-json", is_flag=True, help="Log a JSON object a line.")
@click.option(
    "--durability",
    type=click.Choice(DURABILITIES),
    help="What a move survives once the opponent has seen it. Default: power.",
)
@cluster_option(
    "Act as one with other servers of the same PostgreSQL database; talk to them over this"
    " Redis: redis://host or rediss://user:password@host."
)
@click.option(
    "--name",
    metavar="NAME",
    help="The name of this server in its cluster. Default: the machine's name and the process's"
    " number.",
)
@click.option(
    "--shared-ports",
    is_flag=True,
    help="Let other servers of the cluster on this machine listen at the same addresses.",
)
@click.option(
    "--wire-log",
    metavar="FILE",
    help="Log every line sent or received, with its time and without secrets; see ulci-server"
    " wire.",
)
@click.pass_context
def serve(ctx: click.Context, /, **asked: Any) -> None:
    """Host games.

    Without a configuration: chess and Chess960 on this machine only, kept in ulci.db here, and a
    small engine to play against. With --public others can come, too. Every setting is explained
    by ulci-server config --print.
    """
    if asked["engines"] and asked["no_engine"]:
        raise click.UsageError("--engine and --no-engine exclude each other")
    with reporting_errors(*_EXPECTED):
        read = partial(load, asked["config"], _changes(asked))
        config = read()
        logs.take_over(config.log, server_name(config) if config.cluster.bus else "")
        ctx.exit(trio.run(_serve, config, read if asked["config"] else None))


def _changes(asked: dict[str, Any]) -> dict[str, Any]:
    """What the options lay over the configuration."""
    changes: dict[str, Any] = {}
    if listen := asked["listen"] or (LISTEN if asked["public"] else ()):
        changes["listen"] = [{"address": url} for url in listen]
    if asked["time"] or asked["game"]:
        game = asked["game"] or next(iter(GAMES))
        time = {"time": asked["time"]} if asked["time"] else {}
        changes["pool"] = [{"name": game, "game": game, **time}]
    if (engines := _engines(asked)) is not None:
        changes["engine"] = engines
    web = {"names": [*asked["known_as"]] or None, "public": asked["public"] or None}
    database = {"url": asked["database"], "durability": asked["durability"]}
    cluster = {
        "bus": asked["cluster"],
        "name": asked["name"],
        "shared_ports": asked["shared_ports"] or None,
    }
    log = {"level": asked["log_level"], "format": "json" if asked["log_json"] else None}
    wire_log = {"file": asked["wire_log"]}
    tables = {
        "web": web, "database": database, "cluster": cluster, "log": log, "wire_log": wire_log
    }  # fmt: skip
    for name, table in tables.items():
        if given := {key: value for key, value in table.items() if value is not None}:
            changes[name] = given
    return changes


def _engines(asked: dict[str, Any]) -> list[dict[str, Any]] | None:
    """The engines of the server; None: as they are configured."""
    if asked["no_engine"]:
        return []
    if asked["engines"]:
        return [{"command": words(command)} for command in asked["engines"]]
    return None if asked["config"] is not None else own_engine()


async def _serve(config: Config, read: Callable[[], Config] | None) -> ExitCode:
    """read: reads the configuration file again."""
    shutdown, reload = Shutdown(), Reload(config, read)
    reload.appliers["log.level"] = lambda changed: logs.set_level(changed.log)
    async with trio.open_nursery() as nursery:
        await nursery.start(shutdown.ask_at_signals)
        await nursery.start(reload.ask_at_signals)
        cut = await run_server(config, shutdown, reload=reload, task_status=_Ready(config))
        nursery.cancel_scope.cancel()
    return ExitCode.GAMES_CUT if cut else ExitCode.DONE


class _Ready(trio.TaskStatus[list[Address]]):
    """Says where the server listens, as soon as it does."""

    def __init__(self, config: Config) -> None:
        self._config = config

    def started(self, value: list[Address] | None = None) -> None:
        addresses = value or []
        click.echo(banner(self._config, addresses, Path.cwd()))
        if self._config.web.public:
            for line in public_lines(addresses, own_addresses()):
                click.echo(line)
