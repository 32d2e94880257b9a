"""Writes facts: one row a fact, and plain SQL for each kind of row.

A batch that is saved again writes nothing and is compared with the stored rows. The end of a game
takes two statements: it is also the last event, under the next number.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import datetime
from functools import cache
from typing import Any

from msgspec import Struct

from ulci.rules import Side
from ulci_server.game import (
    Fact,
    GameFinished,
    GameStarted,
    Happened,
    Heartbeat,
    MovePlayed,
    Released,
    Reported,
    Seat,
)

from .errors import RefusedError
from .transactions import Values, Writer
from .untrusted import LONGEST_PV, LONGEST_REPORT, analysis_untrusted, text

REASON_ENDS = ": "
"""Separates a reason from its evidence, where both are one text."""


class Statement(Struct, frozen=True, eq=False):
    """Writes the rows of one kind, each unless its `key` exists; `kept` then reads the existing
    row, which must equal the columns in `compared`, all that cannot have changed since, and those
    that `implied` adds. `arrays` inserts many at once on PostgreSQL, one array a column, after
    what is put for `{only}`: for a kind that comes by the hundred. `game`: where the number of the
    game stands in a row; None: the rows are of no game."""

    write: str
    kept: str = ""
    key: slice = slice(0)
    compared: slice = slice(None)
    implied: Values = ()
    arrays: str = ""
    game: int | None = 0


# Games. A game is stored even if the account of a player was removed before; when an account is
# removed later, its games stay without one.

BEGIN_GAME = Statement(
    """
    INSERT INTO games (
        id, rules, start, control, pool, rated, started_at, lag, claims, undo_clocks, conduct,
        white_name, white_kind, white_author, white_rating, white_title, white_handle, white_key,
        black_name, black_kind, black_author, black_rating, black_title, black_handle, black_key,
        white_id, black_id, owner, epoch
    )
    VALUES (
        ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
        ?, ?, ?, ?, ?, ?, ?,
        ?, ?, ?, ?, ?, ?, ?,
        (SELECT id FROM players WHERE id = ?),
        (SELECT id FROM players WHERE id = ?),
        ?, ?
    )
    ON CONFLICT DO NOTHING
    """,
    kept="""
    SELECT
        id, rules, start, control, pool, rated, started_at, lag, claims, undo_clocks, conduct,
        white_name, white_kind, white_author, white_rating, white_title, white_handle, white_key,
        black_name, black_kind, black_author, black_rating, black_title, black_handle, black_key
    FROM games WHERE id = ?
    """,
    key=slice(0, 1),
    compared=slice(0, -4),
)

ADD_OWNER = Statement(
    """
    INSERT INTO owners (game_id, epoch, run_id, at)
    VALUES (?, ?, ?, ?)
    ON CONFLICT DO NOTHING
    """,
    kept="SELECT game_id, epoch, run_id, at FROM owners WHERE game_id = ? AND epoch = ?",
    key=slice(0, 2),
)

FIRST_EPOCH = 1


_STARTED_AT = 6
"""Where the time stands in the row of a game."""


def _game(fact: GameStarted, at: object) -> Values:
    white, black = fact.seats
    return (
        fact.game,
        fact.rules,
        None if fact.start is None else text(fact.start),
        fact.control,
        text(fact.pool),
        fact.rated,
        at,
        fact.lag,
        fact.claims,
        fact.undo_clocks,
        fact.conduct or None,
        *_seat(white),
        *_seat(black),
        white.account,
        black.account,
        None,  # the owner and the epoch: a lone server owns nothing
        0,
    )


def _owned(game: Values, run: int) -> Values:
    """The row of a game with its first owner."""
    return (*game[:-2], run, FIRST_EPOCH)


def _seat(seat: Seat) -> Values:
    return (
        text(seat.name),
        seat.kind,
        text(seat.author),
        None,  # the rating and the title: columns not used yet
        "",
        text(seat.handle),
        seat.key,
    )


# Moves. Those of people come without analysis, and cost half if its columns are not written.

_KEPT_MOVE = """
    SELECT
        game_id, seq, ply, side, move, at, spent_ms, left_ms, lag_ms, stall_ms, held_ms,
        score_cp, score_mate, score_bound, depth, nodes, time_ms, pv
    FROM moves WHERE game_id = ? AND seq = ?
    """

ADD_MOVE = Statement(
    """
    INSERT INTO moves (
        game_id, seq, ply, side, move, at, spent_ms, left_ms, lag_ms, stall_ms, held_ms
    )
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING
    """,
    kept=_KEPT_MOVE,
    key=slice(0, 2),
    implied=(None,) * 7,
    arrays="""
    INSERT INTO moves (
        game_id, seq, ply, side, move, at, spent_ms, left_ms, lag_ms, stall_ms, held_ms
    )
    SELECT new.* FROM {only} unnest(
        %s::bigint[], %s::integer[], %s::integer[], %s::smallint[], %s::text[],
        %s::timestamptz[],
        %s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[]
    ) AS new
    """,
)

ADD_ANALYSED_MOVE = Statement(
    """
    INSERT INTO moves (
        game_id, seq, ply, side, move, at, spent_ms, left_ms, lag_ms, stall_ms, held_ms,
        score_cp, score_mate, score_bound, depth, nodes, time_ms, pv
    )
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING
    """,
    kept=_KEPT_MOVE,
    key=slice(0, 2),
    arrays="""
    INSERT INTO moves (
        game_id, seq, ply, side, move, at, spent_ms, left_ms, lag_ms, stall_ms, held_ms,
        score_cp, score_mate, score_bound, depth, nodes, time_ms, pv
    )
    SELECT new.* FROM {only} unnest(
        %s::bigint[], %s::integer[], %s::integer[], %s::smallint[], %s::text[],
        %s::timestamptz[],
        %s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[],
        %s::integer[], %s::integer[], %s::text[],
        %s::integer[], %s::bigint[], %s::bigint[], %s::text[]
    ) AS new
    """,
)


def _move(fact: MovePlayed, at: object) -> Values:
    return (
        fact.game,
        # Callers that record only moves need not number them.
        fact.seq or fact.ply,
        fact.ply,
        int(fact.side),
        text(fact.move),
        at,
        fact.spent,
        fact.left,
        fact.lag,
        fact.stall,
        fact.held,
    )


# Events

ADD_EVENT = Statement(
    """
    INSERT INTO events (game_id, seq, ply, at, what, side, amount, text)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING
    """,
    kept="""
    SELECT game_id, seq, ply, at, what, side, amount, text
    FROM events WHERE game_id = ? AND seq = ?
    """,
    key=slice(0, 2),
)


def _event(fact: Happened, at: object) -> Values:
    if fact.seq < 1:
        raise RefusedError(f"what happens in a game counts from 1, not from {fact.seq}")
    return (
        fact.game,
        fact.seq,
        fact.ply,
        at,
        fact.what.value,
        None if fact.side is None else int(fact.side),
        fact.amount,
        text(fact.text),
    )


# Reports. They have no key: of two equal ones of one moment the second is not written.

ADD_REPORT = Statement(
    """
    INSERT INTO reports (game_id, ply, side, source, text, at)
    SELECT ?, ?, ?, ?, ?, ?
    WHERE NOT EXISTS (
        SELECT id FROM reports
        WHERE game_id = ? AND ply = ? AND side = ? AND source = ? AND text = ? AND at = ?
    )
    """,
    kept="""
    SELECT game_id, ply, side, source, text, at FROM reports
    WHERE game_id = ? AND ply = ? AND side = ? AND source = ? AND text = ? AND at = ?
    """,
    key=slice(0, 6),
    compared=slice(0, 6),
)


def _report(fact: Reported, at: object) -> Values:
    said = text(fact.text[:LONGEST_REPORT])
    return (fact.game, fact.ply, int(fact.side), fact.source, said, at) * 2


# Ends of games

END_GAME = Statement(
    """
    UPDATE games SET status = 'finished', result = ?, reason = ?, detail = ?, finished_at = ?
    WHERE id = ? AND status = 'running'
    """,
    kept="SELECT result, reason, detail, finished_at, id FROM games WHERE id = ?",
    key=slice(4, 5),
    game=4,
)

ADD_LAST_EVENT = """
    INSERT INTO events (game_id, seq, ply, at, what, side, amount, text)
    SELECT games.id, coalesce(last.seq, 0) + 1, coalesce(last.ply, 0), ?, 'finished', ?, 0, ?
    FROM games LEFT JOIN (
        SELECT seq, ply FROM moves WHERE game_id = ?
        UNION ALL
        SELECT seq, CASE what WHEN 'taken-back' THEN ply - amount ELSE ply END
        FROM events WHERE game_id = ?
        ORDER BY seq DESC LIMIT 1
    ) AS last ON true
    WHERE games.id = ? AND status = 'running'
    """
"""Adds `FINISHED` as the last event of a game that still runs, with the number of moves that were
not taken back."""

WINNERS = {"1-0": Side.WHITE, "0-1": Side.BLACK}


def _end(fact: GameFinished, at: object) -> Values:
    outcome = fact.outcome
    return outcome.score, outcome.reason.value, text(fact.detail), at, fact.game


def _last_event(end: Values) -> Values:
    result, reason, detail, at, game = end
    evidence = f"{reason}{REASON_ENDS}{detail}" if detail else reason
    winner = WINNERS.get(result)
    return at, None if winner is None else int(winner), evidence, game, game, game


# Heartbeats

BEAT = Statement(
    "UPDATE runs SET alive_at = ?, slowest_ms = ? WHERE id = ? AND alive_at < ?",
    kept="SELECT id FROM runs WHERE id = ?",
    key=slice(2, 3),
    compared=slice(2, 3),
    game=None,
)


def _beat(fact: Heartbeat, at: object) -> Values:
    return at, fact.slowest, fact.run, at


# Releases. The epoch distinguishes a release that is saved again from one of a game that was
# claimed again meanwhile.

RELEASE = Statement(
    "UPDATE games SET owner = NULL WHERE id = ? AND epoch = ?",
    kept="SELECT id FROM games WHERE id = ?",
    key=slice(0, 1),
    compared=slice(0, 1),
)


def _release(fact: Released, at: object) -> Values:  # noqa: ARG001
    return fact.game, fact.epoch


# Batches

_BUILD: dict[type[Fact], tuple[Statement, Callable[[Any, object], Values]]] = {
    GameStarted: (BEGIN_GAME, _game),
    Happened: (ADD_EVENT, _event),
    Reported: (ADD_REPORT, _report),
    GameFinished: (END_GAME, _end),
    Heartbeat: (BEAT, _beat),
    Released: (RELEASE, _release),
}
"""For all facts but moves: how they are written, and the row of one."""

STATEMENTS = (
    BEGIN_GAME,
    ADD_OWNER,
    ADD_MOVE,
    ADD_ANALYSED_MOVE,
    ADD_EVENT,
    ADD_REPORT,
    END_GAME,
    BEAT,
    RELEASE,
)
"""In the order in which they must run: moves refer to their game."""

Rows = dict[Statement, list[Values]]


def rows_of(
    batch: Iterable[tuple[Fact, datetime]],
    stamp: Callable[[datetime], object],
    longest_pv: int = LONGEST_PV,
    run: int | None = None,
) -> Rows:
    """The rows of a batch by statement, in the order to write them; `stamp` spells a time. `run`
    owns the games that begin; None: nobody does.

    Raises:
        RefusedError: a fact is invalid.
    """
    rows: Rows = {statement: [] for statement in STATEMENTS}
    moves, analysed_moves = rows[ADD_MOVE], rows[ADD_ANALYSED_MOVE]
    for fact, at in batch:
        try:
            if not isinstance(fact, MovePlayed):
                statement, build = _BUILD[type(fact)]
                rows[statement].append(build(fact, stamp(at)))
            elif fact.info is None:
                moves.append(_move(fact, stamp(at)))
            else:
                analysis = analysis_untrusted(fact.info, longest_pv)
                analysed_moves.append((*_move(fact, stamp(at)), *analysis))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            # A bug in one fact must not block all others for ever.
            raise RefusedError(f"not a fact: {fact!r} ({error})") from error
    if run is not None:
        begun = [_owned(game, run) for game in rows[BEGIN_GAME]]
        rows[BEGIN_GAME] = begun
        rows[ADD_OWNER] = [(game[0], FIRST_EPOCH, run, game[_STARTED_AT]) for game in begun]
    return {statement: of_kind for statement, of_kind in rows.items() if of_kind}


def write_rows(writer: Writer, rows: Rows) -> None:
    """Raises `RefusedError` if a row is stored already with other values."""
    for statement, of_kind in rows.items():
        if statement is END_GAME:
            of_kind = list(dict.fromkeys(of_kind))  # noqa: PLW2901 (an end that comes twice)
            writer.write(ADD_LAST_EVENT, [_last_event(end) for end in of_kind])
        written = writer.write(statement.write, of_kind, _unless_kept(statement.arrays))
        if written != len(of_kind) and statement.kept:
            for row in of_kind:
                _compare(writer, statement, row)


@cache
def _unless_kept(arrays: str) -> str:
    """The statement that skips the rows whose key exists; empty if there is none."""
    return arrays and f"{arrays.format(only='')} ON CONFLICT DO NOTHING"


def _compare(writer: Writer, statement: Statement, row: Values) -> None:
    kept = _kept(writer, statement, row)
    if kept is None:
        raise RefusedError(f"it was never begun: {row}")
    if kept != _expected(statement, row):
        raise RefusedError(f"it is kept already, and otherwise: {kept}, not {row}")


def _kept(writer: Writer, statement: Statement, row: Values) -> Values | None:
    return writer.read(statement.kept, row[statement.key])


def _expected(statement: Statement, row: Values) -> Values:
    return (*row[statement.compared], *statement.implied)


def games_of(rows: Rows) -> set[int]:
    """The numbers of the games that have rows here."""
    return {
        row[statement.game]
        for statement, of_kind in rows.items()
        if statement.game is not None
        for row in of_kind
    }


def split_rows(rows: Rows, games: Collection[int]) -> tuple[Rows, Rows]:
    """The rows of these games, and all others."""
    of_games: Rows = {}
    others: Rows = {}
    for statement, of_kind in rows.items():
        for row in of_kind:
            is_of_games = statement.game is not None and row[statement.game] in games
            (of_games if is_of_games else others).setdefault(statement, []).append(row)
    return of_games, others


def find_unsaved(writer: Writer, rows: Rows) -> Iterator[int]:
    """The games that have rows here which are not stored already, as they are."""
    for statement, of_kind in rows.items():
        assert statement.game is not None
        for row in of_kind:
            if _kept(writer, statement, row) != _expected(statement, row):
                yield row[statement.game]
