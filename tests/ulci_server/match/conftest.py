"""A match on the mock clock, between peers in memory: no process, no disk, no real time."""

from collections.abc import Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from itertools import count, zip_longest

import pytest
import trio
import trio.testing

from tests.support.clients import Client, memory_client
from tests.support.databases import unfinished
from tests.support.journal import DatedJournal, now
from ulci.protocol.messages import BestMove, Go, Id, IsReady, Option, Position, ReadyOk, Stop
from ulci.rules import GAMES, Side
from ulci_server.game import (
    Conduct,
    Controls,
    EncounterBegun,
    Fact,
    GameStarted,
    MovePlayed,
    Timeouts,
)
from ulci_server.hall import ClientTimeouts, Downtime, Hall, HallSettings
from ulci_server.lobby import PoolRules
from ulci_server.match import POOL, Director, MatchEngine, MatchHost, Past, recall
from ulci_server.openings import Opening
from ulci_server.storage import MemoryDatabase
from ulci_server.tournament import Progress, Schedule, ScheduledGame

MATES = {"e2e4": "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7", "f2f3": "f2f3 e7e5 g2g4 d8h4"}
"""Short games, by their first move: White mates in the first one, Black in the second."""

SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8")
"""Moves by which a game is drawn by repetition."""

RULES = PoolRules(conduct=Conduct(abort=False, takeback=False, rematch=False, forfeit=True))

CONTROL = Controls.parse("60+1")[Side.WHITE]


class Player:
    """A program from elsewhere. It wins as it can with White and Black, loses so (not `wins`), or
    draws (`wins` is None). It stops answering before the ply `hangs` of a game."""

    def __init__(self, client: Client, *, wins: bool | None, hangs: int | None) -> None:
        self.client = client
        self.positions: list[Position] = []
        self.games = 0
        self._wins = wins
        self._hangs = hangs

    async def play(self) -> None:
        """Until its connection is over."""
        while (heard := await self.client.peer.receive()) is not None:
            said = heard.message
            self.client.heard.append(said)
            if isinstance(said, Position):
                self.positions.append(said)
            elif isinstance(said, IsReady):
                self.client.say(ReadyOk())
            elif isinstance(said, Go) and len(self.positions[-1].moves) != self._hangs:
                self.client.say(BestMove(self._move(self.positions[-1].moves)))
            elif isinstance(said, Stop) and self.client.peer.connection.owed:
                self.client.say(BestMove("0000"))

    def _move(self, moves: Sequence[str]) -> str:
        if moves and moves[0] in MATES:
            return MATES[moves[0]].split()[len(moves)]
        if moves or self._wins is None:
            return SHUFFLE[len(moves) % 4]
        return "e2e4" if self._wins else "f2f3"


class SeenJournal(DatedJournal):
    """Looks like a `FollowedJournal`."""

    def __init__(self) -> None:
        super().__init__()
        self.played = lambda _: None

    def note(self, fact: Fact) -> None:
        if isinstance(fact, MovePlayed):
            self.played(fact)
        super().note(fact)


class Events:
    """What the director tells. `over`: called at the end of a game; False ends the match."""

    def __init__(self) -> None:
        self.begun: list[ScheduledGame] = []
        self.moves: list[tuple[int, str]] = []
        self.results: list[tuple[int, str, str]] = []
        self.over = lambda: True

    def opened(self, *_: object) -> None:
        raise AssertionError("no process is started here")

    def introduced(self, *_: object) -> None:
        raise AssertionError("no process is started here")

    def noticed(self, *_: object) -> None:
        raise AssertionError("no process is started here")

    def recorded(self, *_: object) -> None:
        raise AssertionError("nobody reads the record here")

    def started(self, game: ScheduledGame) -> None:
        self.begun.append(game)

    def played(self, game: ScheduledGame, move: MovePlayed) -> None:
        self.moves.append((game.number, move.move))

    def ended(self, game: ScheduledGame, outcome, detail: str) -> bool:
        self.results.append((game.number, outcome.score, outcome.reason.value))
        return self.over()


class Match:
    """One run of a match. engines: names of those that come from elsewhere, or all that is known of
    them. `kept`: the games that count, with their numbers in the record."""

    def __init__(
        self,
        nursery: trio.Nursery,
        engines: str | Sequence[MatchEngine] = "A B",
        *,
        rounds: int = 1,
        sprt=None,
        openings: Sequence[Opening] | None = None,
        wait: float = 0.0,
        database: MemoryDatabase | None = None,
        margins: Sequence[int] = (),
        processors: Sequence[int] = (),
        game: str = "chess",
    ) -> None:
        self.database = database or MemoryDatabase()
        self.journal = SeenJournal()
        self.events = Events()
        self.kept: list[tuple[int, int]] = []
        self.over = trio.Event()
        self.draws = trio.Event()
        """Until then nobody gets an opening."""
        self.draws.set()
        self._openings = openings
        self._nursery = nursery
        secrets = (f"secret {trio.current_time()} {number}" for number in count())
        self.host = MatchHost(RULES, secrets.__next__)
        self.hall = Hall(
            self.journal,
            lambda _: self.host,
            settings=HallSettings(
                clients=ClientTimeouts(handshake=10, drain=300),
                game=Timeouts(ready=30, away=60),
                claims=False,
            ),
        )
        self.past: Past = recall(self.database, "settings", 7, now())
        if isinstance(engines, str):
            engines = [
                MatchEngine(name, None, CONTROL, margin=margin)
                for name, margin in zip_longest(engines.split(), margins, fillvalue=0)
            ]
        self.progress = Progress(Schedule(len(engines), rounds), sprt, by_pairs=True)
        for number, played in self.past.ended:
            self.progress.finish(number, played.result)
        self.director = Director(
            self.hall,
            self.journal,
            self.progress,
            engines,
            self.events,
            self.past,
            game=GAMES[game],
            rules=RULES,
            number=count(self.database.games.last_id() + 1).__next__,
            draw=self._draw,
            keep=self._keep,
            wait=wait,
            processors=processors,
        )
        nursery.start_soon(self.hall.run)

    async def _draw(self, number: int) -> Opening:
        await self.draws.wait()
        return Opening() if self._openings is None else self._openings[number]

    async def _keep(self, due: ScheduledGame, number: int) -> None:
        await trio.lowlevel.checkpoint()
        self.kept.append((due.number, number))

    def save(self) -> None:
        """What was noted is in the database now."""
        self.database.save(self.journal.noted)
        self.journal.noted.clear()

    def resume(self) -> int:
        """Go on with the games of the run before, 5 s after it ended."""
        down = Downtime(now(), now() + timedelta(seconds=5))
        return sum(
            not self.hall.resume_game(game, down, all_left=True)
            for game in unfinished(self.database)
        )

    async def play(self, boards: int = 1) -> None:
        """Until the match is over."""
        await self.director.run(boards)
        self.over.set()

    def begin(self, boards: int = 1) -> None:
        self._nursery.start_soon(self.play, boards)

    async def pause(self) -> None:
        await self.hall.closing.drain(trio.CancelScope(), 0, "interrupted", keeps=True)

    async def join(self, name: str, *said: Id | Option) -> Client:
        """Somebody comes in by that name, and says this, too."""
        near, client = memory_client()
        self._nursery.start_soon(self._welcome, near)
        await client.introduce(Id("name", name), *said)
        await trio.testing.wait_all_tasks_blocked()
        return client

    async def engine(
        self, name: str, *, wins: bool | None = None, hangs: int | None = None
    ) -> Player:
        """One that plays by itself."""
        player = Player(await self.join(name), wins=wins, hangs=hangs)
        self._nursery.start_soon(player.play)
        return player

    async def _welcome(self, peer) -> None:
        await self.hall.welcome(peer, POOL)
        await peer.aclose()

    @property
    def games(self) -> list[tuple[str, str]]:
        """White and Black of each game, in the order in which they began."""
        return [tuple(seat.name for seat in fact.seats) for fact in self.starts]

    @property
    def starts(self) -> list[GameStarted]:
        return self.journal.kinds(GameStarted)

    @property
    def encounters(self) -> list[tuple[int, int]]:
        """The number in the record of each game that began, and its number in the match."""
        return [(fact.game, fact.number) for fact in self.journal.kinds(EncounterBegun)]


@pytest.fixture
def match():
    @asynccontextmanager
    async def open_match(*args, **kwargs):
        with trio.fail_after(3600):
            async with trio.open_nursery() as nursery:
                yield Match(nursery, *args, **kwargs)
                nursery.cancel_scope.cancel()

    return open_match


@pytest.fixture
def rematch(match):
    """The next run of a match: what the one before noted is found, and its games go on."""

    @asynccontextmanager
    async def open_again(before: Match, *args, **kwargs):
        before.save()
        async with match(*args, database=before.database, **kwargs) as again:
            again.resumed = again.resume()
            yield again

    return open_again
