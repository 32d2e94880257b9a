"""Plays a match: a hall of its own, its engines, and a database from which it can be continued."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import trio

from ulci.net import Address
from ulci.rules import GAMES
from ulci_server.config import Config, load
from ulci_server.game import Timeouts
from ulci_server.hall import ClientTimeouts, Hall, HallSettings
from ulci_server.hall.table.tablebases import (
    ALL_RESULTS,
    TablebaseRules,
    Tablebases,
    open_tablebases,
)
from ulci_server.lobby import PoolRules
from ulci_server.match import (
    POOL,
    Director,
    FollowedJournal,
    MatchEngine,
    MatchEvents,
    MatchHost,
    Past,
    recall,
)
from ulci_server.openings import Opening
from ulci_server.storage import (
    NO_ANSWER,
    Database,
    DatabaseLock,
    Journal,
    WallClock,
    lock_database,
    open_database,
)
from ulci_server.tournament import MatchStandings, Progress, ScheduledGame

from .alone import Alone, begin_alone
from .factory import make_secret
from .garbage import no_automatic_collection
from .listening import open_listeners
from .reload import Reload
from .running import running
from .shutdown import Shutdown

INTERRUPTED = "the match was interrupted"
"""The reason for players when games are paused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchPlan:
    """The plan of a match. settings: identify the match in its database: equal ones continue it.
    seed: of a new match. database: its URL. draw: the opening of a number. boards: games at once.
    ready: s for ``readyok`` after ``ucinewgame``, answer: s otherwise. wait: s between two games of
    a board. tablebases: their folders, and which of their results end games. listen: where engines
    from elsewhere and browsers come in. processors: each engine's process runs on one of these;
    none: on any.
    """

    settings: str
    seed: int
    database: str
    game: str
    engines: Sequence[MatchEngine]
    rules: PoolRules
    draw: Callable[[int], Awaitable[Opening]]
    boards: int
    ready: float
    answer: float
    wait: float = 0.0
    tablebases: Sequence[Path] = ()
    tablebase_rules: TablebaseRules = ALL_RESULTS
    listen: Sequence[str] = ()
    processors: Sequence[int] = ()


async def play_match(
    plan: MatchPlan,
    progress: Progress,
    events: MatchEvents,
    recalled: Callable[[Past, Database], Awaitable[object]],
    shutdown: Shutdown,
    listening: Callable[[Sequence[Address]], object] = lambda _: None,
) -> bool:
    """Play until all is played or decided, or `shutdown` is asked for. `recalled` gets what earlier
    runs have played, before anything else; `listening` the addresses. Returns whether the
    match is over: otherwise it goes on when it is played again.

    Raises:
        StorageError, OtherMatchError, EngineFailedError, BookError, TablebaseError: it cannot be
            played.
    """
    with ExitStack() as closing:
        closing.enter_context(no_automatic_collection())
        try:
            opened = await trio.to_thread.run_sync(_open, plan, closing)
            return await _play(plan, progress, events, recalled, shutdown, listening, *opened)
        finally:
            with trio.move_on_after(NO_ANSWER, shield=True):
                await trio.to_thread.run_sync(closing.close, abandon_on_cancel=True)


def _open(plan: MatchPlan, closing: ExitStack) -> tuple[Database, DatabaseLock, Tablebases | None]:
    lock = closing.enter_context(lock_database(plan.database))
    database = open_database(plan.database, "process", migrating=True)
    closing.callback(database.close)
    return database, lock, open_tablebases(plan.tablebases, closing, plan.tablebase_rules)


async def _play(
    plan: MatchPlan,
    progress: Progress,
    events: MatchEvents,
    recalled: Callable[[Past, Database], Awaitable[object]],
    shutdown: Shutdown,
    listening: Callable[[Sequence[Address]], object],
    database: Database,
    lock: DatabaseLock,
    tablebases: Tablebases | None,
) -> bool:
    clock = WallClock()
    journal = FollowedJournal(database, now=clock)
    # A database of another match is refused before its run is shut out.
    past = await trio.to_thread.run_sync(recall, database, plan.settings, plan.seed, clock())
    run = await begin_alone(database, clock)
    await recalled(past, database)
    hall = _make_hall(plan, journal, tablebases)
    alone = Alone(run, lock, database, journal, hall, clock)
    number = count(database.games.last_id() + 1).__next__
    async with running(alone, database, journal, clock) as nursery:
        director = Director(
            hall,
            journal,
            progress,
            plan.engines,
            events,
            past,
            game=GAMES[plan.game],
            rules=plan.rules,
            number=number,
            draw=plan.draw,
            keep=_Keeper(database, events).keep,
            wait=plan.wait,
            processors=plan.processors,
        )
        await alone.begin(nursery, [*past.running])
        if plan.listen:
            config = _config(plan)
            shown = MatchStandings(progress, [each.name for each in plan.engines])
            listening(
                await open_listeners(
                    config,
                    hall,
                    journal,
                    database,
                    GAMES,
                    (),
                    nursery,
                    reload=Reload(),
                    standings=shown,
                )
            )
        await _until_over(director, hall, shutdown, plan.boards)
    return progress.is_over


class _Keeper:
    """Reads each game that has ended, and passes it on."""

    def __init__(self, database: Database, events: MatchEvents) -> None:
        self._database = database
        self._events = events
        self._one = trio.Lock()

    async def keep(self, due: ScheduledGame, number: int) -> None:
        async with self._one:
            await trio.to_thread.run_sync(self._read, due, number)

    def _read(self, due: ScheduledGame, number: int) -> None:
        [game] = self._database.games.find(ids=[number])
        self._events.recorded(due, game, self._database.games.moves(number))


async def _until_over(director: Director, hall: Hall, shutdown: Shutdown, boards: int) -> None:
    async with trio.open_nursery() as nursery:

        async def interrupt() -> None:
            await shutdown.asked.wait()
            director.stop()
            await hall.closing.drain(trio.CancelScope(), 0.0, INTERRUPTED, keeps=True)
            nursery.cancel_scope.cancel()

        nursery.start_soon(interrupt)
        await director.run(boards)
        nursery.cancel_scope.cancel()


def _config(plan: MatchPlan) -> Config:
    """The configuration of the page and the listeners of a match."""
    return load(
        None,
        {
            "listen": [{"address": address} for address in plan.listen],
            "pool": [{"name": POOL, "game": plan.game}],
            "database": {"url": plan.database},
            "web": {"serve": "watch"},
        },
    )


def _make_hall(plan: MatchPlan, journal: Journal, tablebases: Tablebases | None) -> Hall:
    settings = HallSettings(
        clients=ClientTimeouts(handshake=plan.answer, drain=plan.answer),
        game=Timeouts(ready=plan.ready),
        claims=False,
        tablebases=tablebases,
    )
    return Hall(journal, lambda _: MatchHost(plan.rules, make_secret), settings=settings)
