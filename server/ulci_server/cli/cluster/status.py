"""``ulci-server cluster status``: which servers live, looked at from outside."""

import json
import time
from collections.abc import Callable, Sequence
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
from ulci_server.storage import Absences, ClockReading, Database, RunState
from ulci_server.storage.membership import STANDS, Membership

LOOK_EVERY = 0.05
"""Seconds between two looks. How far a clock is off is known to half of that."""

LOOKS = round(STANDS / LOOK_EVERY)
"""Looks after the first one, if a beat stands: as long as other servers look before they fence."""

NAME_WIDTH = 24

HEAD = (
    *("name", "run", "since (UTC)", "games", "away", "beat", "clock"),
    *("state", "lobby", "speaks", "version"),
)
NUMBERS = ("run", "games", "away", "clock", "speaks")

EPILOG = """\
AWAY are games of which a player is away. A BEAT is a number in the database that a living server
raises every 0.4 s. It is looked at until all have risen, for 1.5 s at most; one that stands so long
belongs to a server that is dead or paused, and the others are about to take its games. CLOCK: by
how much the server's clock is ahead of the database's, as far as that can be seen from here; games
do not depend on it, but what the record says of their times does. LOBBY marks the server that pairs
all players, SPEAKS is the version of what servers say to each other, which must be the same for
all, VERSION that of the program.

\b
Exit codes: 0 at least one server lives
            1 the database could not be read, or the bus not used
            2 wrong usage, or a wrong configuration
            4 no server lives
"""


@dataclass(frozen=True, slots=True)
class ObservedServer:
    """A server; the seconds for which its beat was seen to stand: 0 if it beats; by how many
    seconds its clock is ahead of the database's, and by how many that may be wrong: None if no
    heartbeat was seen."""

    state: RunState
    stands: float
    hosts_lobby: bool
    ahead: float | None = None
    unsure: float = 0.0


@dataclass(frozen=True, slots=True)
class Report:
    """What was seen. lag: seconds through the bus and back; None: not measured."""

    servers: Sequence[ObservedServer]
    unowned: int
    absences: Sequence[Absences]
    lag: float | None

    def away(self, run: int) -> int:
        """Games of that server of which a player is away."""
        return sum(one.games for one in self.absences if one.owner == run)


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
        bus = asked["cluster"] or load(asked["config"], books=False).cluster.bus
        hub = open_hub(bus) if bus else None
        with closing(reading(asked)) as database:
            servers = watched(database)
            unowned, absences = database.ownership.unowned(), database.ownership.absences()
        lag, trouble = None, ""
        if hub is not None:
            try:
                lag = trio.run(round_trip, hub)
            except HubError as error:
                trouble = str(error)
    report = Report(servers, unowned, absences, lag)
    with open_output() as output:
        output.write(f"{(_document if asked['as_json'] else _text)(report)}\n")
    if trouble:
        raise Failure(trouble)
    if not any(one.stands == 0 for one in servers):
        raise NothingFound("no server of a cluster lives in this database")


class _Watch:
    """One server, looked at again and again."""

    def __init__(self, reading: ClockReading) -> None:
        self._first = self._last = reading
        self.beats = False
        self.ahead: float | None = None
        self.unsure = 0.0

    @property
    def is_done(self) -> bool:
        return self.beats and self.ahead is not None

    def look(self, reading: ClockReading) -> None:
        self.beats |= reading.beat != self._first.beat
        if self.ahead is None and reading.alive_at != self._last.alive_at:
            # Between these two looks the server wrote down what its own clock said.
            half = (reading.now - self._last.now) / 2
            self.ahead = (reading.alive_at - self._last.now - half).total_seconds()
            self.unsure = half.total_seconds()
        self._last = reading


def watched(
    database: Database, sleep: Callable[[float], None] = time.sleep
) -> list[ObservedServer]:
    """All servers that may write, the oldest first, looked at until all have beaten and told their
    time, or one has stood still for `STANDS` s."""
    begun = time.monotonic()
    watches = {seen.run: _Watch(seen) for seen in database.runs.clocks()}
    first = {*watches}
    for _ in range(LOOKS):
        if all(watch.is_done for watch in watches.values()):
            break
        sleep(LOOK_EVERY)
        for seen in database.runs.clocks():
            watches.setdefault(seen.run, _Watch(seen)).look(seen)
    waited = max(time.monotonic() - begun, LOOK_EVERY)
    states = database.runs.living()
    members = Membership(0)
    members.look(states, 0)
    return [
        _observed(
            state,
            watches.get(state.id),
            waited if state.id in first else 0,
            hosts_lobby=state.id == members.lobby,
        )
        for state in states
    ]


def _observed(
    state: RunState, watch: _Watch | None, waited: float, *, hosts_lobby: bool
) -> ObservedServer:
    """watch: None if it has just begun. waited: s that it could have beaten in; 0: it has begun
    meanwhile."""
    if watch is None:
        return ObservedServer(state, 0, hosts_lobby)
    stands = 0 if watch.beats else waited
    return ObservedServer(state, stands, hosts_lobby, watch.ahead, watch.unsure)


def _text(report: Report) -> str:
    rows = [_row(seen, report.away(seen.state.id)) for seen in report.servers]
    lines = [table(HEAD, rows, right=NUMBERS)] if rows else []
    lines.append(f"games without an owner: {report.unowned}")
    away, both = _away(report)
    if away:
        lines.append(f"games without a player: {away}, without both: {both}")
    if report.lag is not None:
        lines.append(f"through the bus and back: {report.lag * 1000:.2f} ms")
    return "\n".join(lines)


def _away(report: Report) -> tuple[int, int]:
    """Games without one of their players, and without both."""
    absences = report.absences
    return sum(one.games for one in absences), sum(one.both for one in absences)


def _row(seen: ObservedServer, away: int) -> tuple[str, ...]:
    state = seen.state
    return (
        shown(state.node, NAME_WIDTH),
        str(state.id),
        minute(state.started_at),
        str(state.games),
        str(away),
        f"stands for {seen.stands:.1f} s" if seen.stands else "beats",
        "?" if seen.ahead is None else f"{round(seen.ahead, 1) or 0.0:+.1f} s",
        "draining" if state.draining else "",
        "here" if seen.hosts_lobby else "",
        str(state.speaks),
        shown(state.version, NAME_WIDTH),
    )


def _document(report: Report) -> str:
    rows = [
        {
            "name": seen.state.node,
            "run": seen.state.id,
            "since": seen.state.started_at.isoformat(),
            "games": seen.state.games,
            "games_without_a_player": report.away(seen.state.id),
            "beat": seen.state.beat,
            "beats": not seen.stands,
            "stands_ms": round(seen.stands * 1000),
            "clock_ahead_ms": _ms(seen.ahead),
            "clock_unsure_ms": None if seen.ahead is None else _ms(seen.unsure),
            "draining": seen.state.draining,
            "lobby": seen.hosts_lobby,
            "speaks": seen.state.speaks,
            "version": seen.state.version,
        }
        for seen in report.servers
    ]
    away, both = _away(report)
    return json.dumps(
        {
            "servers": rows,
            "lobby_host": next((one.state.node for one in report.servers if one.hosts_lobby), None),
            "games": sum(one.state.games for one in report.servers),
            "games_without_owner": report.unowned,
            "games_without_a_player": away,
            "games_without_both_players": both,
            **({} if report.lag is None else {"bus_round_trip_ms": round(report.lag * 1000, 3)}),
        },
        indent=1,
    )


def _ms(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1000)
