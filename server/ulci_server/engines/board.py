"""One board of an engine: a place in the lobby, with a program while it plays."""

from collections.abc import Callable
from typing import Protocol

import structlog
import trio

from ulci.engines.errors import EngineError
from ulci.engines.process import EngineProcess, open_engine
from ulci.engines.restarts import Restarts
from ulci.engines.settings import EngineListener
from ulci.net import Limits, Peer, ProcessPeer
from ulci.protocol import DIALECTS, Connection, Role, TextCodec
from ulci.protocol.messages import NewGame, SetOption
from ulci_server.lobby import Profile

from .offer import EngineOffer
from .on_demand import OnDemandPeer

LOG = structlog.get_logger("ulci_server.engines")

MAX_LINE = 64 * 1024
"""Bytes of a line of an engine's output: some print a whole game."""

LOOK = 1.0
"""Seconds between two checks whether a board needs a program."""

AWAY = 5.0
"""Seconds after which a board returns to the lobby that has disconnected it: an administrator
kicked it, or the server is about to end."""

MIN_UPTIME = 60.0
"""Seconds after which the end of a program does not count as a failed start."""


class SeatedProgram(Protocol):
    """The player of a session, as far as its board needs it."""

    def setup(self) -> tuple[SetOption, ...]:
        """The ``setoption`` commands of the present game."""
        ...


class HostedSession(Protocol):
    """The session of a program, as far as its board needs it."""

    @property
    def player(self) -> SeatedProgram: ...

    @property
    def table(self) -> object | None:
        """The session's game; None if it has none."""
        ...

    @property
    def draining(self) -> bool:
        """Whether the program owes answers for a game that is over."""
        ...


class ProgramHost(Protocol):
    """The hall, as far as a board needs it."""

    async def host_program(
        self,
        peer: Peer,
        profile: Profile,
        *,
        secret: str = "",
        task_status: trio.TaskStatus[HostedSession] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Serve a program of this server until its connection is over."""
        ...


class Board:
    """Plays one game at a time. secret: resumes its seat. limits: of a program's output. started:
    called with each program before its first line."""

    def __init__(
        self,
        host: ProgramHost,
        offer: EngineOffer,
        profile: Profile,
        secret: str,
        limits: Limits,
        started: Callable[[ProcessPeer], object],
    ) -> None:
        self._host = host
        self._offer = offer
        self._profile = profile
        self._secret = secret
        self._limits = limits
        self._listener = EngineListener(started, self._notice)
        self._restarts = Restarts()
        self._failure = ""

    @property
    def _name(self) -> str:
        return self._profile.name

    async def run(self) -> None:
        """Keep the board in the lobby, for ever. If a program ends or fails in a game, the next
        program continues the game."""
        while True:
            try:
                failure = await self._hold_place()
            except Exception:  # a bug here ends this session, and nobody else's game
                LOG.exception("board failed", engine=self._name)
                failure = "a fault of the server"
            pause = self._restarts.failed() if failure else AWAY
            if failure:
                LOG.warning("engine failed", engine=self._name, why=failure, again_in=pause)
            await trio.sleep(pause)

    async def _hold_place(self) -> str:
        """Hold one session until it is over. Returns how its program failed; empty if it did
        not."""
        self._failure = ""
        peer = OnDemandPeer(self._connection, label=f"engine {self._name}", limits=self._limits)
        async with trio.open_nursery() as nursery:

            async def host(*, task_status: trio.TaskStatus[HostedSession]) -> None:
                await self._host.host_program(
                    peer, self._profile, secret=self._secret, task_status=task_status
                )
                self._failure = self._failure or (peer.why if peer.crashed else "")
                nursery.cancel_scope.cancel()

            session = await nursery.start(host)
            while not peer.over:
                await peer.wanted()
                if not peer.over:
                    await self._run_program(peer, session)
        return self._failure

    def _connection(self) -> Connection:
        dialect = DIALECTS[self._offer.engine.dialect](Role.SERVER)
        return Connection(Role.SERVER, TextCodec(max_line=MAX_LINE), dialect, defer_info=True)

    async def _run_program(self, peer: OnDemandPeer, session: HostedSession) -> None:
        """Run a program until the board does not need it any more. If it fails, the session is
        over, too."""
        try:
            async with open_engine(
                self._offer.engine, self._listener, limits=self._limits, max_line=MAX_LINE
            ) as engine:
                await self._prepare(engine, peer, session)
                peer.attach(engine.peer)
                await self._while_needed(engine, session)
                peer.detach()
        except EngineError as error:
            self._failure = str(error)
            peer.cut(self._failure)

    async def _prepare(
        self, engine: EngineProcess, peer: OnDemandPeer, session: HostedSession
    ) -> None:
        """Prepare the program; in a game, also with the game's options and ``ucinewgame``, which
        the program before it had received."""
        if session.table is None:
            await engine.prepare()
        elif peer.keeps_new_game:
            await engine.prepare(session.player.setup())
        else:
            await engine.prepare((*session.player.setup(), NewGame()))

    async def _while_needed(self, engine: EngineProcess, session: HostedSession) -> None:
        """Return when the board has needed no program for `idle` s. Raises `EngineError` if the
        program does not answer after a game."""
        began = needed_at = over_at = now = trio.current_time()
        offer = self._offer
        while True:
            if session.table is not None:
                needed_at = over_at = now
            elif session.draining:
                needed_at = now
                if now > over_at + offer.engine.ping:
                    seconds = f"{offer.engine.ping:g} s"
                    raise EngineError(f"{engine.name} hangs: no answer within {seconds} of a game")
            elif now >= needed_at + offer.idle:
                return  # checked last: after a machine slept for hours, a game may run
            else:
                over_at = now
            if now >= began + MIN_UPTIME:
                self._restarts.worked()
            await trio.sleep(LOOK)
            now = trio.current_time()

    def _notice(self, text: str) -> None:
        LOG.info("engine says", engine=self._name, text=text)
