"""The two tasks of a player: one keeps an engine running, the other a connection to the server."""

import math
from collections.abc import Callable
from dataclasses import replace

import trio

from ulci.engines.errors import EngineError
from ulci.engines.process import EngineProcess, open_engine
from ulci.engines.restarts import Restarts
from ulci.net import DialError, Peer
from ulci.protocol import RemoteProtocolError
from ulci.protocol.messages import BestMove
from ulci_client.engine_settings import ClientEngineSettings, check_allowed
from ulci_client.reconnect import (
    CloseReason,
    LostConnection,
    RedialPolicy,
    dial_failed,
    no_relay,
    without_hint,
)
from ulci_client.server_list import ServerList

from .console import Console
from .player import BridgePlayer
from .program_file import ProgramFile
from .seeking import CycleStage, SeekRefused
from .settings import BridgeSettings

# An engine that fails this often in a row, without one move in between, is given up.
RESTARTS = 3


class ServerError(Exception):
    """The server cannot be used; the text is shown."""


class RejectedError(ServerError):
    """The server rejects us permanently."""


class Supervisor:
    """Runs one player until its last game is over; `chance` is for `RedialPolicy`."""

    def __init__(
        self,
        player: BridgePlayer,
        settings: BridgeSettings,
        console: Console,
        chance: Callable[[], float],
    ) -> None:
        self.failure: EngineError | ServerError | None = None
        self._player = player
        self._settings = settings
        self._console = console
        self._redial = RedialPolicy(chance)
        self._servers = ServerList(settings.servers, chance)
        self._restarts = Restarts()
        self._engine_known = trio.Event()  # ready for the first time, or failed
        self._finished = False
        self._engine_up = False
        self._hello_due = self._answer_due = math.inf
        self._greeted = False  # whether a relay answered on the last connection
        self._replacing = False  # whether the engine is to end because another one follows
        self._woken = False  # whether the machine slept: then there is no pause before dialling
        self._program: ProgramFile | None = None  # of the engine that runs
        self._ran: ClientEngineSettings | None = None
        # Around what each task waits for; cancelled to make it check again.
        self._engine_scope = trio.CancelScope()
        self._engine_wait = trio.CancelScope()
        self._line_wait = trio.CancelScope()
        self._line_patience = trio.CancelScope()
        player.listen(self._set_patience, self._replace_engine)

    async def run(self) -> None:
        """Until all games are played, it is asked to leave, or it fails; then see `failure`."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._keep_engine)
            await self._engine_known.wait()
            await self._keep_line()
            self._finished = True
            (self._engine_wait if self._engine_up else self._engine_scope).cancel()
        self._player.seeking.release()

    def suspended(self, seconds: float) -> None:
        """The machine slept for so long: the connection is worth nothing, whatever TCP says."""
        self._woken = True
        self._player.hang_up(f"this machine was suspended for {seconds:.0f} s")
        if self._player.progress.again_at is not None:
            self._line_wait.cancel()  # the pause before dialling

    def look_at_program(self) -> None:
        """Restart the engine if its program was updated and nothing needs it now."""
        program = self._program
        if self._engine_up and program is not None and program.updated() and self._player.waits:
            self._console.note(f"{program.path} was updated: starting it anew")
            self._replace_engine()

    def leave(self) -> None:
        """Finish the running game, then quit."""
        self._player.leave(trio.current_time())
        self._line_patience.deadline = self._line_due
        if self._done():
            self._check_again()

    def depart(self, why: str = "") -> None:
        """Quit now; the server gets `why`."""
        self._player.depart(why)
        self._check_again()

    @property
    def in_game(self) -> bool:
        return self._player.seeking.in_game

    def _done(self) -> bool:
        return self._player.seeking.stage is CycleStage.DONE

    def _check_again(self) -> None:
        self._engine_known.set()
        self._line_wait.cancel()

    def _fail(self, error: "EngineError | ServerError") -> None:
        self.failure = error
        self.depart(str(error).splitlines()[0])

    # The engine

    async def _keep_engine(self) -> None:
        with self._engine_scope:
            while not self._finished:
                try:
                    await self._run_engine()
                except EngineError as error:
                    if error.hopeless or not self._engine_known.is_set():
                        self._fail(error)
                        return
                    if not await self._may_restart(error):
                        return

    async def _run_engine(self) -> None:
        """One run of the engine; raises EngineError unless we ended it."""
        player = self._player
        number, settings = player.engine_number, player.engine_settings
        if self._replacing and settings != self._ran:
            player.relay.other_engine()
        self._replacing, self._ran = False, settings
        self._program = ProgramFile.of(settings.argv[0])
        async with open_engine(settings, player.listener) as engine:
            check_allowed(engine, settings)
            await engine.prepare(player.relay.settings)
            player.engine_up(engine, trio.current_time(), number)
            self._engine_up = True
            self._engine_known.set()
            try:
                why = "" if self._replacing else await self._hear_engine(engine)
            finally:
                self._engine_up = False
                player.engine_down()
            if not self._finished and not self._replacing:
                raise EngineError(why)

    async def _hear_engine(self, engine: EngineProcess) -> str:
        """Until it ends or hangs; the reason."""
        hung = ""
        while not hung:
            with trio.CancelScope(deadline=self._player.relay.due) as self._engine_wait:
                while (heard := await engine.receive()) is not None:
                    if isinstance(heard.message, BestMove):
                        self._restarts.worked()
                    self._player.engine_said(heard)
                return engine.last_words()
            if self._finished or self._replacing:
                return ""
            hung = self._player.engine_overdue(trio.current_time())
        engine.kill()
        return hung

    def _replace_engine(self) -> None:
        """End the engine; that of `player.engine_settings` follows. One that is still starting is
        replaced once it is up."""
        self._replacing = True
        if self._player.house is not None:
            self._player.house.engine_down()  # it accepts no game until the next is up
        self._engine_wait.cancel()

    def _set_patience(self) -> None:
        self._line_patience.deadline = self._line_due
        due = self._player.relay.due
        if self._engine_up and self._engine_wait.deadline != due:
            self._engine_wait.deadline = due

    async def _may_restart(self, error: EngineError) -> bool:
        """Waits before the restart; False if there were too many in a row."""
        name = self._player.progress.name
        pause = self._restarts.failed()
        if self._restarts.failures > RESTARTS:
            failures = self._restarts.failures
            self._fail(EngineError(f"{name} failed {failures} times in a row: {error}"))
            return False
        self._console.warn(f"{name}: {error}\nrestarting {name}")
        await trio.sleep(pause)
        return True

    # The connection

    async def _keep_line(self) -> None:
        while not self._done():
            called = trio.current_time()
            closing = await self._hold_line()
            if self._done():
                return
            if closing.rejected:
                self._fail(self._rejected(closing))
                return
            if not (self._may_call_again(closing) or self._servers.untried):
                self._fail(ServerError(closing.text))
                return
            await self._wait(closing, self._lost(called))

    async def _wait(self, closing: CloseReason, lost: LostConnection) -> None:
        """Until it is time to dial again, here or elsewhere; the status counts down."""
        before, pause = self._servers.current, self._redial.pause(lost)
        asked = ", as it asks" if closing.retry_after and pause <= closing.retry_after else ""
        pause = self._servers.lost(
            lost.at,
            0.0 if self._woken else pause,
            retry_after=closing.retry_after,
            good=lost.was_good,
        )
        self._woken = False
        seconds = f"{round(pause, 2 if pause < 1 else 0):g} s"
        there = self._servers.current
        again = f"again in {seconds}{asked}" if there is before else f"{there.address} in {seconds}"
        self._console.warn(f"{without_hint(closing.text)}; trying {again}")
        self._player.progress.again_at = trio.current_time() + pause
        with trio.CancelScope() as self._line_wait:
            await trio.sleep(pause)
        self._player.progress.again_at = None

    def _rejected(self, closing: CloseReason) -> RejectedError:
        address = self._servers.current.address
        why = closing.said or closing.text
        return RejectedError(f"{address} rejects this engine: {why}")

    def _may_call_again(self, closing: CloseReason) -> bool:
        """Whether it is a relay: it answered, or asked us to come back."""
        return self._player.admitted or self._greeted or closing.retry_after > 0

    def _lost(self, called: float) -> LostConnection:
        """The connection that was dialled at `called`."""
        now = trio.current_time()
        return LostConnection(
            at=now,
            lived=now - called,
            greeted=self._greeted,
            in_game=self.in_game,
            asked=self._player.seeking.asked,
        )

    async def _hold_line(self) -> CloseReason:
        """One connection, from dialling to its end; why it ended."""
        self._greeted = False
        try:
            with trio.CancelScope() as self._line_wait:
                async with self._servers.current.dial() as line:
                    await self._converse(line)
                    return self._closing(line)
        except DialError as error:
            return dial_failed(error)
        except SeekRefused as error:
            self._fail(RejectedError(str(error)))
        return CloseReason("")

    def _closing(self, line: Peer) -> CloseReason:
        closing = self._player.last_words.closing(line.why, trio.current_time())
        if closing.said:
            text = f"{line.label} closed the connection: {closing.said}"
        elif self._greeted:
            text = f"lost the connection to {line.label}: {line.why}"
        else:
            text = no_relay(line.label, line.why)
        return replace(closing, text=text)

    async def _converse(self, line: Peer) -> None:
        self._player.line_up(line)
        self._hello_due = trio.current_time() + self._settings.hello
        self._answer_due = math.inf
        try:
            with trio.CancelScope() as self._line_wait:
                while not self._done() and await self._hear(line):
                    pass
        except SeekRefused:
            self._player.depart()
            raise
        finally:
            self._greeted = self._player.introduced
            self._player.line_down(trio.current_time())
            if self._woken:
                self._player.suspended(trio.current_time())

    async def _hear(self, line: Peer) -> bool:
        """Handle one message, or what is due; False at the end of the connection."""
        if self._player.unanswered and self._answer_due == math.inf:
            self._answer_due = trio.current_time() + self._settings.hello
        with trio.CancelScope(deadline=self._line_due) as self._line_patience:
            try:
                heard = await line.receive()
            except RemoteProtocolError as error:
                self._console.detail(f"cannot read the server's message: {error}")
                return not error.fatal
            self._answer_due = math.inf
            if heard is not None:
                self._player.server_said(heard)
            return heard is not None
        return self._react(line)

    def _react(self, line: Peer) -> bool:
        """Something is due; False if it ends the connection."""
        what = "answer" if self._player.introduced else "`uci`"
        if not self._player.introduced or trio.current_time() >= self._answer_due:
            line.cut(f"no {what} within {self._settings.hello:g} s")
            return False
        self._player.alarm(trio.current_time())
        return True

    @property
    def _line_due(self) -> float:
        if not self._player.introduced:
            return self._hello_due
        return min(self._player.due, self._answer_due)
