"""One run of a cluster: its servers are killed, frozen and cut off, and players go on at others.

Each server reaches PostgreSQL and Redis by lines of its own, which are cut; both are restarted,
too. Players reach each server over lines full of faults, call any of them, and take their seat
back with its secret.
"""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from signal import SIGCONT, SIGSTOP
from time import time
from typing import TypeVar

import sqlalchemy as sa
import trio

from tests.support.redis_servers import RedisServer
from ulci_server.storage import Database, StorageError, open_database

from .course import HANG, Course
from .databases import Cluster, cluster, schema
from .evidence import write_evidence
from .house import AWAY, House
from .invariants import Trouble, Violation, fenced, given_up, loop_was_held, untimely_errors
from .invariants.servers import lines_lost, owners, unheard
from .links import Link
from .pauses import pauses
from .proxy import Proxy
from .record import Wire, now
from .report import Report, Settings

LINES = "lines"
"""What ``--only`` calls all that happens to lines of players."""

LONGEST_FREEZE = 10.0
LONGEST_CUT = 7.0
"""Longer than a commit may take until the server says so."""
STOOD_STILL = 0.5
"""Seconds for which this process did not run, from which on somebody may have noticed."""

DOWN = (0.0, 2.0)
"""Seconds for which a server that was killed or ended stays away."""

TRIES = 20
"""How often a server is started: what it needs is restarted meanwhile, or its line is cut."""

OF_A_NODE = {"kill", "freeze", "term", "cut-pg", "cut-redis"}

Answer = TypeVar("Answer")


@dataclass
class Node:
    """One server, and its lines. mishap: what befalls it now."""

    name: str
    house: House
    pg: Link
    redis: Link
    proxy: Proxy
    up: bool = False
    mishap: str = ""


class ClusterRun(Course):
    def __init__(self, settings: Settings, folder: Path, pg: Cluster, url: str) -> None:
        super().__init__(settings, "cluster")
        self.folder = folder
        self.pg, self.url = pg, url
        self.redis = RedisServer(folder)
        self.nodes: list[Node] = []
        self._restarting = trio.Lock()
        only = settings.only or (*_MISHAPS, LINES)
        self._kinds = [kind for kind in _MISHAPS if kind in only]
        if LINES not in only:
            self.mischief.rate = 0.0
        self.harmed = not self._kinds
        self.plan.think = 0.05

    async def __call__(self) -> Report:
        await trio.to_thread.run_sync(self.redis.start)
        try:
            async with trio.open_nursery() as nursery:
                for number in range(self.settings.nodes):
                    await self._add(nursery, f"n{number + 1}")
                await trio.to_thread.run_sync(self._make_accounts)
                self.plan.ports = [node.proxy.port for node in self.nodes]
                async with trio.open_nursery() as harm:
                    harm.start_soon(self._harm)
                    await self.play()
                    await self._wait_for_the_last()
                    harm.cancel_scope.cancel()  # a server that has to start again needs its lines
                for node in self.nodes:
                    node.house.send(SIGSTOP)  # else it logs that its database does not answer
                nursery.cancel_scope.cancel()
        finally:
            for node in self.nodes:
                await trio.to_thread.run_sync(node.house.kill)
            self.redis.stop()
        return await trio.to_thread.run_sync(self._judge)

    async def _add(self, nursery: trio.Nursery, name: str) -> None:
        url = sa.make_url(self.url)
        pg, redis = Link(url.port), Link(self.redis.port)
        folder = self.folder / name
        folder.mkdir()
        await nursery.start(pg.run)
        await nursery.start(redis.run)
        through = url.set(port=pg.port).render_as_string(hide_password=False)
        house = House(folder, through, self.settings.time)
        house.level = "info"
        house.join(f"redis://127.0.0.1:{redis.port}", name)
        node = Node(name, house, pg, redis, Proxy(0, self.mischief, name))
        self.nodes.append(node)
        await self._start(node)
        node.proxy.far = house.port()
        await nursery.start(node.proxy.run)

    async def _start(self, node: Node) -> None:
        """Again and again, as systemd does it: a server does not start without its database."""
        for left in reversed(range(TRIES)):
            try:
                await trio.to_thread.run_sync(node.house.start)
                break
            except AssertionError:
                if not left:
                    raise
                await trio.sleep(0.5)
        node.up = True

    def _make_accounts(self) -> None:
        database = open_database(self.url)
        self.make_accounts(database)
        database.close()

    async def _wait_for_the_last(self) -> None:
        """Games without players end when the grace is over; games without an owner get one."""
        with trio.move_on_after(3 * AWAY):
            while await trio.to_thread.run_sync(self._running):  # noqa: ASYNC110
                await trio.sleep(0.5)

    def _running(self) -> int:
        return self._asked(lambda database: len(database.games.find(running=True)), instead=1)

    def _taken_over(self) -> bool:
        """Whether any game has had a second owner."""
        return self._asked(
            lambda database: any(
                len(database.ownership.epochs(game.id)) > 1 for game in database.games.each()
            ),
            instead=False,
        )

    def _asked(self, question: Callable[[Database], Answer], instead: Answer) -> Answer:
        """What the database answers, or the other, as it may have been restarted last."""
        try:
            database = open_database(self.url, writing=False)
        except StorageError:
            return instead
        try:
            return question(database)
        except StorageError:
            return instead
        finally:
            database.close()

    # What is done to servers

    async def _harm(self) -> None:
        """Do all that can befall servers, and again until a game has lost its owner by it."""
        if not self._kinds:
            return
        await trio.sleep(2)
        async with trio.open_nursery() as nursery:
            while not self.enough():
                for kind in self.chance.sample(self._kinds, len(self._kinds)):
                    nursery.start_soon(self._befall, kind)
                    await trio.sleep(self.settings.every * self.chance.uniform(0.5, 1.5))
                self.harmed = "kill" not in self._kinds or await trio.to_thread.run_sync(
                    self._taken_over
                )

    async def _befall(self, kind: str) -> None:
        """One server at least is always well."""
        node = None
        while kind in OF_A_NODE and node is None:
            well = [one for one in self.nodes if one.up and not one.mishap]
            if len(well) > 1:
                node = self.chance.choice(well)
                node.mishap = kind
            else:
                await trio.sleep(0.1)
        self.mischief.ledger[kind] += 1
        since, place, name = now(), len(self.troubles), "" if node is None else node.name
        self.troubles.append(Trouble(kind, since, since + HANG, name))
        with trio.CancelScope(shield=True):  # half of it would leave no server
            await _MISHAPS[kind](self, node)
        self.troubles[place] = Trouble(kind, since, now(), name)
        if node is not None:
            node.mishap = ""

    async def _kill(self, node: Node) -> None:
        node.up = False
        await trio.to_thread.run_sync(node.house.kill)
        await self._return(node)

    async def _term(self, node: Node) -> None:
        node.up, since = False, now()
        code = await trio.to_thread.run_sync(node.house.stop)
        hindered = any(t.kind == "restart-pg" and t.until > since for t in self.troubles)
        if code and not hindered:  # it says so if the database does not take its last facts
            text = f"it ended with {code} after SIGTERM"
            self.report.violations.append(Violation("exit code", 0, node.name, text))
        await self._return(node)

    async def _return(self, node: Node) -> None:
        await trio.sleep(self.chance.uniform(*DOWN))
        await self._start(node)

    async def _freeze(self, node: Node) -> None:
        node.house.send(SIGSTOP)
        await trio.sleep(self.chance.uniform(0.2, LONGEST_FREEZE))
        node.house.send(SIGCONT)

    async def _cut_pg(self, node: Node) -> None:
        await node.pg.cut(self.chance.uniform(0.2, LONGEST_CUT))

    async def _cut_redis(self, node: Node) -> None:
        await node.redis.cut(self.chance.uniform(0.2, LONGEST_CUT))

    async def _restart_pg(self, _: None) -> None:
        async with self._restarting:
            await trio.to_thread.run_sync(self.pg.restart)

    async def _restart_redis(self, _: None) -> None:
        async with self._restarting:
            await trio.to_thread.run_sync(self.redis.kill)
            await trio.to_thread.run_sync(self.redis.start)

    # What came of it

    def _wires(self) -> list[Wire]:
        wires = [wire for node in self.nodes for wire in node.proxy.wires]
        for wire in wires:
            for trouble in reversed(self.troubles):
                if trouble.server in ("", wire.server):
                    wire.meet(trouble.kind, trouble.since, trouble.until)
        return wires

    def _judge(self) -> Report:
        self.troubles += self._stood_still()
        report, wires = self.report, self._wires()
        database = open_database(self.url, writing=False)
        try:
            chronicle = self.remember(database, wires)
            for story in chronicle.stories.values():
                epochs = database.ownership.epochs(story.game)
                story.unheard = [*unheard(epochs, self.troubles, time() - now())]
            self.judge(chronicle)
            for story in chronicle.stories.values():
                if story.record is not None:
                    report.violations += owners(database, story)
                    report.taken_over += len(database.ownership.epochs(story.game)) - 1
            report.pauses = pauses(database, chronicle, self.troubles, time() - now())
        finally:
            database.close()
        report.violations += given_up(chronicle, self.plan.given_up, time() - now())
        report.violations += lines_lost(wires, [*self.troubles, *self._fenced()])
        report.violations += self._logged()
        report.calls = len(wires)
        place = self.folder / "evidence.txt"
        write_evidence(place, chronicle, self.troubles, report.violations, time() - now())
        return report

    def _stood_still(self) -> Iterator[Trouble]:
        """The lines of all servers to PostgreSQL and Redis lead through this process: while it did
        not run, they were cut."""
        for since, until in self._pauses:
            if until - since > STOOD_STILL:
                for node in self.nodes:
                    yield Trouble("cut-pg", since, until, node.name)
                    yield Trouble("cut-redis", since, until, node.name)

    def _fenced(self) -> Iterator[Trouble]:
        """What a database that is restarted can do to a server, however slowly it starts."""
        for node in self.nodes:
            yield from fenced(node.house.log.read_text(), node.name, time() - now())

    def _logged(self) -> Iterator[Violation]:
        for node in self.nodes:
            log = node.house.log.read_text()
            troubles = [trouble for trouble in self.troubles if trouble.server in ("", node.name)]
            yield from untimely_errors(log, troubles, time() - now())
        yield from loop_was_held(*(node.house.log.read_text() for node in self.nodes))


_MISHAPS: dict[str, Callable[[ClusterRun, Node], Awaitable[None]]] = {
    "kill": ClusterRun._kill,
    "freeze": ClusterRun._freeze,
    "cut-pg": ClusterRun._cut_pg,
    "cut-redis": ClusterRun._cut_redis,
    "term": ClusterRun._term,
    "restart-redis": ClusterRun._restart_redis,
    "restart-pg": ClusterRun._restart_pg,
}


async def run_nodes(settings: Settings, folder: Path) -> Report:
    """Do it, and say what came of it."""
    with ExitStack() as stack:
        ours = await trio.to_thread.run_sync(stack.enter_context, cluster(folder))
        url = stack.enter_context(schema(ours.url))
        return await ClusterRun(settings, folder, ours, url)()
