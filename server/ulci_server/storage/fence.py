"""The fence: a server writes facts only while no other one has shut it out, and in a cluster only
of games that it owns.

Each of its transactions first beats its own row of `runs`, which it thereby holds until the end: a
server that fences it waits for that end, or does not find the beat any more that it saw stand. A
lone server owns all games that it plays until it is fenced, so it does not ask for their owners; on
SQLite it only looks whether it was fenced, as nobody else writes until its transaction ends.

Accounts, tokens and bans are no run's, and not fenced: an administrator changes them, here or by
the command line beside a server, and what was ordered is right whichever server writes it.
"""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime

from ulci_server.game import Fact, Heartbeat, Released

from .errors import FencedError, RefusedError
from .rows.games import RELEASE
from .rows.moves import ADD_ANALYSED_MOVE, ADD_MOVE
from .transactions import Values, Writer, array_text, columns_of
from .write import Rows, find_unsaved, games_of, split_rows, write_rows

SHUT_OUT = "run {run} was shut out by another server, or has ended"

_HOLD = "UPDATE runs SET beat = beat + 1 WHERE id = ? AND fenced_at IS NULL AND ended_at IS NULL"

_STANDS = "SELECT id FROM runs WHERE id = ? AND fenced_at IS NULL AND ended_at IS NULL"

# One round trip. Whoever changes the owner of a game of this run holds the same row of `runs`, or
# has fenced the run: so what is read here of the owners is still true at the commit.
_HOLD_AND_FIND = """
    WITH held AS (
        UPDATE runs SET beat = beat + 1
        WHERE id = ? AND fenced_at IS NULL AND ended_at IS NULL
        RETURNING id
    )
    SELECT (
        SELECT array_agg(id) FROM games
        WHERE id = ANY(?::bigint[]) AND owner IS DISTINCT FROM ?::bigint
    ) FROM held
    """

# The same, and the moves of a batch, in one transaction of one round trip: all or nothing.
_HOLD_AND_ADD = """
    WITH held AS (
        UPDATE runs SET beat = beat + 1
        WHERE id = %s AND fenced_at IS NULL AND ended_at IS NULL
        RETURNING id
    ), allowed AS (
        SELECT id FROM held WHERE {owned}
    ), {added}
    SELECT id FROM allowed
    """

_OWNED = """NOT EXISTS (
    SELECT id FROM games WHERE id = ANY(%s::bigint[]) AND owner IS DISTINCT FROM %s::bigint
    )"""

_FIND = """
    SELECT json_group_array(id) FROM games
    WHERE id IN (SELECT value FROM json_each(?)) AND owner IS NOT ?
    """

_OWNER = """
    SELECT runs.id, runs.node FROM games LEFT JOIN runs ON runs.id = games.owner WHERE games.id = ?
    """


def only_moves(run: int, rows: Rows, *, alone: bool) -> tuple[str, Values] | None:
    """A statement, with its values, that writes these rows as that run, which may be that of a lone
    server. It returns a row if it has written them, and fails if one of them is stored already.
    None: there are other rows than moves."""
    if not rows or not rows.keys() <= {ADD_MOVE, ADD_ANALYSED_MOVE}:
        return None
    moves = [one for one in (ADD_MOVE, ADD_ANALYSED_MOVE) if one in rows]
    added = [f"added{n} AS ({one.arrays.format(only='allowed,')})" for n, one in enumerate(moves)]
    columns = [column for of_kind in rows.values() for column in columns_of(of_kind)]
    owned: Values = () if alone else (array_text(games_of(rows)), run)
    statement = _HOLD_AND_ADD.format(owned="true" if alone else _OWNED, added=", ".join(added))
    return statement, (run, *owned, *columns)


def save_as(run: int, writer: Writer, rows: Rows) -> None:
    """Write the rows as `write_rows` does, as that run. Rows of games that it does not own must be
    stored already: so a batch with a release can be saved again, after a commit with unknown
    outcome.

    Raises:
        FencedError: the run was fenced, or has ended.
        RefusedError: a fact is of a game that another run owns, or nobody.
    """
    strangers = _hold(run, writer, games_of(rows))
    if strangers:
        of_strangers, rows = split_rows(rows, strangers)
        of_strangers.pop(RELEASE, None)
        for game in find_unsaved(writer, of_strangers):
            raise RefusedError(_whose(writer, game))
    write_rows(writer, rows)


def save_alone(run: int, writer: Writer, rows: Rows) -> None:
    """Write the rows as `write_rows` does, as that run of a lone server.

    Raises:
        FencedError: the run was fenced, or has ended.
    """
    if writer.dialect == "sqlite":  # whose transaction holds all rows, so none is written
        if writer.read(_STANDS, (run,)) is None:
            raise FencedError(SHUT_OUT.format(run=run))
    else:
        _hold_row(run, writer)
    write_rows(writer, rows)


def _hold_row(run: int, writer: Writer) -> None:
    if not writer.write(_HOLD, [(run,)]):
        raise FencedError(SHUT_OUT.format(run=run))


def _hold(run: int, writer: Writer, games: Iterable[int]) -> Sequence[int]:
    """Hold the run's row. Returns the games that are stored and that it does not own."""
    if writer.dialect == "postgresql":
        found = writer.read(_HOLD_AND_FIND, (run, array_text(games), run))
        if found is None:
            raise FencedError(SHUT_OUT.format(run=run))
        return found[0] or ()
    _hold_row(run, writer)
    found = writer.read(_FIND, (json.dumps([*games]), run))
    assert found is not None
    strangers: list[int] = json.loads(found[0])
    return strangers


def _whose(writer: Writer, game: int) -> str:
    owner = writer.read(_OWNER, (game,))
    if owner is None or owner[0] is None:
        return f"game {game} belongs to no server now, and this one may not write it"
    run, node = owner
    return f"game {game} belongs to server {node!r} (run {run}), and this one may not write it"


def require_released_last(batch: Iterable[tuple[Fact, datetime]]) -> None:
    """Raises `RefusedError` if a fact of a game comes after its release."""
    released: set[int] = set()
    for fact, _ in batch:
        if isinstance(fact, Heartbeat):
            continue
        if fact.game in released:
            raise RefusedError(f"game {fact.game} was released before: {fact!r}")
        if isinstance(fact, Released):
            released.add(fact.game)
