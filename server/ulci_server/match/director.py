"""Begins the games of a match that are due, and reports its events."""

from collections import Counter, deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

import trio

from ulci.engines.process import EngineProcess
from ulci.engines.settings import EngineListener
from ulci.net import ProcessPeer
from ulci.rules import Outcome, Reason, Rules, Side
from ulci_server.game import Controls, MovePlayed
from ulci_server.hall import Hall, Session, Table
from ulci_server.lobby import Agreement, PoolRules, Profile
from ulci_server.openings import BookError, Opening
from ulci_server.storage import GameRecord, MoveRecord
from ulci_server.tournament import Progress, ScheduledGame

from .engines import EngineFailedError, MatchEngine, Place, lacks, run_engine
from .followed_journal import FollowedJournal
from .host import MatchHost
from .recovery import Past

POOL = "match"
"""The pool of the games in the record."""

DECIDED = "the match is over"
"""Why games end that still run when the match is over."""

VOID = "*"
"""The score of a game that must be played again."""

STARTS = 3
"""How often an engine is started if it ends before its game begins."""


class MatchEvents(Protocol):
    """The events of a match as they happen."""

    def opened(self, engine: int, peer: ProcessPeer) -> None:
        """A process of that engine has started; the server has sent it no line yet."""
        ...

    def introduced(self, engine: int, process: EngineProcess, left_out: Sequence[str]) -> bool:
        """A process of that engine is ready. left_out: options that it does not have, or not with
        that value, as they were given. Whether the match goes on."""
        ...

    def noticed(self, engine: int, text: str) -> bool:
        """Something about the engine that a person should read. Whether the match goes on."""
        ...

    def started(self, game: ScheduledGame) -> None:
        """A game begins."""
        ...

    def played(self, game: ScheduledGame, move: MovePlayed) -> None:
        """A move, with its player's whole analysis."""
        ...

    def ended(self, game: ScheduledGame, outcome: Outcome, detail: str) -> bool:
        """A game is over, or will be played again if it has no result. detail: the evidence.
        Whether the match goes on."""
        ...

    def recorded(
        self, game: ScheduledGame, record: GameRecord, moves: Sequence[MoveRecord]
    ) -> None:
        """A game that counts has ended; this is its record. A worker thread calls this for one game
        after the other."""
        ...


class _Running:
    """A running game."""

    def __init__(self, due: ScheduledGame) -> None:
        self.due = due
        self.over = trio.Event()
        self.counts = False


class Director:
    """Make it before the hall resumes the games of an earlier run.

    number: draws a number for a new game of the record. draw: the opening of a number, from 0.
    keep: called when a game that counts has ended, with its number in the record. wait: s between
    two games of a board. processors: each process runs on one of these, the one with the fewest;
    none: on any.
    """

    def __init__(
        self,
        hall: Hall,
        journal: FollowedJournal,
        progress: Progress,
        engines: Sequence[MatchEngine],
        events: MatchEvents,
        past: Past,
        *,
        game: Rules,
        rules: PoolRules,
        number: Callable[[], int],
        draw: Callable[[int], Awaitable[Opening]],
        keep: Callable[[ScheduledGame, int], Awaitable[None]],
        wait: float = 0.0,
        processors: Sequence[int] = (),
    ) -> None:
        assert isinstance(hall.lobby, MatchHost)
        self._host = hall.lobby
        self._host.seating = self
        self._hall = hall
        self._journal = journal
        journal.played = self._played
        self._progress = progress
        self._engines = engines
        self._events = events
        self._tournament = past.kept.id
        self._game = game
        self._rules = rules
        self._number = number
        self._draw = draw
        self._keep = keep
        self._wait = wait
        self._on = Counter(dict.fromkeys(processors, 0))  # processes, by processor
        self._running = {
            number: _Running(progress.resume(due)) for number, due in past.running.items()
        }
        self._resumed = deque(self._running)
        self._places: dict[Session, Place] = {}
        self._waiting: dict[int, deque[Place]] = {}  # from elsewhere, by engine
        # Boards in the order in which they came for it: a pair is finished before others begin.
        self._queues = [trio.StrictFIFOLock() for _ in engines]
        self._preparing: set[trio.CancelScope] = set()  # of boards that wait for a game's players
        self._changed = trio.Event()
        self._goes_on = True
        self._decided = trio.Event()
        self._nursery: trio.Nursery | None = None
        hall.follow_games(self._note)

    async def run(self, boards: int) -> None:
        """Play until the match is over, so many games at once.

        Raises:
            EngineFailedError: an engine cannot be started.
            BookError: there are no more openings.
        """
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            nursery.start_soon(self._stop_when_decided)
            async with trio.open_nursery() as playing:
                for _ in range(boards):
                    playing.start_soon(self._keep_board)
            if self._decided.is_set():
                self._stop_all()
            nursery.cancel_scope.cancel()

    def stop(self) -> None:
        """Begin no more games. Those that run go on until they are over or paused."""
        self._goes_on = False
        for scope in self._preparing:
            scope.cancel()
        self._tell_change()

    # One game after the other

    async def _keep_board(self) -> None:
        """Play the games that are due, each with the processes of the one before if it can."""
        places: dict[int, Place] = {}
        while (found := await self._next()) is not None:
            number, due = found
            for engine in {*places} - {due.white, due.black}:
                self._leave(places.pop(engine))
            number = await self._begin(number, due, places)
            if number is None:
                break
            await self._play(number)
            for engine in [*places]:
                if not self._stays(engine):
                    self._leave(places.pop(engine))
            if self._wait and self._goes_on:
                await trio.sleep(self._wait)
        for place in places.values():
            self._leave(place)

    async def _next(self) -> tuple[int | None, ScheduledGame] | None:
        """The next game, with its number in the record if it continues an earlier run's; None if
        there are no more."""
        while self._goes_on:
            if self._resumed:
                number = self._resumed.popleft()
                if number in self._hall.tables:
                    return number, self._running[number].due
                await self._play_unattended(number)
                continue
            if (due := self._progress.begin()) is not None:
                return None, due
            if self._progress.is_over or not self._progress.running:
                break
            await self._changed.wait()  # one that runs may be void
        return None

    async def _begin(
        self, number: int | None, due: ScheduledGame, places: dict[int, Place]
    ) -> int | None:
        """Begin a game, or go on with that number of the record. Returns its number; None if the
        match has ended while its players were waited for."""
        with trio.CancelScope() as scope:
            self._preparing.add(scope)
            try:
                opening = Opening() if number is not None else await self._draw(due.opening)
                seated = await self._free_places(places, due)
            finally:
                self._preparing.remove(scope)
            if self._goes_on:
                if number is None:
                    return self._begin_fresh(due, seated, opening)
                self._go_on(number, seated)
                return number
        if number is None:
            self._progress.finish(due.number, VOID)
        return None

    async def _play(self, number: int) -> None:
        running = self._running[number]
        await running.over.wait()
        del self._running[number]
        if running.counts:
            await self._keep(running.due, number)
        self._tell_change()

    async def _play_unattended(self, number: int) -> None:
        """Count a game of an earlier run that ended before a board could continue it."""
        running = self._running[number]
        if not running.over.is_set():
            self._count(running, Outcome(None, Reason.SERVER), "it could not be resumed")
            running.over.set()
        await self._play(number)

    def _begin_fresh(
        self, due: ScheduledGame, places: tuple[Place, Place], opening: Opening
    ) -> int:
        number = self._number()
        self._running[number] = _Running(due)
        for place in places:
            place.seat()
        white, black = places
        agreement = Agreement(
            self._game,
            Controls(*(self._engines[place.engine].control for place in places)),
            opening.start,
            rated=False,
            pool=POOL,
            pool_rules=self._rules_for(places),
            opening=opening.moves,
            encounter=(self._tournament, due.number),
        )
        players = (white.session.player, black.session.player)
        self._events.started(due)
        self._hall.begin_game(number, agreement, players, partial(self._failed, number))
        return number

    def _rules_for(self, places: tuple[Place, Place]) -> PoolRules:
        """The rules of a game of these engines, with the margins of their clocks."""
        white, black = (self._engines[place.engine].margin for place in places)
        if not (white or black):
            return self._rules
        return replace(self._rules, conduct=replace(self._rules.conduct, margins=(white, black)))

    def _go_on(self, number: int, places: tuple[Place, Place]) -> None:
        for side, place in zip(Side, places, strict=True):
            place.seat()
            if (absent := self._host.absent(number, side)) is not None:
                self._host.return_to(place.session, absent)

    def _played(self, move: MovePlayed) -> None:
        if (running := self._running.get(move.game)) is not None:
            self._events.played(running.due, move)

    def _failed(self, number: int, why: str) -> None:
        """The game does not begin, so its opening is at fault: no other rule can refuse it."""
        due = self._running.pop(number).due
        raise BookError(f"game {due.number} of the match cannot begin: {why}")

    def _note(self, table: Table) -> None:
        """Note that a game has begun, or is over."""
        if table.id in self._hall.tables or (running := self._running.get(table.id)) is None:
            return
        if (ending := table.game.ending) is not None:
            self._count(running, ending.outcome, ending.detail)
        else:
            self.stop()  # the game is paused for the next run, like all other running ones
        running.over.set()

    def _count(self, running: _Running, outcome: Outcome, detail: str) -> None:
        """Count a game that has ended. Games are counted in the order of the record, as in the next
        run."""
        running.counts = self._progress.finish(running.due.number, outcome.score)
        if running.counts or self._goes_on:
            goes_on = self._events.ended(running.due, outcome, detail)
            self._end_unless(goes_on and not self._progress.is_over)

    def _end_unless(self, goes_on: bool) -> None:
        if not goes_on:
            self.stop()
            self._decided.set()

    async def _stop_when_decided(self) -> None:
        await self._decided.wait()
        self._stop_all()

    def _stop_all(self) -> None:
        """End the running games without a result, because the match is over."""
        for number in [*self._running]:
            if (table := self._hall.tables.get(number)) is not None:
                table.stop(DECIDED)

    # Engines

    def _stays(self, engine: int) -> bool:
        """Whether a board keeps its place of that engine for the next game. All boards share the
        connections from elsewhere: if each board kept one, two boards could wait for each other's
        for ever."""
        known = self._engines[engine]
        return known.settings is not None and not known.restart

    async def _free_places(
        self, places: dict[int, Place], due: ScheduledGame
    ) -> tuple[Place, Place]:
        """The board's places of both engines, once both can be seated. All boards wait for the
        engines in one order, so that no two boards wait for each other."""
        starts: Counter[int] = Counter()
        while True:
            for engine in sorted((due.white, due.black)):
                await self._until_free(places, engine, starts)
            white, black = places[due.white], places[due.black]
            if not white.gone and not black.gone:  # the first, while the second was waited for
                return white, black

    async def _until_free(
        self, places: dict[int, Place], engine: int, starts: Counter[int]
    ) -> None:
        """Wait until the board has a place of that engine that can be seated. An engine that ends
        between two games is restarted."""
        while True:
            if (place := places.get(engine)) is None or place.gone:
                if starts[engine] == STARTS:
                    raise EngineFailedError(engine, f"it ended {STARTS} times before its game")
                starts[engine] += self._engines[engine].settings is not None
                place = places[engine] = await self._place(engine)
            await place.until_free()
            if not place.gone:
                return

    async def _place(self, engine: int) -> Place:
        """A place of that engine: of a fresh process, or of a connection from elsewhere."""
        known = self._engines[engine]
        if known.settings is None:
            async with self._queues[engine]:
                return await self._place_from_elsewhere(engine)
        assert self._nursery is not None
        place: Place = await self._nursery.start(self._run_engine, engine)
        self._places[place.session] = place
        if place.session.is_member or place.gone:
            place.free()
        return place

    async def _place_from_elsewhere(self, engine: int) -> Place:
        while True:
            waiting = self._waiting.get(engine, deque())
            while waiting:
                if not (here := waiting.popleft()).gone:
                    return here
            await self._changed.wait()

    async def _run_engine(
        self, engine: int, *, task_status: trio.TaskStatus[Place] = trio.TASK_STATUS_IGNORED
    ) -> None:
        known = self._engines[engine]
        listener = EngineListener(
            started=partial(self._events.opened, engine),
            noticed=partial(self._noticed, engine),
        )
        processor = min(self._on, key=self._on.__getitem__, default=None)
        if processor is not None:
            known = known.on(processor)
            self._on[processor] += 1
        try:
            await run_engine(
                self._hall,
                engine,
                known,
                self._game,
                listener,
                self._introduced,
                task_status=task_status,
            )
        finally:
            if processor is not None:
                self._on[processor] -= 1

    def _introduced(self, engine: int, process: EngineProcess, left_out: Sequence[str]) -> None:
        self._end_unless(self._events.introduced(engine, process, left_out))

    def _noticed(self, engine: int, text: str) -> None:
        self._end_unless(self._events.noticed(engine, text))

    def _leave(self, place: Place) -> None:
        """Give up a place that a board does not need any more: a process ends, and a connection
        from elsewhere waits for its next game."""
        if self._engines[place.engine].settings is None and not place.gone:
            self._wait_at(place)
        else:
            place.end()

    def _wait_at(self, place: Place) -> None:
        waiting = self._waiting.get(place.engine, ())
        self._waiting[place.engine] = deque([*(each for each in waiting if not each.gone), place])
        self._tell_change()

    def _tell_change(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    def known_as(self, name: str) -> str:
        """The name in the match of a program that connects from elsewhere by that name."""
        return next((each.name for each in self._engines if each.comes_as(name)), name)

    def seat(self, session: Session, profile: Profile) -> str | None:
        """Give a connection from elsewhere its place, or return why it has none."""
        for number, engine in enumerate(self._engines):
            if engine.comes_as(profile.name):
                if why := lacks(profile, self._game):
                    return why
                place = self._places[session] = Place(number, session)
                self._wait_at(place)
                return None
        return f"{profile.name} has no place in this match"

    def freed(self, session: Session) -> None:
        """A member owes no answer any more."""
        if (place := self._places.get(session)) is not None:
            place.free()
            if session.gone:
                del self._places[session]
