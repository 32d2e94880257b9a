"""One engine of a match, and one of its processes with a place in the hall."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import trio

from ulci.engines.errors import EngineError
from ulci.engines.process import EngineProcess, open_engine
from ulci.engines.settings import EngineListener, EngineSettings
from ulci.rules import Rules
from ulci_server.engines.board import MAX_LINE
from ulci_server.engines.profile import profile_of
from ulci_server.game import Control
from ulci_server.hall import Hall, Session
from ulci_server.lobby import Profile


class EngineFailedError(Exception):
    """An engine cannot be started, or is none; the match cannot go on. `engine`: its place in the
    list."""

    def __init__(self, engine: int, why: str) -> None:
        super().__init__(why)
        self.engine = engine


@dataclass(frozen=True, slots=True)
class MatchEngine:
    """An engine of the match. settings: None if it connects from elsewhere. control: its clock or
    other limit, which it may overstep by `margin` ms. restart: whether each game gets a fresh
    process. remote: the name by which it connects from elsewhere; empty: its name in the match."""

    name: str
    settings: EngineSettings | None
    control: Control
    restart: bool = False
    margin: int = 0
    remote: str = ""

    def comes_as(self, name: str) -> bool:
        """Whether the engine connects from elsewhere by that name."""
        return self.settings is None and name == (self.remote or self.name)

    def on(self, processor: int) -> "MatchEngine":
        """The engine with processes that run only on that processor."""
        assert self.settings is not None
        return replace(self, settings=replace(self.settings, processors=(processor,)))


class Place:
    """A process, or a connection from elsewhere, that plays for an engine of the match."""

    def __init__(self, engine: int, session: Session) -> None:
        self.engine = engine
        self.session = session
        self._free = trio.Event()
        self._end = trio.Event()

    @property
    def gone(self) -> bool:
        """Whether its connection is over."""
        return self.session.gone

    def free(self) -> None:
        """Mark the place as free: it has no game and owes no answer, or its connection is over."""
        self._free.set()

    def seat(self) -> None:
        """Mark the place as taken by a game."""
        self._free = trio.Event()

    async def until_free(self) -> None:
        """Wait until the place is free, or gone."""
        await self._free.wait()

    def end(self) -> None:
        """End the process of the place; a connection from elsewhere stays for the next game."""
        self._end.set()

    async def until_ended(self) -> None:
        await self._end.wait()


Introduced = Callable[[int, EngineProcess, Sequence[str]], object]
"""Called with an engine's place in the list, its process, which is ready, and the options that were
left out because the engine does not have them or not with that value."""


def lacks(profile: Profile, game: Rules) -> str | None:
    """Why the engine cannot play that game, as a sentence; None if it can."""
    return profile.lacks(game.needs(None))


async def run_engine(
    hall: Hall,
    number: int,
    engine: MatchEngine,
    game: Rules,
    listener: EngineListener,
    introduced: Introduced,
    *,
    task_status: trio.TaskStatus[Place] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Start a process of the engine of that number and serve it in the hall, until its place is
    ended or it ends itself. `task_status` gets its place.

    Raises:
        EngineFailedError: it cannot be started, is no engine, or does not know the game.
    """
    assert engine.settings is not None
    plays = game.name if engine.settings.dialect == "ugi" else ""  # which cannot name a game
    try:
        async with open_engine(engine.settings, listener, max_line=MAX_LINE) as process:
            left_out = process.leave_out_unfitting()
            await process.prepare()
            introduced(number, process, left_out)
            profile = profile_of(process, name=engine.name, plays=plays)
            if why := lacks(profile, game):
                raise EngineFailedError(number, why)
            async with trio.open_nursery() as nursery:
                session = await nursery.start(partial(hall.host_program, process.peer, profile))
                place = Place(number, session)
                task_status.started(place)
                nursery.start_soon(_end, nursery, place)
    except EngineError as error:
        raise EngineFailedError(number, str(error)) from error


async def _end(nursery: trio.Nursery, place: Place) -> None:
    await place.until_ended()
    nursery.cancel_scope.cancel()
