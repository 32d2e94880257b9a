"""What every keeper of games can do."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Protocol, Unpack

from .accounts import Accounts
from .records import Filters, GameRecord, MoveRecord, Noted, ReportRecord, RunInfo, Unfinished

PAGE = 200
"""Games read at once by `each_game`: some 200 kB, and one query for many games."""


class Repository(Accounts, Protocol):
    """Keeps facts, and accounts. Synchronous; one thread writes while a few others read.

    What fails raises `StorageError`, with a text for people; trying again later may help.
    """

    def save(self, batch: Sequence[Noted]) -> None:
        """Keep all of it or, if it raises, none of it. Durable when it returns. The end of a game
        is kept twice: with the game, and as the last of what happened in it.

        The same batch may be saved again: after a commit whose end nobody saw, that is the only
        safe thing to do. What is kept already in the same words counts as saved; two equal
        complaints of one moment are one.

        Raises:
            RefusedError: a fact contradicts what is kept (the game was never begun, the ply was
                another move, the result another one) or itself. Trying again cannot help: find the
                culprit by saving parts, as the journal does.
        """
        ...

    def last_game_id(self) -> int:
        """The highest number that a game has, 0 if there is none."""
        ...

    def close_unfinished(
        self, detail: str, *, ids: Collection[int] | None = None, at: datetime | None = None
    ) -> list[int]:
        """End the games that a dead server left running: no result, reason ``server``.

        Only for a server that has its database for itself. `ids` None are all that run, `at` None
        is now. Returns their ids.
        """
        ...

    def running(self) -> list[Unfinished]:
        """The games that a dead server left running, with all that is needed to play on."""
        ...

    def begin_run(self, at: datetime) -> RunInfo:
        """A server begins; `Beaten` of this run says from now on that it lives."""
        ...

    def end_run(self, run: int, at: datetime) -> None:
        """It ended as it should."""
        ...

    def games(self, **filters: Unpack[Filters]) -> list[GameRecord]:
        """The games that pass, newest (highest id) first."""
        ...

    def moves(self, game_id: int) -> list[MoveRecord]:
        """The moves that stand, in order, without those that were taken back; none if there is no
        such game."""
        ...

    def history(self, game_id: int) -> list[Noted]:
        """Every `MovePlayed` and `Happened`, also of what was taken back, in the order of `seq`.
        Of what a program said with its move, there is what `MoveRecord` has. The last of a game
        that is over is how it has `FINISHED`; only those that ended before version 0002 of the
        tables lack it."""
        ...

    def reports(self, game_id: int) -> list[ReportRecord]:
        """The complaints in the order in which they came."""
        ...

    def close(self) -> None:
        """Let go of what is open. Nothing may be asked afterwards."""
        ...


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
