"""One run: a server, players, lines full of faults between them, and worse for the server."""

import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from signal import SIGCONT, SIGSTOP
from time import time

import trio

from ulci.net import PULSE, detect_stalls
from ulci_server.storage import open_repository, secret_hash

from .databases import Database, database
from .house import AWAY, Busy, House, Means
from .invariants import (
    Case,
    Chronicle,
    Sample,
    Trouble,
    Violation,
    disagreements,
    given_up,
    judge,
    leaks,
    loop_was_held,
    rows,
    rows_left,
    tasks_left,
    untimely_errors,
)
from .players import Plan, Player, Watcher
from .proxy import Mischief, Proxy
from .record import now
from .report import Report, Settings

LOOK = 0.25
"""s from one look at what the server has of the system to the next."""

ASK = 1.0
"""s from one time that it is asked what it has to do to the next."""

ADMIN = "boss-token"

HANG = 120.0
"""s after which a run that should be over is one that hangs."""


class Run:
    """Everything that one run needs, and what it has done so far."""

    def __init__(self, settings: Settings, folder: Path, where: Database) -> None:
        self.settings = settings
        self.where = where
        self.house = House(folder, where.url, settings.time)
        self.mischief = Mischief(random.Random(f"{settings.seed} lines"))
        self.troubles: list[Trouble] = []
        self._chance = random.Random(f"{settings.seed} server")
        self._began = now()
        self._before: Means | None = None
        self._after: Means | None = None
        self._samples: list[Sample] = []
        self._idle: Busy | None = None
        self._busy: list[Busy] = []
        self._at_the_end: Busy | None = None
        self._pauses: list[tuple[float, float]] = []
        self.plan = Plan(settings.seed, 0, settings.time)
        self.plan.enough = self._enough
        self.mischief.hungry = self._hungry
        self.players: list[Player] = []
        self._known = self._played = 0
        self.proxy = Proxy(0, self.mischief)
        self._mishaps = self._choose_mishaps()
        self._harmed = not self._mishaps

    # How far it is

    @property
    def faults(self) -> int:
        return self.mischief.ledger.total()

    def _over(self) -> int:
        """Games that somebody was told the end of, and that were played at all."""
        if len(self.plan.over) != self._known:
            self._known = len(self.plan.over)
            self._played = sum("aborted" not in result for result in self.plan.over.values())
        return self._played

    def progress(self) -> float:
        """0 to 1."""
        over = self._over()
        running = 0.5 * (len(self.plan.started) - len(self.plan.over.keys() | self.plan.lost))
        return min(1.0, (over + running) / self.settings.games)

    def _hungry(self) -> bool:
        return not self._enough() and self.faults < self.settings.faults * self.progress()

    def _enough(self) -> bool:
        if now() - self._began > self.settings.limit:
            return True
        done = self._over() >= self.settings.games and self.faults >= self.settings.faults
        return done and self._harmed

    # What it does

    async def __call__(self) -> Report:
        await trio.to_thread.run_sync(self.house.start)
        self.plan.tokens = await trio.to_thread.run_sync(self._make_accounts)
        try:
            async with trio.open_nursery() as nursery:
                self._before = self.house.means()
                self._idle = await self.house.busy(ADMIN)
                nursery.start_soon(self._measure)
                nursery.start_soon(self._keep_asking)
                self.proxy.far = self.house.port()
                await nursery.start(self.proxy.run)
                self.plan.port = self.proxy.port
                nursery.start_soon(self._harm)
                detect_stalls()
                nursery.start_soon(self._keep_looking)
                await self._play()
                nursery.cancel_scope.cancel()
            await self._wait_for_the_last()
            self._after = self.house.means()
            self._look()
            self._at_the_end = await self.house.busy(ADMIN)
        finally:
            await trio.to_thread.run_sync(self.house.stop)
        return await trio.to_thread.run_sync(self._judge)

    def _make_accounts(self) -> dict[str, str]:
        """For every fourth player, their tokens; and one that may ask how the server does."""
        tokens = {f"p{n}": f"token-{n}" for n in range(1, 2 * self.settings.at_once, 4)}
        repository = open_repository(self.where.url)
        for name, token in tokens.items():
            player = repository.add_player(name, "engine")
            repository.add_token(player.id, secret_hash(token), "play")
        boss = repository.add_player("boss", "human")
        repository.add_token(boss.id, secret_hash(ADMIN), "admin")
        repository.close()
        return tokens

    async def _play(self) -> None:
        async with trio.open_nursery() as nursery:
            for number in range(2 * self.settings.at_once):
                player = Player(f"p{number}", self.plan, human=number % 3 == 0)
                self.players.append(player)
                nursery.start_soon(player.run)
            for number in range(1 + self.settings.at_once // 4):
                nursery.start_soon(Watcher(f"w{number}", self.plan).run)
            nursery.start_soon(self._guard, nursery.cancel_scope)

    async def _guard(self, scope: trio.CancelScope) -> None:
        """End what hangs; what it leaves running is found in SQL."""
        while not self._enough() or any(player.game for player in self.players):
            await trio.sleep(0.2)
            if now() - self._began > self.settings.limit + HANG:
                break
        with trio.move_on_after(5 * AWAY):
            await trio.sleep(3)
        scope.cancel()

    async def _wait_for_the_last(self) -> None:
        """Games without players end when the grace is over, and so do the lines."""
        with trio.move_on_after(3 * AWAY):
            while self.running() or self.house.means().files > self._before.files:  # noqa: ASYNC110
                await trio.sleep(0.2)

    async def _keep_looking(self) -> None:
        """So that the proxy knows when it was late itself."""
        while True:
            since = now()
            await trio.sleep(PULSE)
            if now() - since > 2 * PULSE:
                self._pauses.append((since, now()))

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
            self._samples.append(Sample(now(), pid, self.house.means(), self._over()))

    def running(self) -> int:
        with self.where.reading() as repository:
            return len(repository.games(running=True))

    # What is done to the server

    def _choose_mishaps(self) -> list[str]:
        """Each kind as often as every other, in an order of chance."""
        files = () if self.where.kind == "sqlite" else _OF_FILES
        possible = [kind for kind in [*_MISHAPS, *self.where.mishaps] if kind not in files]
        kinds = [kind for kind in possible if kind in (self.settings.only or possible)]
        chosen: list[str] = []
        number = round(self.settings.games * self.settings.mishaps) if kinds else 0
        while len(chosen) < number:
            chosen += self._chance.sample(kinds, len(kinds))
        return chosen[:number]

    async def _harm(self) -> None:
        moments = sorted(self._chance.uniform(0.02, 0.97) for _ in self._mishaps)
        for moment, kind in zip(moments, self._mishaps, strict=True):
            while self.progress() < moment:  # noqa: ASYNC110
                await trio.sleep(0.005)
            await trio.sleep(self._chance.random() * 0.05)
            with trio.CancelScope(shield=True):  # half of it would leave no server
                await self._befall(kind)
        self._harmed = True

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
        days = self._chance.choice((-1, 1))
        await trio.to_thread.run_sync(self.house.shift_clock, days)
        await trio.to_thread.run_sync(self.house.start)
        self._before = self.house.means()

    async def _restart(self, _: str) -> None:
        await trio.to_thread.run_sync(self.house.stop)
        await trio.to_thread.run_sync(self.house.start)
        self._before = self.house.means()

    async def _freeze(self, _: str) -> None:
        self.house.send(SIGSTOP)
        await trio.sleep(self._chance.uniform(0.2, 3.0))
        self.house.send(SIGCONT)

    async def _full_disk(self, _: str) -> None:
        with self.house.full_disk():
            await trio.sleep(self._chance.uniform(0.3, 2.0))

    async def _lock(self, _: str) -> None:
        with ExitStack() as stack:
            await trio.to_thread.run_sync(stack.enter_context, self.house.locked())
            await trio.sleep(self._chance.uniform(0.3, 2.0))

    async def _database(self, kind: str) -> None:
        await trio.to_thread.run_sync(self.where.mishaps[kind], self._chance)

    # What came of it

    def _judge(self) -> Report:
        report = Report(self.settings, self.mischief.ledger, due=Counter(self._mishaps))
        chronicle = Chronicle(self.proxy.wires)
        with self.where.reading() as repository:
            for record in repository.games():
                story = chronicle.story(record.id, _names(record))
                story.remember(repository, record)
                reason = "running" if record.outcome is None else record.outcome.reason.value
                report.results[reason] += 1
                report.moves += len(story.moves)
            report.violations += disagreements(repository)
        base, increment = self.settings.clock
        case = Case(chronicle, self.troubles, base, increment, AWAY, pauses=self._pauses)
        report.violations += [*judge(case), *self._leaks()]
        report.violations += [
            Violation("left in the dark", game, name, "its line was good, and it heard no more")
            for name, game in self.plan.dark
        ]
        report.violations += given_up(chronicle, self.plan.given_up, self.troubles)
        log = self.house.log.read_text()
        report.violations += untimely_errors(log, self.troubles, time() - now())
        report.violations += loop_was_held(log)
        report.unexplained = case.unexplained
        report.calls = len(self.proxy.wires)
        report.means = (self._before, self._after)
        report.seconds = now() - self._began
        return report

    def _leaks(self) -> Iterator[Violation]:
        # Readers of the database are opened when they are needed.
        readers = 0 if self.where.kind == "sqlite" else 5
        yield from leaks(self._samples, self.proxy.wires, readers)
        yield from tasks_left(self._idle, self._busy, self._at_the_end)
        accounts = len(self.plan.tokens) + 1
        expected = {"players": accounts, "tokens": accounts, "runs": self.house.starts}
        yield from rows_left(rows(self.where.url), expected)


def _names(record) -> tuple[str, str]:
    white, black = record.seats
    return (white.name, black.name)


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
    with database(settings.database, folder) as where:
        return await Run(settings, folder, where)()
