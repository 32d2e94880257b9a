"""The machine's clock is set by days, in both directions, while games run and while no server does.

The whole server in this process, with real sockets and a real database; the clock that it reads is
ours.
"""

import random
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from types import SimpleNamespace

import pytest
import trio

from tests.support.clients import Client
from ulci.net import dial, intake
from ulci.protocol import ULCI, Connection, Role, TextCodec
from ulci.protocol.messages import BestMove, Go, Id, Seek, Terms
from ulci_server.app import Shutdown, heartbeats, run_server
from ulci_server.app import serving as app_serving
from ulci_server.config import load
from ulci_server.storage import WallClock, open_database
from ulci_server.storage.verify import verify_game

from .bullet import written_game

pytestmark = [pytest.mark.faults, pytest.mark.system]

DAY = 86_400
BASE = 600_000
"""ms; whoever is charged a jump has lost."""

PLIES = 12
"""Of each life of the server."""

LIVES = 4

HANG = 60
"""s in which nobody was asked who should be: the game is over."""


class Machine:
    """The machine's clock, and what the kernel stamps with it; `ahead` in s."""

    def __init__(self, seed: int) -> None:
        self.ahead = 0.0
        self._chance = random.Random(seed)

    def set(self) -> None:
        self.ahead += self._chance.choice((-1, 1)) * self._chance.uniform(0.5, 9) * DAY

    def time(self) -> float:
        return time.time() + self.ahead

    def time_ns(self) -> int:
        return time.time_ns() + int(self.ahead * 1e9)

    def stamp(self, stamped, ancillary) -> int | None:
        """Of the kernel; now and then it was given before the clock was set."""
        at = stamped(ancillary)
        if at is None or self._chance.random() < 0.2:
            return at
        return at + int(self.ahead * 1e9)


@pytest.fixture
def machine(monkeypatch) -> Machine:
    machine = Machine(seed=4)
    clocks = SimpleNamespace(time_ns=machine.time_ns, monotonic_ns=time.monotonic_ns)
    monkeypatch.setattr(intake, "time", clocks)
    monkeypatch.setattr(intake, "_stamp", partial(machine.stamp, intake._stamp))
    monkeypatch.setattr(app_serving, "WallClock", partial(WallClock, machine.time))
    return machine


@asynccontextmanager
async def serving(url: str) -> AsyncIterator[object]:
    """A server that is not shutdown requested, but ends as if it were killed; its address."""
    config = load(None, {"listen": [{"address": "tcp://127.0.0.1:0"}], "database": {"url": url}})
    async with trio.open_nursery() as nursery:
        [address] = await nursery.start(partial(run_server, config, Shutdown()))
        yield address
        nursery.cancel_scope.cancel()


class Seat:
    """One player, over as many lines as there are servers."""

    def __init__(self, name: str, color: str) -> None:
        self._name, self._color = name, color
        self._secret = ""
        self.client: Client | None = None

    async def sit(self, address, stack: AsyncExitStack) -> None:
        line = Connection(Role.CLIENT, TextCodec(), ULCI.with_lobby())
        self.client = Client(await stack.enter_async_context(dial(address, lambda _: line)))
        seat = [Id("resume", self._secret)] if self._secret else []
        await self.client.introduce(Id("username", self._name), Id("feature", "lobby"), *seat)
        welcome = (await self.client.hear_line("welcome")).split()
        if not seat:
            self.client.say(Seek(Terms(time="600+0", color=self._color)))
        else:
            assert welcome[-1] == self._secret
        self._secret = welcome[-1]


async def play(seats, moves: list[str], plies: range, machine: Machine) -> list[Go]:
    """Those plies; what was asked."""
    asked = []
    for ply in plies:
        machine.set()
        with trio.fail_after(HANG):
            asked.append(await seats[ply % 2].client.be_asked())
        machine.set()
        seats[ply % 2].client.say(BestMove(moves[ply]))
    return asked


async def test_a_clock_that_is_set_by_days_costs_nobody_a_second(machine, tmp_path):
    url = f"sqlite:///{tmp_path}/ulci.db"
    moves = written_game(1)
    seats = Seat("Ada", "white"), Seat("Bob", "black")
    began = time.monotonic()
    asked: list[Go] = []
    for life in range(LIVES):
        async with serving(url) as address, AsyncExitStack() as stack:
            for seat in seats:
                await seat.sit(address, stack)
            for seat in seats:
                await seat.client.get_ready()
            plies = range(PLIES * life, PLIES * (life + 1))
            asked += await play(seats, moves, plies, machine)
            # It has been noted that the server lives, long after the last move by the new clock.
            await seats[0].client.be_asked()
            machine.set()
            await trio.sleep(2 * heartbeats.BEAT)
        machine.set()
    lasted = 1000 * (time.monotonic() - began)
    for go in asked:
        assert BASE - lasted <= min(go.wtime, go.btime) <= max(go.wtime, go.btime) <= BASE
    database = open_database(url, writing=False)
    [game] = database.games.find()
    assert verify_game(database, game) == PLIES * LIVES
    played = database.games.moves(game.id)
    database.close()
    assert [move.move for move in played] == moves[: PLIES * LIVES]
    assert max(max(move.lag, move.stall, move.spent) for move in played) <= lasted
