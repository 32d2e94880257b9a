"""A thousand running games, kill -9, a new start: how long until everybody plays on?

    python -m tests.faults.restart --games 1000

Everybody calls again as soon as the port answers, takes the seat back by ``id resume SECRET`` and
is told the game's number, the position and, who is to move, ``go``. Measured from the start of the
process. Then every game goes on for some moves. Ends with 1 if it took too long, if a game is lost
or over or has not gone on in SQL, if anybody complains, or if there were fewer games than asked.
"""

import random
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import chess
import click

from ulci_server.storage import open_database

from .crowd import Crowd, Member
from .house import House
from .record import now

GOAL = 5.0
"""s from the start of the process until all are back."""

AFTER = 4
"""Plies that each game goes on for."""

HANG = 300.0


class Sitting(Member):
    """One of two who play each other, and do not answer while they hold their breath."""

    holding = False
    goal = 0  # plies beyond which nobody moves
    kind = "name"
    """The word with which it introduces itself: of a program or, ``username``, of a person."""

    def __init__(self, crowd: Crowd, name: str, number: int, opponent: str) -> None:
        super().__init__(crowd, name)
        self.opponent = opponent
        self.challenges = number % 2 == 0
        self.secret = ""
        self.game = ""
        self.moves: list[str] = []
        self.pending = False
        self.welcome = False
        self.back_at = 0.0
        self.wrong = ""
        self._chance = random.Random(name)

    def take(self, line: str) -> None:
        words = line.split()
        match words:
            case ["uci"]:
                seat = [f"id resume {self.secret}"] if self.secret else []
                lobby = ["id version 1", f"id {self.kind} {self.name}", "id feature lobby", *seat]
                self.say(*lobby, "uciok")
            case ["lobby", "welcome", "name", _, *rest]:
                self.welcome = True
                secret = rest[rest.index("resume") + 1]
                if self.secret and secret != self.secret:
                    self.wrong = "the server did not know it"
                self.secret = secret
            case ["lobby", "challenge", number, *_]:
                self.say(f"accept {number}")
            case ["isready"]:
                self.say("readyok")
            case ["lobby", "game", number, "start", *_]:
                if self.game and number != self.game:
                    self.wrong = f"{number} instead of game {self.game}"
                self.game = number
            case ["position", "startpos", *moves]:
                self._follow(moves[1:])
            case ["go", *_]:
                self.pending = True
                self.be_asked()
            case ["lobby", "game", _, "over", *result]:
                self.wrong = " ".join(result)
            case ["lobby", "error", *text]:
                self.wrong = " ".join(text)

    def _follow(self, moves: list[str]) -> None:
        if moves[: len(self.moves)] != self.moves:
            self.wrong = f"{len(moves)} plies where {len(self.moves)} were told"
        self.moves = moves
        self.back_at = self.back_at or now()

    def be_asked(self) -> None:
        if not Sitting.holding and len(self.moves) < Sitting.goal:
            self.answer()

    def answer(self) -> None:
        self.pending = False
        board = chess.Board()
        for move in self.moves:
            board.push_uci(move)
        self.say(f"bestmove {self._any_move_but_the_last(board).uci()}")

    def _any_move_but_the_last(self, board: chess.Board) -> chess.Move:
        """By chance some games would be over before they are needed."""
        moves = [*board.legal_moves]
        self._chance.shuffle(moves)
        for move in moves:
            board.push(move)
            over = board.is_game_over(claim_draw=True)
            board.pop()
            if not over:
                return move
        return moves[0]

    def lose(self) -> None:
        super().lose()
        self.pending = self.welcome = False


class Thousand:
    """All of them."""

    def __init__(self, house: House, games: int) -> None:
        self.house = house
        self.crowd = Crowd()
        self.members = [Sitting(self.crowd, f"p{n}", n, f"p{n ^ 1}") for n in range(2 * games)]

    def begin(self, plies: int) -> None:
        """Everybody plays until each game has so many plies."""
        Sitting.holding, Sitting.goal = False, plies
        for member in self.members:
            member.call(self.house.port())
        self._until(lambda m: m.welcome, "all are welcome")
        for member in self.members[::2]:
            member.say(f"challenge {member.opponent} time 600+5")
        self._until(lambda m: m.game, "all sit")
        self._until(lambda m: len(m.moves) >= plies, "the games are on their way")
        Sitting.holding = True
        self.crowd.serve(lambda: False, 0.5)

    def _until(self, holds, what: str) -> None:
        if not self.crowd.serve(lambda: all(map(holds, self.members)), HANG):
            missing = [m.name for m in self.members if not holds(m)]
            raise AssertionError(f"not {what}: {len(missing)}, e.g. {missing[:5]}")

    def kill_and_come_back(self) -> tuple[float, float, float]:
        """s from the process's start: until it listens, until the first and the last are back."""
        port = self.house.port()
        self.house.kill()
        self.crowd.serve(lambda: all(m.sock is None for m in self.members), 10)
        starting = threading.Thread(target=self.house.start)
        starting.start()
        while not _answers(port):
            starting.join(0.01)
        listens = now()
        for member in self.members:
            member.back_at = 0.0
            member.call(port)
        self.crowd.serve(lambda: all(m.back_at or m.wrong for m in self.members), HANG)
        starting.join()
        began = self.house.started_at
        back = sorted(m.back_at for m in self.members if m.back_at) or [0.0]
        return listens - began, back[0] - began, back[-1] - began

    def go_on(self, plies: int) -> None:
        """So many plies more in every game."""
        goal = {m.name: len(m.moves) + plies for m in self.members}
        Sitting.holding, Sitting.goal = False, max(goal.values())
        for member in self.members:
            if member.pending and not member.wrong:
                member.answer()
        self.crowd.serve(
            lambda: all(len(m.moves) >= goal[m.name] or m.wrong for m in self.members), HANG
        )
        Sitting.holding = True
        for member in self.members:
            if len(member.moves) < goal[member.name]:
                member.wrong = member.wrong or f"stands still after {len(member.moves)} plies"


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except ConnectionError:
        return False
    return True


def play(folder: Path, games: int, plies: int, database: str) -> dict:
    """What came of it: a table's rows."""
    house = House(folder, database, "600+5")
    house.start()
    crowd = Thousand(house, games)
    try:
        crowd.begin(plies)
        listens, first, last = crowd.kill_and_come_back()
        crowd.go_on(AFTER)
        wrong = [m for m in crowd.members if m.wrong]
        lost = {m.game for m in crowd.members if m.wrong or not m.back_at}
        house.kill()  # before anybody leaves
    finally:
        crowd.crowd.close()
        house.stop()
    for member in wrong[:10]:
        print(f"{member.name}, game {member.game}: {member.wrong}")
    reading = open_database(house.database, writing=False)
    stored = reading.games.find()
    short = sum(len(reading.games.moves(record.id)) < plies + AFTER for record in stored)
    reading.close()
    return {
        "games": len(stored),
        "s until it listens": listens,
        "s until the first is back": first,
        "s until the last is back": last,
        "players with a complaint": len(wrong),
        "games lost": len(lost),
        "games over": sum(record.outcome is not None for record in stored),
        "games without all their moves": short,
    }


def failures(rows: dict, games: int, goal: float = GOAL) -> Iterator[str]:
    """Sentences about what is not as it was asked for."""
    if rows["games"] < games:
        yield f"only {rows['games']} of {games} games were played"
    if rows["s until the last is back"] > goal:
        yield f"it took {rows['s until the last is back']:.2f} s instead of {goal:.0f}"
    for what in (
        "players with a complaint",
        "games lost",
        "games over",
        "games without all their moves",
    ):
        if rows[what]:
            yield f"{rows[what]} {what}"


@click.command(help=__doc__)
@click.option("--games", default=1000, show_default=True)
@click.option("--plies", default=20, show_default=True, help="Played in each before.")
@click.option(
    "--database", default="", help="Its URL; a SQLite file in a temporary folder if none."
)
def main(**asked: object) -> None:
    with tempfile.TemporaryDirectory(prefix="ulci-restart-") as folder:
        rows = play(Path(folder), **asked)
    for name, value in rows.items():
        print(f"{name:<32}{value:>8.2f}" if isinstance(value, float) else f"{name:<32}{value:>8}")
    failed = [*failures(rows, asked["games"])]
    print(*failed, sep="\n", end="\n" * bool(failed))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
