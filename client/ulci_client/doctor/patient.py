"""One running engine: what is said to it and by it, line by line, with times."""

import math
from collections.abc import Callable

import trio

from ulci.net import ProcessPeer
from ulci.protocol import RemoteProtocolError, Unknown

from .findings import Line

# Lines kept of one step: those of its beginning and of its end show what happened.
MOST_LINES = 400

# Lines of its last words on the standard error that are quoted.
LAST_WORDS = 3


class Silent(Exception):
    """It did not say `awaited` within `seconds`, though it goes on running."""

    def __init__(self, awaited: str, seconds: float) -> None:
        super().__init__(f"no {awaited} within {seconds:g} s")


class Ended(Exception):
    """It ended while `awaited` was to come."""

    def __init__(self, awaited: str, why: str) -> None:
        super().__init__(f"no {awaited}: {why}")


class Patient:
    """An engine under examination. `timeout` in s: how long it may take for an answer."""

    def __init__(self, peer: ProcessPeer, timeout: float) -> None:
        self.timeout = timeout
        self.exchange: list[Line] = []
        self.unreadable: list[tuple[Line, str]] = []
        """Lines that no program reads, and why."""
        self.registered = False
        """Whether it was told, since it was started, that nobody registers it now."""
        self._peer = peer
        self._began = trio.current_time()

    @property
    def peer(self) -> ProcessPeer:
        return self._peer

    def begin(self) -> None:
        """A new step: times count from here."""
        self.exchange = []
        self._began = trio.current_time()

    def say(self, *lines: str) -> None:
        """Say these lines, whatever they are."""
        for line in lines:
            self._note(trio.current_time(), True, line)
            self._peer.put(Unknown(line))

    async def next(self, awaited: str, seconds: float | None = None) -> Line:
        """The next line that it says.

        Raises:
            Silent: there is none in time.
            Ended: there will be none.
        """
        patience = self.timeout if seconds is None else seconds
        with trio.move_on_after(max(patience, 0)):
            return await self._hear(awaited)
        raise Silent(awaited, patience)

    async def until(
        self,
        wanted: Callable[[str], bool],
        awaited: str,
        seconds: float | None = None,
        heed: Callable[[Line], None] = lambda _: None,
    ) -> Line:
        """The next line that is wanted; `heed` is given the others. Raises as `next` does."""
        patience = self.timeout if seconds is None else seconds
        with trio.move_on_after(patience):
            while True:
                line = await self._hear(awaited)
                if wanted(line.text):
                    return line
                heed(line)
        raise Silent(awaited, patience)

    async def ended(self) -> bool:
        """Whether it ends in time, if nothing more is said to it."""
        with trio.move_on_after(self.timeout):
            try:
                while True:
                    await self._hear("end")
            except Ended:
                return self._peer.returncode is not None
        return False

    def last_words(self) -> str:
        """How it ended, and the last that it said on its standard error."""
        said = [line.strip() for line in self._peer.stderr_tail if line.strip()][-LAST_WORDS:]
        quoted = f"; it last said on its standard error: {' / '.join(said)}" if said else ""
        return f"{self._peer.why or 'it ended'}{quoted}"

    async def _hear(self, awaited: str) -> Line:
        while True:
            try:
                heard = await self._peer.receive()
            except RemoteProtocolError as error:
                line = self._note(trio.current_time(), False, "(a line that cannot be read)")
                self.unreadable.append((line, str(error)))
                if error.fatal:
                    raise Ended(awaited, str(error)) from error
                continue
            if heard is None:
                raise Ended(awaited, self.last_words())
            if isinstance(heard.message, Unknown):
                return self._note(heard.at, False, heard.message.line)

    def _note(self, at: float, sent: bool, text: str) -> Line:
        since = max(at - self._began, 0.0)
        line = Line(math.floor(since * 10_000 + 0.5) / 10, sent, text)
        self.exchange.append(line)
        if len(self.exchange) > MOST_LINES:
            del self.exchange[MOST_LINES // 2]
        return line
