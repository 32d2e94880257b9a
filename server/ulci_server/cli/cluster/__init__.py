"""``ulci-server cluster``: several servers that act as one.

* `up`: some on this machine behind one port, as children of one process (`server_group`).
* `status`: which of them live, as the database and the bus show it.
* `demo`: one that plays is killed, and another goes on; with a PostgreSQL and a Redis of its own
  (`services`).
"""

from collections.abc import Mapping

import click

from ulci.command_group import LazyGroup, Place

COMMANDS: Mapping[str, Place] = {
    "up": Place(
        "ulci_server.cli.cluster.up", "Run several servers on this machine behind one port.", "up"
    ),
    "status": Place("ulci_server.cli.cluster.status", "Show which servers live.", "status"),
    "demo": Place(
        "ulci_server.cli.cluster.demo", "Show a game whose server is killed in its middle.", "demo"
    ),
}


@click.group(cls=LazyGroup, places=COMMANDS)
def cluster() -> None:
    """Run several servers that act as one, or look at them (see: ulci-server serve --cluster).

    They share a PostgreSQL database, which records the living servers and the owner of each game,
    and talk to each other through Redis, their bus.
    """


__all__ = ["cluster"]
