"""Directs one tournament: it decides by what is stored, stores what it has decided, and begins the
games that are due.

One task does all of it. What clients ask and what happens to games is noted meanwhile, and done at
its next turn.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from functools import partial

import structlog
import trio
from msgspec.structs import replace

from ulci_server.lobby import lobby_lines
from ulci_server.openings import BookError
from ulci_server.storage import (
    EntrantRecord,
    FencedError,
    LobbyMovedError,
    StorageError,
    TournamentChangedError,
    TournamentGame,
    TournamentState,
)
from ulci_server.tournament import Pairing, Tournament, TournamentErrors

from .entrants import Entrants
from .openings import without_folder
from .pairing_process import PairingFailedError, paired
from .policies import Crashes, absences, decided_by_leaving
from .presence import Presence, free_boards
from .rows import entrant_of, rebuilt, result_of, row_of_pairing
from .running import Running
from .seats import Seats
from .timing import begins
from .tools import Tools

LOG = structlog.get_logger("ulci_server.tournament")

RETRY = 1.0
"""Seconds until a database that does not answer is asked again."""

UNSAVED = 0.2
"""Seconds until the result of a game is read again that ends just now."""

BACKSTOP = 5.0
"""Seconds between two looks at games of which nobody has told anything."""

NOT_PAIRED = "a round could not be paired; the server's log says why"
"""Why it is paused, for everybody."""

OVER = TournamentState.STOPPED, TournamentState.FINISHED

TOLD_AT_ONCE = 50
"""Pairings announced between two turns of the loop: each takes up to 0.1 ms."""

PUT_AT_ONCE = 200
"""Pairings that are taken in between two turns of the loop: each takes 6 us."""

Change = Callable[[], EntrantRecord | None]
"""Makes the row of an entrant, which is stored unless it is as it was; None: there is none."""


class Director:
    """Of the tournament of that number, with that name in commands. read: called when it has been
    read, at first and after each change by somebody else."""

    def __init__(
        self, number: int, word: str, tools: Tools, read: "Callable[[Director], Awaitable[None]]"
    ) -> None:
        self.number = number
        self.word = word
        self.presence = Presence()
        self.state = TournamentState.CREATED
        self.tournament: Tournament | None = None
        """None: it has not been read yet."""
        self.entrants = Entrants(word)
        self._tools = tools
        self._was_read = read
        self._running = Running()
        self._seats = Seats(number, word, tools, self.presence, self._running, self.wake)
        self._crashes = Crashes()
        self._changes = 0
        self._stale = False
        self._made_at: datetime | None = None
        self._begun_at: datetime | None = None
        self._allowed_round = 1
        self._asked: list[tuple[Change, Callable[[EntrantRecord], object]]] = []
        self._looked_at = -BACKSTOP
        self._woken = trio.Event()

    # What happens

    def wake(self) -> None:
        """Something has changed."""
        self._woken.set()

    def changed(self, changes: int | None) -> None:
        """Others have changed it so often. None: it is over, as they said."""
        if changes != self._changes and self.state not in OVER:
            self._stale = True
            self.wake()

    def come(self, handle: str, entrant: int, *, free: bool) -> None:
        """A client plays for that entrant. free: it owes nothing for a game."""
        self.presence.come(handle, entrant)
        if free:
            self.presence.free(handle)
        self.wake()

    def freed(self, handle: str) -> None:
        """A client owes nothing for its last game."""
        self.presence.free(handle)
        self._running.free(handle)
        self.wake()

    def gone(self, handle: str) -> None:
        """A client has left, or plays for nobody any more."""
        self.presence.go(handle)
        self._running.free(handle)
        self.wake()

    # What others see

    @property
    def version(self) -> int:
        """Changes whenever the standings do."""
        return 0 if self.tournament is None else self.tournament.version

    @property
    def rows(self) -> Mapping[int, EntrantRecord]:
        """Entrants by their numbers."""
        return self.entrants.rows

    @property
    def closed_to_new(self) -> str:
        """Why nobody can enter now; empty: everybody can."""
        tournament = self.tournament
        if tournament is None or self.state in OVER:
            return f"{self.word} is over, or has not been read yet"
        settings = tournament.settings
        if not settings.open:
            return f"{self.word} is for those who were entered by its organizer"
        if tournament.last_round and not tournament.takes_late:
            return f"{self.word} has begun, and nobody enters a {settings.format} late"
        if not tournament.pairs_here and tournament.last_round >= settings.rounds:
            return f"the last round of {self.word} has begun"
        if len(self.rows) >= settings.most_entrants:
            return f"{self.word} has {settings.most_entrants} entrants, the most that are possible"
        return ""

    # Entrants

    def admit(self, new: EntrantRecord, admitted: Callable[[EntrantRecord], object]) -> None:
        """Enter somebody, who is told then."""

        def change() -> EntrantRecord | None:
            assert self.tournament is not None
            back = self.entrants.same(new)
            if back is not None and back.left is None:
                return back  # by another connection
            late = self.tournament.last_round and not self.tournament.pairs_here
            joined = self.tournament.last_round + 1 if late else 1
            if back is not None:
                return back._replace(left=None, why="", joined=joined if late else back.joined)
            number = max(self.rows, default=0) + 1
            return new._replace(number=number, joined=joined)

        self._ask(change, admitted)

    def withdraw(self, entrant: int, why: str) -> None:
        """The entrant plays no further game."""

        def change() -> EntrantRecord | None:
            row = self.rows.get(entrant)
            if row is None or row.left is not None:
                return row
            return row._replace(left=self._next_round, why=why)

        self.entrants.begin_withdrawal(entrant)
        self._ask(change, lambda row: self.entrants.end_withdrawal(row.number))

    def _ask(self, change: Change, done: Callable[[EntrantRecord], object]) -> None:
        self._asked.append((change, done))
        self.wake()

    @property
    def _next_round(self) -> int:
        assert self.tournament is not None
        return self.tournament.last_round + 1

    # The task

    async def run(self) -> None:
        """Direct it until it is over, or another server does."""
        while True:
            try:
                await self._read()
                await self._direct()
            except TournamentChangedError:
                continue
            except StorageError as error:
                LOG.warning("the tournament waits", tournament=self.word, why=str(error))
                await trio.sleep(RETRY)
                continue
            except TournamentErrors as error:  # of another version
                LOG.warning("settings not understood", tournament=self.word, why=str(error))
            except (LobbyMovedError, FencedError):
                LOG.info("another server directs the tournament", tournament=self.word)
            return

    async def _read(self) -> None:
        stored = await self._tools.in_thread(partial(self._tools.store.stored, self.number))
        if stored is None:
            raise LobbyMovedError("the tournament is no more")
        # In a thread: thousands of pairings take longer than the loop may be held.
        tournament = await self._tools.in_thread(partial(rebuilt, stored))
        record, first = stored.record, self.tournament is None
        self._changes, self._stale = record.changes, False
        self._made_at, self._begun_at = record.started_at, record.begun_at
        self._allowed_round = record.allowed_round
        self.tournament, self.state = tournament, record.state
        self.entrants.replace_all(stored.entrants)
        self._seats.set_late(tournament)
        for game in stored.games:
            if game.score is None:
                self._running.begin(tournament.pairings[game.number])
            elif first:
                self._crashes.count(tournament.pairings[game.number], game)
            if game.score == "*":
                await self._play_again(game)
        await self._was_read(self)

    async def _direct(self) -> None:
        assert self.tournament is not None
        while self.state not in OVER:
            self._woken = trio.Event()
            if self._stale:
                raise TournamentChangedError(self.word)
            await self._begin_by_timetable()
            await self._enter_and_leave()
            await self._take_results()
            if self.state is TournamentState.RUNNING:
                await self._go_on()
            if self.state not in OVER:
                with trio.move_on_at(self._next_turn()):
                    await self._woken.wait()
        while self._running.numbers:  # of one that was stopped
            self._woken = trio.Event()
            await self._take_results()
            with trio.move_on_after(UNSAVED if self._running.perhaps_over else BACKSTOP):
                await self._woken.wait()
        LOG.info("the tournament is over", tournament=self.word, state=self.state.value)
        entries = (await self._tools.in_thread(self.tournament.now)).entries
        first = entries[0].name if entries else ""
        self._tools.lobby.tell_everybody(lobby_lines.tournament_over(self.word, first))

    def _next_turn(self) -> float:
        """When (s, `trio.current_time`) the task looks again by itself."""
        assert self.tournament is not None
        now = trio.current_time()
        turns = [now + BACKSTOP, self._seats.next_turn(self.tournament)]
        if self._running.perhaps_over:
            turns.append(now + UNSAVED)
        if self._begun_at is not None:
            at, wakes = self._at, self.tournament.wakes_at()
            if wakes is not None and wakes > at:
                turns.append(now + wakes - at)
        if self.state is TournamentState.CREATED and (at_ := self._begins()) is not None:
            turns.append(now + (at_ - self._tools.now()).total_seconds())
        return max(min(turns), now + 0.001)

    @property
    def _at(self) -> float:
        """Seconds since the tournament began."""
        assert self._begun_at is not None
        return (self._tools.now() - self._begun_at).total_seconds()

    def _begins(self) -> datetime | None:
        assert self.tournament is not None
        assert self._made_at is not None
        return begins(self.tournament.settings.timetable, self._made_at)

    async def _begin_by_timetable(self) -> None:
        if self.state is TournamentState.CREATED:
            at = self._begins()
            if at is not None and self._tools.now() >= at:
                await self._set_state(TournamentState.RUNNING)

    async def _go_on(self) -> None:
        assert self.tournament is not None
        if self._begun_at is None:
            begun = self._tools.now()
            await self._save(begun_at=begun)
            self._begun_at = begun
            LOG.info("the tournament begins", tournament=self.word, entrants=len(self.rows))
        if self._tools.lobby.closed:
            return
        await self._pair()
        left = [decided_by_leaving(one, self.rows) for one in self._not_begun()]
        if decided := [one for one in left if one is not None]:
            await self._save(pairings=decided)
            self.wake()  # the next ones may be due
        try:
            late = await self._seats.begin_due(self.tournament, self.rows)
        except BookError as error:
            why = str(error)
            await self._pause(why, without_folder(why, self.tournament.settings))
            return
        await self._save(pairings=late)
        for pairing in late:
            LOG.info("late", tournament=self.word, round=pairing.round, why=pairing.why)
            self._seats.lateness.forget(pairing.number)
            await self._suspend_who_is_absent(pairing)
        if self.tournament.is_over(self._at) and not self._running.numbers:
            await self._set_state(TournamentState.FINISHED)

    def _not_begun(self) -> list[Pairing]:
        assert self.tournament is not None
        return [p for p in self.tournament.open_pairings() if p.number not in self._running]

    async def _pause(self, why: str, shown: str) -> None:
        """shown: the reason for everybody."""
        LOG.error("the tournament is paused", tournament=self.word, why=why)
        await self._set_state(TournamentState.PAUSED, shown)

    async def _set_state(self, state: TournamentState, why_paused: str = "") -> None:
        await self._save(state=state, why_paused=why_paused)
        self.state = state
        if state in OVER and self.tournament is not None:
            self.tournament.close()

    async def _save(
        self,
        *,
        state: TournamentState | None = None,
        why_paused: str = "",
        begun_at: datetime | None = None,
        entrants: Sequence[EntrantRecord] = (),
        pairings: Sequence[Pairing] = (),
    ) -> None:
        """Store what was decided, then let it be so here."""
        if not (state or begun_at or entrants or pairings):
            return
        save = partial(
            self._tools.store.save,
            *(self.number, self._changes, self._tools.now()),
            state=state,
            why_paused=why_paused,
            begun_at=begun_at,
            entrants=entrants,
            pairings=[*map(row_of_pairing, pairings)],
        )
        await self._tools.in_thread(save)
        assert self.tournament is not None
        for row in entrants:
            self.entrants.put(row)
            self.tournament.put_entrant(entrant_of(row))
        await _put(self.tournament, pairings)

    async def _enter_and_leave(self) -> None:
        while self._asked:  # one after the other: each gets the next number
            change, done = self._asked[0]
            if (row := change()) is not None:
                if row != self.rows.get(row.number):
                    await self._save(entrants=[row])
                    LOG.info("entrant", tournament=self.word, name=row.name, left=row.left)
                done(row)
            del self._asked[0]  # not before it is stored: the database may fail

    # Results

    async def _take_results(self) -> None:
        now, running = trio.current_time(), self._running
        asked = {*running.perhaps_over}
        if now >= self._looked_at + BACKSTOP:
            self._looked_at = now
            asked.update(running.numbers)
        if asked:
            read = partial(self._tools.store.results, self.number, asked)
            for game in await self._tools.in_thread(read):
                await self._take_result(game)

    async def _take_result(self, game: TournamentGame) -> None:
        assert self.tournament is not None
        if game.number not in self._running:
            return
        if game.score == "*":
            await self._play_again(game)
        self._running.end(game.number)
        self.tournament.finish(result_of(game))
        pairing = self.tournament.pairings[game.number]
        self._crashes.count(pairing, game)
        most = self.tournament.settings.suspend_after
        for entrant in (pairing.white, pairing.black):
            if entrant is not None and self._crashes.reached(entrant, most):
                await self._suspend(entrant, f"it lost {most} games in a row by its connection")

    async def _play_again(self, game: TournamentGame) -> None:
        assert self.tournament is not None
        again = self.tournament.replay_of(game.number)
        if again:
            why = f"game {game.game} has no result ({game.reason})"
            LOG.warning("played again", tournament=self.word, game=game.game, why=game.reason)
            await self._save(pairings=[replace(one, void=True, why=why) for one in again])

    async def _suspend_who_is_absent(self, pairing: Pairing) -> None:
        assert self.tournament is not None
        most = self.tournament.settings.absences
        for entrant in (pairing.white, pairing.black):
            if entrant is not None and most and absences(self.tournament, entrant) >= most:
                await self._suspend(entrant, f"it lost {most} games by absence")

    async def _suspend(self, entrant: int, why: str) -> None:
        row = self.rows[entrant]
        if row.left is not None:
            return
        LOG.warning("an entrant is suspended", tournament=self.word, name=row.name, why=why)
        await self._save(entrants=[row._replace(left=self._next_round, why=why)])
        line = lobby_lines.withdrawn(self.word, row.name, why)
        for handle in self.presence.handles_of(entrant):
            self._tools.lobby.tell_client(handle, line)

    # Pairing

    async def _pair(self) -> None:
        assert self.tournament is not None
        free = partial(free_boards, self.presence, self.rows, self._running.games_of)
        while (request := self.tournament.request(self._at, free())) is not None:
            rounds = [request.round, *(one.round for one in request.new)]
            if self.tournament.settings.by_hand and max(rounds) > self._allowed_round:
                return
            if request.slow:
                prepare = partial(self.tournament.prepared, request)
                request = await self._tools.in_thread(prepare)
            try:
                new = await paired(request)
            except PairingFailedError as error:
                await self._pause(str(error), NOT_PAIRED)
                return
            await self._save(pairings=new)
            if not new:
                return
            for told, pairing in enumerate(new, 1):
                self._tell(pairing)
                if not told % TOLD_AT_ONCE:
                    await trio.lowlevel.checkpoint()

    def _tell(self, pairing: Pairing) -> None:
        """Tell both whom they meet, before the game begins."""
        if pairing.black is None:
            return
        white, black = self.rows[pairing.white].name, self.rows[pairing.black].name
        late = round(1000 * self._seats.lateness.late)
        line = lobby_lines.next_pairing(self.word, pairing.round, white, black, late)
        for entrant in (pairing.white, pairing.black):
            for handle in self.presence.handles_of(entrant):
                self._tools.lobby.tell_client(handle, line)


async def _put(tournament: Tournament, pairings: Sequence[Pairing]) -> None:
    for start in range(0, len(pairings), PUT_AT_ONCE):
        if start:
            await trio.lowlevel.checkpoint()
        tournament.put_pairings(pairings[start : start + PUT_AT_ONCE])
