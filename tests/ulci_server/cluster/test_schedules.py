"""Games at several servers, whatever becomes of these in any order."""

import os
import random
import tempfile
import traceback
from functools import partial
from pathlib import Path

import outcome
import pytest
import structlog
import trio
import trio.testing
from hypothesis import given, settings
from hypothesis import strategies as st
from trio._core import _run

from tests.support.cluster import Cluster, Server
from tests.support.cluster_players import Player
from ulci_server.cluster import NameTakenError
from ulci_server.storage import Database, migrate
from ulci_server.storage.verify import verify_game

NAMES = "abc"

EXAMPLES = int(os.environ.get("ULCI_TEST_SCHEDULES", "4"))
"""Each takes seconds."""

KINDS = (
    *("kill", "start", "drain", "fence", "part", "part-one-way", "disturb", "heal"),
    *("stop-hub", "freeze-hub", "cut", "wait"),
)

STEPS = st.lists(
    st.tuples(
        st.sampled_from(KINDS),
        st.sampled_from(range(3)),
        st.sampled_from((0.0, 0.1, 0.6, 2.0, 5.0)),
    ),
    min_size=2,
    max_size=12,
)

CONTROL, AWAY = "20+2", 8.0

JITTER = 0.01
"""Maximum seconds by which a step comes late, so that nothing else happens at its very moment: a
player turned away just as the hub is back would seem to leave a server that reaches it."""

SETTLED = 15.0
"""Seconds in which all that befell the servers is over."""

PLAYED = 45.0
"""Seconds more in which every game goes on."""


class Field:
    """The servers and players of one example."""

    def __init__(self, nursery: trio.Nursery, folder: Path, seed: int) -> None:
        url = f"sqlite:///{folder}/games.db"
        migrate(url)
        self.cluster = Cluster(nursery, url, CONTROL, AWAY)
        self.reader = Database(url, "process")
        self.chance = random.Random(seed)
        self.servers: dict[str, Server] = {}
        self.players: list[Player] = []
        self.starting: set[str] = set()
        self._cut: set[str] = set()
        self._one_way: set[tuple[str, str]] = set()  # from whom to whom nothing comes
        self._disturbed: set[str] = set()
        self._nursery = nursery
        self.cluster.hub.fate = self._fate

    def living(self) -> list[Server]:
        return [*self.servers.values()]

    async def begin(self) -> None:
        for name in NAMES:
            await self.start(name)
        for number in range(7):
            kind = "person" if number % 2 else "engine"
            chance = random.Random(self.chance.random())
            player = Player(f"p{number}", kind, self.living, chance, self._nursery)
            self.players.append(player)
            self._nursery.start_soon(player.run)
        await trio.sleep(5)

    async def start(self, name: str) -> None:
        """Start it as a supervisor does: again while its name is taken, as that of a server that
        has not ended yet. It begins when the hub answers."""
        self.starting.add(name)
        while name not in self.servers:
            try:
                self.servers[name] = await self.cluster.start(name)
            except* NameTakenError:
                pass
        self.starting.remove(name)

    async def befall(self, kind: str, name: str) -> None:
        server, hub = self.servers.get(name), self.cluster.hub
        if kind == "start" and server is None and name not in self.starting:
            self._nursery.start_soon(self.start, name)
        elif kind == "heal":
            self.heal()
        elif kind == "stop-hub":
            hub.stop()
        elif kind == "freeze-hub":
            hub.freeze()
        elif server is None or kind in ("wait", "start"):
            return
        elif kind == "kill":
            del self.servers[name]
            server.kill()
        elif kind == "drain":
            del self.servers[name]
            self._nursery.start_soon(server.leave)
        elif kind == "fence":
            self._fence(server)
        elif kind == "cut":
            channel = server.node.bus.channel
            hub.cut(channel)
            self._cut.add(channel)
        elif kind == "part":
            for other in self.living():
                if other is not server and self.chance.random() < 0.6:
                    hub.part(server.node.bus.channel, other.node.bus.channel)
        elif kind == "part-one-way":
            for other in self.living():
                if other is not server and self.chance.random() < 0.6:
                    self._one_way.add((server.node.bus.channel, other.node.bus.channel))
        elif kind == "disturb":
            self._disturbed.add(server.node.bus.channel)

    def _fate(self, sender: str, receiver: str) -> tuple[float, ...]:
        if (sender, receiver) in self._one_way:
            return ()
        if not self._disturbed & {sender, receiver}:
            return (0.0,)
        dice = self.chance.random()
        if dice < 0.1:
            return ()
        if dice < 0.2:
            return (0.0, self.chance.uniform(0.0, 0.5))
        return (self.chance.uniform(0.1, 1.0),) if dice < 0.3 else (0.0,)

    def _fence(self, server: Server) -> None:
        for other in self.living():
            if other is not server:
                for state in other.database.runs.living():
                    if state.id == server.node.run:
                        other.database.runs.fence(state.id, state.beat, self.cluster.now())

    def heal(self) -> None:
        self.cluster.hub.start()
        self.cluster.hub.thaw()
        self.cluster.hub.heal()
        self._one_way.clear()
        self._disturbed.clear()
        for channel in self._cut:
            self.cluster.hub.mend(channel)

    def running(self) -> dict[int, int]:
        """The running games, and how many moves each has had."""
        return {
            game.id: len(self.reader.games.history(game.id))
            for game in self.reader.games.find(running=True)
        }


async def scenario(steps, seed: int, folder: Path) -> None:
    """The database's threads outlive the servers."""
    chance = random.Random(seed)
    _run._ALLOW_DETERMINISTIC_SCHEDULING = True  # as pytest-trio sees to it
    _run._r.seed(seed)
    start_thread = trio.lowlevel.start_thread_soon
    async with trio.open_nursery() as threads:

        async def ask(work, deliver) -> None:
            await trio.sleep(chance.choice((0.0, 0.001, 0.02)))
            result = outcome.capture(work)
            await trio.sleep(chance.choice((0.0, 0.001, 0.02)))
            deliver(result)

        trio.lowlevel.start_thread_soon = partial(threads.start_soon, ask)
        try:
            async with trio.open_nursery() as nursery:
                field = Field(nursery, folder, seed)
                await field.begin()
                await live_through(field, steps)
                nursery.cancel_scope.cancel()
        finally:
            trio.lowlevel.start_thread_soon = start_thread
    field.reader.close()


async def live_through(field: "Field", steps) -> None:
    for kind, server, pause in steps:
        await field.befall(kind, NAMES[server])
        await trio.sleep(pause + field.chance.uniform(0.0, JITTER))
    field.heal()
    if not field.servers and not field.starting:
        await field.start("a")
    await trio.sleep(SETTLED)
    before = field.running()
    asked = {player.name: player.asked_at for player in field.players}
    await trio.sleep(PLAYED)
    after = field.running()
    check_players(field)
    check_record(field)
    stand = [game for game, facts in after.items() if before.get(game) == facts]
    idle = [p.name for p in field.players if p.asked_at == asked[p.name]]
    lost = [why for player in field.players for why in player.lost]
    found = f"games {stand} stand still, {idle} are not asked to move, closed: {lost}"
    assert (stand, idle[2:], lost) == ([], [], []), found


def check_players(field: Field) -> None:
    """Nobody plays two games."""
    playing: dict[str, list[str]] = {}
    for game in field.reader.games.find(running=True):
        for seat in game.seats:
            playing.setdefault(seat.key or seat.name, []).append(f"{seat.handle} in {game.id}")
    doubled = [games for games in playing.values() if len(games) > 1]
    assert not doubled, f"{doubled}"


def check_record(field: Field) -> None:
    for game in field.reader.games.find():
        verify_game(field.reader, game)


class Errors:
    """What is logged as an error."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def __call__(self, _, level: str, event):
        if level in ("error", "critical", "exception"):
            self.found.append(f"{event} {traceback.format_exc()}")
        raise structlog.DropEvent


@pytest.mark.slow
@settings(max_examples=EXAMPLES)
@given(STEPS, st.integers(0, 1000))
def test_games_go_on_whatever_becomes_of_the_servers(steps, seed) -> None:
    errors = Errors()
    before = structlog.get_config()["processors"]
    structlog.configure(processors=[errors])
    try:
        with tempfile.TemporaryDirectory() as folder:
            clock = trio.testing.MockClock(autojump_threshold=0)
            trio.run(partial(scenario, steps, seed, Path(folder)), clock=clock)
    finally:
        structlog.configure(processors=before)
    assert errors.found == []
