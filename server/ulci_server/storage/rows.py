"""How is a fact written down? One row for one fact.

What players' programs claim (scores, node counts, names, complaints) is never trusted to fit: a
number that no column holds is left out, a character that no database takes is replaced, and of what
is very long the beginning is kept. A move that was made must not be lost because of what was said
with it.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial
from typing import Any

from ulci.protocol import Info
from ulci_server.game import (
    Beaten,
    Fact,
    GameFinished,
    GameStarted,
    Happened,
    MovePlayed,
    Reported,
    Seat,
    What,
)

from .errors import RefusedError
from .records import Noted
from .schema import Status

Row = dict[str, Any]

REASON_ENDS = ": "
"""Between a reason and its evidence, where both are one text."""

LONGEST_PV = 200
"""Characters that are kept of a main variation: forty plies of chess. Some engines say as many with
every move as a line has room for."""

LONGEST_REPORT = 500
"""Characters that are kept of a complaint; a game may have a hundred."""

INT32 = 2**31 - 1
INT64 = 2**63 - 1


def text(said: str) -> str:
    """What a database takes of it: PostgreSQL no NUL, and neither half a surrogate pair."""
    if said.isascii() and "\0" not in said:
        return said
    return said.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")


def _first_moves(pv: Iterable[str], longest: int) -> str | None:
    """As many whole moves as have `longest` characters; None if there are none."""
    kept, room = [], longest
    for move in pv:
        room -= len(move)
        if room < 0:
            break
        kept.append(move)
        room -= 1  # the blank before the next
    return text(" ".join(kept)) if kept else None


def _fits(number: int | None, largest: int) -> int | None:
    return None if number is None or abs(number) > largest else number


# Facts to rows


def _started(fact: GameStarted, at: object) -> Row:
    white, black = fact.seats
    return {
        "id": fact.game,
        "rules": fact.rules,
        "start": None if fact.start is None else text(fact.start),
        "control": fact.control,
        "pool": text(fact.pool),
        "rated": fact.rated,
        **_seat_row("white", white),
        **_seat_row("black", black),
        "started_at": at,
        "lag": fact.lag,
        "claims": fact.claims,
    }


def _seat_row(word: str, seat: Seat) -> Row:
    return {
        f"{word}_name": text(seat.name),
        f"{word}_kind": seat.kind,
        f"{word}_author": text(seat.author),
        f"{word}_rating": _fits(seat.rating, INT32),
        f"{word}_title": text(seat.title),
        f"{word}_id": seat.account,
        f"{word}_handle": text(seat.handle),
        f"{word}_key": seat.key,
    }


def _played(fact: MovePlayed, at: object, *, longest_pv: int = LONGEST_PV) -> Row:
    if fact.spent < 0 or (fact.left is not None and fact.left < 0):
        raise RefusedError(f"no clock shows {fact.left} ms after {fact.spent} ms were spent")
    if min(fact.lag, fact.stall, fact.held, fact.seq) < 0:
        raise RefusedError(f"nobody is given back less than nothing: {fact}")
    return {
        "game_id": fact.game,
        # Who counts nothing but moves need not number them.
        "seq": fact.seq or _ply(fact.ply),
        "ply": _ply(fact.ply),
        "side": int(fact.side),
        "move": text(fact.move),
        "at": at,
        "spent_ms": fact.spent,
        "left_ms": fact.left,
        "lag_ms": fact.lag,
        "stall_ms": fact.stall,
        "held_ms": fact.held,
        **(_NOTHING_SAID if fact.info is None else _said_untrusted(fact.info, longest_pv)),
    }


def _ply(ply: int) -> int:
    if ply < 0:
        raise RefusedError(f"plies count from 0, not from {ply}")
    return ply


def _said_untrusted(info: Info, longest_pv: int) -> Row:
    cp = mate = bound = None
    if info.score is not None:
        mate = _fits(info.score.mate, INT32)
        cp = _fits(info.score.cp, INT32) if mate is None else None
        if info.score.bound is not None and (cp is not None or mate is not None):
            bound = info.score.bound.value
    return {
        "score_cp": cp,
        "score_mate": mate,
        "score_bound": bound,
        "depth": _fits(info.depth, INT32),
        "nodes": _fits(info.nodes, INT64),
        "time_ms": _fits(info.time, INT64),
        "pv": _first_moves(info.pv, longest_pv),
    }


_NOTHING_SAID = _said_untrusted(Info(), LONGEST_PV)


def _happened(fact: Happened, at: object) -> Row:
    if fact.seq < 1:
        raise RefusedError(f"what happens in a game counts from 1, not from {fact.seq}")
    return {
        "game_id": fact.game,
        "seq": fact.seq,
        "ply": _ply(fact.ply),
        "at": at,
        "what": fact.what.value,
        "side": None if fact.side is None else int(fact.side),
        "amount": fact.amount,
        "text": text(fact.text),
    }


def _reported(fact: Reported, at: object) -> Row:
    return {
        "game_id": fact.game,
        "ply": _ply(fact.ply),
        "side": int(fact.side),
        "source": fact.source,
        "text": text(fact.text[:LONGEST_REPORT]),
        "at": at,
    }


def _finished(fact: GameFinished, at: object) -> Row:
    return {
        "id": fact.game,
        "status": Status.FINISHED.value,
        "result": fact.outcome.score,
        "reason": fact.outcome.reason.value,
        "detail": text(fact.detail),
        "finished_at": at,
    }


def end_row(finished: Row, seq: int, ply: int) -> Row:
    """The row of an end among what happened, from that of the game; `ply` moves stand."""
    reason, detail = finished["reason"], finished["detail"]
    return {
        "game_id": finished["id"],
        "seq": seq,
        "ply": ply,
        "at": finished["finished_at"],
        "what": What.FINISHED.value,
        "side": {"1-0": 0, "0-1": 1}.get(finished["result"]),
        "amount": 0,
        "text": f"{reason}{REASON_ENDS}{detail}" if detail else reason,
    }


def _beaten(fact: Beaten, at: object) -> Row:
    return {"id": fact.run, "alive_at": at, "slowest_ms": fact.slowest}


Builders = dict[type[Fact], Callable[[Any, object], Row]]
"""What makes a row of each kind of fact."""

_BUILD: Builders = {
    GameStarted: _started,
    MovePlayed: _played,
    Happened: _happened,
    Reported: _reported,
    GameFinished: _finished,
    Beaten: _beaten,
}
"""In the order in which they must be written: moves refer to their game."""


def builders(longest_pv: int) -> Builders:
    """Those that keep so many characters of a main variation."""
    return {**_BUILD, MovePlayed: partial(_played, longest_pv=longest_pv)}


def rows_of(
    batch: Iterable[Noted], stamp: Callable[[datetime], object], build: Builders = _BUILD
) -> dict[type[Fact], list[Row]]:
    """The rows of a batch by kind of fact, in the order to write them; `stamp` spells a time.

    Raises:
        RefusedError: a fact says what cannot be.
    """
    rows: dict[type[Fact], list[Row]] = {kind: [] for kind in _BUILD}
    for fact, at in batch:
        try:
            rows[type(fact)].append(build[type(fact)](fact, stamp(at)))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            # A bug of ours in one fact must not hold up all others for ever.
            raise RefusedError(f"not a fact: {fact!r} ({error})") from error
    return {kind: of_kind for kind, of_kind in rows.items() if of_kind}
