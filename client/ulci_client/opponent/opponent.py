"""The GUI on standard input and output, the connection to the server, and the log. The only module
with I/O.

A lost connection is dialled again: at once during a game, whose clock runs, otherwise after pauses
that grow. One that we have left is dialled again at once: the GUI waits for its next game.
"""

import random
import signal

import trio

from ulci.net import DialError, Peer
from ulci.protocol import RemoteProtocolError
from ulci.signals import without_nohup
from ulci.system import HANGUP
from ulci.wire_log import Note, WireLog
from ulci_client.reconnect import (
    CloseReason,
    LostConnection,
    RedialPolicy,
    dial_failed,
    without_hint,
)
from ulci_client.server_list import ServerList
from ulci_client.standard_streams import give_up_stdout, read_stdin, write_stdout
from ulci_client.wire_log import no_log

from .settings import OpponentSettings
from .uci import UciFace
from .xboard import XboardFace

HELLO = 10.0
"""Seconds that a server has to say ``uci``."""

STOPS = (signal.SIGINT, signal.SIGTERM, *HANGUP)
"""Signals that end it as ``quit`` does: a Ctrl-C at the terminal of the GUI reaches us, too."""

LONGEST_LOGGED = 256 * 1024
"""Bytes of one line of the GUI in the log: the longest that it may say."""


class Opponent:
    """`face`: the GUI's end. `note`: takes what happens there. `log`: of the server's lines."""

    def __init__(
        self,
        settings: OpponentSettings,
        face: UciFace | XboardFace,
        note: Note,
        log: WireLog | None,
    ) -> None:
        self._settings = settings
        self._face = face
        self._note = note
        self._follow = no_log if log is None else log.follow
        self._unlogged = b""  # the beginning of a line of the GUI
        self._player = face.player
        self._wanted = trio.Event()
        self._alarm_wait = trio.CancelScope()
        self._alarm_due = float("inf")
        self._leaving = False
        self._servers = ServerList(settings.servers)
        self._redial = RedialPolicy(random.random)
        self._was_greeted = False  # by the server on the last connection
        self._line: Peer | None = None

    async def run(self) -> None:
        """Until the GUI has gone, or a signal came; a second one ends it at once."""
        async with trio.open_nursery() as nursery:
            gui = trio.CancelScope()
            await nursery.start(self._obey, gui, nursery.cancel_scope)
            nursery.start_soon(self._keep_line)
            nursery.start_soon(self._ring)
            with gui:
                await self._hear_gui()
            self._leaving = True
            self._log("the GUI has gone")
            self._player.depart()
            if self._line is not None:
                with trio.move_on_after(self._line.limits.flush):
                    await self._line.aclose()
            nursery.cancel_scope.cancel()

    async def _obey(
        self,
        *scopes: trio.CancelScope,
        task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Every signal cancels the next of the scopes."""
        with trio.open_signal_receiver(*without_nohup(*STOPS)) as received:
            task_status.started()
            for scope in scopes:
                number = await anext(received)
                self._log(f"signal {signal.Signals(number).name}")
                scope.cancel()

    async def _hear_gui(self) -> None:
        while True:
            data = await read_stdin()
            self._log_gui(data)
            if not self._face.receive(data, trio.current_time()):
                return
            self._changed()

    def _changed(self) -> None:
        """What is wanted of the server, or when, may have changed."""
        if self._player.pairing.wants_line:
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
            if self._player.session.left:
                self._log(closing.text)
                continue
            if closing.rejected:
                self._wanted = trio.Event()
                text = f"the server rejects us: {closing.text}"
                self._log(text)
                self._player.rejected(text, trio.current_time())
                self._changed()
                continue
            before, pause = self._servers.current, self._pause(closing, began)
            there = self._servers.current
            again = "again" if there is before else str(there.address)
            text = f"{without_hint(closing.text)}; trying {again} in {pause:.1f} s"
            self._log(text)
            self._face.tell(text)
            await trio.sleep(pause)

    def _pause(self, closing: CloseReason, began: float) -> float:
        """Seconds until the then current server is to be dialled."""
        now = trio.current_time()
        lost = LostConnection(now, now - began, self._was_greeted, in_game=self._player.playing)
        return self._servers.lost(
            now, self._redial.pause(lost), retry_after=closing.retry_after, good=lost.was_good
        )

    async def _hold_line(self) -> CloseReason:
        """One connection, from dialling to its end; why it ended."""
        if self._servers.servers != self._settings.servers:  # the GUI has named others
            self._servers = ServerList(self._settings.servers)
        self._was_greeted = self._player.session.left = False
        try:
            async with self._servers.current.dial() as line:
                await self._converse(line)
                return self._player.session.last_words.closing(line.why, trio.current_time())
        except DialError as error:
            return dial_failed(error)

    async def _converse(self, line: Peer) -> None:
        self._line = line
        self._follow(line, "server")
        self._player.session.line_up(line)
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
                    self._changed()
                    if self._player.session.introduced:
                        patience.deadline = float("inf")
                        self._was_greeted = True
            line.cut(f"{line.label} does not answer like a ULCI server: no `uci`")
        finally:
            self._player.line_down()
            self._line = None if not self._leaving else line

    # The log

    def _log(self, text: str) -> None:
        self._note("happened", text)

    def _log_gui(self, data: bytes) -> None:
        lines, end, rest = (self._unlogged + data).rpartition(b"\n")
        self._unlogged = rest[:LONGEST_LOGGED]
        if end:
            self._note("heard", lines)


def write_logged(note: Note, data: bytes) -> None:
    """Write to standard output, and into the log; drop what nobody reads."""
    note("said", data)
    try:
        write_stdout(data)
    except BrokenPipeError:  # the GUI is gone: the end of its input follows
        give_up_stdout()
