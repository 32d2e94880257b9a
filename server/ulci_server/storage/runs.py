"""Runs: each start of a server is one. The servers of a cluster see here who else lives."""

import secrets
from collections.abc import Mapping
from datetime import datetime
from hashlib import blake2b
from typing import Any

import sqlalchemy as sa

from .errors import FencedError
from .fence import SHUT_OUT
from .games import RUNNING
from .records import ClockReading, RunState
from .schema import GAMES, INSTALLATION, RUNS, UtcTime
from .sql_engine import FROZEN
from .transactions import Transactions
from .untrusted import text

IN_CLUSTER = RUNS.c.node != ""
MAY_WRITE = sa.and_(RUNS.c.fenced_at.is_(None), RUNS.c.ended_at.is_(None))


KEY_BYTES = 16
"""Random bytes of the key of a database: nobody guesses it, and two are never the same."""


class Runs:
    """Records that servers begin, live and end, and shuts out those that do not live."""

    def __init__(self, transactions: Transactions) -> None:
        self._read = transactions.read
        self._write = transactions.write
        self._write_as_member = transactions.write_as_member
        self._clocks = _clocks(_SQLITE_CLOCK if transactions.sqlite else _POSTGRES_CLOCK)
        self._open_as_member = transactions.open_as_member
        self.mine: int | None = None
        """The run that this server is: it writes facts as that run."""
        self.alone = True
        """Whether it is that of no cluster."""
        self._key = ""

    def begin(
        self,
        at: datetime,
        node: str = "",
        speaks: int = 0,
        version: str = "",
        above: int = 0,
        *,
        owns: bool = True,
    ) -> int:
        """Record that a server begins; its `Heartbeat` facts then show that it is alive. `node` is
        its name in a cluster, `speaks` the version of what it says to the others, `version` that of
        its program, `owns` whether it may be given games. The number of the run is higher than
        `above`, the highest that the server has known: a database that was restored from a copy
        would give numbers a second time.

        It shuts out whoever may not live beside it, and has lost its lock or hung: a lone server
        all others, a server of a cluster the lone ones.
        """
        row: dict[str, Any] = {
            "started_at": at,
            "alive_at": at,
            "node": text(node),
            "speaks": speaks,
            "version": text(version),
            "owns": owns,
        }
        fence = _FENCE.where(sa.not_(IN_CLUSTER)) if node else _FENCE

        def work(connection: sa.Connection) -> int:
            install(connection)
            connection.execute(_ONE_AT_A_TIME)
            connection.execute(fence, {"now": at})
            if (connection.scalar(_NEWEST) or 0) < above:
                _count_on(connection, row, above)
            return int(connection.execute(_BEGIN, row).scalar_one())

        return self._write(work)

    def begin_alone(self, at: datetime, version: str) -> int:
        """As `begin`, for a lone server, and be that run for good: write facts only while it is not
        fenced."""
        self.mine, self.alone = self.begin(at, version=version), True
        return self.mine

    def join(self, run: int) -> None:
        """Be that run, begun with a name in a cluster, for good: write facts only while it is not
        fenced, and only of games that it owns. What threads are doing goes on over the connections
        of before."""
        self._open_as_member(_connection_name(self.installation_key(), run))
        self.mine, self.alone = run, False

    def leave(self, run: int, node: str, at: datetime) -> bool:
        """The server of that name is that run no more: it is ended, unless it was fenced. False:
        the database does not know the run, as it was restored from an older copy."""
        its_own = sa.and_(RUNS.c.id == run, RUNS.c.node == text(node))
        end = sa.update(RUNS).values(ended_at=at).where(its_own, MAY_WRITE)

        def work(connection: sa.Connection) -> bool:
            connection.execute(end)
            return connection.scalar(sa.select(RUNS.c.id).where(its_own)) is not None

        return self._write(work)

    def end(self, run: int, at: datetime) -> None:
        """Record that the run ended properly. The games that it still owns can then be claimed."""
        change = sa.update(RUNS).values(ended_at=at, alive_at=at).where(RUNS.c.id == run)
        self._write(lambda connection: connection.execute(change))

    def beat(self, run: int, draining: bool, at: datetime, slowest: int = 0) -> list[RunState]:
        """Show that this run is alive, as `Heartbeat` does. Returns all runs of the cluster that
        may write, also this one, the oldest first.

        Raises:
            FencedError: it may not write any more.
        """
        values = {"its_run": run, "is_draining": draining, "now": at, "slowest": slowest}

        def work(connection: sa.Connection) -> list[RunState]:
            states = (_beat if connection.dialect.name == "postgresql" else _beat_in_two)(
                connection, values
            )
            if states is None:
                raise FencedError(SHUT_OUT.format(run=run))
            return states

        return self._write_as_member(work)

    def living(self) -> list[RunState]:
        """All runs of a cluster that may write, the oldest first. Some may be dead and not fenced
        yet. Lone servers are not among them."""
        return self._read(_LOOK, lambda row: RunState(**row))

    def clocks(self) -> list[ClockReading]:
        """The clocks of the runs that `living` names, beside that of the database. SQLite's is the
        one of this machine."""
        return self._read(self._clocks, lambda row: ClockReading(**row))

    def living_named(self, node: str) -> RunState | None:
        """The newest run of a server of that name which may write: to be asked before another one
        begins."""
        found = (state for state in reversed(self.living()) if state.node == text(node))
        return next(found, None)

    def fence(self, run: int, beat: int, at: datetime) -> bool:
        """Shut that run out if its beat still stands: it may never write again, and its games can
        be claimed. False: it has beaten meanwhile, it is fenced or has ended already, or a commit
        of it is under way, which is not waited for: if it was paused in its middle, PostgreSQL
        ends it within `FROZEN` s, or this does."""
        stands = sa.select(RUNS.c.id).where(RUNS.c.id == run, RUNS.c.beat == beat, MAY_WRITE)
        # Skipped if it is held; a lock that foreign keys take is none.
        free = stands.with_for_update(skip_locked=True, key_share=True)
        change = sa.update(RUNS).values(fenced_at=at).where(RUNS.c.id.in_(free))
        name = _connection_name(self.installation_key(), run)

        def work(connection: sa.Connection) -> bool:
            if connection.execute(change).rowcount:
                return True
            if connection.dialect.name == "postgresql":
                connection.execute(_CUT_FROZEN, {"name": name, "frozen": FROZEN})
            return False

        return self._write_as_member(work)

    def installation_key(self) -> str:
        """A secret of this database, the same for all its servers."""
        if not self._key:

            def read(connection: sa.Connection) -> str:
                install(connection)
                return str(connection.execute(sa.select(INSTALLATION.c.key)).scalar_one())

            self._key = self._write(read)
        return self._key


def _connection_name(key: str, run: int) -> str:
    """What PostgreSQL calls the connections with which the run writes. All its users see that, so
    it does not tell the key."""
    name = blake2b(key.encode(), digest_size=8, person=b"ulci connection").hexdigest()
    return f"ulci-server {name} run {run}"


# PostgreSQL ends transactions that idle, but waits for ever for the rest of what was sent in part.
# A user who may not see a connection, because it is another's, finds none.
_CUT_FROZEN = sa.text("""
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = :name
    AND state <> 'idle' AND wait_event = 'ClientRead'
    AND state_change < clock_timestamp() - make_interval(secs => :frozen)
    """)


def install(connection: sa.Connection) -> None:
    """Make sure that there is the one row about the database."""
    statement = "INSERT INTO installation (id, key) VALUES (1, :key) ON CONFLICT DO NOTHING"
    connection.execute(sa.text(statement), {"key": secrets.token_hex(KEY_BYTES)})


_NEWEST = sa.select(sa.func.max(RUNS.c.id))
_COUNT_ON = sa.text("SELECT setval(pg_get_serial_sequence('runs', 'id'), :above)")


def _count_on(connection: sa.Connection, row: dict[str, Any], above: int) -> None:
    """Have that row get a number higher than that."""
    if connection.dialect.name == "postgresql":
        connection.execute(_COUNT_ON, {"above": above})
    else:
        row["id"] = above + 1


def _states(
    beat: sa.ColumnElement[int], draining: sa.ColumnElement[bool], mine: sa.CTE | None = None
) -> sa.Select[Any]:
    owned = (
        sa.select(GAMES.c.owner, sa.func.count().label("games"))
        .where(RUNNING)
        .group_by(GAMES.c.owner)
        .subquery()
    )
    source = RUNS.outerjoin(owned, owned.c.owner == RUNS.c.id)
    if mine is not None:
        source = source.outerjoin(mine, mine.c.id == RUNS.c.id)
    return (
        sa.select(
            RUNS.c.id,
            RUNS.c.node,
            beat.label("beat"),
            RUNS.c.speaks,
            draining.label("draining"),
            RUNS.c.started_at,
            sa.func.coalesce(owned.c.games, 0).label("games"),
            RUNS.c.version,
            RUNS.c.owns,
        )
        .select_from(source)
        .where(IN_CLUSTER, MAY_WRITE)
        .order_by(RUNS.c.id)
    )


_NOW = sa.bindparam("now", type_=RUNS.c.alive_at.type)
_FENCE = sa.update(RUNS).values(fenced_at=_NOW).where(MAY_WRITE)
_ONE_AT_A_TIME = sa.select(INSTALLATION.c.id).with_for_update()
_BEGIN = sa.insert(RUNS).returning(RUNS.c.id)
_RAISE_BEAT = (
    sa.update(RUNS)
    .values(
        beat=RUNS.c.beat + 1,
        draining=sa.bindparam("is_draining", type_=RUNS.c.draining.type),
        alive_at=sa.case((RUNS.c.alive_at < _NOW, _NOW), else_=RUNS.c.alive_at),
        slowest_ms=sa.bindparam("slowest", type_=RUNS.c.slowest_ms.type),
    )
    .where(RUNS.c.id == sa.bindparam("its_run", type_=RUNS.c.id.type), MAY_WRITE)
    .returning(RUNS.c.id, RUNS.c.beat, RUNS.c.draining)
)
_MINE = _RAISE_BEAT.cte("mine")

# Built once: to build them takes longer than to run them. In one round trip; the query does not see
# the change that it makes itself.
_RAISE_BEAT_AND_LOOK = _states(
    sa.func.coalesce(_MINE.c.beat, RUNS.c.beat),
    sa.func.coalesce(_MINE.c.draining, RUNS.c.draining),
    _MINE,
).add_columns(_MINE.c.id.is_not(None).label("is_mine"))
_LOOK = _states(RUNS.c.beat, RUNS.c.draining)


_POSTGRES_CLOCK = sa.func.clock_timestamp(type_=UtcTime)
_SQLITE_CLOCK = sa.func.strftime("%Y-%m-%dT%H:%M:%f+00:00", "now", type_=UtcTime)


def _clocks(clock: sa.ColumnElement[datetime]) -> sa.Select[Any]:
    columns = RUNS.c.id.label("run"), RUNS.c.beat, RUNS.c.alive_at, clock.label("now")
    return sa.select(*columns).where(IN_CLUSTER, MAY_WRITE).order_by(RUNS.c.id)


def _beat(connection: sa.Connection, values: Mapping[str, Any]) -> list[RunState] | None:
    rows = [row._asdict() for row in connection.execute(_RAISE_BEAT_AND_LOOK, values)]
    is_mine = [row.pop("is_mine") for row in rows]
    return [RunState(**row) for row in rows] if any(is_mine) else None


def _beat_in_two(connection: sa.Connection, values: Mapping[str, Any]) -> list[RunState] | None:
    """SQLite changes nothing within a query."""
    if connection.execute(_RAISE_BEAT, values).one_or_none() is None:
        return None
    return [RunState(**row._asdict()) for row in connection.execute(_LOOK)]
