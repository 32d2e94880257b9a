"""The repository: keeps games, in SQLite, PostgreSQL or memory."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Unpack

import sqlalchemy as sa

from ulci_server.game import EventKind, Fact

from .errors import RefusedError, StorageError
from .fence import only_moves, require_released_last, save_alone, save_as
from .migrations import migrate, require_current
from .ownership import Ownership
from .read import game_record, happened, in_order, move_record, played, report_record, standing
from .records import Filters, GameRecord, MoveRecord, Noted, ReportRecord
from .runs import RUNNING
from .schema import EVENTS, GAMES, MOVES, REPORTS, Status, utc_text
from .sql_engine import MEMORY, Durability, parse_url
from .untrusted import LONGEST_PV
from .write import RELEASE, rows_of, write_rows


class Repository(Ownership):
    """Keeps facts, and accounts, in a database whose tables exist already (see `open_repository`).
    Synchronous; one thread writes while a few others read.

    Failures raise `StorageError`, with a text for people; trying again later may help.
    """

    def __init__(
        self,
        url: str,
        durability: Durability = "power",
        *,
        longest_pv: int = LONGEST_PV,
    ) -> None:
        """Does not connect yet. Of main variations `longest_pv` characters are kept. Raises
        `StorageError` if there can be no such database."""
        super().__init__(url, durability)
        self._longest_pv = longest_pv
        self._stamp = _STAMPS[self.writer.dialect.name]

    def save(self, batch: Sequence[tuple[Fact, datetime]]) -> None:
        """Save the whole batch or, if it raises, nothing. Durable when it returns. The end of a
        game is stored twice: with the game, and as its last event.

        The same batch may be saved again: after a commit with unknown outcome, that is the only
        safe thing to do. A fact that is stored already counts as saved if it is equal; two equal
        reports of one moment are one.

        Raises:
            RefusedError: a fact contradicts the stored ones (the game was never begun, the ply was
                another move, the result another one) or itself. Trying again cannot help: find the
                culprit by saving parts, as the journal does. Of a member of a cluster (`join`): it
                is of a game that the run does not own, and is not stored already.
            FencedError: this run (`join`, `begin_alone`) may not write any more, now or later.
        """
        member = self._member
        run = self._alone if member is None else member
        rows = rows_of(batch, self._stamp, self._longest_pv, member)
        if member is None and RELEASE in rows:
            raise RefusedError("only the server of a cluster gives games away")
        if run is None:
            self._write_rows(lambda writer: write_rows(writer, rows))
            return
        if not (alone := member is None):
            require_released_last(batch)
        moves = None if self._sqlite else only_moves(run, rows, alone=alone)
        if moves is not None and self._write_at_once(*moves):
            return
        save = save_alone if alone else save_as
        self._write_rows(lambda writer: save(run, writer, rows))

    def last_game_id(self) -> int:
        """The highest id of a game, 0 if there is none."""
        return self._read(_LAST_ID, lambda row: int(row["last"]))[0]

    def games(self, **filters: Unpack[Filters]) -> list[GameRecord]:
        """The games that pass the filters, newest (highest id) first."""
        query = sa.select(GAMES).order_by(GAMES.c.id.desc()).limit(filters.get("limit"))
        values: dict[str, Any] = dict(filters)
        for name, passes in _FILTERS.items():
            if values.get(name) is not None:
                query = query.where(passes(values[name]))
        return self._read(query, game_record)

    def plies(self, ids: Collection[int]) -> dict[int, int]:
        """How many moves were made and not taken back in each of these games, without reading
        them."""
        made = (
            sa.select(MOVES.c.game_id, sa.func.count().label("plies"))
            .where(MOVES.c.game_id.in_(ids))
            .group_by(MOVES.c.game_id)
        )
        taken_back = (
            sa.select(EVENTS.c.game_id, sa.func.sum(EVENTS.c.amount).label("plies"))
            .where(EVENTS.c.game_id.in_(ids), EVENTS.c.what == EventKind.TAKEN_BACK.value)
            .group_by(EVENTS.c.game_id)
        )
        plies = Counter(dict.fromkeys(ids, 0))
        plies.update(dict(self._read(made, _plies)))
        plies.subtract(dict(self._read(taken_back, _plies)))
        return dict(plies)

    def moves(self, game_id: int) -> list[MoveRecord]:
        """The moves in order, without those that were taken back; none if there is no such
        game."""
        moves = self._read(_of(MOVES, game_id), move_record)
        taken_back = EVENTS.c.what == EventKind.TAKEN_BACK.value
        return standing(moves, self._read(_of(EVENTS, game_id).where(taken_back), happened))

    def history(self, game_id: int) -> list[Noted]:
        """Every `MovePlayed` and `Happened`, including moves taken back, in the order of `seq`. The
        analysis of a move is that of `MoveRecord`. The last fact of a finished game is `FINISHED`;
        only games that ended before version 0002 of the tables lack it."""
        moves, events = _of(MOVES, game_id), _of(EVENTS, game_id)
        return in_order([*self._read(moves, played), *self._read(events, happened)])

    def reports(self, game_id: int) -> list[ReportRecord]:
        """The error reports in the order of their arrival."""
        query = sa.select(REPORTS).where(REPORTS.c.game_id == game_id).order_by(REPORTS.c.id)
        return self._read(query, report_record)


class MemoryRepository(Repository):
    """A repository that ends with the program: for tests, and for servers that need no record."""

    def __init__(self, longest_pv: int = LONGEST_PV) -> None:
        super().__init__(MEMORY, longest_pv=longest_pv)


def _plies(row: Mapping[str, Any]) -> tuple[int, int]:
    return row["game_id"], int(row["plies"])


def _of(table: sa.Table, game: int) -> sa.Select[Any]:
    return sa.select(table).where(table.c.game_id == game).order_by(table.c.seq)


_STAMPS: dict[str, Callable[[datetime], object]] = {
    "sqlite": utc_text,
    "postgresql": lambda at: at,
}

_LAST_ID = sa.select(sa.func.coalesce(sa.func.max(GAMES.c.id), 0).label("last"))

_FILTERS: dict[str, Callable[[Any], sa.ColumnElement[bool]]] = {
    "player": lambda name: sa.or_(GAMES.c.white_name == name, GAMES.c.black_name == name),
    "rules": lambda name: GAMES.c.rules == name,
    "pool": lambda name: GAMES.c.pool == name,
    "since": lambda at: GAMES.c.started_at >= at,
    "until": lambda at: GAMES.c.started_at < at,
    "ids": GAMES.c.id.in_,
    "running": lambda running: RUNNING if running else GAMES.c.status != Status.RUNNING,
    "before": lambda id_: GAMES.c.id < id_,
}


PAGE = 200
"""Games read at once by `each_game`: about 200 kB, and one query for many games."""


def each_game(repository: Repository, **filters: Unpack[Filters]) -> Iterator[GameRecord]:
    """`Repository.games` page by page, so that a million of them need not fit in memory."""
    left = filters.get("limit")
    while left is None or left > 0:
        size = PAGE if left is None else min(PAGE, left)
        filters["limit"] = size
        page = repository.games(**filters)
        yield from page
        if len(page) < size:
            return
        filters["before"] = page[-1].id
        left = None if left is None else left - size


def open_repository(
    url: str,
    durability: Durability = "power",
    *,
    migrating: bool | None = None,
    writing: bool = True,
    longest_pv: int = LONGEST_PV,
) -> Repository:
    """Open the database at the URL: ``sqlite:///games.db``, ``postgresql://…``, or ``memory:``.

    migrating: bring the tables up to date first. None means yes on SQLite, where the file belongs
    to this program, and no on PostgreSQL, where the operator decides when, after a backup.
    writing: False only to read (``games``, ``export``): nothing is created or changed then.
    longest_pv: characters of a main variation that are kept with a move.

    Raises:
        SchemaError: the tables are not those of this program, and `migrating` does not help.
        StorageError: the address is wrong, or the database cannot be read or written.
    """
    if url == MEMORY:
        return MemoryRepository(longest_pv)
    if migrating is None:
        migrating = parse_url(url).get_backend_name() == "sqlite"
    if migrating and writing:
        migrate(url)
    else:
        require_current(url)
    repository = Repository(url, durability, longest_pv=longest_pv)
    if writing:
        try:
            # Writes nothing, but fails now if it cannot write, not when a move waits for it.
            repository.save([])
        except StorageError:
            repository.close()
            raise
    return repository
