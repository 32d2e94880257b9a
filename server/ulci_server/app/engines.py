"""Starts the engines of the configuration at a hall."""

from collections.abc import Callable

import trio

from ulci.net import ProcessPeer
from ulci.wire_log import WireLog
from ulci_server.config import Config
from ulci_server.engines import ServerEngine
from ulci_server.hall import Hall
from ulci_server.storage import Database


async def run_engines(
    config: Config, database: Database, hall: Hall, wire_log: WireLog | None
) -> None:
    """Let the engines of the configuration play, for ever. wire_log: gets all lines.

    In a cluster each server has its own engines, whose seats depend on the server's name. A server
    without a configured name has another one after a restart, so that its engines do not return to
    their games.
    """
    if not config.engine:
        return
    key = await trio.to_thread.run_sync(database.runs.installation_key)
    if config.cluster.bus:
        key = f"{key}\n{config.cluster.name}"
    limits, follow = config.limits.of_net(), _follow(wire_log)
    async with trio.open_nursery() as nursery:
        for table in config.engine:
            engine = ServerEngine(table.offer(), key, limits, follow)
            nursery.start_soon(engine.run, hall)


def _follow(wire_log: WireLog | None) -> Callable[[ProcessPeer], object]:
    return _ignore if wire_log is None else wire_log.follow


def _ignore(_: ProcessPeer) -> None:
    """Take the place of a log of the wire if there is none."""
