"""Games at 1+0.01 on a machine that has other things to do: nobody may lose on time.

    python -m tests.faults.bullet --games 2000

Players answer at once, from a game that was written beforehand, so that what they need is next to
nothing; the last thing that each game hears is ``bestmove 0000``, which loses it. Meanwhile other
processes keep every core busy. Ends with 1 if anybody has lost on time, if there were fewer games
than asked for, if one ended in any other way than by its last move, or if anything was given back
for a line that takes nothing. A player that stood still itself loses rightly.
"""

import multiprocessing
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import chess
import click

from ulci.rules import Reason
from ulci_server.storage import open_database

from .crowd import Crowd, Member
from .house import House
from .record import now
from .report import Settings

PLIES = 80
"""Of a game: enough that what a move costs beyond its increment adds up."""

LOST = ("0-1", "1-0")
"""What White and Black are told when they have lost."""

LATE, GIVEN_BACK = "    of players who stood still", "ms given back for the line"
"""Rows of the table."""

LAST = Reason.ILLEGAL_MOVE
"""How every game ends after them."""


def written_game(seed: int, plies: int = PLIES) -> list[str]:
    """A legal game in which nothing ends before its last move."""
    chance = random.Random(seed)
    while True:
        board, moves = chess.Board(), []
        while len(moves) < plies and not board.is_game_over(claim_draw=True):
            move = chance.choice([*board.legal_moves])
            moves.append(move.uci())
            board.push(move)
        if len(moves) == plies:
            return [*moves, "0000"]


class Quick(Member):
    """A plain ULCI engine, paired again and again from the pool. over: how often any of them was
    told the end of a game. late: how many used up their time because this process stood still: by
    the first move, so that the game was aborted, or later."""

    game: list[str]
    clock: tuple[int, int]
    """ms that it has for a game, and more for each move."""
    over = late = 0
    _side = 0

    def __init__(self, crowd: Crowd, name: str) -> None:
        super().__init__(crowd, name)
        self._begin()

    def _begin(self) -> None:
        """A game. used: s that it had the question, at most."""
        self._used = 0.0
        self._asked = 0

    def take(self, line: str) -> None:
        verb = line[:4]
        if verb == "posi":
            self.ply = line.count(" ") - 2 if " moves " in line else 0
        elif verb == "go w":
            self.say(f"bestmove {self.game[self.ply]}")
            self._used += now() - self.crowd.since
            self._asked += 1
            self._side = self.ply % 2
        elif line == "isready":
            self.say("readyok")
        elif line == "uci":
            self.say("id version 1", f"id name {self.name}", "uciok")
        elif line.startswith("info string result"):
            self._be_told(line)

    def _be_told(self, line: str) -> None:
        Quick.over += 1
        base, increment = self.clock
        by = f"{LOST[self._side]} reason time", "* reason aborted"
        slow = 1000 * self._used >= base + increment * (self._asked - 1)
        Quick.late += bool(self._asked and slow and line.endswith(by))
        self._begin()


def _burn() -> None:
    while True:
        pass


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """So many processes that never wait for anything."""
    burning = [multiprocessing.Process(target=_burn, daemon=True) for _ in range(processes)]
    for process in burning:
        process.start()
    try:
        yield
    finally:
        for process in burning:
            process.kill()
            process.join()


def play(
    folder: Path,
    games: int,
    at_once: int,
    time: str,
    burners: int,
    database: str,
    limit: float = 3600.0,
) -> dict:
    """What came of it: a table's rows."""
    Quick.over = Quick.late = 0
    house = House(folder, database, time)
    house.start()
    crowd = Crowd()
    began = now()
    try:
        with busy(burners):
            game, clock = written_game(1), Settings(time=time).clock
            for number in range(2 * at_once):
                member = Quick(crowd, f"p{number}")
                member.game = game
                member.clock = clock
                member.call(house.port())
            crowd.serve(lambda: Quick.over >= 2 * games, limit)
            seconds = now() - began
            house.kill()  # or else the games that are on would end by its players' leaving
    finally:
        crowd.close()
        house.stop()
    return {"seconds": round(seconds), **counted(house.database), LATE: Quick.late}


def counted(url: str) -> dict:
    """What SQL says of the games that came to an end."""
    database = open_database(url, writing=False)
    reasons: Counter[str] = Counter()
    spent, lag, stall, held, lowest = [], [], [], [], []
    whole = 0
    for record in database.games.find(running=False):
        reasons[record.outcome.reason.value] += 1
        moves = database.games.moves(record.id)
        whole += record.outcome.reason is LAST and len(moves) == PLIES
        spent += [move.spent for move in moves]
        lag += [move.lag for move in moves]
        stall += [move.stall for move in moves]
        held += [getattr(move, "held", 0) for move in moves]
        lowest += [min(move.left for move in moves)] if moves else []
    database.close()
    return {
        "games": whole,
        **{f"    {reason}": number for reason, number in reasons.most_common()},
        "moves": len(spent),
        "ms a move, spent": _spread(spent),
        "    given back for the line": _spread(lag),
        "    given back for the server": _spread(stall),
        "    on nobody's clock before": _spread(held),
        "lowest clock of a game, ms": _spread(lowest, low=True),
        "losses on time": reasons["time"] + reasons["time-insufficient"],
        "games that ended before": reasons.total() - whole,
        GIVEN_BACK: sum(lag),
    }


def failures(rows: dict, games: int) -> Iterator[str]:
    """A sentence for each figure that is not as asked for. Players who stood still lost rightly."""
    late = rows.get(LATE, 0)
    if rows["games"] + late < games:
        yield f"only {rows['games']} of {games} games were played to their last move"
    for what in ("losses on time", "games that ended before"):
        if rows[what] > late:
            yield f"{rows[what] - late} {what}"
    if rows[GIVEN_BACK]:
        yield f"{rows[GIVEN_BACK]} {GIVEN_BACK}"


def _spread(values: list[int], *, low: bool = False) -> str:
    if not values:
        return "-"
    values = sorted(values, reverse=low)
    middle, most = values[len(values) // 2], values[len(values) * 99 // 100]
    return f"{middle} (p99 {most}, {'lowest' if low else 'most'} {values[-1]})"


@click.command(help=__doc__)
@click.option("--games", default=2000, show_default=True)
@click.option("--at-once", default=50, show_default=True)
@click.option("--time", default="1+0.01", show_default=True)
@click.option("--burners", default=os.cpu_count(), show_default="one a core")
@click.option(
    "--database", default="", help="Its URL; a SQLite file in a temporary folder if none."
)
@click.option("--limit", default=3600.0, show_default=True, help="s until it stops in any case.")
def main(**asked: object) -> None:
    with tempfile.TemporaryDirectory(prefix="ulci-bullet-") as folder:
        rows = play(Path(folder), **asked)
    for name, value in rows.items():
        print(f"{name:<32}{value:>8}" if isinstance(value, int) else f"{name:<32}{value}")
    failed = [*failures(rows, asked["games"])]
    print(*failed, sep="\n", end="\n" * bool(failed))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
