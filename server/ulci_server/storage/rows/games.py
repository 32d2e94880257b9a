"""Games: how they begin, who owns them, and how they end.

A column of what a game begins with is written by its row of `_BEGIN`, one of its end by `_end`;
`game_record` reads both.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ulci.rules import Outcome, Reason, Side
from ulci_server.game import GameFinished, GameStarted, Released, Seat
from ulci_server.storage.records import GameRecord
from ulci_server.storage.schema import GAMES, OWNERS, GameStatus
from ulci_server.storage.statements import (
    Computed,
    Kind,
    RowsOfFact,
    Saving,
    Statement,
    finish,
    insert,
)
from ulci_server.storage.transactions import Values, Writer
from ulci_server.storage.untrusted import text

from .events import REASON_ENDS

FIRST_EPOCH = 1

WINNERS = {"1-0": Side.WHITE, "0-1": Side.BLACK}

_SEAT: Mapping[str, Callable[[Seat], object]] = {
    "name": lambda seat: text(seat.name),
    "kind": lambda seat: seat.kind,
    "author": lambda seat: text(seat.author),
    "rating": lambda seat: seat.rating,
    "title": lambda _: "",  # not used yet
    "handle": lambda seat: text(seat.handle),
    "key": lambda seat: seat.key,
    "level": lambda seat: seat.level,
}

_BEGIN: Mapping[str, Callable[[GameStarted], object]] = {
    "id": lambda game: game.game,
    "rules": lambda game: game.rules,
    "start": lambda game: None if game.start is None else text(game.start),
    "control": lambda game: game.control,
    "pool": lambda game: text(game.pool),
    "rated": lambda game: game.rated,
    "lag": lambda game: game.lag,
    "claims": lambda game: game.claims,
    "undo_clocks": lambda game: game.undo_clocks,
    "conduct": lambda game: game.conduct or None,
    "opening": lambda game: text(" ".join(game.opening)) or None,
}

# A game is stored even if the account of a player was removed before; when an account is removed
# later, its games stay without one.
_ACCOUNT = "(SELECT id FROM players WHERE id = ?)"
_CHANGING = ("white_id", "black_id", "owner", "epoch")

BEGIN_GAME = insert(
    GAMES,
    (
        *_BEGIN,
        "started_at",
        *(f"{side.word}_{column}" for side in Side for column in _SEAT),
        *_CHANGING,
    ),
    values={"white_id": _ACCOUNT, "black_id": _ACCOUNT},
    changing=_CHANGING,
)
ADD_OWNER = insert(OWNERS, ("game_id", "epoch", "run_id", "at"))


def _begun(game: GameStarted, at: object, saving: Saving) -> RowsOfFact:
    run = saving.run
    owner = (None, 0) if run is None else (run, FIRST_EPOCH)
    seats = [value(seat) for seat in game.seats for value in _SEAT.values()]
    accounts = [seat.account for seat in game.seats]
    begin = [value(game) for value in _BEGIN.values()]
    yield BEGIN_GAME, (*begin, at, *seats, *accounts, *owner)
    if run is not None:
        yield ADD_OWNER, (game.game, FIRST_EPOCH, run, at)


BEGUN = Kind(GameStarted, _begun, BEGIN_GAME, ADD_OWNER)


def _end(finished: GameFinished, at: object) -> dict[str, object]:
    outcome = finished.outcome
    return {
        "result": outcome.score,
        "reason": outcome.reason.value,
        "detail": text(finished.detail),
        "finished_at": at,
        "fault": " ".join(side.word for side in sorted(finished.fault)),
    }


_END = tuple(_end(GameFinished(0, Outcome(None, Reason.SERVER)), None))

# An end of before the fault was kept may come again.
END_GAME = finish(
    GAMES, _END, fixed="status = 'finished'", only="status = 'running'", changing=["fault"]
)

_PLIES_OF_OPENING = (
    "coalesce(length(games.opening) - length(replace(games.opening, ' ', '')) + 1, 0)"
)

_ADD_LAST_EVENT = f"""
    INSERT INTO events (game_id, seq, ply, at, what, side, amount, text)
    SELECT games.id, coalesce(last.seq, 0) + 1, coalesce(last.ply, {_PLIES_OF_OPENING}),
        ?, 'finished', ?, 0, ?
    FROM games LEFT JOIN (
        SELECT seq, ply FROM moves WHERE game_id = ?
        UNION ALL
        SELECT seq, CASE what WHEN 'taken-back' THEN ply - amount ELSE ply END
        FROM events WHERE game_id = ?
        ORDER BY seq DESC LIMIT 1
    ) AS last ON true
    WHERE games.id = ? AND status = 'running'
    """  # noqa: S608
"""Adds `FINISHED` as the last event of a game that still runs, with the number of moves that were
not taken back."""


def _add_last_events(writer: Writer, ends: Sequence[Values]) -> None:
    writer.write(_ADD_LAST_EVENT, list(dict.fromkeys(ends)))  # an end may come twice


ADD_LAST_EVENT = Computed(_add_last_events, game=3)


def _ended(finished: GameFinished, at: object, _: Saving) -> RowsOfFact:
    outcome, detail = finished.outcome, text(finished.detail)
    reason, winner = outcome.reason.value, outcome.winner
    evidence = f"{reason}{REASON_ENDS}{detail}" if detail else reason
    side, game = None if winner is None else int(winner), finished.game
    yield ADD_LAST_EVENT, (at, side, evidence, game, game, game)
    yield END_GAME, (*_end(finished, at).values(), game)


ENDED = Kind(GameFinished, _ended, ADD_LAST_EVENT, END_GAME)

# The epoch distinguishes a release that is saved again from one of a game that was claimed again
# meanwhile.
RELEASE = Statement(
    "UPDATE games SET owner = NULL WHERE id = ? AND epoch = ?",
    kept="SELECT id FROM games WHERE id = ?",
    key=slice(0, 1),
    compared=slice(0, 1),
)


def _released(released: Released, _: object, __: Saving) -> RowsOfFact:
    return ((RELEASE, (released.game, released.epoch)),)


RELEASED = Kind(Released, _released, RELEASE)


def game_record(row: Mapping[str, Any]) -> GameRecord:
    return GameRecord(
        game=row["id"],
        rules=row["rules"],
        start=row["start"],
        control=row["control"],
        pool=row["pool"],
        rated=row["rated"],
        lag=row["lag"],
        claims=row["claims"],
        undo_clocks=row["undo_clocks"],
        conduct=row["conduct"] or "",
        opening=(*(row["opening"] or "").split(),),
        seats=(_seat(row, "white"), _seat(row, "black")),
        players=(row["white_id"], row["black_id"]),
        started_at=row["started_at"],
        outcome=_outcome(row),
        detail=row["detail"],
        finished_at=row["finished_at"],
        fault=None if (words := row["fault"]) is None else _sides(words),
        owner=row["owner"],
        epoch=row["epoch"],
    )


def _seat(row: Mapping[str, Any], word: str) -> Seat:
    return Seat(
        name=row[f"{word}_name"],
        kind=row[f"{word}_kind"],
        author=row[f"{word}_author"],
        handle=row[f"{word}_handle"],
        account=row[f"{word}_id"],
        key=row[f"{word}_key"],
        level=row[f"{word}_level"],
        rating=row[f"{word}_rating"],
    )


def _sides(words: str) -> frozenset[Side]:
    return frozenset(side for side in Side if side.word in words.split())


def _outcome(row: Mapping[str, Any]) -> Outcome | None:
    if row["status"] == GameStatus.RUNNING:
        return None
    return Outcome(WINNERS.get(row["result"]), Reason(row["reason"]))
