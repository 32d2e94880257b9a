"""An engine of the server: it introduces itself once, and then plays at its boards."""

from collections.abc import Callable

import structlog
import trio

from ulci.engines.errors import EngineError
from ulci.engines.process import open_engine
from ulci.engines.restarts import Restarts
from ulci.engines.settings import EngineListener
from ulci.net import Limits, ProcessPeer
from ulci_server.lobby import Profile

from .board import MAX_LINE, Board, ProgramHost
from .offer import EngineOffer, secret_of
from .profile import profile_of

LOG = structlog.get_logger("ulci_server.engines")


class ServerEngine:
    """An engine of the server. key: the secret from which the secrets of its seats are made.
    limits: of a program's output. started: called with each program before its first line."""

    def __init__(
        self,
        offer: EngineOffer,
        key: str,
        limits: Limits,
        started: Callable[[ProcessPeer], object] = lambda _: None,
    ) -> None:
        self._offer = offer
        self._key = key
        self._limits = limits
        self._started = started

    async def run(self, host: ProgramHost) -> None:
        """Play at `host`, for ever."""
        profile = await self._introduce()
        offer = self._offer
        LOG.info("engine offered", engine=profile.name, boards=offer.boards)
        async with trio.open_nursery() as nursery:
            for number in range(1, offer.boards + 1):
                secret = secret_of(self._key, offer, number)
                board = Board(host, offer, profile, secret, self._limits, self._started)
                nursery.start_soon(board.run)

    async def _introduce(self) -> Profile:
        """The engine's profile. An engine that cannot be used is tried again, because its operator
        may be installing it. The reason is logged when it changes."""
        restarts, known = Restarts(), ""
        log = LOG.bind(engine=self._offer.title)
        while True:
            try:
                return await self._ask()
            except EngineError as error:
                why = str(error)
                if why != known:
                    log.error("engine cannot be used", why=why)  # noqa: TRY400
            except Exception as error:  # an engine's introduction must not end games of others
                why = repr(error)
                if why != known:
                    log.exception("engine cannot be used", why="a fault of the server")
            known = why
            await trio.sleep(restarts.failed())

    async def _ask(self) -> Profile:
        offer = self._offer
        listener = EngineListener(self._started)
        async with open_engine(
            offer.engine, listener, limits=self._limits, max_line=MAX_LINE
        ) as engine:
            await engine.prepare()
            return profile_of(engine, name=offer.name, plays=offer.plays, program=offer.program)
