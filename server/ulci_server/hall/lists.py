"""Long lists are sent in pages, each when the client has read the one before.

A list shows one moment: its count, and who was there when it began. While a client gets the list of
seeks, announcements of new seeks are held back until its end. A client gets one list at a time;
each kind of list that it asks for meanwhile follows once.
"""

from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from itertools import islice
from time import perf_counter
from typing import Protocol

import trio

from ulci.net import is_loopback, network
from ulci.protocol.messages import Lobby
from ulci_server.lobby import lobby_lines

from .announcements import Announcer, Recipient
from .loop_monitor import note_duration
from .member import HostedMember, Lines

MAX_WAITING = 16 * 1024
"""Bytes that may wait for a client when the next page is sent: with a page they are less than the
smallest outbox that may be configured."""

MAX_UNDER_WAY = 50
"""Lists sent at the same time; each keeps a snapshot of its own. Others wait."""

MAX_OF_ADDRESS = 10
"""Of one address: so who reads slowly does not keep everybody waiting. This machine is exempt."""

PAGE_INTERVAL = 0.002
"""Seconds between two pages, whoever gets them."""

PAGE_TIMEOUT = 10.0
"""Seconds for a client to read a page; then it is disconnected, as others wait for lists."""

HOLDS_ANNOUNCEMENTS = "seeks"
"""The list whose lines look like announcements, which are held back meanwhile."""


class Reader(HostedMember, Protocol):
    """Who gets a list here."""

    @property
    def connection(self) -> Recipient:
        """It gets announcements there."""
        ...


class Lists:
    """Of one hall. at_once: lines of a page; a shorter list is sent at once. start: runs a task in
    the background."""

    def __init__(
        self,
        announcer: Announcer,
        start: Callable[[Callable[[], Awaitable[None]]], None],
        at_once: int,
    ) -> None:
        self._announcer = announcer
        self._start = start
        self._at_once = at_once
        self._asked: dict[Reader, dict[str, Lines]] = {}  # also of those under way
        self._queue: deque[Reader] = deque()
        self._under_way = 0
        self._of_address: Counter[str] = Counter()  # lists under way
        self._held: dict[str, deque[Reader]] = {}  # those whose address has too many

    def ask(self, session: Reader, what: str, begin: Lines) -> None:
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

    async def tell(self, session: HostedMember, told: Iterator[Lobby]) -> None:
        """Send all lines in pages."""
        while True:
            began = perf_counter()
            page = tuple(islice(told, self._at_once))
            session.tell(*page)
            note_duration(began, "a list", session.handle)
            if len(page) < self._at_once:
                return
            taken = await self._taken(session)
            if not taken:
                session.cut(f"reads too slowly: no page of a list read in {PAGE_TIMEOUT:g} s")
            if session.gone or not taken:
                return

    async def _taken(self, session: HostedMember) -> bool:
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
            session = self._queue.popleft()
            address = _address(session)
            if address and self._of_address[address] >= MAX_OF_ADDRESS:
                self._held.setdefault(address, deque()).append(session)
                continue
            self._under_way += 1
            self._of_address[address] += 1
            self._start(partial(self._tell_next, session, address))

    def _ended(self, address: str) -> None:
        """A list to that address is not under way any more."""
        self._under_way -= 1
        self._of_address[address] -= 1
        if not self._of_address[address]:
            del self._of_address[address]
        if held := self._held.get(address):
            self._queue.append(held.popleft())
            if not held:
                del self._held[address]

    async def _tell_next(self, session: Reader, address: str) -> None:
        try:
            await self._tell_list(session)
        finally:
            self._ended(address)
            if session.gone or not self._asked[session]:
                del self._asked[session]
            else:
                self._queue.append(session)
            self._begin_next()

    async def _tell_list(self, session: Reader) -> None:
        asked = self._asked[session]
        what = next(iter(asked))
        count, told = asked.pop(what)()
        session.tell(lobby_lines.count(what, count))
        if what == HOLDS_ANNOUNCEMENTS:
            self._announcer.hold(session.connection)
        try:
            await self.tell(session, told)
        finally:
            self._announcer.release(session.connection)


def _address(session: Reader) -> str:
    """As it is counted; empty for local programs, and all behind a proxy that names nobody."""
    return "" if not session.host or is_loopback(session.host) else network(session.host)
