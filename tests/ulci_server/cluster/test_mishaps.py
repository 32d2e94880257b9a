"""Players at several servers, to which everything happens at once: none loses a game, time or its
way back.

As `tests.faults` with nodes, whose players these are, but in memory and on a clock that jumps: a
minute of it takes three seconds, and there is no frozen server. With ULCI_TEST_MISHAPS=100 there
are so many scenarios. A seed decides what befalls whom and when, and Trio by chance the order of
tasks: a scenario that failed may pass the next time.
"""

import os
import random
import re
from collections.abc import Iterator
from math import inf

import pytest
import trio

from tests.faults import players, record
from tests.support.cluster import Cluster, Server
from tests.support.facts import NOON
from ulci.rules import Reason
from ulci_server.storage import Database, GameRecord

SCENARIOS = int(os.environ.get("ULCI_TEST_MISHAPS", "2"))

CONTROL, AWAY = "10+0.1", 8.0

READY = 8.0
"""Seconds for which a player waits whose opponent quit before hearing that their game began: far
less than `players.DARKNESS`."""

HARM = 20.0
"""Seconds in which something happens to servers all the time."""

LONGEST = 120.0
"""Seconds from the beginning in which all games have ended."""

LATE = 3.0
"""Seconds that a game may last longer when a player believes that it is gone."""

MOST_CHARGED = 150
"""ms that a move may cost whose player has thought for at most 50."""

LINES_LAST = 8.0
"""Seconds for which a player's connection lasts, in the mean."""

MISHAPS = ("kill", "end", "cut-database", "cut-hub", "cut-both", "restart-hub", "restart-database")

WITHOUT_DATABASE = re.compile("event='(storage fails|not stored)'")
"""What a server logs as an error while it does not reach its database."""

PLAYED = {
    *(Reason.RESIGNATION, Reason.AGREEMENT, Reason.CHECKMATE, Reason.STALEMATE),
    *(Reason.REPETITION, Reason.MATERIAL, Reason.FIFTY_MOVES),
}


class Field:
    """Three servers and what befalls them. One of them is always well, but for restarts of the hub
    and the database that all have in common."""

    def __init__(self, cluster: Cluster, seed: int) -> None:
        self.chance = random.Random(seed)
        self.servers: dict[str, Server] = {}
        self.calm = False
        self._cluster = cluster
        self._hurt: set[str] = set()
        self._mended = trio.Event()

    async def begin(self) -> None:
        for name in "abc":
            await self._start(name)

    async def _start(self, name: str) -> None:
        self.servers[name] = await self._cluster.start(name, ready=READY)

    async def harm(self) -> None:
        """Until it is calm."""
        async with trio.open_nursery() as nursery:
            end = trio.current_time() + HARM
            while trio.current_time() < end:
                nursery.start_soon(self._befall, self.chance.choice(MISHAPS))
                await trio.sleep(self.chance.uniform(0.1, 3.0))
        self.calm = True

    async def _befall(self, kind: str) -> None:
        while len(well := sorted(self.servers.keys() - self._hurt)) < 2:
            await self._mended.wait()
        name = self.chance.choice(well)
        self._hurt.add(name)
        if kind in ("kill", "end"):
            await self._end(name, kind)
        else:
            await self._cut(self.servers[name], kind)
        self._hurt.remove(name)
        self._mended.set()
        self._mended = trio.Event()

    async def _end(self, name: str, kind: str) -> None:
        server = self.servers.pop(name)
        if kind == "kill":
            server.kill()
        else:
            with trio.move_on_after(10):
                await server.leave()
            server.scope.cancel()  # it may wait for its database
        await trio.sleep(self.chance.uniform(0, 2))
        await self._start(name)

    async def _cut(self, server: Server, kind: str) -> None:
        hub, channel = self._cluster.hub, server.node.bus.channel
        without = [*self.servers.values()] if kind == "restart-database" else [server]
        if kind in ("cut-database", "cut-both", "restart-database"):
            for one in without:
                one.has_database = False
        if kind in ("cut-hub", "cut-both"):
            hub.cut(channel)
        if kind == "restart-hub":
            hub.stop()
        await trio.sleep(self.chance.uniform(0.1, 0.8 if "restart" in kind else 4.0))
        for one in without:
            one.has_database = True
        hub.mend(channel)
        hub.start()


class Player(players.Player):
    """Calls any server that runs. lines_break: whether its own lines do, too."""

    def __init__(self, name: str, plan: players.Plan, field: Field, *, lines_break: bool) -> None:
        super().__init__(name, plan, human=name[-1] in "036")
        self._field = field
        self._lines_break = lines_break

    async def run(self) -> None:
        while not (self.plan.enough() and not self.game):
            if servers := self._field.servers:
                await self._call(servers[self._chance.choice(sorted(servers))])
            await trio.sleep(self._chance.uniform(0.01, 0.06))

    async def _call(self, server: Server) -> None:
        self.calls += 1
        breaks = self._lines_break and not self._field.calm
        lasts = self._chance.expovariate(1 / LINES_LAST) if breaks else inf
        with trio.move_on_after(lasts):
            async with server.dial() as stream:
                try:
                    await self._converse(stream)
                except trio.BrokenResourceError:
                    return


@pytest.fixture(params=range(SCENARIOS))
def seed(request, monkeypatch) -> int:
    for module in players, record:
        monkeypatch.setattr(module, "now", trio.current_time)
    return request.param


@pytest.mark.slow
@pytest.mark.parametrize("lines_break", [True, False], ids=["lines break", "lines hold"])
async def test_no_game_is_lost_whatever_befalls_the_servers_at_once(
    cluster, nursery, autojump_clock, seed, lines_break, errors_logged
):
    field = Field(Cluster(nursery, cluster.url, CONTROL, AWAY), seed)
    plan = players.Plan(seed, think=0.05, enough=lambda: field.calm)
    await field.begin()
    with trio.fail_after(LONGEST):
        async with trio.open_nursery() as playing:
            playing.start_soon(field.harm)
            for number in range(8):
                player = Player(f"p{number}", plan, field, lines_break=lines_break)
                playing.start_soon(player.run)
    await trio.sleep(30)  # games that begin while their players quit
    database = Database(cluster.url, "process")
    games = {game.id: game for game in database.games.each()}
    charged = {} if lines_break else dict(costs(database, games))
    database.close()
    nursery.cancel_scope.cancel()
    assert [*missed(plan, games)] == []
    assert plan.dark == []
    assert [game.id for game in games.values() if not may_end_so(game)] == []
    assert charged == {}
    assert len(games) > 10
    assert [error for error in errors_logged.take() if not WITHOUT_DATABASE.search(error)] == []


def missed(plan: players.Plan, games: dict[int, GameRecord]) -> Iterator[str]:
    """Who came back and was not told of a game that went on."""
    for name, number, at in plan.given_up:
        game = games.get(number)
        if game is None or game.finished_at is None:
            continue  # it was never stored; or it still runs, which `may_end_so` finds
        ended = (game.finished_at - NOON).total_seconds()
        if name in map(record.plain, (seat.handle for seat in game.seats)) and ended > at + LATE:
            yield f"{name} gave up game {number} at {at:.2f}, which ended at {ended:.2f}"


def may_end_so(game: GameRecord) -> bool:
    """It was played; or a player had quit before hearing that it began."""
    if game.outcome is None:
        return False  # it still runs
    reason = game.outcome.reason
    left = reason is Reason.DISCONNECT and game.detail.endswith("it said quit")
    return reason in PLAYED or reason is Reason.ABORTED or left


def costs(database: Database, games: dict[int, GameRecord]) -> Iterator[tuple[str, int]]:
    """The moves that cost too much."""
    for number in games:
        for move in database.games.moves(number):
            if (cost := move.spent - move.stall - move.lag) > MOST_CHARGED:
                yield f"game {number}, ply {move.ply}", cost
