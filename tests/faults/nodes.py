"""One run of a cluster: its servers are killed, frozen and cut off, and players go on at others.

Each server reaches PostgreSQL and Redis by lines of its own, which are cut; both are restarted,
too. Players call any server, with the secret of their seat.
"""

import random
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from signal import SIGCONT, SIGSTOP
from time import time

import sqlalchemy as sa
import trio

from tests.support.redis_servers import RedisServer
from ulci_server.storage import Repository, open_repository

from .databases import Cluster, cluster, schema
from .house import AWAY, House
from .invariants import (
    Case,
    Chronicle,
    Trouble,
    Violation,
    disagreements,
    loop_was_held,
    unexpected_errors,
)
from .invariants.moves import MOVES
from .links import Link
from .players import Plan, Player
from .record import now
from .report import Report, Settings

EVERY = 1.2
"""Seconds from one mishap to the next, on average."""

LONGEST_FREEZE = 10.0
LONGEST_CUT = 4.0

DOWN = (0.0, 2.0)
"""Seconds for which a server that was killed or ended stays away."""

TRIES = 20
"""How often a server is started: what it needs is restarted meanwhile, or its line is cut."""

OWN_DOING = ("you reconnected elsewhere", "the account database does not answer")
"""Last words of a server on a line that its client had given up, or that was not logged in yet."""

SETTLED = 4.0
"""Seconds after a mishap in which a line may end by it."""

HANG = 60.0
"""Seconds after which games that should be over are ones that hang."""

OF_A_NODE = {"kill", "freeze", "term", "cut-pg", "cut-redis"}


@dataclass
class Node:
    """One server, and its lines. mishap: what befalls it now. ended: when something befell it that
    ends its lines."""

    name: str
    house: House
    pg: Link
    redis: Link
    up: bool = False
    mishap: str = ""
    ended: list[float] = field(default_factory=list)


@dataclass
class Roaming(Plan):
    """Every call goes to a server that is up, of chance."""

    nodes: list[Node] = field(default_factory=list)
    chance: random.Random = field(default_factory=random.Random)
    closed: list[tuple[str, str, float, str]] = field(default_factory=list)
    """Whose line was ended by which server, when, and what had been said last."""

    def node_at(self, port: int) -> Node | None:
        return next((node for node in self.nodes if node.up and node.house.port() == port), None)


class Roamer(Player):
    """Notes who ended its lines."""

    async def run(self) -> None:
        while not (self.plan.enough() and not self.game):
            up = [node for node in self.plan.nodes if node.up]
            if up:
                self.plan.port = self.plan.chance.choice(up).house.port()
                with trio.move_on_after(HANG):
                    await self._call(self.plan.port)
            await trio.sleep(0.02 + 0.1 * self._chance.random())

    async def _call(self, port: int) -> None:
        node = self.plan.node_at(port)
        try:
            stream = await trio.open_tcp_stream("127.0.0.1", port)
        except OSError:
            return
        self.calls += 1
        try:
            async with stream:
                await self._converse(stream)
                own = self._pinged or self.plan.enough()  # it hung up itself
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            own = False
        if not own and node is not None:
            last = " | ".join(line.text for line in self.wires[-1].told[-4:])
            self.plan.closed.append((self.name, node.name, now(), last))


class ClusterRun:
    def __init__(self, settings: Settings, folder: Path, pg: Cluster, url: str) -> None:
        self.settings = settings
        self.folder = folder
        self.pg, self.url = pg, url
        self.redis = RedisServer(folder)
        self.report = Report(settings, phase="cluster")
        self.nodes: list[Node] = []
        self.troubles: list[Trouble] = []
        self.owned: list[tuple[str, str, float]] = []
        """Mishaps of servers: the kind, the server, and when by the wall clock."""
        self._chance = random.Random(f"{settings.seed} nodes")
        self._began = now()
        self._harmed = False
        self.plan = Roaming(settings.seed, 0, settings.time, chance=self._chance)
        self.plan.enough = self._enough
        self.plan.think = 0.05

    def _enough(self) -> bool:
        late = now() - self._began > self.settings.limit
        return late or (self._harmed and len(self.plan.over) >= self.settings.games)

    async def __call__(self) -> Report:
        await trio.to_thread.run_sync(self.redis.start)
        try:
            async with trio.open_nursery() as nursery:
                for number in range(self.settings.nodes):
                    self.nodes.append(await self._make(nursery, f"n{number + 1}"))
                    await self._start(self.nodes[-1])
                self.plan.nodes = self.nodes
                players = [
                    Roamer(f"p{n}", self.plan, human=n % 3 == 0)
                    for n in range(2 * self.settings.at_once)
                ]
                nursery.start_soon(self._harm)
                await self._play(players)
                nursery.cancel_scope.cancel()
        finally:
            for node in self.nodes:
                node.house.send(SIGCONT)
                await trio.to_thread.run_sync(node.house.kill)
            self.redis.stop()
        return await trio.to_thread.run_sync(self._judge, players)

    async def _make(self, nursery: trio.Nursery, name: str) -> Node:
        url = sa.make_url(self.url)
        pg, redis = Link(url.port), Link(self.redis.port)
        await nursery.start(pg.run)
        await nursery.start(redis.run)
        folder = self.folder / name
        folder.mkdir()
        through = url.set(port=pg.port).render_as_string(hide_password=False)
        house = House(folder, through, self.settings.time)
        house.extra = f'[cluster]\nbus = "redis://127.0.0.1:{redis.port}"\nname = "{name}"\n'
        return Node(name, house, pg, redis)

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

    async def _play(self, players: list[Roamer]) -> None:
        async with trio.open_nursery() as nursery:
            for player in players:
                nursery.start_soon(player.run)
            nursery.start_soon(self._guard, nursery.cancel_scope)

    async def _guard(self, scope: trio.CancelScope) -> None:
        while not self._enough():  # noqa: ASYNC110
            await trio.sleep(0.2)
        with trio.move_on_after(HANG):
            while self.running():  # noqa: ASYNC110
                await trio.sleep(0.5)
        scope.cancel()

    def reading(self) -> Repository:
        return open_repository(self.url, writing=False)

    def running(self) -> int:
        repository = self.reading()
        try:
            return len(repository.games(running=True))
        finally:
            repository.close()

    # What is done to it

    async def _harm(self) -> None:
        kinds = [kind for kind in _MISHAPS if kind in (self.settings.only or _MISHAPS)]
        await trio.sleep(2)
        async with trio.open_nursery() as nursery:
            for number in range(self.settings.faults):
                kind = kinds[number % len(kinds)]
                nursery.start_soon(self._befall, kind)
                await trio.sleep(self._chance.uniform(0.5 * EVERY, 1.5 * EVERY))
        self._harmed = True

    async def _befall(self, kind: str) -> None:
        """One server at least is always well."""
        node = None
        if kind in OF_A_NODE:
            while node is None:
                well = [one for one in self.nodes if one.up and not one.mishap]
                if len(well) > 1:
                    node = self._chance.choice(well)
                    node.mishap = kind
                else:
                    await trio.sleep(0.1)
            self.owned.append((kind, node.name, time()))
        self.report.faults[kind] += 1
        since, place = now(), len(self.troubles)
        self.troubles.append(Trouble(kind, since, since + HANG))
        await _MISHAPS[kind](self, node)
        self.troubles[place] = Trouble(kind, since, now())
        if node is not None:
            node.mishap = ""

    async def _kill(self, node: Node) -> None:
        node.up = False
        node.ended.append(now())
        await trio.to_thread.run_sync(node.house.kill)
        await self._return(node)

    async def _term(self, node: Node) -> None:
        node.up = False
        node.ended.append(now())
        code = await trio.to_thread.run_sync(node.house.stop)
        hindered = any(
            trouble.kind == "restart-pg" and trouble.until > node.ended[-1]
            for trouble in self.troubles
        )
        if code and not hindered:  # it says so if the database does not take its last facts
            text = f"it ended with {code} after SIGTERM"
            self.report.violations.append(Violation("exit code", 0, node.name, text))
        await self._return(node)

    async def _return(self, node: Node) -> None:
        await trio.sleep(self._chance.uniform(*DOWN))
        await self._start(node)

    async def _freeze(self, node: Node) -> None:
        node.house.send(SIGSTOP)
        await trio.sleep(self._chance.uniform(0.2, LONGEST_FREEZE))
        node.house.send(SIGCONT)
        node.ended.append(now())

    async def _cut_pg(self, node: Node) -> None:
        await node.pg.cut(self._chance.uniform(0.2, LONGEST_CUT))

    async def _cut_redis(self, node: Node) -> None:
        await node.redis.cut(self._chance.uniform(0.2, LONGEST_CUT))

    async def _restart_pg(self, _: None) -> None:
        await trio.to_thread.run_sync(self.pg.restart)

    async def _restart_redis(self, _: None) -> None:
        await trio.to_thread.run_sync(self.redis.kill)
        await trio.to_thread.run_sync(self.redis.start)

    # What came of it

    def _judge(self, players: list[Roamer]) -> Report:
        report = self.report
        chronicle = Chronicle([wire for player in players for wire in player.wires])
        repository = self.reading()
        try:
            for record in repository.games():
                white, black = record.seats
                story = chronicle.story(record.id, (white.name, black.name))
                story.remember(repository, record)
                reason = "running" if record.outcome is None else record.outcome.reason.value
                report.results[reason] += 1
                report.moves += len(story.moves)
                report.violations += self._owners(repository, record)
            report.violations += disagreements(repository)
        finally:
            repository.close()
        report.violations += self._moves(chronicle)
        report.violations += [
            Violation("left in the dark", game, name, "its line was good, and it heard no more")
            for name, game in self.plan.dark
        ]
        report.violations += self._lines_lost()
        for node in self.nodes:
            log = node.house.log.read_text()
            report.violations += unexpected_errors(log, ["database-restart"])
            report.violations += loop_was_held(log)
        report.calls = sum(player.calls for player in players)
        report.seconds = now() - self._began
        return report

    def _moves(self, chronicle: Chronicle) -> Iterator[Violation]:
        """No move that anybody was told of is missing. What was said is known from the players'
        ends, and a frozen server may still say what is old: so neither clocks nor the order of
        what came over several lines is judged here."""
        base, increment = self.settings.clock
        case = Case(chronicle, self.troubles, base, increment, AWAY)
        for story in chronicle.stories.values():
            if story.record is not None:
                for check in MOVES:
                    yield from check(case, story)

    def _owners(self, repository: Repository, record) -> Iterator[Violation]:
        """One owner an epoch, and epochs rise by one. Notes for how long the game paused when its
        owner was killed or frozen."""
        owners = repository.epochs(record.id)
        if [owner.epoch for owner in owners] != [*range(1, len(owners) + 1)]:
            yield Violation("owners", record.id, "", f"{owners}")
        moves = [move.at.timestamp() for move in repository.moves(record.id)]
        for before, after in pairwise(owners):
            since, until = before.at.timestamp(), after.at.timestamp()
            for kind, name, at in self.owned:
                if name == before.node and since <= at <= until and until - at < LONGEST_FREEZE:
                    later = [move - at for move in moves if move > until]
                    if later:
                        self.report.pauses.setdefault(kind, []).append(later[0])

    def _lines_lost(self) -> Iterator[Violation]:
        """Lines that a server ended to which nothing was done that ends lines."""
        ended = {node.name: node.ended for node in self.nodes}
        for player, name, at, last in self.plan.closed:
            expected = any(words in last for words in OWN_DOING)
            if not expected and not any(0 <= at - since <= SETTLED for since in ended[name]):
                yield Violation("line lost", 0, player, f"{name} ended it at {at:.3f} after {last}")


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
