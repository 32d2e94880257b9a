"""Stores the changes in the lobby of all servers while this server hosts it."""

import math
from collections.abc import Awaitable, Callable, Iterator
from datetime import datetime
from typing import Literal, Protocol

import structlog
import trio

from ulci.net import Steps
from ulci_server.lobby import Keeper
from ulci_server.storage import (
    LobbyChanges,
    LobbyMatch,
    LobbyMember,
    LobbyMovedError,
    LobbySeek,
    RefusedError,
    StorageError,
)
from ulci_server.storage.directory import RESERVED

LOG = structlog.get_logger("ulci_server.cluster")

AT_ONCE = 200
"""Rows in one transaction, which are made without a checkpoint: 4 ms of work."""

CALLED_AT_ONCE = 8
"""Callbacks (games begun, logins ended) between two checkpoints."""

LATE = 2.0
"""Seconds that a transaction takes at most while the database answers."""

MOST_WAITING = 2000
"""Notes that wait while the database answers: half a second's work."""

AGAIN = 0.4
"""Seconds between two tries while the database does not answer."""

Kind = Literal["member", "seek", "match", "missed", "number"]


class Rows(Protocol):
    """Makes each row when it is about to be stored. None: it is to be deleted."""

    def member_row(self, handle: str) -> LobbyMember | None: ...

    def seek_row(self, number: int) -> LobbySeek | None: ...

    def match_row(self, number: int) -> LobbyMatch | None: ...

    def missed_row(self, key: str) -> tuple[int, datetime] | None: ...


class LobbyKeeper(Keeper):
    """Notes which rows have changed, each once, and stores their newest state: the notes that
    gather during one transaction are the next one. While the database does not answer they wait,
    and with them what is to follow (`when_kept`): see `is_late`.

    store: stores the changes; raises `RefusedError` if the database refuses them for good, any
    other `StorageError` to be tried again, and `LobbyMovedError` if another server hosts the lobby
    now. last_seek: the highest number that an earlier host may have given out; the next `RESERVED`
    are reserved.
    """

    def __init__(self, store: Callable[[LobbyChanges], Awaitable[None]], last_seek: int) -> None:
        self.last_seek = last_seek
        """No seek, challenge or match has a higher number."""
        self.count_of_notes = 0
        """How many there have been, callbacks included."""
        self._store = store
        self._reserved = last_seek + RESERVED
        self._queue: dict[tuple[Kind, str | int] | Callable[[], None], None] = {}
        self._noted = trio.Event()
        self._scope = trio.CancelScope()
        self._keeps = False
        self._stores_since = math.inf  # s: when the present transaction began

    def begin(self) -> None:
        """Note changes from now on: earlier ones are stored already."""
        self._keeps = True

    @property
    def waiting(self) -> int:
        """How many notes, callbacks included, wait to be stored."""
        return len(self._queue)

    @property
    def is_late(self) -> bool:
        """Whether the database does not answer, or does not keep up."""
        return self.waiting > MOST_WAITING or trio.current_time() > self._stores_since + LATE

    def member(self, handle: str) -> None:
        self._note(("member", handle))

    def seek(self, number: int) -> None:
        self._note(("seek", number))

    def match(self, number: int) -> None:
        self._note(("match", number))

    def missed(self, key: str) -> None:
        self._note(("missed", key))

    def number(self, last: int) -> None:
        self.last_seek = last
        if last > self._reserved - RESERVED // 2:
            self._reserved = last + RESERVED
            self._note(("number", 0))

    def when_kept(self, then: Callable[[], None]) -> None:
        """`then` is never called if another server hosts the lobby before that."""
        self._note(then)

    def _note(self, note: tuple[Kind, str | int] | Callable[[], None]) -> None:
        if self._keeps:
            self.count_of_notes += 1
            self._queue[note] = None
            self._noted.set()

    def end(self) -> None:
        """Store nothing more: another server hosts the lobby from now on."""
        self._keeps = False
        self._queue.clear()
        self._scope.cancel()

    async def run(self, lobby: Rows, moved: Callable[[], None]) -> None:
        """Store until `end`. moved: called if another server hosts the lobby, or after a failure
        that was not expected."""
        with self._scope:
            while True:
                await self._noted.wait()
                self._noted = trio.Event()
                while self._queue:
                    try:
                        await self._keep(lobby)
                    except LobbyMovedError:
                        LOG.info("another server hosts the lobby")
                    except Exception:
                        LOG.exception("the lobby is not stored any more")
                    else:
                        continue
                    self.end()
                    moved()
                    return

    async def _keep(self, lobby: Rows) -> None:
        notes = [note for note, _ in zip(self._queue, range(AT_ONCE), strict=False)]
        for note in notes:
            del self._queue[note]
        self._stores_since = trio.current_time()
        await self._store_for_sure(self._changes(lobby, notes))
        self._stores_since = math.inf
        steps = Steps(CALLED_AT_ONCE)
        for note in notes:
            if callable(note) and self._keeps:
                try:
                    note()
                except Exception:
                    LOG.exception("what was to follow a change of the lobby failed")
                await steps.done()

    async def _store_for_sure(self, changes: LobbyChanges) -> None:
        """Store the changes, however long it takes. A row that the database refuses is left out,
        and the next host will not know it."""
        trouble = ""
        while changes != LobbyChanges():
            try:
                await self._store(changes)
            except RefusedError:
                rows = [*_rows(changes)]
                if len(rows) == 1:
                    LOG.exception("a row of the lobby is not stored", row=rows[0][0])
                    return
                for _, row in rows:
                    await self._store_for_sure(row)
                return
            except StorageError as error:
                if str(error) != trouble:
                    trouble = str(error)
                    LOG.warning("the lobby cannot be stored", why=trouble)
                await trio.sleep(AGAIN)
            else:
                return

    def _changes(
        self, lobby: Rows, notes: list[tuple[Kind, str | int] | Callable[[], None]]
    ) -> LobbyChanges:
        changes = LobbyChanges()
        for note in notes:
            match note:
                case ("member", str(handle)):
                    changes.members[handle] = lobby.member_row(handle)
                case ("seek", int(number)):
                    changes.seeks[number] = lobby.seek_row(number)
                case ("match", int(number)):
                    changes.matches[number] = lobby.match_row(number)
                case ("missed", str(key)):
                    changes.missed[key] = lobby.missed_row(key)
                case ("number", _):
                    changes.last_seek = self._reserved
        return changes


def _rows(changes: LobbyChanges) -> Iterator[tuple[str, LobbyChanges]]:
    """A text that names each change, and the change by itself."""
    for handle, member in changes.members.items():
        yield f"member {handle}", LobbyChanges(members={handle: member})
    for number, seek in changes.seeks.items():
        yield f"seek {number}", LobbyChanges(seeks={number: seek})
    for number, match in changes.matches.items():
        yield f"match {number}", LobbyChanges(matches={number: match})
    for key, missed in changes.missed.items():
        yield f"missed result {key[:8]}", LobbyChanges(missed={key: missed})
    if changes.last_seek is not None:
        yield "the last number", LobbyChanges(last_seek=changes.last_seek)
