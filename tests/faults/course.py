"""What runs over lines full of faults have in common: players and watchers, how far they are, and
what is judged by what passed on their lines."""

import gc
import random
from collections.abc import Iterable

import trio

from ulci.net import PULSE, detect_stalls
from ulci_server.storage import Database, secret_hash

from .house import AWAY
from .invariants import Case, Chronicle, Trouble, disagreements, judge, left_in_the_dark
from .players import DARKNESS, Plan, Player, Watcher
from .proxy import Mischief
from .record import Wire, now
from .report import Report, Settings

ADMIN = "boss-token"

HANG = 120.0
"""s after which a run that should be over is one that hangs."""

FROZEN_EVERY = 2.0
"""s after which what is kept is looked through for garbage no more."""


class Course:
    """Players and what they are asked for. `report` says what came of it."""

    def __init__(self, settings: Settings, phase: str) -> None:
        self.settings = settings
        self.mischief = Mischief(random.Random(f"{settings.seed} lines"))
        self.report = Report(settings, self.mischief.ledger, phase=phase)
        self.troubles: list[Trouble] = []
        self.plan = Plan(settings.seed, time=settings.time)
        self.plan.enough = self.enough
        self.mischief.hungry = self._hungry
        self.players: list[Player] = []
        self.harmed = False
        """Whether all has been done to servers that was to be done."""
        self.chance = random.Random(f"{settings.seed} server")
        self._began = now()
        self._pauses: list[tuple[float, float]] = []
        self._known = self._played = 0

    # How far it is

    @property
    def faults(self) -> int:
        return self.mischief.ledger.total()

    def over(self) -> int:
        """Games that somebody was told the end of, and that were played at all."""
        if len(self.plan.over) != self._known:
            self._known = len(self.plan.over)
            self._played = sum("aborted" not in result for result in self.plan.over.values())
        return self._played

    def progress(self) -> float:
        """0 to 1."""
        over = self.over()
        running = 0.5 * (len(self.plan.started) - len(self.plan.over.keys() | self.plan.lost))
        return min(1.0, (over + running) / self.settings.games)

    def _hungry(self) -> bool:
        return not self.enough() and self.faults < self.settings.faults * self.progress()

    def enough(self) -> bool:
        if now() - self._began > self.settings.limit:
            return True
        done = self.over() >= self.settings.games and self.faults >= self.settings.faults
        return done and self.harmed

    # What it does

    def make_accounts(self, database: Database) -> None:
        """For every fourth player, their tokens; and one that may ask how the server does."""
        tokens = {f"p{n}": f"token-{n}" for n in range(1, 2 * self.settings.at_once, 4)}
        for name, token in tokens.items():
            player = database.accounts.add_player(name, "engine")
            database.accounts.add_token(player.id, secret_hash(token), "play")
        boss = database.accounts.add_player("boss", "human")
        database.accounts.add_token(boss.id, secret_hash(ADMIN), "admin")
        self.plan.tokens = tokens

    async def play(self) -> None:
        """Until there is enough, and all games are over."""
        detect_stalls()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._keep_looking)
            nursery.start_soon(_keep_collections_short)
            for number in range(2 * self.settings.at_once):
                player = Player(f"p{number}", self.plan, human=number % 3 == 0)
                self.players.append(player)
                nursery.start_soon(player.run)
            for number in range(1 + self.settings.at_once // 4):
                nursery.start_soon(Watcher(f"w{number}", self.plan).run)
            nursery.start_soon(self._guard, nursery.cancel_scope)

    async def _guard(self, scope: trio.CancelScope) -> None:
        """End what hangs; what it leaves running is found in SQL."""
        while not self.enough() or any(player.game for player in self.players):
            await trio.sleep(0.2)
            if now() - self._began > self.settings.limit + HANG:
                break
        await trio.sleep(3)
        scope.cancel()

    async def _keep_looking(self) -> None:
        """So that the proxy knows when it was late itself."""
        while True:
            since = now()
            await trio.sleep(PULSE)
            if now() - since > 2 * PULSE:
                self._pauses.append((since, now()))

    # What came of it

    def remember(self, database: Database, wires: Iterable[Wire]) -> Chronicle:
        """All games, as they were told and as they are stored."""
        chronicle, report = Chronicle(wires), self.report
        for record in database.games.find():
            white, black = record.seats
            story = chronicle.story(record.id, (white.name, black.name))
            story.remember(database, record)
            reason = "running" if record.outcome is None else record.outcome.reason.value
            report.results[reason] += 1
            report.moves += len(story.moves)
        report.violations += disagreements(database)
        return chronicle

    def judge(self, chronicle: Chronicle) -> None:
        """What nobody may have been told, lost or paid."""
        base, increment = self.settings.clock
        case = Case(chronicle, self.troubles, base, increment, AWAY, pauses=self._pauses)
        self.report.violations += judge(case)
        self.report.violations += left_in_the_dark(case, self.plan.dark, DARKNESS)
        self.report.unexplained = case.unexplained
        self.report.seconds = now() - self._began


async def _keep_collections_short() -> None:
    """Every line is kept until it is judged. To look through all of them for garbage takes up to a
    second, in which nothing gets to a server: players would pay for that."""
    try:
        while True:
            await trio.sleep(FROZEN_EVERY)
            gc.freeze()
    finally:
        gc.unfreeze()
