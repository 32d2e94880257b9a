"""The model on a line: Trio, and the only part of this room that talks to the server."""

import math
import random
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import trio

from ulci.net import DialError, Peer
from ulci.protocol import Blame, RemoteProtocolError, Report, Unread
from ulci_client.backoff import Backoff
from ulci_client.closing import Closing, LastWords, not_reached

from .clean import clean
from .game import Game
from .model import Model
from .pgn import pgn
from .saving import put
from .state import Effect, Exit, Leave, Line, News, Page, Save, Send

# s between two tries at most: a seat is kept for about a minute.
LONGEST_PAUSE = 30.0

# The same in the middle of a game, where the clock may run.
LONGEST_PAUSE_IN_GAME = 5.0

# s for which this also holds where a game was asked for, and may have begun.
DOUBT = 60.0

# s in which a server says hello: one that is being started again may take calls before it can
# speak.
HELLO = 15.0

# s of silence after which a person is told what may be wrong: a server speaks at once.
HINT = 3.0

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
        self._last_words = LastWords()  # of the server, on the last line
        self._give_up_at = self._doubt_ends = -math.inf
        self._time_zero = 0.0  # the time of day at which Trio's clock showed 0 s
        self._all = trio.CancelScope()
        self._reading = trio.CancelScope()

    async def run(self) -> Leave:
        """Until somebody leaves, or nobody can be reached; how the program ends."""
        self._time_zero = time.time() - trio.current_time()
        with self._all:
            # Until a server was met, a failure is given up at once.
            self._give_up_at = -math.inf
            while self._leave is None:
                closing = await self._call()
                if self._leave is None and (leave := self._no_use(closing)):
                    self.perform([leave])
                if self._leave is None:
                    await self._pause(closing)
        assert self._leave is not None, "nothing but leaving cancels the scope"
        return self._leave

    async def _call(self) -> Closing:
        """One line, or the attempt to have one; why it ended."""
        try:
            closing = await self._talk()
        except DialError as error:
            closing = not_reached(error)
        now = trio.current_time()
        if closing.retry_after:  # whoever asks for another call is a server
            self._give_up_at = now + closing.retry_after + self._patience
        elif self._is_met:
            self._give_up_at = now + self._patience
        return closing

    def _no_use(self, closing: Closing) -> Leave | None:
        """How the program ends if it would be no use to dial again."""
        why = clean(closing.said or closing.text)
        if closing.rejected:
            address = self.model.state.server
            return Leave(Exit.REJECTED, f"{address} does not want you here: {why}")
        return Leave(Exit.NO_SERVER, why) if trio.current_time() > self._give_up_at else None

    async def _pause(self, closing: Closing) -> None:
        now = trio.current_time()
        soon = self.model.state.playing or now < self._doubt_ends
        pause = min(self._backoff.next(), LONGEST_PAUSE_IN_GAME if soon else LONGEST_PAUSE)
        asked = closing.retry_after >= pause
        pause = max(pause, closing.retry_after)
        give_up_in = self._give_up_at - now
        self.perform(self.model.lost(closing.text, now, pause, give_up_in, asked=asked))
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
                case Save(path, game):
                    self._save(path, game)
                case Leave():
                    self._end(effect)
                case _:
                    self._show(effect)
        self.changes += 1
        self._changed.set()
        self._changed = trio.Event()

    def _save(self, path: str, game: Game) -> None:
        began = datetime.fromtimestamp(self._time_zero + game.began, UTC)
        try:
            put(Path(path).expanduser(), pgn(game, self.model.state.server, began))
        except OSError as error:
            self.perform(self.model.not_saved(path, error.strerror or str(error)))
        except RuntimeError as error:  # of a home that nobody knows
            self.perform(self.model.not_saved(path, str(error)))
        else:
            self.perform(self.model.saved(path, game))

    async def changed_since(self, changes: int) -> int:
        """Wait until `changes` is another number than this; the new one."""
        while self.changes == changes:
            await self._changed.wait()
        return self.changes

    def _end(self, leave: Leave) -> None:
        self._leave = leave
        # With a line the last words are still sent; without one there is nothing to wait for.
        (self._reading if self._peer is not None else self._all).cancel()

    async def _talk(self) -> Closing:
        """One line, from dialling to its end; why it ended."""
        async with self._dial() as peer:
            self._peer, self._last_words = peer, LastWords()
            since = trio.current_time()
            self.perform(self.model.connected(since))
            try:
                with trio.CancelScope() as self._reading:
                    await self._listen(peer)
            finally:
                self._peer = None
            now, state = trio.current_time(), self.model.state
            closing = self._last_words.closing(peer.why, now)
        if now - since >= GOOD_LINE:
            self._backoff.succeeded()
        if self._is_met and (state.wanted or state.challenging):
            self._doubt_ends = now + DOUBT
        if closing.said or self._is_met:  # what it said has been shown
            return replace(closing, text=peer.why)
        text = (
            f"{state.server} does not greet as a ULCI server does: {peer.why};"
            " are the port and the scheme (tcp, tls, ws, wss) right?"
        )
        return replace(closing, text=text)

    @property
    def _is_met(self) -> bool:
        return self.model.state.line is Line.READY

    async def _listen(self, peer: Peer) -> None:
        began = trio.current_time()
        hint, hello = began + HINT, began + HELLO
        while True:
            try:
                with trio.move_on_at(math.inf if self._is_met else min(hint, hello)) as patience:
                    heard = await peer.receive()
                if patience.cancelled_caught and hint < hello:
                    hint = math.inf
                    self.perform(self.model.silent())
                    continue
                if patience.cancelled_caught:
                    peer.cut(f"no word within {HELLO:g} s")
                    return
            except RemoteProtocolError as error:
                self.perform(self.model.complained(str(error)))
                if error.fatal:
                    peer.put(Report(Blame.SERVER, str(error)))
                    return
                continue
            if heard is None:
                return
            self._last_words.heard(heard.message, heard.at, cut=heard.cut)
            if heard.cut and not isinstance(heard.message, Report):
                continue  # perhaps half of a line: half a secret would cost us our seat
            if not isinstance(heard.message, Unread):  # which is said by engines only
                self.perform(self.model.hear(heard.message, heard.at))
