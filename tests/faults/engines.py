"""Real engines behind bridges, on lines full of faults: they, or the referee of their game, are
killed and stopped at any moment, and the server is killed in between."""

import json
import random
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from os import kill
from pathlib import Path

import trio

from tests.support import nim
from tests.support.bridges import Bridge, bridged
from ulci_server.storage import open_repository

from .house import AWAY, House
from .invariants import Case, Chronicle, Trouble, Violation, disagreements, judge, unexpected_errors
from .proxy import Mischief, Proxy
from .record import now

POOL = """
[pool.resign]
moves = 3
score = 700
"""
"""Engines that are lost need not play on."""

NIM = (sys.executable, nim.__file__)
REFEREE = f"""
[[game]]
name = "nim"
referee = {json.dumps(NIM)}
[[pool]]
name = "nim"
game = "nim"
time = "10+0.1"
start = "9,9,9,9,9,9,9,9,9 1"
"""

LONGEST_STOP = 3.0
"""s for which an engine is stopped."""

PAUSE = (0.4, 1.6)
"""s from one thing that is done to an engine to the next."""

PATIENCE = 60.0
"""s in which the last games come to their end, and bridges with them."""

UNTOUCHED = 4.0
"""s after which an engine has moved whose line and process nobody touched: of 10 s, it would not
think so long about one move."""


@dataclass(frozen=True, slots=True)
class Seat:
    """Who plays. direct: on a line without faults. words: what else its bridge is told."""

    name: str
    argv: tuple[str, ...]
    direct: bool = False
    words: tuple[str, ...] = ()


@dataclass
class Outcome:
    """What became of it."""

    faults: Counter[str]
    results: Counter[str] = field(default_factory=Counter)
    violations: list[Violation] = field(default_factory=list)


class Engines:
    """`games` at least, or as many as begin within `limit` s."""

    config = POOL

    def __init__(
        self, folder: Path, seats: tuple[Seat, ...], *, seed: int, games: int, limit: float
    ) -> None:
        self._folder = folder
        self._seats = seats
        self._games = games
        self._end = now() + limit
        self._chance = random.Random(f"{seed} engines")
        self._house = House(folder, time="10+0.1")
        self._house.extra = self.config
        self._mischief = Mischief(random.Random(f"{seed} lines"), rate=0.08)
        self._mischief.hungry = self._going
        quiet = Mischief(random.Random(0), rate=0.0)
        self._proxies = {False: Proxy(0, self._mischief), True: Proxy(0, quiet)}
        self._bridges: dict[str, Bridge] = {}
        self._harmed: dict[str, list[Trouble]] = {seat.name: [] for seat in seats}
        self._troubles: list[Trouble] = []
        self._met = False

    async def __call__(self) -> Outcome:
        await trio.to_thread.run_sync(self._house.start)
        try:
            with ExitStack() as stack:
                async with trio.open_nursery() as nursery:
                    for proxy in self._proxies.values():
                        proxy.far = self._house.port()
                        await nursery.start(proxy.run)
                    for seat in self._seats:
                        self._bridges[seat.name] = stack.enter_context(self._bridge(seat))
                    await self._play()
                    nursery.cancel_scope.cancel()
        finally:
            await trio.to_thread.run_sync(self._house.stop)
        return await trio.to_thread.run_sync(self._judge)

    def _bridge(self, seat: Seat):
        url = f"tcp://127.0.0.1:{self._proxies[seat.direct].port}"
        argv = ("--server", url, "--name", seat.name, *seat.words, "--", *seat.argv)
        return bridged(self._folder, seat.name, *argv)

    # What is done to them

    def _going(self) -> bool:
        return self._met and now() < self._end and self._over() < self._games

    def _over(self) -> int:
        with suppress(OSError):
            return max(
                bridge.screen.read_text().count(" is over: ") for bridge in self._bridges.values()
            )
        return 0

    async def _play(self) -> None:
        while not self._met:
            await trio.sleep(0.05)
            self._met = all("is known to" in bridge.shown for bridge in self._bridges.values())
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._harm_server)
            while self._going():
                await trio.sleep(self._chance.uniform(*PAUSE))
                await self._harm_one()
            nursery.cancel_scope.cancel()
        for bridge in self._bridges.values():  # the first Ctrl-C: finish the running game
            bridge.process.send_signal(signal.SIGINT)
        with trio.move_on_after(PATIENCE):
            for bridge in self._bridges.values():
                await bridge.ended()

    async def _harm_one(self) -> None:
        name = self._chance.choice([*self._bridges])
        if found := self._bridges[name].processes():
            self._harmed[name].append(await self._harm_process(found[0], "engine"))

    async def _harm_process(self, pid: int, what: str) -> Trouble:
        """kill -9, or SIGSTOP for a while."""
        deed = self._chance.choice(("kill", "stop"))
        seconds = self._chance.random() * LONGEST_STOP
        self._mischief.ledger[f"{what}-{deed}"] += 1
        since = now()
        with suppress(ProcessLookupError):
            if deed == "stop":
                kill(pid, signal.SIGSTOP)
                await trio.sleep(seconds)
            kill(pid, signal.SIGCONT if deed == "stop" else signal.SIGKILL)
        return Trouble(f"{what}-{deed}", since, now())

    async def _harm_server(self) -> None:
        """kill -9, and a new start; shielded, as half of it would be worse than none."""
        while True:
            await trio.sleep(self._chance.uniform(4, 9))
            with trio.CancelScope(shield=True):
                since = now()
                self._mischief.ledger["kill"] += 1
                await trio.to_thread.run_sync(self._house.kill)
                await trio.to_thread.run_sync(self._house.start)
                self._troubles.append(Trouble("kill", since, now()))

    # What came of it

    def _judge(self) -> Outcome:
        outcome = Outcome(self._mischief.ledger)
        chronicle = Chronicle([wire for proxy in self._proxies.values() for wire in proxy.wires])
        repository = open_repository(self._house.database, writing=False)
        for record in repository.games():
            white, black = record.seats
            story = chronicle.story(record.id, (white.name, black.name))
            story.record, story.moves = record, repository.moves(record.id)
            reason = "running" if record.outcome is None else record.outcome.reason.value
            outcome.results[reason] += 1
        outcome.violations += disagreements(repository)
        repository.close()
        case = Case(chronicle, self._troubles, 10_000, 100, AWAY, self._harmed, UNTOUCHED)
        outcome.violations += judge(case)
        outcome.violations += unexpected_errors(self._house.log.read_text(), self._mischief.ledger)
        outcome.violations += self._failed()
        return outcome

    def _failed(self) -> Iterator[Violation]:
        """A bridge that is asked to leave finishes its game and goes."""
        for name, bridge in self._bridges.items():
            if bridge.process.returncode != 0:
                text = f"ended with {bridge.process.returncode}: {bridge.shown[-300:]}"
                yield Violation("a bridge failed", 0, name, text)


class Refereed(Engines):
    """Of a game that only its referee knows; it is the referee that suffers."""

    config = REFEREE

    async def _harm_one(self) -> None:
        if children := _children(self._house.process.pid):
            await self._harm_process(children[0], "referee")


def _children(pid: int) -> list[int]:
    """Of all its threads; of one that has just ended itself, none."""
    found: list[int] = []
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            found += map(int, listed.read_text().split())
    return found
