"""The model on a line: Trio, and the only part of this room that talks to the server."""

import math
import random
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager

import trio

from ulci.net import DialError, Peer
from ulci.protocol import Blame, RemoteProtocolError, Report, Unread
from ulci_client.backoff import Backoff

from .clean import clean
from .model import Model
from .state import Effect, Exit, Leave, Line, News, Page, Send

# s between two tries at most: a seat is kept for about a minute.
LONGEST_PAUSE = 30.0

# The same in the middle of a game, where the clock may run.
LONGEST_PAUSE_IN_GAME = 5.0

# s for which this also holds where a game was asked for, and may have begun.
DOUBT = 60.0

# s in which a server says hello: one that is being started again may take calls before it can
# speak.
HELLO = 15.0

# A line that held so long (s) was a good one: when it breaks, the pauses begin anew.
GOOD_LINE = 10.0

Dial = Callable[[], AbstractAsyncContextManager[Peer]]


class Session:
    """Dials, and dials again when the line is lost. Methods are called in Trio's thread and run.

    show: called with what the person is to be told. patience: seconds without a server after which
    to give up; where none has ever been met that is at once, for the address is wrong most likely.
    """

    def __init__(
        self,
        model: Model,
        dial: Dial,
        show: Callable[[News | Page], None],
        *,
        patience: float = math.inf,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.model = model
        self.changes = 0
        self._changed = trio.Event()
        self._dial = dial
        self._show = show
        self._patience = patience
        self._backoff = Backoff(chance, longest=LONGEST_PAUSE)
        self._peer: Peer | None = None
        self._leave: Leave | None = None
        self._why = ""
        self._give_up_at = self._doubt_ends = -math.inf
        self._all = trio.CancelScope()
        self._reading = trio.CancelScope()

    async def run(self) -> Leave:
        """Until somebody leaves, or nobody can be reached; how the program ends."""
        with self._all:
            # Until a server was met, a failure is given up at once.
            self._give_up_at = -math.inf
            while self._leave is None:
                try:
                    if await self._talk():
                        self._give_up_at = trio.current_time() + self._patience
                except DialError as error:
                    self._why = str(error)
                if self._leave is None and (why := self._no_use()):
                    self.perform([Leave(Exit.NO_SERVER, why)])
                if self._leave is None:
                    await self._pause()
        assert self._leave is not None, "nothing but leaving cancels the scope"
        return self._leave

    def _no_use(self) -> str:
        """Why it would be no use to dial again; empty if it is some."""
        if trio.current_time() > self._give_up_at:
            return clean(self._why)
        return self.model.state.turned_away

    async def _pause(self) -> None:
        now = trio.current_time()
        soon = self.model.state.playing or now < self._doubt_ends
        pause = min(self._backoff.next(), LONGEST_PAUSE_IN_GAME if soon else LONGEST_PAUSE)
        self.perform(self.model.lost(self._why, now, pause, self._give_up_at - now))
        await trio.sleep(pause)

    def typed(self, text: str) -> None:
        """The person typed this line."""
        self.perform(self.model.typed(text, trio.current_time()))

    def leave(self) -> None:
        """The person goes, without being asked whether."""
        self.perform(self.model.leave())

    def perform(self, effects: Iterable[Effect]) -> None:
        """Do what the model asks for, in order; wake whoever shows the state."""
        for effect in effects:
            match effect:
                case Send(message):
                    if self._peer is not None:
                        self._peer.put(message)
                case Leave():
                    self._end(effect)
                case _:
                    self._show(effect)
        self.changes += 1
        self._changed.set()
        self._changed = trio.Event()

    async def changed_since(self, changes: int) -> int:
        """Wait until `changes` is another number than this; the new one."""
        while self.changes == changes:
            await self._changed.wait()
        return self.changes

    def _end(self, leave: Leave) -> None:
        self._leave = leave
        # With a line the last words are still sent; without one there is nothing to wait for.
        (self._reading if self._peer is not None else self._all).cancel()

    async def _talk(self) -> bool:
        """One line, from dialling to its end; whether a server was met there. `_why` says why it
        ended."""
        async with self._dial() as peer:
            self._peer = peer
            since = trio.current_time()
            self.perform(self.model.connected(since))
            try:
                with trio.CancelScope() as self._reading:
                    await self._listen(peer)
            finally:
                self._peer = None
        if trio.current_time() - since >= GOOD_LINE:
            self._backoff.succeeded()
        self._why = peer.why
        state = self.model.state
        if self._is_met and (state.wanted or state.challenging):
            self._doubt_ends = trio.current_time() + DOUBT
        return self._is_met

    @property
    def _is_met(self) -> bool:
        return self.model.state.line is Line.READY

    async def _listen(self, peer: Peer) -> None:
        while True:
            try:
                with trio.move_on_after(math.inf if self._is_met else HELLO) as patience:
                    heard = await peer.receive()
                if patience.cancelled_caught:
                    peer.cut(f"no hello within {HELLO:g} s")
                    return
            except RemoteProtocolError as error:
                self.perform(self.model.complained(str(error)))
                if error.fatal:
                    peer.put(Report(Blame.SERVER, str(error)))
                    return
                continue
            if heard is None:
                return
            if heard.cut and not isinstance(heard.message, Report):
                continue  # perhaps half of a line: half a secret would cost us our seat
            if not isinstance(heard.message, Unread):  # which is said by engines only
                self.perform(self.model.hear(heard.message, heard.at))
