"""Long lists are sent in pages, each when the client has read the one before.

A list shows one moment: its count, and who was there when it began. While a client gets the list of
seeks, announcements of new seeks are held back until its end. A client gets one list at a time;
each kind of list that it asks for meanwhile follows once.
"""

from collections import deque
from collections.abc import Iterator
from functools import partial
from itertools import islice
from time import perf_counter
from typing import TYPE_CHECKING

import trio

from ulci.protocol.messages import Lobby
from ulci_server.hall.session.session import Session
from ulci_server.lobby import lobby_lines

from .loop_monitor import note_duration
from .member import Lines, Member

if TYPE_CHECKING:
    from .hall import Hall

MAX_WAITING = 16 * 1024
"""Bytes that may wait for a client when the next page is sent: with a page they are less than the
smallest outbox that may be configured."""

MAX_UNDER_WAY = 50
"""Lists sent at the same time; each keeps a snapshot of its own. Others wait."""

PAGE_INTERVAL = 0.002
"""Seconds between two pages, whoever gets them."""

PAGE_TIMEOUT = 10.0
"""Seconds for a client to read a page; then it is disconnected, as others wait for lists."""

HOLDS_ANNOUNCEMENTS = "seeks"
"""The list whose lines look like announcements, which are held back meanwhile."""


class Lists:
    """Of one hall. at_once: lines of a page; a shorter list is sent at once."""

    def __init__(self, hall: "Hall", at_once: int) -> None:
        self._hall = hall
        self._at_once = at_once
        self._asked: dict[Session, dict[str, Lines]] = {}  # also of those under way
        self._queue: deque[Session] = deque()
        self._under_way = 0

    def ask(self, session: Session, what: str, begin: Lines) -> None:
        """Send the list: at once if it is short, or after earlier ones."""
        if session not in self._asked:
            count, told = begin()
            if count <= self._at_once:
                session.tell(lobby_lines.count(what, count), *told)
                return
            self._asked[session] = {}
            self._queue.append(session)
        self._asked[session].setdefault(what, begin)
        self._begin_next()

    async def tell(self, session: Member, told: Iterator[Lobby]) -> None:
        """Send all lines in pages."""
        while True:
            began = perf_counter()
            page = tuple(islice(told, self._at_once))
            session.tell(*page)
            note_duration(began, "a list", session.handle)
            if len(page) < self._at_once:
                return
            ticket = self._hall.task_order.ticket()
            taken = await self._taken(session)
            await self._hall.task_order.take(ticket)
            if not taken:
                session.cut(f"reads too slowly: no page of a list read in {PAGE_TIMEOUT:g} s")
            if session.gone or not taken:
                return

    async def _taken(self, session: Member) -> bool:
        """Wait until the next page may be sent; False if that takes too long."""
        began = trio.current_time()
        await trio.sleep(PAGE_INTERVAL * max(1, self._under_way))
        while not session.gone and session.waiting > MAX_WAITING:
            if trio.current_time() > began + PAGE_TIMEOUT:
                return False
            await trio.sleep(PAGE_INTERVAL * MAX_UNDER_WAY)
        return True

    def _begin_next(self) -> None:
        while self._queue and self._under_way < MAX_UNDER_WAY:
            self._under_way += 1
            self._hall.start(partial(self._tell_next, self._queue.popleft()))

    async def _tell_next(self, session: Session) -> None:
        try:
            await self._tell_list(session)
        finally:
            self._under_way -= 1
            if session.gone or not self._asked[session]:
                del self._asked[session]
            else:
                self._queue.append(session)
            self._begin_next()

    async def _tell_list(self, session: Session) -> None:
        asked = self._asked[session]
        what = next(iter(asked))
        count, told = asked.pop(what)()
        session.tell(lobby_lines.count(what, count))
        if what == HOLDS_ANNOUNCEMENTS:
            self._hall.announcer.hold(session)
        try:
            await self.tell(session, told)
        finally:
            self._hall.announcer.release(session)
