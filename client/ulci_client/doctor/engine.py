"""The engine under examination: every line sent and received, as it is, with times."""

import math
from collections.abc import Callable, Sequence

import trio

from ulci.net import ProcessPeer
from ulci.protocol import RemoteProtocolError, Role, Unread
from ulci.protocol.messages import Message, Quit, Unknown

from .report import TranscriptLine

# Lines kept of a step, from its beginning and its end.
MOST_LINES = 400

# Last lines of standard error that are quoted.
LAST_WORDS = 3


class Silent(Exception):
    """The engine runs, but did not send `awaited` within `seconds`."""

    def __init__(self, awaited: str, seconds: float) -> None:
        super().__init__(f"no {awaited} within {seconds:g} s")


class EngineEnded(Exception):
    """The engine ended before it sent `awaited`."""

    def __init__(self, awaited: str, why: str) -> None:
        super().__init__(f"no {awaited}: {why}")


class Engine:
    """The engine under examination. timeout: s for each answer."""

    def __init__(self, peer: ProcessPeer, timeout: float) -> None:
        self.timeout = timeout
        self.exchange: list[TranscriptLine] = []
        self.unreadable: list[tuple[TranscriptLine, str]] = []
        """Unreadable lines, and why."""
        self.registered = False
        """Whether `register later` was sent since its start."""
        self.peer = peer
        self._began = trio.current_time()

    def begin(self) -> None:
        """Begin a new step: its times start here."""
        self.exchange = []
        self._began = trio.current_time()

    def say(self, *lines: str) -> None:
        """Send these lines as they are."""
        for line in lines:
            self._note(trio.current_time(), True, line)
            self.peer.put(Unknown(line))

    async def next(self, awaited: str, seconds: float | None = None) -> TranscriptLine:
        """Its next line.

        Raises:
            Silent: none came in time.
            EngineEnded: it has ended.
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
        record: Callable[[TranscriptLine], None] = lambda _: None,
    ) -> TranscriptLine:
        """The next line that is `wanted`; `record` receives the others. Raises as `next`."""
        patience = self.timeout if seconds is None else seconds
        with trio.move_on_after(patience):
            while True:
                line = await self._hear(awaited)
                if wanted(line.text):
                    return line
                record(line)
        raise Silent(awaited, patience)

    async def ended(self) -> bool:
        """Whether the engine ends within the timeout."""
        with trio.move_on_after(self.timeout):
            try:
                while True:
                    await self._hear("end")
            except EngineEnded:
                return self.peer.returncode is not None
        return False

    def last_words(self) -> str:
        """How the engine ended, and its last lines on standard error."""
        said = [line.strip() for line in self.peer.stderr_tail if line.strip()][-LAST_WORDS:]
        quoted = f"; its last lines on standard error: {' / '.join(said)}" if said else ""
        return f"{self.peer.why or 'it ended'}{quoted}"

    async def _hear(self, awaited: str) -> TranscriptLine:
        while True:
            try:
                heard = await self.peer.receive()
            except RemoteProtocolError as error:
                line = self._note(trio.current_time(), False, "(a line that cannot be read)")
                self.unreadable.append((line, str(error)))
                if error.fatal:
                    raise EngineEnded(awaited, str(error)) from error
                continue
            if heard is None:
                raise EngineEnded(awaited, self.last_words())
            if isinstance(heard.message, Unknown):
                return self._note(heard.at, False, heard.message.line)

    def _note(self, at: float, sent: bool, text: str) -> TranscriptLine:
        since = max(at - self._began, 0.0)
        line = TranscriptLine(math.floor(since * 10_000 + 0.5) / 10, sent, text)
        self.exchange.append(line)
        if len(self.exchange) > MOST_LINES:
            del self.exchange[MOST_LINES // 2]
        return line


class RawDialect:
    """A `Dialect` that leaves lines as they are: each is `Unknown`, at any time."""

    name = "raw"
    lobby = False
    lacks: frozenset[str] = frozenset()
    appends = False
    sayable: frozenset[type] = frozenset({Unknown, Quit})
    replies: Sequence[Unknown] = ()

    def take_replies(self) -> Sequence[Unknown]:
        return ()

    def forgive(self) -> None:
        """No questions are counted."""

    def can_say(self, message: Message | Unread) -> bool:
        """Lines, and ``quit``, which ends a program in any dialect."""
        return isinstance(message, Unknown | Quit)

    def read_untrusted(self, line: str, reader: Role, *, defer: bool = False) -> Unknown:  # noqa: ARG002
        """The line, including its blanks."""
        return Unknown(line)

    def write(self, message: Message | Unread) -> str:
        """The line, including a final CR."""
        return message.line if isinstance(message, Unknown | Unread) else "quit"

    def show(self, message: Message | Unread) -> str:
        return self.write(message)
