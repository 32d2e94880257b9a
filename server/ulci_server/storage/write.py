"""Writes batches of facts: their rows by steps, in the order of `KINDS`.

A batch that is saved again writes nothing and is compared with the stored rows.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import datetime

from ulci_server.game import Fact

from .errors import RefusedError
from .rows import KINDS
from .statements import Saving, Step
from .transactions import Values, Writer
from .untrusted import LONGEST_PV

STEPS = tuple(step for kind in KINDS for step in kind.steps)

_ROWS = {
    fact: [kind.rows for kind in KINDS if kind.fact is fact] for fact in {k.fact for k in KINDS}
}

Rows = dict[Step, list[Values]]


def rows_of(
    batch: Iterable[tuple[Fact, datetime]],
    stamp: Callable[[datetime], object],
    longest_pv: int = LONGEST_PV,
    run: int | None = None,
) -> Rows:
    """The rows of a batch by step, in the order to take them; `stamp` spells a time.

    Raises:
        RefusedError: a fact is invalid.
    """
    rows: Rows = {step: [] for step in STEPS}
    saving = Saving(run, longest_pv)
    for fact, at in batch:
        try:
            for rows_of_kind in _ROWS[type(fact)]:
                for step, row in rows_of_kind(fact, stamp(at), saving):
                    rows[step].append(row)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            # A bug in one fact must not block all others for ever.
            raise RefusedError(f"not a fact: {fact!r} ({error})") from error
    return {step: of_step for step, of_step in rows.items() if of_step}


def write_rows(writer: Writer, rows: Rows) -> None:
    """Raises `RefusedError` if a row is stored already with other values."""
    for step, of_step in rows.items():
        step.run(writer, of_step)


def games_of(rows: Rows) -> set[int]:
    """The numbers of the games that have rows here."""
    return {
        row[step.game] for step, of_step in rows.items() if step.game is not None for row in of_step
    }


def split_rows(rows: Rows, games: Collection[int]) -> tuple[Rows, Rows]:
    """The rows of these games, and all others."""
    of_games: Rows = {}
    others: Rows = {}
    for step, of_step in rows.items():
        for row in of_step:
            is_of_games = step.game is not None and row[step.game] in games
            (of_games if is_of_games else others).setdefault(step, []).append(row)
    return of_games, others


def find_unsaved(writer: Writer, rows: Rows) -> Iterator[int]:
    """The games that have rows here which are not stored already, as they are."""
    for step, of_step in rows.items():
        assert step.game is not None
        for row in of_step:
            if step.unsaved(writer, row):
                yield row[step.game]
