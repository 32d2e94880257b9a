"""Openings that are drawn before they are needed, so that a game never waits for a file."""

from collections import deque

import structlog
import trio

from .book import Book
from .opening import BadRunError, BookError, Opening
from .worker import draw_opening

LOG = structlog.get_logger("ulci_server.openings")

AHEAD = 64
"""Openings that are ready: so many games may begin at once with different ones. A draw takes about
a millisecond."""

RETRY = 60.0
"""Seconds until the next attempt to read a book after a failure."""

MOST_TOLD = 20
"""Bad entries of a book that the log names."""


class OpeningQueue:
    """The openings of a book, in its order. If games need openings faster than the book gives them,
    or the book cannot be read any more, the queue gives its last ones again."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._number = 0  # of the next one to be drawn
        self._ready: deque[Opening] = deque()
        self._given: deque[Opening] = deque(maxlen=AHEAD)
        self._taken = trio.Event()
        self._told: set[int] = set()
        self._trouble = ""

    def __len__(self) -> int:
        """How many openings are ready."""
        return len(self._ready)

    def draw(self) -> Opening:
        """The next opening. `run` must have started."""
        self._taken.set()
        opening = self._ready.popleft() if self._ready else self._given.popleft()
        self._given.append(opening)
        return opening

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Draw openings ahead, for ever; has started when openings are ready.

        Raises:
            BookError: the book gives no opening.
        """
        try:
            await self._fill()
        except BookError:
            if not self._ready:
                raise
            self._taken.set()  # it is tried again, and told then
        task_status.started()
        while True:
            await self._taken.wait()
            self._taken = trio.Event()
            try:
                await self._fill()
                self._trouble = ""
            except BookError as error:
                if self._trouble != (trouble := str(error)):  # once, and not each minute
                    self._trouble = trouble
                    LOG.warning("openings are played again", why=trouble)
                await trio.sleep(RETRY)
                self._taken.set()

    async def _fill(self) -> None:
        while len(self._ready) < AHEAD:
            try:
                drawn = await draw_opening(self._book, self._number)
            except BadRunError as error:
                self._number = error.after  # the next try goes on after them
                raise
            self._number = drawn.number + 1
            self._ready.append(drawn.opening)
            for bad in drawn.skipped:
                if bad.line not in self._told and len(self._told) < MOST_TOLD:
                    self._told.add(bad.line)
                    LOG.warning("not an opening", book=bad.book, line=bad.line, why=bad.why)
