"""The GUI on standard input and output, and the connection to the server. The only module with I/O.

A lost connection is dialled again: at once during a game, whose clock runs, otherwise after pauses
that grow.
"""

import os
import random
import signal
import sys
from collections.abc import Awaitable, Callable
from typing import Protocol

import trio

from ulci.net import DialError, Peer
from ulci.protocol import RemoteProtocolError
from ulci_client.reconnect import Backoff, Closing, dial_failed, without_hint

from .player import Player
from .settings import Settings

CHUNK = 65_536
"""Bytes read at once."""

STDIN, STDOUT = 0, 1

HELLO = 10.0
"""Seconds that a server has to say ``uci``."""

GAME_PAUSE = 0.25
LONGEST_GAME_PAUSE = 2.0
"""First and longest pause (s) before dialling again during a game: a clock may be running."""

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that end it as ``quit`` does: a Ctrl-C at the terminal of the GUI reaches us, too."""


class GuiEnd(Protocol):
    """A face, as this module sees it."""

    player: Player

    def receive(self, data: bytes, at: float) -> bool: ...

    def tell(self, text: str) -> None: ...


class Opponent:
    """`face`: the GUI's end. `read`: its next bytes, empty at their end."""

    def __init__(
        self,
        settings: Settings,
        face: GuiEnd,
        read: Callable[[], Awaitable[bytes]],
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._settings = settings
        self._face = face
        self._read = read
        self._player = face.player
        self._player.on_change = self._changed
        self._wanted = trio.Event()
        self._alarm_wait = trio.CancelScope()
        self._alarm_due = float("inf")
        self._leaving = False
        self._pauses = Backoff(chance)
        self._game_pauses = Backoff(chance, first=GAME_PAUSE, longest=LONGEST_GAME_PAUSE)
        self._line: Peer | None = None

    async def run(self) -> None:
        """Until the GUI has gone, or a signal came."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._keep_line)
            nursery.start_soon(self._ring)
            async with trio.open_nursery() as gui:
                await gui.start(self._obey, gui.cancel_scope)
                await self._hear_gui()
                gui.cancel_scope.cancel()
            self._leaving = True
            self._player.depart()
            if self._line is not None:
                with trio.CancelScope(shield=True), trio.move_on_after(self._line.limits.flush):
                    await self._line.aclose()
            nursery.cancel_scope.cancel()

    async def _obey(
        self, scope: trio.CancelScope, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
    ) -> None:
        with trio.open_signal_receiver(*STOPS) as received:
            task_status.started()
            async for _ in received:
                scope.cancel()

    async def _hear_gui(self) -> None:
        while True:
            data = await self._read()
            if not self._face.receive(data, trio.current_time()):
                return
            self._changed()

    def _changed(self) -> None:
        """What is wanted of the server, or when, may have changed."""
        if self._player.wants_line:
            self._wanted.set()
        if self._player.due != self._alarm_due:
            self._alarm_due = self._player.due
            self._alarm_wait.deadline = self._alarm_due

    async def _ring(self) -> None:
        while True:
            self._alarm_due = self._player.due
            with trio.CancelScope(deadline=self._alarm_due) as self._alarm_wait:
                await trio.sleep_forever()
            self._player.alarm(trio.current_time())

    # The connection

    async def _keep_line(self) -> None:
        while True:
            await self._wanted.wait()
            began = trio.current_time()
            closing = await self._hold_line()
            if self._leaving:
                return
            if closing.rejected:
                self._wanted = trio.Event()
                self._player.rejected(f"the server rejects us: {closing.text}", trio.current_time())
                continue
            if self._player.playing or trio.current_time() - began > HELLO:
                self._pauses.succeeded()
            pauses = self._game_pauses if self._player.playing else self._pauses
            pause = max(pauses.next(), closing.retry_after)
            self._face.tell(f"{without_hint(closing.text)}; trying again in {pause:.1f} s")
            await trio.sleep(pause)

    async def _hold_line(self) -> Closing:
        """One connection, from dialling to its end; why it ended."""
        try:
            async with self._settings.server.dial() as line:
                await self._converse(line)
                return self._player.closing(line.why, trio.current_time())
        except DialError as error:
            return dial_failed(error)

    async def _converse(self, line: Peer) -> None:
        self._line = line
        self._player.line_up(line)
        try:
            with trio.CancelScope(deadline=trio.current_time() + HELLO) as patience:
                while True:
                    try:
                        heard = await line.receive()
                    except RemoteProtocolError as error:
                        if error.fatal:
                            return
                        continue
                    if heard is None:
                        return
                    self._player.server_said(heard)
                    if self._player.introduced:
                        patience.deadline = float("inf")
                        self._game_pauses.succeeded()
            line.cut(f"{line.label} does not answer like a ULCI server: no `uci`")
        finally:
            self._player.line_down()
            self._line = None if not self._leaving else line


async def read_stdin() -> bytes:
    """The next bytes of standard input. In a thread: a file cannot be polled, and a terminal would
    become non-blocking for every program that shares it."""
    return await trio.to_thread.run_sync(os.read, STDIN, CHUNK, abandon_on_cancel=True)


def write_stdout(data: bytes) -> None:
    """Write to standard output; blocks for a slow reader, and drops what nobody reads."""
    try:
        while data:
            data = data[os.write(STDOUT, data) :]
    except BrokenPipeError:
        # The GUI is gone: the end of its input follows. Python would flush again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
