"""One run: a server, players, lines full of faults between them, and worse for the server."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from signal import SIGCONT, SIGSTOP
from time import time

import trio

from ulci_server.storage import open_database

from .course import ADMIN, HANG, Course
from .databases import Store, store
from .house import AWAY, Busy, House, Means
from .invariants import (
    Sample,
    Trouble,
    Violation,
    given_up,
    leaks,
    loop_was_held,
    rows,
    rows_left,
    tasks_left,
    untimely_errors,
)
from .proxy import Proxy
from .record import now
from .report import Report, Settings

LOOK = 0.25
"""s from one look at what the server has of the system to the next."""

ASK = 1.0
"""s from one time that it is asked what it has to do to the next."""


class Run(Course):
    """Everything that one run needs, and what it has done so far."""

    def __init__(self, settings: Settings, folder: Path, where: Store) -> None:
        super().__init__(settings, "players")
        self.where = where
        self.house = House(folder, where.url, settings.time)
        self._before: Means | None = None
        self._after: Means | None = None
        self._samples: list[Sample] = []
        self._idle: Busy | None = None
        self._busy: list[Busy] = []
        self._at_the_end: Busy | None = None
        self.proxy = Proxy(0, self.mischief)
        self._mishaps = self._choose_mishaps()
        self.harmed = not self._mishaps

    async def __call__(self) -> Report:
        await trio.to_thread.run_sync(self.house.start)
        await trio.to_thread.run_sync(self._make_accounts)
        try:
            async with trio.open_nursery() as nursery:
                self._before = self.house.means()
                self._idle = await self.house.busy(ADMIN, HANG)
                nursery.start_soon(self._measure)
                nursery.start_soon(self._keep_asking)
                self.proxy.far = self.house.port()
                await nursery.start(self.proxy.run)
                self.plan.ports = [self.proxy.port]
                nursery.start_soon(self._harm)
                await self.play()
                nursery.cancel_scope.cancel()
            await self._wait_for_the_last()
            self._after = self.house.means()
            self._look()
            self._at_the_end = await self.house.busy(ADMIN, HANG)
        finally:
            await trio.to_thread.run_sync(self.house.stop)
        return await trio.to_thread.run_sync(self._judge)

    def _make_accounts(self) -> None:
        database = open_database(self.where.url)
        self.make_accounts(database)
        database.close()

    async def _wait_for_the_last(self) -> None:
        """Games without players end when the grace is over, and so do the lines."""
        with trio.move_on_after(3 * AWAY):
            while self.running() or self.house.means().files > self._before.files:  # noqa: ASYNC110
                await trio.sleep(0.2)

    async def _measure(self) -> None:
        while True:
            with suppress(OSError, TypeError):  # it has just been killed
                self._look()
            await trio.sleep(LOOK)

    async def _keep_asking(self) -> None:
        while True:
            if (busy := await self.house.busy(ADMIN)) is not None:
                self._busy.append(busy)
            await trio.sleep(ASK)

    def _look(self) -> None:
        pid = self.house.process.pid
        if pid == self.house.serving:
            started = self.house.started_at
            self._samples.append(Sample(now(), pid, self.house.means(), self.over(), started))

    def running(self) -> int:
        with self.where.reading() as database:
            return len(database.games.find(running=True))

    # What is done to the server

    def _choose_mishaps(self) -> list[str]:
        """Each kind as often as every other, in an order of chance."""
        files = () if self.where.kind == "sqlite" else _OF_FILES
        possible = [kind for kind in [*_MISHAPS, *self.where.mishaps] if kind not in files]
        kinds = [kind for kind in possible if kind in (self.settings.only or possible)]
        chosen: list[str] = []
        number = round(self.settings.games * self.settings.mishaps) if kinds else 0
        while len(chosen) < number:
            chosen += self.chance.sample(kinds, len(kinds))
        return chosen[:number]

    async def _harm(self) -> None:
        moments = sorted(self.chance.uniform(0.02, 0.97) for _ in self._mishaps)
        for moment, kind in zip(moments, self._mishaps, strict=True):
            while self.progress() < moment:  # noqa: ASYNC110
                await trio.sleep(0.005)
            await trio.sleep(self.chance.random() * 0.05)
            with trio.CancelScope(shield=True):  # half of it would leave no server
                await self._befall(kind)
        self.harmed = True

    async def _befall(self, kind: str) -> None:
        self.mischief.ledger[kind] += 1
        place, since = len(self.troubles), now()
        self.troubles.append(Trouble(kind, since, since + HANG))
        await _MISHAPS.get(kind, Run._database)(self, kind)
        self.troubles[place] = Trouble(kind, since, now())

    async def _kill(self, _: str) -> None:
        await trio.to_thread.run_sync(self.house.kill)
        await trio.to_thread.run_sync(self.house.start)
        self._before = self.house.means()

    async def _clock(self, _: str) -> None:
        await trio.to_thread.run_sync(self.house.kill)
        days = self.chance.choice((-1, 1))
        await trio.to_thread.run_sync(self.house.shift_clock, days)
        await trio.to_thread.run_sync(self.house.start)
        self._before = self.house.means()

    async def _restart(self, _: str) -> None:
        await trio.to_thread.run_sync(self.house.stop)
        await trio.to_thread.run_sync(self.house.start)
        self._before = self.house.means()

    async def _freeze(self, _: str) -> None:
        self.house.send(SIGSTOP)
        await trio.sleep(self.chance.uniform(0.2, 3.0))
        self.house.send(SIGCONT)

    async def _full_disk(self, _: str) -> None:
        with self.house.full_disk():
            await trio.sleep(self.chance.uniform(0.3, 2.0))

    async def _lock(self, _: str) -> None:
        with ExitStack() as stack:
            await trio.to_thread.run_sync(stack.enter_context, self.house.locked())
            await trio.sleep(self.chance.uniform(0.3, 2.0))

    async def _database(self, kind: str) -> None:
        await trio.to_thread.run_sync(self.where.mishaps[kind], self.chance)

    # What came of it

    def _judge(self) -> Report:
        report = self.report
        report.due = Counter(self._mishaps)
        with self.where.reading() as database:
            chronicle = self.remember(database, self.proxy.wires)
        self.judge(chronicle)
        report.violations += self._leaks()
        report.violations += given_up(chronicle, self.plan.given_up, time() - now())
        log = self.house.log.read_text()
        report.violations += untimely_errors(log, self.troubles, time() - now())
        report.violations += loop_was_held(log)
        report.calls = len(self.proxy.wires)
        report.means = (self._before, self._after)
        return report

    def _leaks(self) -> Iterator[Violation]:
        # Readers of the database are opened when they are needed.
        readers = 0 if self.where.kind == "sqlite" else 5
        yield from leaks(self._samples, self.proxy.wires, readers)
        yield from tasks_left(self._idle, self._busy, self._at_the_end)
        accounts = len(self.plan.tokens) + 1
        expected = {"players": accounts, "tokens": accounts, "runs": self.house.starts}
        yield from rows_left(rows(self.where.url), expected)


_OF_FILES = ("lock", "full-disk", "clock")
"""What can befall a file."""

_MISHAPS: dict[str, Callable[[Run, str], Awaitable[None]]] = {
    "kill": Run._kill,
    "restart": Run._restart,
    "clock": Run._clock,
    "freeze": Run._freeze,
    "full-disk": Run._full_disk,
    "lock": Run._lock,
}


async def run(settings: Settings, folder: Path) -> Report:
    """Do it, and say what came of it."""
    with store(settings.database, folder) as where:
        return await Run(settings, folder, where)()
