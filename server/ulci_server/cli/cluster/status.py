"""``ulci-server cluster status``: which servers live, looked at from outside."""

import json
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import click
import trio

from ulci_server.bus import HubError, open_hub, round_trip
from ulci_server.cli.errors import Failure, NothingFound, reporting_errors
from ulci_server.cli.options import cluster_option, database_options, reading
from ulci_server.cli.output import minute, open_output, shown, table
from ulci_server.config import load
from ulci_server.storage import Database, RunState
from ulci_server.storage.membership import STANDS, Membership

LOOK_EVERY = 0.5
"""Seconds between two looks: a server that lives has beaten meanwhile."""

LOOKS = round(STANDS / LOOK_EVERY)
"""Looks after the first one, if a beat stands: as long as other servers look before they fence."""

NAME_WIDTH = 24

HEAD = ("name", "run", "since (UTC)", "games", "beat", "state", "lobby", "speaks")
NUMBERS = ("run", "games", "speaks")

EPILOG = """\
A beat is a number in the database that a living server raises every 0.4 s. It is looked at until
all have risen, for 1.5 s at most; one that stands so long belongs to a server that is dead or
paused, and the others are about to take its games. LOBBY marks the server that pairs all players,
SPEAKS is the version of what servers say to each other, which must be the same for all.

\b
Exit codes: 0 at least one server lives
            1 the database could not be read, or the bus not used
            2 wrong usage, or a wrong configuration
            4 no server lives
"""


@dataclass(frozen=True, slots=True)
class ObservedServer:
    """A server, and the seconds for which its beat was seen to stand: 0 if it beats."""

    state: RunState
    stands: float
    hosts_lobby: bool


@click.command(epilog=EPILOG)
@database_options
@cluster_option(
    "Measure how long a message takes through this Redis and back, too: redis://host. Default:"
    " the one of the configuration, if there is any."
)
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object instead of a table.")
def status(**asked: Any) -> None:
    """Show which servers of a cluster live.

    What is shown is seen from here: nobody is asked for it, so a server that hangs cannot hide it.
    """
    with reporting_errors(HubError):
        bus = asked["cluster"] or load(asked["config"]).cluster.bus
        hub = open_hub(bus) if bus else None
        with closing(reading(asked)) as database:
            servers = watched(database)
            unowned = database.ownership.unowned()
        lag, trouble = None, ""
        if hub is not None:
            try:
                lag = trio.run(round_trip, hub)
            except HubError as error:
                trouble = str(error)
    report = _document if asked["as_json"] else _text
    with open_output() as output:
        output.write(f"{report(servers, unowned, lag)}\n")
    if trouble:
        raise Failure(trouble)
    if not any(one.stands == 0 for one in servers):
        raise NothingFound("no server of a cluster lives in this database")


def watched(
    database: Database, sleep: Callable[[float], None] = time.sleep
) -> list[ObservedServer]:
    """All servers that may write, the oldest first, looked at until all have beaten or one has
    stood still for `STANDS` s."""
    begun = time.monotonic()
    states = database.runs.living()
    first = {state.id: state.beat for state in states}
    stand = {*first}
    for _ in range(LOOKS):
        if not stand:
            break
        sleep(LOOK_EVERY)
        states = database.runs.living()
        stand = {
            state.id for state in states if first.setdefault(state.id, state.beat) == state.beat
        }
    waited = max(time.monotonic() - begun, LOOK_EVERY)
    members = Membership(0)
    members.look(states, 0)
    return [
        ObservedServer(state, waited if state.id in stand else 0, state.id == members.lobby)
        for state in states
    ]


def _text(servers: list[ObservedServer], unowned: int, lag: float | None) -> str:
    lines = [table(HEAD, [*map(_row, servers)], right=NUMBERS)] if servers else []
    lines.append(f"games without an owner: {unowned}")
    if lag is not None:
        lines.append(f"through the bus and back: {lag * 1000:.2f} ms")
    return "\n".join(lines)


def _row(seen: ObservedServer) -> tuple[str, ...]:
    state = seen.state
    return (
        shown(state.node, NAME_WIDTH),
        str(state.id),
        minute(state.started_at),
        str(state.games),
        f"stands for {seen.stands:.1f} s" if seen.stands else "beats",
        "draining" if state.draining else "",
        "here" if seen.hosts_lobby else "",
        str(state.speaks),
    )


def _document(servers: list[ObservedServer], unowned: int, lag: float | None) -> str:
    rows = [
        {
            "name": seen.state.node,
            "run": seen.state.id,
            "since": seen.state.started_at.isoformat(),
            "games": seen.state.games,
            "beats": not seen.stands,
            "stands_ms": round(seen.stands * 1000),
            "draining": seen.state.draining,
            "lobby": seen.hosts_lobby,
            "speaks": seen.state.speaks,
        }
        for seen in servers
    ]
    bus = {} if lag is None else {"bus_round_trip_ms": round(lag * 1000, 3)}
    return json.dumps({"servers": rows, "games_without_owner": unowned, **bus}, indent=1)
