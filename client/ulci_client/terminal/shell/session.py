"""The client connected to a server: reads, sends, saves, reconnects. Trio."""

import math
import random
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import trio

from ulci.net import DialError, Peer
from ulci.protocol import RemoteProtocolError, Unread
from ulci.protocol.messages import Blame, Report
from ulci_client.reconnect import Backoff, CloseReason, LastWords, dial_failed, no_relay
from ulci_client.sanitize import clean
from ulci_client.server_list import ServerList
from ulci_client.terminal.model.game import Game
from ulci_client.terminal.model.state import Effect, Exit, Leave, LinkState, News, Page, Save, Send

from .client import Client
from .pgn import pgn
from .pgn_file import append_game

# Most seconds between attempts: a seat is kept for about a minute.
LONGEST_PAUSE = 30.0

# The same during a game: a clock may run.
LONGEST_PAUSE_IN_GAME = 5.0

# Seconds for which that also holds after a seek: its game may have begun.
DOUBT = 60.0

# Seconds a server has to send `uci`: during a restart it may accept connections first.
HELLO = 15.0

# Seconds of silence after which a hint is shown: a server speaks at once.
HINT = 3.0

# A connection that lasted this long (s) was good: after it the pauses start small again.
GOOD_LINE = 10.0


class Session:
    """Connects, and reconnects. Call its methods from Trio.

    servers: of one cluster, or only one. show: receives news and pages. patience: s without a
    server before giving up; at once if none was ever reached, since the address is probably wrong.
    """

    def __init__(
        self,
        client: Client,
        servers: ServerList,
        show: Callable[[News | Page], None],
        *,
        patience: float = math.inf,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.client = client
        self.changes = 0
        self._changed = trio.Event()
        self._servers = servers
        self._show = show
        self._patience = patience
        self._backoff = Backoff(chance, longest=LONGEST_PAUSE)
        self._peer: Peer | None = None
        self._leave: Leave | None = None
        self._last_words = LastWords()  # the server's, on the last connection
        self._give_up_at = self._doubt_ends = -math.inf
        self._was_good = False  # the last connection
        self._time_zero = 0.0  # the wall-clock time (s) of Trio's 0
        self._all = trio.CancelScope()
        self._reading = trio.CancelScope()

    async def run(self) -> Leave:
        """Until the person leaves, or no server can be reached; how the program ends."""
        self._time_zero = time.time() - trio.current_time()
        with self._all:
            # Until a server was reached, give up at once.
            self._give_up_at = -math.inf
            while self._leave is None:
                closing = await self._call()
                if self._leave is None and (leave := self._give_up(closing)):
                    self.perform([leave])
                if self._leave is None:
                    await self._pause(closing)
        assert self._leave is not None, "nothing but leaving cancels the scope"
        return self._leave

    async def _call(self) -> CloseReason:
        """One connection, or a failed attempt; why it ended."""
        self._was_good = False
        try:
            closing = await self._converse()
        except DialError as error:
            closing = dial_failed(error)
        now = trio.current_time()
        if closing.retry_after:  # only a server asks for that
            self._give_up_at = now + closing.retry_after + self._patience
        elif self._is_met:
            self._give_up_at = now + self._patience
        return closing

    def _give_up(self, closing: CloseReason) -> Leave | None:
        """How the program ends if dialling again is useless."""
        why = clean(closing.said or closing.text)
        if closing.rejected:
            address = self.client.state.server
            return Leave(Exit.REJECTED, f"{address} rejects you: {why}")
        if trio.current_time() <= self._give_up_at or self._servers.untried:
            return None
        return Leave(Exit.NO_SERVER, why)

    async def _pause(self, closing: CloseReason) -> None:
        now = trio.current_time()
        soon = self.client.state.playing or now < self._doubt_ends
        pause = min(self._backoff.next(), LONGEST_PAUSE_IN_GAME if soon else LONGEST_PAUSE)
        asked = closing.retry_after >= pause
        before = self._servers.current
        pause = self._servers.lost(now, pause, retry_after=closing.retry_after, good=self._was_good)
        there = self._servers.current
        elsewhere = "" if there is before else str(there.address)
        lost = self.client.lost(
            closing.text,
            now,
            pause,
            self._give_up_at - now,
            asked=asked and not elsewhere,
            elsewhere=elsewhere,
        )
        self.perform(lost)
        await trio.sleep(pause)

    def typed(self, text: str) -> None:
        """A line typed by the person."""
        self.perform(self.client.typed(text, trio.current_time()))

    def leave(self) -> None:
        """Leave without asking."""
        self.perform(self.client.leave())

    def perform(self, effects: Iterable[Effect]) -> None:
        """Perform the client's effects in order, and wake whoever shows the state."""
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
            append_game(Path(path).expanduser(), pgn(game, self.client.state.server, began))
        except OSError as error:
            self.perform(self.client.not_saved(path, error.strerror or str(error)))
        except RuntimeError as error:  # expanduser: no home directory
            self.perform(self.client.not_saved(path, str(error)))
        else:
            self.perform(self.client.saved(path, game))

    async def changed_since(self, changes: int) -> int:
        """Wait until `changes` differs from this; the new number."""
        while self.changes == changes:
            await self._changed.wait()
        return self.changes

    def _end(self, leave: Leave) -> None:
        self._leave = leave
        # Connected, the goodbye is still sent; else end at once.
        (self._reading if self._peer is not None else self._all).cancel()

    async def _converse(self) -> CloseReason:
        """One connection, from dialling to its end; why it ended."""
        async with self._servers.current.dial() as peer:
            self._peer, self._last_words = peer, LastWords()
            since = trio.current_time()
            self.perform(self.client.connected(since))
            try:
                with trio.CancelScope() as self._reading:
                    await self._listen(peer)
            finally:
                self._peer = None
            now, state = trio.current_time(), self.client.state
            closing = self._last_words.closing(peer.why, now)
        if now - since >= GOOD_LINE:
            self._was_good = True
            self._backoff.succeeded()
        if self._is_met and (state.wanted or state.challenging):
            self._doubt_ends = now + DOUBT
        if closing.said or self._is_met:  # its words have been shown
            return replace(closing, text=peer.why)
        return replace(closing, text=no_relay(state.server, peer.why))

    @property
    def _is_met(self) -> bool:
        return self.client.state.line is LinkState.READY

    async def _listen(self, peer: Peer) -> None:
        began = trio.current_time()
        hint, hello = began + HINT, began + HELLO
        while True:
            try:
                with trio.move_on_at(math.inf if self._is_met else min(hint, hello)) as patience:
                    heard = await peer.receive()
                if patience.cancelled_caught and hint < hello:
                    hint = math.inf
                    self.perform(self.client.silent())
                    continue
                if patience.cancelled_caught:
                    peer.cut(f"no `uci` within {HELLO:g} s")
                    return
            except RemoteProtocolError as error:
                self.perform(self.client.complained(str(error)))
                if error.fatal:
                    peer.put(Report(Blame.SERVER, str(error)))
                    return
                continue
            if heard is None:
                return
            usable = self._last_words.heard(heard)
            if usable and not isinstance(heard.message, Unread):  # only engines send these
                self.perform(self.client.hear(heard.message, heard.at))
