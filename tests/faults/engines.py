"""Real engines behind bridges, on lines full of faults: they, or the referee of their game, are
killed and stopped at any moment, and the server is killed in between."""

import json
import random
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import trio

from tests.support import nim
from tests.support.bridges import Bridge, bridged
from tests.support.processes import children, send
from tests.support.servers import PATH

from .databases import Store, store
from .house import AWAY, House
from .invariants import (
    Case,
    Chronicle,
    Trouble,
    Violation,
    disagreements,
    judge,
    loop_was_held,
    unexpected_errors,
)
from .proxy import Mischief, Proxy
from .record import now
from .report import UNPLAYED, Report, Settings

TIME = "10+0.1"

POOL = """
[pool.resign]
moves = 3
score = 700
"""
"""Engines that are lost need not play on."""

NIM = (sys.executable, nim.__file__)
NUMBERS = ("one", "two", "three", "four")
"""Names of those who play it."""
REFEREE = f"""
[[game]]
name = "nim"
referee = {json.dumps(NIM)}
[[pool]]
name = "nim"
game = "nim"
time = "{TIME}"
start = "9,9,9,9,9,9,9,9,9 1"
"""

LONGEST_STOP = 3.0
"""s for which an engine is stopped."""

PAUSE = (0.4, 1.6)
"""s from one thing that is done to an engine to the next."""

HANG = 120.0
"""s without the end of a game, after which none is to be expected."""

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


def engines(stockfish: str | None) -> tuple[Seat, ...]:
    """Ours and Stockfish, which ours stands in for where it is missing; some on good lines."""
    small = (sys.executable, "-m", "ulci_client.cli", "engine")
    time = ("--option", "Move Overhead=500")
    big = small if stockfish is None else (stockfish,)
    words = time if stockfish is None else ("--option", "Hash=8", *time)
    return (
        Seat("fish", big, words=words),
        Seat("herring", big, direct=True, words=words),
        Seat("minnow", small, words=time),
        Seat("bream", big, words=words),
        Seat("gudgeon", small, direct=True, words=time),
    )


def nim_players() -> tuple[Seat, ...]:
    """Of the game of which the server knows nothing but its referee."""
    words = ("--dialect", "ugi", "--game", "nim")
    return tuple(Seat(name, NIM, name in ("two", "four"), words) for name in NUMBERS)


class Engines:
    """Games until there are as many as asked for, and as many things done to their engines."""

    phase = "engines"
    what = "engine"
    config = POOL

    def __init__(
        self, folder: Path, settings: Settings, where: Store, seats: tuple[Seat, ...]
    ) -> None:
        self._folder = folder
        self._settings = settings
        self._where = where
        self._seats = seats
        self._began = now()
        self._chance = random.Random(f"{settings.seed} {self.phase}")
        self._due = [f"{self.what}-kill", f"{self.what}-stop"] * ((settings.faults + 1) // 2)
        self._chance.shuffle(self._due)
        self._deeds = self._kills = 0
        self._played = 0
        self._latest = now()
        """When a game was found to be over."""
        self._house = House(folder, where.url, TIME)
        self._house.extra = self.config
        self._mischief = Mischief(random.Random(f"{settings.seed} lines"), rate=0.08)
        self._mischief.hungry = self._going
        quiet = Mischief(random.Random(0), rate=0.0)
        self._proxies = {False: Proxy(0, self._mischief), True: Proxy(0, quiet)}
        self._bridges: dict[str, Bridge] = {}
        self._harmed: dict[str, list[Trouble]] = {seat.name: [] for seat in seats}
        self._moves = {seat.name: -1 for seat in seats}
        """How many each had made when something was done to it the last time."""
        self._troubles: list[Trouble] = []
        self._met = False
        self._serving = True

    async def __call__(self) -> Report:
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
        asked = self._settings
        enough = self._deeds >= len(self._due) and self._played >= asked.games and self._kills
        good = now() < min(self._began + asked.limit, self._latest + HANG)
        return self._met and not enough and good and not any(self._ended())

    def _ended(self) -> Iterator[bool]:
        """Of every bridge, whether it is gone already; then there is no need to go on."""
        return (bridge.process.poll() is not None for bridge in self._bridges.values())

    def _count(self) -> None:
        with self._where.reading() as database:
            over = [record.outcome.reason.value for record in database.games.find(running=False)]
        played = sum(reason not in UNPLAYED for reason in over)
        if played > self._played:
            self._played, self._latest = played, now()

    async def _play(self) -> None:
        with trio.fail_after(PATIENCE):
            while not self._met:
                await trio.sleep(0.05)
                self._met = all("is known to" in bridge.shown for bridge in self._bridges.values())
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._harm_server)
            while self._going():
                await trio.sleep(self._chance.uniform(*PAUSE))
                await self._harm_one()
                await trio.to_thread.run_sync(self._count)
            nursery.cancel_scope.cancel()
        for bridge in self._bridges.values():  # the first Ctrl-C: finish the running game
            bridge.process.send_signal(signal.SIGINT)
        with trio.move_on_after(PATIENCE):
            for bridge in self._bridges.values():
                await bridge.ended()

    async def _harm_one(self) -> None:
        """One that has moved since: a bridge gives up an engine that only ever dies."""
        name = self._chance.choice([*self._bridges])
        moves = self._bridges[name].said("server > bestmove")
        found = self._bridges[name].processes()
        if found and moves > self._moves[name]:
            self._moves[name] = moves
            self._harmed[name].append(await self._harm_process(found[0]))

    async def _harm_process(self, pid: int) -> Trouble:
        """kill -9, or SIGSTOP for a while: what is due next, and from the beginning again."""
        deed = self._due[self._deeds % len(self._due)]
        seconds = self._chance.random() * LONGEST_STOP
        since = now()
        if deed.endswith("stop"):
            reached = send(signal.SIGSTOP, pid)
            await trio.sleep(seconds)
            send(signal.SIGCONT, pid)
        else:
            reached = send(signal.SIGKILL, pid)
        self._deeds += reached
        self._mischief.ledger[deed] += reached
        return Trouble(deed, since, now())

    async def _harm_server(self) -> None:
        """kill -9, and a new start; shielded, as half of it would be worse than none."""
        while True:
            await trio.sleep(self._chance.uniform(4, 9))
            with trio.CancelScope(shield=True):
                since = now()
                self._mischief.ledger["kill"] += 1
                self._serving = False
                await trio.to_thread.run_sync(self._house.kill)
                await trio.to_thread.run_sync(self._house.start)
                self._serving = True
                self._kills += 1
                self._troubles.append(Trouble("kill", since, now()))

    # What came of it

    def _judge(self) -> Report:
        ledger = self._mischief.ledger
        report = Report(self._settings, ledger, phase=self.phase, due=Counter(["kill", *self._due]))
        wires = [wire for proxy in self._proxies.values() for wire in proxy.wires]
        chronicle = Chronicle(wires)
        with self._where.reading() as database:
            for record in database.games.find():
                white, black = record.seats
                story = chronicle.story(record.id, (white.name, black.name))
                story.record, story.moves = record, database.games.moves(record.id)
                reason = "running" if record.outcome is None else record.outcome.reason.value
                report.results[reason] += 1
                report.moves += len(story.moves)
            report.violations += disagreements(database)
        case = Case(chronicle, self._troubles, 10_000, 100, AWAY, self._harmed, UNTOUCHED)
        report.violations += [*judge(case), *self._failed()]
        log = self._house.log.read_text()
        report.violations += [*unexpected_errors(log, ledger), *loop_was_held(log)]
        report.calls = len(wires)
        report.seconds = now() - self._began
        return report

    def _failed(self) -> Iterator[Violation]:
        """A bridge that is asked to leave finishes its game and goes."""
        for name, bridge in self._bridges.items():
            if bridge.process.returncode != 0:
                text = f"ended with {bridge.process.returncode}: {bridge.shown[-300:]}"
                yield Violation("a bridge failed", 0, name, text)


class Refereed(Engines):
    """Of a game that only its referee knows; it is the referee that suffers."""

    phase = "referees"
    what = "referee"
    config = REFEREE

    async def _harm_one(self) -> None:
        # A server whose referee dies before it has begun takes it for one that is no good.
        if self._serving and (referees := children(self._house.process.pid)):
            await self._harm_process(self._chance.choice(referees))


async def run_engines(settings: Settings, folder: Path) -> Report:
    """Do it, with Stockfish where it is installed, and say what came of it."""
    seats = engines(shutil.which("stockfish", path=PATH))
    with store(settings.database, folder) as where:
        return await Engines(folder, settings, where, seats)()


async def run_referees(settings: Settings, folder: Path) -> Report:
    """The same with those who judge."""
    with store(settings.database, folder) as where:
        return await Refereed(folder, settings, where, nim_players())()
