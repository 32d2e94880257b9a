"""How are long lists told? In pages, each when the client has taken the one before.

A list is of one moment: as many lines as it says, of who was there when it began. Of what is sought
nothing new is announced to a client while it is told the seeks; it hears all of that at their end.
A client is told one list at a time, and each kind of list that it asks for meanwhile once more.
"""

from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from itertools import islice
from time import perf_counter
from typing import Protocol

import trio

from ulci.protocol.messages import Lobby
from ulci_server.lobby import lines

from .announcing import Announcer
from .loop_monitor import look
from .session import Session
from .turns import Turns

LISTED_AT_ONCE = 50
"""Lines of a page, unless a server says otherwise: half a millisecond's work. A shorter list is
told at once."""

ROOM = 16 * 1024
"""Bytes that may be waiting for a client when it is told the next page: together they are less than
the smallest outbox that may be configured."""

MOST_UNDER_WAY = 50
"""Lists told at the same time; each keeps its own picture of who was there. The others wait."""

PACE = 0.002
"""Seconds between two pages, whoever gets them."""

PATIENCE = 10.0
"""Seconds for a client to take a page; then its line is cut, as others wait for their lists."""

Begin = Callable[[], tuple[int, Iterator[Lobby]]]
"""How many lines there are now, and these; they are made as they are told."""

DEFERRING = "seeks"
"""The list whose lines look like announcements."""


class House(Protocol):
    """What a list needs of the hall."""

    def do(self, chore: Callable[[], Awaitable[None]]) -> None:
        """Something that waits, and for which nobody waits here."""
        ...


class Lists:
    """Of one hall."""

    def __init__(
        self, house: House, announcer: Announcer, turns: Turns, at_once: int = LISTED_AT_ONCE
    ) -> None:
        self._house = house
        self._at_once = at_once
        self._announcer = announcer
        self._turns = turns
        self._asked: dict[Session, dict[str, Begin]] = {}  # also those who are being told
        self._queue: deque[Session] = deque()
        self._under_way = 0

    def ask(self, session: Session, what: str, begin: Begin) -> None:
        """Tell it the list: at once, or when it has been told those before."""
        if session not in self._asked:
            count, told = begin()
            if count <= self._at_once:
                session.tell(lines.count(what, count), *told)
                return
            self._asked[session] = {}
            self._queue.append(session)
        self._asked[session].setdefault(what, begin)
        self._begin_next()

    async def tell(self, session: Session, told: Iterator[Lobby]) -> None:
        """Say all of these lines."""
        while True:
            began = perf_counter()
            page = tuple(islice(told, self._at_once))
            session.tell(*page)
            look(began, "a list", session.handle)
            if len(page) < self._at_once:
                return
            ticket = self._turns.ticket()
            taken = await self._taken(session)
            await self._turns.take(ticket)
            if not taken:
                session.peer.cut(f"reads too slowly: it took no page of a list in {PATIENCE:g} s")
            if session.gone or not taken:
                return

    async def _taken(self, session: Session) -> bool:
        """When the next page may be said; False if that lasts too long."""
        began = trio.current_time()
        await trio.sleep(PACE * max(1, self._under_way))
        while not session.gone and session.peer.statistics().outbox > ROOM:
            if trio.current_time() > began + PATIENCE:
                return False
            await trio.sleep(PACE * MOST_UNDER_WAY)
        return True

    def _begin_next(self) -> None:
        while self._queue and self._under_way < MOST_UNDER_WAY:
            self._under_way += 1
            self._house.do(partial(self._tell_next, self._queue.popleft()))

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
        session.tell(lines.count(what, count))
        if what == DEFERRING:
            self._announcer.hold(session)
        try:
            await self.tell(session, told)
        finally:
            self._announcer.release(session)
