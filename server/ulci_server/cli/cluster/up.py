"""``ulci-server cluster up``: several servers on this machine behind one port."""

import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import trio

from ulci.net import Address, NetError
from ulci_server.bus import HubError, check_hub_url
from ulci_server.cli.errors import ExitCode, Failure, reporting_errors
from ulci_server.cli.options import (
    BUS_VARIABLE,
    DATABASE_VARIABLE,
    LISTEN_URL,
    cluster_option,
    config_option,
    database_option,
)
from ulci_server.config import load
from ulci_server.storage import Database, StorageError, lock_database, open_database

from .server_group import ServerGroup, ServerProcess

SERVE = [sys.executable, "-m", "ulci_server.cli", "serve", "--shared-ports"]

MOST = 64
"""Servers: beyond the cores of one machine they only cost memory."""

EPILOG = """\
A server that dies is started again, after a pause that doubles from 0.5 to 30 s if it dies again.
SIGTERM or Ctrl-C ends all at once, each as serve does. SIGHUP restarts them one after the other,
the next when the last is back: players are sent to another one meanwhile, and games go on there.

\b
Exit codes: the highest one of the servers (see: ulci-server serve --help)
"""


@click.command(epilog=EPILOG)
@config_option
@click.option(
    "--nodes",
    type=click.IntRange(1, MOST),
    default=2,
    show_default=True,
    help="How many servers: one for each core that it may use.",
)
@cluster_option("The Redis over which they talk to each other: redis://host.")
@database_option
@click.option(
    "--listen",
    type=LISTEN_URL,
    multiple=True,
    help="Where all of them listen, as in serve; the system spreads connections over them.",
)
@click.option(
    "--name",
    default=socket.gethostname,
    show_default="the machine's name",
    metavar="NAME",
    help="They are called NAME-1, NAME-2 and so on.",
)
@click.pass_context
def up(ctx: click.Context, /, **asked: Any) -> None:
    """Run several servers on this machine that act as one, behind one port.

    They need a PostgreSQL database and a Redis; both may be named in the configuration, too.
    """
    if not hasattr(socket, "SO_REUSEPORT"):
        raise Failure("this system does not spread connections over several processes")
    with reporting_errors(NetError, HubError), ExitStack() as stack:
        config = load(asked["config"], books=False)
        bus = asked["cluster"] or config.cluster.bus
        if not bus:
            raise click.UsageError(
                f"name the Redis over which they talk: --cluster redis://host, or {BUS_VARIABLE}"
            )
        check_hub_url(bus)
        url = asked["database"] or config.database.url
        with lock_database(url, shared=True):
            pass  # otherwise each server would be refused, again and again
        database = stack.enter_context(closing(open_database(url, writing=False)))
        addresses = [stack.enter_context(_kept(Address.parse(url))) for url in asked["listen"]]
        names = [f"{asked['name']}-{number}" for number in range(1, asked["nodes"] + 1)]
        options = _options(asked["config"], addresses)
        secrets = {DATABASE_VARIABLE: url, BUS_VARIABLE: bus}
        width = max(map(len, names))
        servers = [
            ServerProcess(name, [*SERVE, *options, "--name", name], secrets, width)
            for name in names
        ]
        ctx.exit(trio.run(_run, servers, database))


def _options(config: Path | None, addresses: Sequence[Address]) -> list[str]:
    """What was said here on the command line, without the database and the bus, whose passwords
    must not come to stand there."""
    return [
        *(() if config is None else ("--config", str(config))),
        *(word for address in addresses for word in ("--listen", str(address))),
    ]


@contextmanager
def _kept(address: Address) -> Iterator[Address]:
    """The address with a port for all of them, if the system shall choose it. The socket that keeps
    the port does not listen, so nobody connects to it."""
    if address.port != 0:
        yield address
        return
    host = "" if address.host == "*" else address.host
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        try:
            sock.bind((host, 0))
        except OSError as error:
            raise Failure(f"cannot listen at {address}: {error.strerror}") from None
        yield replace(address, port=sock.getsockname()[1])


async def _run(servers: Sequence[ServerProcess], database: Database) -> ExitCode:
    async def listed(name: str) -> int:
        try:
            state = await trio.to_thread.run_sync(database.runs.living_named, name)
        except StorageError:
            return 0  # nobody is listed by a database that does not answer
        return 0 if state is None else state.id

    code = await ServerGroup(servers, listed).run()
    return ExitCode(code) if code in {*ExitCode} else ExitCode.FAILED
