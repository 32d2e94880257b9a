"""Which games run, and which server owns them."""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from ulci.rules import Side
from ulci_server.game import EventKind

from .errors import FencedError
from .fence import SHUT_OUT
from .games import RUNNING, Games
from .records import Absences, Claimed, Epoch, RunInfo, Unfinished
from .rows.games import FIRST_EPOCH
from .runs import IN_CLUSTER, MAY_WRITE, Runs, install
from .schema import EVENTS, GAMES, INSTALLATION, OWNERS, RUNS
from .transactions import Transactions

TICK = timedelta(microseconds=1)
"""The smallest difference of two times in every database."""


class Ownership:
    """Hands out running games: each is of one run at most, in epochs that rise by one."""

    def __init__(self, transactions: Transactions, runs: Runs, games: Games) -> None:
        self._read = transactions.read
        self._write = transactions.write
        self._runs = runs
        self._games = games
        self._claimed_at = datetime.min.replace(tzinfo=UTC)
        self._unanswered: tuple[datetime, ...] = ()

    def claim(self, at: datetime, most: int, only: Collection[int] | None = None) -> list[Claimed]:
        """Take up to `most` running games, `only` of those if given, that belong to nobody who may
        still write, those with the lowest numbers first; of several servers that claim at once each
        takes others.

        Wait for the answer, and resume every game of it: nobody else will. What was claimed when
        an error was raised comes with the next call.

        Raises:
            FencedError: this run may not write any more.
        """
        run = self._runs.mine
        assert run is not None, "begin alone, or join, first"
        # A time of its own, by which a claim finds what it took when its answer was lost.
        at = self._claimed_at = max(at, self._claimed_at + TICK)
        self._unanswered = (*self._unanswered, at)
        free = _free if only is None else _free.where(GAMES.c.id.in_(only))
        games = self._write(lambda connection: self._claim(connection, run, at, free, most))
        claimed = self._claimed(games) if games else []
        self._unanswered = ()
        return claimed

    def _claim(
        self,
        connection: sa.Connection,
        run: int,
        at: datetime,
        which: sa.Select[tuple[int]],
        most: int,
    ) -> list[int]:
        beat = sa.update(RUNS).values(beat=RUNS.c.beat + 1).where(RUNS.c.id == run, MAY_WRITE)
        if not connection.execute(beat).rowcount:
            raise FencedError(SHUT_OUT.format(run=run))
        taken = [*connection.scalars(_taken(run, self._unanswered))]
        free = [*connection.scalars(which.limit(max(0, most - len(taken))))]
        if free:
            change = sa.update(GAMES).values(owner=run, epoch=GAMES.c.epoch + 1)
            connection.execute(change.where(GAMES.c.id.in_(free)))
            owners = sa.select(GAMES.c.id, GAMES.c.epoch, sa.literal(run), sa.literal(at, _AT))
            columns = [column.name for column in OWNERS.columns]
            new = sa.insert(OWNERS).from_select(columns, owners.where(GAMES.c.id.in_(free)))
            connection.execute(new)
        return [*taken, *free]

    def _claimed(self, games: list[int]) -> list[Claimed]:
        query = sa.select(GAMES.c.id, GAMES.c.epoch).where(GAMES.c.id.in_(games))
        epochs = dict(self._read(query, lambda row: (row["id"], row["epoch"])))
        unfinished = self._games.unfinished(games)
        former = self._read(
            _FORMER.where(GAMES.c.id.in_(games)),
            lambda row: _Former(row["game_id"], row["run_id"], row["at"]),
        )
        [lone] = self._read(_NEWEST_WITHOUT_GAMES, lambda row: int(row["id"]))
        runs = {game.started.game: max(_last_heard_of(game, former), lone) for game in unfinished}
        infos = self._read(sa.select(RUNS).where(RUNS.c.id.in_({*runs.values()})), _info)
        before = {info.id: info for info in infos}
        return [
            Claimed(game, epochs[number], before.get(runs[number]))
            for game in unfinished
            for number in [game.started.game]
        ]

    def unowned(self) -> int:
        """How many running games belong to nobody who may still write, until somebody claims
        them."""
        count = sa.select(sa.func.count().label("games")).where(RUNNING, _UNOWNED)
        [games] = self._read(count, lambda row: int(row["games"]))
        return games

    def absences(self) -> list[Absences]:
        """How many running games wait for players who are away, by owner, as far as the record
        says: whether a player has come back since the server began that goes on with the game."""
        return self._read(_ABSENCES, lambda row: Absences(**row))

    def epochs(self, game: int) -> list[Epoch]:
        """The owners of the game, in order."""
        query = (
            sa.select(OWNERS.c.epoch, OWNERS.c.run_id.label("run"), RUNS.c.node, OWNERS.c.at)
            .outerjoin(RUNS, RUNS.c.id == OWNERS.c.run_id)
            .where(OWNERS.c.game_id == game)
            .order_by(OWNERS.c.epoch)
        )
        return self._read(query, lambda row: Epoch(**row))

    def draw_numbers(self, count: int, above: int = 0) -> range:
        """Numbers for new games, which nobody else gets: above all that were drawn or are stored,
        and above that one. Those that are not used are left out for good."""
        stored = sa.select(sa.func.coalesce(sa.func.max(GAMES.c.id), 0)).scalar_subquery()
        last = INSTALLATION.c.last_game
        known = sa.case((stored > above, stored), else_=above)
        change = (
            sa.update(INSTALLATION)
            .values(last_game=count + sa.case((last > known, last), else_=known))
            .returning(last)
        )

        def draw(connection: sa.Connection) -> int:
            install(connection)
            return int(connection.execute(change).scalar_one())

        end = self._write(draw) + 1
        return range(end - count, end)


_AT = OWNERS.c.at.type

_DEAD = sa.select(RUNS.c.id).where(sa.not_(MAY_WRITE))
_UNOWNED = sa.or_(GAMES.c.owner.is_(None), GAMES.c.owner.in_(_DEAD))


def _is_away(side: Side) -> sa.ColumnElement[bool]:
    """Whether the side has not come back since it went or its server ended."""
    mine = EVENTS.c.side == int(side)
    went = sa.or_(
        EVENTS.c.what.in_((EventKind.PAUSED, EventKind.RESUMED)),  # the side is that of the mover
        sa.and_(EVENTS.c.what.in_((EventKind.AWAY, EventKind.LEFT)), mine),
    )
    came = sa.and_(EVENTS.c.what == EventKind.BACK, mine)
    seq = sa.func.max(EVENTS.c.seq)
    # No comparison is made with NULL: that of a side that never went is false.
    return sa.func.coalesce(seq.filter(went), 0) > sa.func.coalesce(seq.filter(came), 0)


_AWAY = (
    sa.select(
        GAMES.c.owner,
        _is_away(Side.WHITE).label("white"),
        _is_away(Side.BLACK).label("black"),
    )
    .join(EVENTS, EVENTS.c.game_id == GAMES.c.id)
    .where(RUNNING)
    .group_by(GAMES.c.id, GAMES.c.owner)
    .subquery()
)
_ABSENCES = (
    sa.select(
        _AWAY.c.owner,
        sa.func.count().label("games"),
        sa.func.count().filter(_AWAY.c.white, _AWAY.c.black).label("both"),
    )
    .where(sa.or_(_AWAY.c.white, _AWAY.c.black))
    .group_by(_AWAY.c.owner)
    .order_by(_AWAY.c.owner)
)


# Running games of nobody who may write, without those that another server is about to take; a lock
# that foreign keys take is none.
_free = (
    sa.select(GAMES.c.id)
    .where(RUNNING, _UNOWNED)
    .order_by(GAMES.c.id)
    .with_for_update(skip_locked=True, key_share=True, of=GAMES)
)

# Lone servers of before they owned games, which noted no version of their program, resumed all that
# ran when they began.
_NEWEST_WITHOUT_GAMES = sa.select(
    sa.func.coalesce(
        sa.func.max(RUNS.c.id).filter(sa.not_(IN_CLUSTER), RUNS.c.version == ""), 0
    ).label("id")
)


def _taken(run: int, claims: Collection[datetime]) -> sa.Select[tuple[int]]:
    """What the run took at these times, and has; not what it began at one of them."""
    current = sa.and_(OWNERS.c.game_id == GAMES.c.id, OWNERS.c.epoch == GAMES.c.epoch)
    query = sa.select(GAMES.c.id).join(OWNERS, current).order_by(GAMES.c.id)
    claimed = sa.or_(OWNERS.c.epoch > FIRST_EPOCH, OWNERS.c.at != GAMES.c.started_at)
    return query.where(RUNNING, GAMES.c.owner == run, OWNERS.c.at.in_(claims), claimed)


_FORMER = (
    sa.select(OWNERS)
    .join(GAMES, sa.and_(OWNERS.c.game_id == GAMES.c.id, OWNERS.c.epoch < GAMES.c.epoch))
    .order_by(OWNERS.c.epoch)
)


class _Former(NamedTuple):
    game: int
    run: int
    at: datetime


def _last_heard_of(game: Unfinished, former: Sequence[_Former]) -> int:
    """The run that wrote the last fact of the game, of its former owners in order. One that claimed
    it after that died before it went on with it. 0: there is none."""
    owners = [one for one in former if one.game == game.started.game]
    last = game.history[-1].at if game.history else game.at
    wrote = [one.run for one in owners if one.at <= last]
    return wrote[-1] if wrote else owners[0].run if owners else 0


def _info(row: Mapping[str, Any]) -> RunInfo:
    return RunInfo(row["id"], row["alive_at"], row["slowest_ms"])
