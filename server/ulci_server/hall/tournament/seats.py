"""Begins the games of a tournament that are due, and waits for those who are to play them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import structlog
import trio

from ulci_server.game import Conduct
from ulci_server.lobby import Agreement, Pool
from ulci_server.openings import Book, BookFile, Format, Order, format_of, load_book
from ulci_server.openings.opening import BookError
from ulci_server.storage import EntrantRecord
from ulci_server.tournament import Pairing, Tournament, TournamentFormat, TournamentSettings

from .lateness import Lateness, charged
from .openings import Openings
from .policies import lost_by_absence
from .presence import Presence
from .running import Running
from .tools import Tools

LOG = structlog.get_logger("ulci_server.tournament")

RETRY = 1.0
"""Seconds until a pairing is seated again whose game did not begin."""

SOON = 10.0
"""Seconds in which those must come who were here when they were paired."""

MOST_SEATED = 4
"""Games that begin between two turns of the loop: each takes up to two milliseconds."""

DISCONNECTIONS = 3
"""The lost connection by which a game is lost, unless the pool says otherwise."""


class Seats:
    """Of one tournament. failed: called when a game does not begin."""

    def __init__(
        self,
        number: int,
        word: str,
        tools: Tools,
        presence: Presence,
        running: Running,
        failed: Callable[[], object],
    ) -> None:
        self._number = number
        self._word = word
        self._tools = tools
        self._presence = presence
        self._running = running
        self._failed = failed
        self._failed_at: dict[int, float] = {}
        self._openings: Openings | None = None
        self.lateness = Lateness(SOON)

    def set_late(self, tournament: Tournament) -> None:
        """How long is waited for those who do not come."""
        late = tournament.settings.late
        self.lateness.late = min(late, SOON) if tournament.pairs_here else late

    def next_turn(self, tournament: Tournament) -> float:
        """When (s, `trio.current_time`) something is due here without an event."""
        now = trio.current_time()
        turns = [at + RETRY for at in self._failed_at.values()]
        dues = (self.lateness.due(one.number) for one in tournament.open_pairings())
        turns += [due for due in dues if due is not None and due > now]
        return min(turns, default=float("inf"))

    async def begin_due(
        self, tournament: Tournament, rows: Mapping[int, EntrantRecord]
    ) -> list[Pairing]:
        """Begin what can begin. Returns pairings as they are decided by lateness: an encounter is
        lost as a whole by a player that misses its first game.

        Raises:
            BookError: there is no opening for one.
        """
        begun, seen, late = 0, set[int](), list[Pairing]()
        for pairing in self._due(tournament):
            if len(self._running) >= tournament.settings.at_once:
                break
            assert pairing.black is not None
            both = pairing.white, pairing.black
            white, black = (self._client_of(one, rows) for one in both)
            if white is not None and black is not None:
                await self._begin(tournament, pairing, (white, black))
                begun += 1
                if not begun % MOST_SEATED:
                    await trio.lowlevel.checkpoint()
            elif seen.isdisjoint(both):
                clients = zip(both, (white, black), strict=True)
                absent = {one for one, client in clients if client is None}
                if self._waits_too_long(pairing.number, absent, rows):
                    late += (
                        lost_by_absence(one, absent, rows, self.lateness.late)
                        for one in self._due(tournament)
                        if one.key == pairing.key
                    )
            seen.update(both)
        return late

    def _due(self, tournament: Tournament) -> Iterable[Pairing]:
        now = trio.current_time()
        self._failed_at = {n: at for n, at in self._failed_at.items() if now < at + RETRY}
        for pairing in tournament.open_pairings():
            if pairing.number not in self._running and pairing.number not in self._failed_at:
                yield pairing

    def _client_of(self, entrant: int, rows: Mapping[int, EntrantRecord]) -> str | None:
        """A client of the entrant that may begin a game now."""
        if self._running.games_of(entrant) >= rows[entrant].boards:
            return None
        while (handle := self._presence.first_free(entrant)) is not None:
            if self._tools.lobby.may_begin(handle):
                return handle
            self._presence.busy(handle)  # with another game, of whose end the lobby tells
        return None

    def _waits_too_long(
        self, number: int, absent: set[int], rows: Mapping[int, EntrantRecord]
    ) -> bool:
        """Nobody waits for an entrant whose game is on, or for an engine of the server that plays
        with somebody else."""
        for one in absent:
            if self._running.games_of(one) or (rows[one].engine and self._presence.is_here(one)):
                return False
        return self.lateness.wait(number, absent, trio.current_time())

    async def _begin(
        self, tournament: Tournament, pairing: Pairing, clients: tuple[str, str]
    ) -> None:
        pool = self._tools.pools[tournament.settings.pool]
        if self._openings is None:
            book = None
            if tournament.settings.openings is not None:  # a large one takes seconds to index
                opened = partial(_opened, tournament.settings, pool)
                book = await trio.to_thread.run_sync(opened, abandon_on_cancel=True)
            self._openings = Openings(pool, self._tools.books, book)
        try:
            opening = await self._openings.draw(pairing.opening)
        except BookError:
            self._openings = None  # the file may be another one when the director goes on
            raise
        if self._tools.lobby.closed or not all(map(self._tools.lobby.may_begin, clients)):
            return  # one has left while the opening was drawn
        assert pairing.black is not None
        both, now = (pairing.white, pairing.black), trio.current_time()
        agreement = Agreement(
            pool.game,
            charged(pool.control, self.lateness.costs(pairing.number, both, now)),
            opening.start,
            pool.rated,
            pool.name,
            replace(pool.pool_rules, conduct=_conduct(pool.pool_rules.conduct, tournament, pool)),
            opening.moves,
            encounter=(self._number, pairing.number),
        )
        self._running.begin(pairing, *clients)
        for handle in clients:
            self._presence.busy(handle)
        failed = partial(self._not_begun, pairing.number)
        self._tools.lobby.begin_between(*clients, agreement, failed)

    def _not_begun(self, number: int, why: str) -> None:
        LOG.warning("a game does not begin", tournament=self._word, pairing=number, why=why)
        self._running.end(number)
        self._failed_at[number] = trio.current_time()
        self._failed()


def _conduct(conduct: Conduct, tournament: Tournament, pool: Pool) -> Conduct:
    """A game of a tournament is played to its end, and a player that does not come loses it."""
    is_arena = tournament.settings.format is TournamentFormat.ARENA
    return replace(
        conduct,
        abort=False,
        takeback=False,
        givetime=False,
        rematch=False,
        forfeit=True,
        absent_clock=True,
        berserk=is_arena and pool.control.halves,
        disconnections=conduct.disconnections or DISCONNECTIONS,
    )


def _opened(settings: TournamentSettings, pool: Pool) -> Book | None:
    """The tournament's own book; None: it has none. Raises `BookError`."""
    asked = settings.openings
    if asked is None:
        return None
    path = Path(asked.file)
    form = Format(asked.format) if asked.format else format_of(path)
    if form is None:
        raise BookError(f"the name of {asked.file} does not tell its format")
    file = BookFile(path, form, Order(asked.order), asked.plies, asked.start, asked.srand)
    return load_book(file, pool.game)
