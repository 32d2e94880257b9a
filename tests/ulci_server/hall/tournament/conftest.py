"""Tournaments without a hall: a lobby that begins games by writing them down, on a mock clock."""

from collections.abc import Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import trio

from tests.support.facts import finished, line, noted
from ulci.protocol.messages import Lobby as Line
from ulci.protocol.messages import PlayerCommand
from ulci.rules import GAMES, Reason, Side
from ulci_server.game import Controls, EncounterBegun
from ulci_server.hall.tournament import Tools, TournamentHost
from ulci_server.lobby import Agreement, Pool, Profile
from ulci_server.lobby.programs import ServerProgram
from ulci_server.storage import EntrantRecord, MemoryDatabase, StoredTournament, TournamentState
from ulci_server.tournament import parse_tournament

CHESS = Pool("chess", GAMES["chess"], Controls.parse("60+1"), (None,), rated=True)
NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)

SCORES = {"1-0": Side.WHITE, "0-1": Side.BLACK, "1/2-1/2": None}


async def at_once(work: Callable[[], object]) -> object:
    """No thread: a mock clock would go on while one works."""
    await trio.lowlevel.checkpoint()
    return work()


class FakeLobby:
    """Begins games by storing them. `games`: those that are on, by their numbers."""

    def __init__(self, database: MemoryDatabase) -> None:
        self._database = database
        self.closed = ""
        self.clients: dict[str, Profile] = {}
        self.playing: dict[str, int] = {}
        self.games: dict[int, tuple[str, str, Agreement]] = {}
        self.begun: list[tuple[str, str]] = []
        self.told: dict[str, list[Line]] = {}
        self.announced: list[Line] = []
        self.refuses = ""
        self.host: TournamentHost | None = None
        self._number = 0

    def profiles(self) -> Iterable[Profile]:
        return [*self.clients.values()]

    def profile_of(self, handle: str) -> Profile | None:
        return self.clients.get(handle)

    def may_begin(self, handle: str) -> bool:
        return handle in self.clients and handle not in self.playing

    def begin_between(
        self, white: str, black: str, agreement: Agreement, failed: Callable[[str], object]
    ) -> None:
        assert self.may_begin(white)
        assert self.may_begin(black)
        if self.refuses:
            failed(self.refuses)
            return
        self._number += 1
        self.games[self._number] = white, black, agreement
        self.begun.append((white, black))
        self.playing |= dict.fromkeys((white, black), self._number)
        assert agreement.encounter is not None
        facts = [
            *line(self._number, "e2e4 e7e5", control=str(agreement.control)),
            EncounterBegun(self._number, *agreement.encounter),
        ]
        self._database.save(noted(facts))

    def tell_client(self, handle: str, line: Line) -> None:
        self.told.setdefault(handle, []).append(line)

    def tell_lines(self, handle: str, what: str, lines: Callable[[], list[Line]]) -> None:
        self.told.setdefault(handle, []).extend(lines())

    def tell_everybody(self, line: Line) -> None:
        self.announced.append(line)

    def set_entered(self, handle: str, word: str, *, enters: bool) -> None:
        if handle in self.clients:
            others = tuple(one for one in self.clients[handle].enters if one != word)
            self.clients[handle] = replace(
                self.clients[handle], enters=(*others, word) if enters else others
            )


class Evening:
    """A server with tournaments. `here`: clients come, by name, with accounts of those names."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self.database = MemoryDatabase()
        self.store = self.database.tournaments
        self.began = trio.current_time()
        self._nursery = nursery
        self.lobby = FakeLobby(self.database)
        self.host = self.serve()

    def now(self) -> datetime:
        return NOON + timedelta(seconds=trio.current_time() - self.began)

    def serve(self) -> TournamentHost:
        """Another server goes on from what is stored."""
        tools = Tools(
            lobby=self.lobby,
            store=self.store,
            now=self.now,
            pools={"chess": CHESS},
            books={},
            in_thread=at_once,
        )
        self.host = self.lobby.host = TournamentHost(tools)
        self._nursery.start_soon(self.host.run)
        return self.host

    def create(self, settings: str, *names: str, start: bool = True) -> int:
        """The tournament ``cup`` of these accounts."""
        text = f'name = "Cup"\npool = "chess"\n{settings}\n'
        text += "".join(f'[[entrant]]\naccount = "{name}"\n' for name in names)
        parse_tournament(text)
        rows = [
            EntrantRecord(n, name, account=self.account(name)) for n, name in enumerate(names, 1)
        ]
        made = self.store.create(text, 7, "cup", NOON, entrants=rows)
        if start:
            self.store.change(made.id, NOON, state=TournamentState.RUNNING)
        return made.id

    def account(self, name: str) -> int:
        known = self.database.accounts.find_player(name)
        return (known or self.database.accounts.add_player(name, "engine")).id

    def come(self, *names: str) -> None:
        """Clients of these accounts come for the tournament."""
        for name in names:
            profile = Profile(
                name, name, account=self.account(name), enters=("cup",), features=LOBBY
            )
            self.arrive(profile)

    def arrive(self, profile: Profile) -> None:
        self.lobby.clients[profile.handle] = profile
        self.host.freed(profile)

    def offer(self, name: str) -> None:
        """An engine of the server is here."""
        self.arrive(Profile(name, name, program=ServerProgram(("human",))))

    def go(self, handle: str) -> None:
        del self.lobby.clients[handle]
        self.host.left(handle)

    def say(self, handle: str, command: PlayerCommand) -> list[str]:
        """What the client is told at once."""
        self.lobby.told[handle] = []
        self.host.hear(handle, command)
        return self.heard(handle)

    def heard(self, handle: str) -> list[str]:
        return [type(each.line).__name__ for each in self.lobby.told.get(handle, [])]

    def end(self, number: int, score: str = "1-0", reason: Reason | None = None) -> None:
        """The game of that number is over; `*`: without a result."""
        white, black, _ = self.lobby.games.pop(number)
        if score == "*":
            self.database.save(noted([finished(number, None, reason or Reason.SERVER)]))
        else:
            usual = Reason.AGREEMENT if score == "1/2-1/2" else Reason.CHECKMATE
            self.database.save(noted([finished(number, SCORES[score], reason or usual)]))
        for handle in (white, black):
            if self.lobby.playing.get(handle) == number:
                del self.lobby.playing[handle]
            if handle in self.lobby.clients:
                self.host.freed(self.lobby.clients[handle])

    def stored(self, tournament: int = 1) -> StoredTournament:
        stored = self.store.stored(tournament)
        assert stored is not None
        return stored

    @property
    def on(self) -> list[tuple[str, str]]:
        """Who plays whom now."""
        return [(white, black) for white, black, _ in self.lobby.games.values()]

    async def play_on(self, score: Callable[[int], str] = lambda _: "1-0", most: int = 500) -> None:
        """End games as they come, the oldest first, until none begins any more."""
        for _ in range(most):
            await trio.sleep(2)
            if not self.lobby.games:
                return
            number = next(iter(self.lobby.games))
            self.end(number, score(number))
        raise AssertionError("it does not end")


LOBBY = frozenset({"lobby"})


@pytest.fixture
async def evening():
    async with running_evening() as here:
        yield here


@asynccontextmanager
async def running_evening():
    async with trio.open_nursery() as nursery:
        yield Evening(nursery)
        nursery.cancel_scope.cancel()
