"""Three servers of a cluster are restarted one after the other, under games that go on.

    python -m tests.faults.rolling --games 300 --seed 1

Players think for some seconds a move. Four of five games are of people and of programs that return
by the secret of their seat, as the bridge does; the others are of plain UCI engines, of which every
other has an account, by whose token it returns, and every other has nothing: its line has to be
kept until its game is over. All know all servers. Each server is ended by SIGTERM and started
again, when the one before serves again.

It is told of each server how many games it gave away, how long it took until others had all of
them, how long anybody waited for the move of an opponent who had made it, and how long players were
without their position. Ends with 1 if a game ended in any other way than by its moves, if more time
was charged than a player used, if anybody is not back or heard a complaint, or if servers did.
"""

import random
import sys
import tempfile
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from time import sleep, time

import click

from tests.support.redis_servers import RedisServer
from ulci.rules import Reason
from ulci_client.server_list import ServerList
from ulci_server.app.shutdown import SHUTDOWN
from ulci_server.storage import Database, open_database, secret_hash

from .bullet import written_game
from .crowd import Crowd
from .databases import cluster, schema
from .house import House
from .invariants import Violation, charged, disagreements, loop_was_held, unexpected_errors
from .invariants.case import TOLERANCE
from .record import now
from .restart import Sitting

NODES = 3

PLAIN = 5
"""One game of so many is of plain engines."""

CONTROL = "300+3"

GRACE = 60
"""Seconds that a server keeps the lines of those who cannot return: far more than a plain game
takes."""

PLIES = 200
"""Of the game that people and programs play: more than they get through."""

PLAIN_GAME = ("g1f3", "g8f6", "f3g1", "f6g8")
"""Played over and over by plain engines, until the position has been there too often."""

OWN_ENDS = (Reason.REPETITION, Reason.FIFTY_MOVES)
"""How games end by their moves."""

REDIAL = 0.5
"""Seconds until all servers are tried once more."""

AFTER = 2
"""Plies that each game goes on for when all servers are back."""

HANG = 60.0
"""Seconds after which what should have happened never will."""

NONE = (0.0, "nobody")

HEARD = 8
"""Last lines of who hangs that are shown."""

LOOK = 0.1
"""Seconds between two looks whether a server is listed again."""

COMPLAINTS = {"clienterror", "servererror", "error"}

Ply = tuple[int, int]
"""A game, by its number or by how many its player has had before, and a ply."""


@dataclass
class Mind:
    """How long a player is to think over each move. used: seconds that it had the question, on
    whatever line."""

    think: float
    chance: random.Random
    used: dict[Ply, float] = field(default_factory=dict)
    _left: dict[Ply, float] = field(default_factory=dict)
    _ply: Ply = (0, 0)
    _since: float = 0.0

    def begin(self, ply: Ply, since: float) -> float:
        """It was asked at `since` at the earliest, perhaps once more. Returns the seconds until it
        answers."""
        self.end()
        self._ply, self._since = ply, since
        return self._left.setdefault(ply, self.chance.uniform(0.5, 1.5) * self.think)

    def end(self) -> None:
        """It has answered, or lost its line."""
        if self._since:
            used = now() - self._since
            self.used[self._ply] = self.used.get(self._ply, 0.0) + used
            self._left[self._ply] = max(0.0, self._left[self._ply] - used)
        self._since = 0.0


class Roller(Sitting):
    """A person or a program of the lobby that goes on at the next server when it loses one."""

    def __init__(self, run: "Rolling", number: int) -> None:
        super().__init__(run.crowd, f"p{number}", number, f"p{number ^ 1}")
        chance = random.Random(f"{run.seed} {self.name}")
        self.run = run
        self.kind = "username" if number % 4 < 2 else "name"
        self.mind = Mind(run.think, chance)
        self.lines = 0
        self.heard: deque[str] = deque(maxlen=HEARD)
        self.lost_at = 0.0
        first = chance.randrange(NODES)
        self._servers = ServerList([*run.houses[first:], *run.houses[:first]], chance.random)

    def dial(self) -> None:
        self.lines += 1
        try:
            self.call(self._servers.current.port())
        except ConnectionError:
            self._dial_again(good=False)

    def lose(self) -> None:
        good = self.welcome
        super().lose()
        self.mind.end()
        self.lost_at = self.lost_at or now()
        self._dial_again(good=good)

    def _dial_again(self, *, good: bool) -> None:
        if not self.run.over:
            self.crowd.later(self._servers.lost(now(), REDIAL, good=good), self.dial)

    def take(self, line: str) -> None:
        words = line.split()
        self.heard.append(line)
        if SHUTDOWN not in line:
            if words[0] == "info" and not COMPLAINTS.isdisjoint(words[1:3]):
                self.wrong = line
            super().take(line)
        if words[0] == "position" and self.lost_at:
            self.run.away.append((now(), now() - self.lost_at, self.name))
            self.lost_at = 0.0

    @property
    def ply(self) -> Ply:
        return int(self.game or 0), len(self.moves)

    def be_asked(self) -> None:
        self.run.told(self)
        if self.next_move:
            seconds = self.mind.begin(self.ply, self.crowd.since)
            self.crowd.later(seconds, partial(self._answer, self.lines, self.ply))

    @property
    def next_move(self) -> str:
        """Empty if it waits for the end of the run."""
        played = len(self.moves)
        return "" if self.run.over or played >= PLIES else self.run.game[played]

    def _answer(self, line: int, ply: Ply) -> None:
        if self.sock is None or self.lines != line or self.ply != ply or not self.pending:
            return
        if not self.run.over:
            self.pending = False
            self.mind.end()
            self.run.moved(self)
            self.say(f"bestmove {self.next_move}")


class Plain(Roller):
    """An engine without words of the lobby: game after game, over a line that ends when none is
    on, unless it has an account."""

    def __init__(self, run: "Rolling", number: int) -> None:
        super().__init__(run, number)
        self.token = f"token-{self.name}" if number % 2 else ""
        self.games = 0

    def take(self, line: str) -> None:
        if line != "uci":
            super().take(line)
            return
        token = [f"id token {self.token}"] * bool(self.token)
        self.say("id version 1", f"id name {self.name}", *token, "uciok")
        self.welcome = True

    def _follow(self, moves: list[str]) -> None:
        if not self.games or len(moves) < len(self.moves):
            self.games += 1
        self.moves = moves

    @property
    def ply(self) -> Ply:
        return self.games, len(self.moves)

    @property
    def next_move(self) -> str:
        return "" if self.run.over else PLAIN_GAME[len(self.moves) % len(PLAIN_GAME)]


@dataclass(frozen=True, slots=True)
class Restart:
    """Of one server: when it was asked to end (by the wall clock, too), had ended, and served
    again."""

    name: str
    began: float
    wall: float
    ended: float
    served: float


class Rolling:
    def __init__(self, folder: Path, url: str, bus: str, *, games: int, seed: int, think: float):
        self.seed = seed
        self.think = think
        self.url = url
        self.over = False
        self.crowd = Crowd()
        self.game = written_game(seed, PLIES)
        self.houses = [self._house(folder / f"n{n + 1}", bus) for n in range(NODES)]
        self.restarts: list[Restart] = []
        self.waits: list[tuple[float, float, str]] = []
        """When somebody was told of a move, how many seconds after it was made, and who."""
        self.away: list[tuple[float, float, str]] = []
        """When somebody without a position had one again, after how many seconds, and who."""
        self.violations: list[Violation] = []
        self._moved: dict[Ply, float] = {}
        plain = 2 * (games // PLAIN)
        self.players = [Roller(self, number) for number in range(2 * games - plain)]
        self.plain = [Plain(self, number) for number in range(2 * games - plain, 2 * games)]

    def _house(self, folder: Path, bus: str) -> House:
        folder.mkdir()
        house = House(folder, self.url, CONTROL)
        house.grace, house.level = GRACE, "info"
        house.join(bus, folder.name)
        return house

    # What players say of themselves

    def moved(self, player: Roller) -> None:
        if not isinstance(player, Plain):
            game, ply = player.ply
            self._moved.setdefault((game, ply + 1), now())

    def told(self, player: Roller) -> None:
        since = None if isinstance(player, Plain) else self._moved.pop(player.ply, None)
        if since is not None:
            self.waits.append((now(), now() - since, player.name))

    # The run

    def __call__(self) -> None:
        try:
            for house in self.houses:
                house.start()
            self._make_accounts()
            self._begin()
            with ThreadPoolExecutor(1) as pool:
                rolled = pool.submit(self._roll)
                self.crowd.serve(rolled.done, NODES * (GRACE + HANG))
                rolled.result()
            goal = {player: len(player.moves) + AFTER for player in self.players}
            self._until("they go on", lambda p: p.wrong or len(p.moves) >= goal[p], self.players)
            self._until("they are back", lambda p: p.sock and not p.lost_at, self.players)
            self.over = True
        finally:
            self.over = True
            self.crowd.close()
            for house in self.houses:
                house.kill()
        self._judge()

    def _make_accounts(self) -> None:
        database = open_database(self.url)
        for player in self.plain:
            if player.token:
                account = database.accounts.add_player(player.name, "engine")
                database.accounts.add_token(account.id, secret_hash(player.token), "play")
        database.close()

    def _begin(self) -> None:
        everybody = [*self.players, *self.plain]
        for number, player in enumerate(everybody):
            self.crowd.later(number / 50, player.dial)
        self._until("all are welcome", lambda p: p.welcome, everybody)
        for number, player in enumerate(self.players[::2]):
            challenge = f"challenge {player.opponent} time {CONTROL} color white"
            self.crowd.later(number / 25, partial(player.say, challenge))
        self._until("all play", lambda p: len(p.moves) >= AFTER, self.players)
        self._until("the engines play", lambda p: p.games, self.plain)

    def _until(self, what: str, holds, players: Sequence[Roller]) -> None:
        if not self.crowd.serve(lambda: all(map(holds, players)), HANG):
            for player in players:
                if not holds(player):
                    text = f"not within {HANG:g} s: {what}; {' | '.join(player.heard)}"
                    self.violations.append(Violation("hangs", player.ply[0], player.name, text))

    def _roll(self) -> None:
        database = open_database(self.url, writing=False)
        for house in self.houses:
            name = house.folder.name
            before = database.runs.living_named(name)
            began, wall = now(), time()
            if code := house.stop():
                self.violations.append(Violation("exit code", 0, name, f"{code} after SIGTERM"))
            ended = now()
            house.start()
            while (state := database.runs.living_named(name)) is None or state == before:
                sleep(LOOK)
            self.restarts.append(Restart(name, began, wall, ended, now()))
        database.close()

    # What came of it

    def _judge(self) -> None:
        database = open_database(self.url, writing=False)
        try:
            self._unexplained = [*self._charges(database)]
            self.records = database.games.find()
            self._owners = {game.id: database.ownership.epochs(game.id) for game in self.records}
            self.violations += disagreements(database)
        finally:
            database.close()
        for game in self.records:
            ended = game.outcome and game.outcome.reason
            if ended and ended not in OWN_ENDS:
                text = f"{ended}: {game.detail}"
                self.violations.append(Violation("ended", game.id, game.seats[0].name, text))
        for player in (*self.players, *self.plain):
            if player.wrong:
                self.violations.append(
                    Violation("complaint", player.ply[0], player.name, player.wrong)
                )
        for house in self.houses:
            self.violations += unexpected_errors(house.log.read_text(), ())
        self.violations += loop_was_held(*(house.log.read_text() for house in self.houses))

    def _charges(self, database: Database) -> Iterator[float]:
        """What each move cost beyond the time for which its player had the question, s."""
        plain = {player.name: player for player in self.plain}
        minds = {player.name: player.mind for player in (*self.players, *self.plain)}
        games: Counter[str] = Counter()
        for record in sorted(database.games.find(), key=lambda game: game.id):
            names = [seat.name for seat in record.seats]
            games.update(names)
            for move in database.games.moves(record.id):
                name = names[move.side]
                ply = games[name] if name in plain else record.id, move.ply - 1
                used = minds[name].used.get(ply, 0.0)
                extra = (move.spent - move.lag - move.stall) / 1000 - used
                yield extra
                if extra > TOLERANCE:
                    text = f"{1000 * used:.0f} ms used: {move}"
                    self.violations.append(Violation("charged", record.id, name, text))

    def lines(self) -> Iterator[str]:
        """A table, a row for each server."""
        ends = Counter(game.outcome and game.outcome.reason.value for game in self.records)
        told = ", ".join(f"{number} {reason or 'running'}" for reason, number in ends.items())
        moves = len(self._unexplained)
        yield f"{len(self.records)} games ({told}), {moves} moves"
        yield f"charged beyond use: {charged(self._unexplained)}"
        yield (
            f"{'server':<8}{'games':>7}{'claimed s':>11}{'ended s':>9}{'served s':>10}"
            f"{'lines':>7}{'away s':>8}{'wait s':>8}  whose"
        )
        until = [restart.began for restart in self.restarts[1:]] + [now()]
        for one, end in zip(self.restarts, until, strict=True):
            given = [*self._given(one)]
            away = [(seconds, who) for at, seconds, who in self.away if one.began <= at < end]
            waits = [(seconds, who) for at, seconds, who in self.waits if one.began <= at < end]
            (longest, first), (wait, second) = max(away, default=NONE), max(waits, default=NONE)
            yield (
                f"{one.name:<8}{len(given):>7}{max(given, default=0.0):>11.2f}"
                f"{one.ended - one.began:>9.2f}{one.served - one.began:>10.2f}{len(away):>7}"
                f"{longest:>8.2f}{wait:>8.2f}  {first} {second}"
            )

    def _given(self, restart: Restart) -> Iterator[float]:
        """Seconds until others had each of the games of that server."""
        for owners in self._owners.values():
            for before, after in pairwise(owners):
                claimed = after.at.timestamp() - restart.wall
                gone = restart.served - restart.began
                if before.node == restart.name and 0 <= claimed <= gone:
                    yield claimed


def play(folder: Path, **asked: float) -> Rolling:
    """With a PostgreSQL and a Redis of its own."""
    with ExitStack() as stack:
        ours = stack.enter_context(cluster(folder))
        url = stack.enter_context(schema(ours.url))
        redis = RedisServer(folder)
        redis.start()
        stack.callback(redis.stop)
        run = Rolling(folder, url, redis.url, **asked)
        run()
    return run


@click.command(help=__doc__)
@click.option("--games", default=300, show_default=True, help="At the same time.")
@click.option("--seed", default=1, show_default=True)
@click.option("--think", default=3.0, show_default=True, help="Seconds a move, on average.")
@click.option("--keep", type=click.Path(path_type=Path), help="A folder for the logs.")
def main(keep: Path | None, **asked: float) -> None:
    with tempfile.TemporaryDirectory(prefix="ulci-rolling-") as temporary:
        folder = keep or Path(temporary)
        folder.mkdir(exist_ok=True, parents=True)
        run = play(folder, **asked)
    for violation in run.violations:
        print(violation)
    print(*run.lines(), sep="\n")
    sys.exit(bool(run.violations))


if __name__ == "__main__":
    main()
