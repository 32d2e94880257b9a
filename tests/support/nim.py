"""Nim over UGI, as a program: the referee of a game whose rules are nowhere in the server.

    python nim.py [--illegal ignore|complain|die|hang] [--twice] [--forgetful] [--log FILE]

Heaps of stones, ``3,4,5 1``: the heaps, and the player to move. ``b2`` takes two stones from the
second heap; who takes the last stone wins. With --twice, who takes a single stone moves again.
It is a player too: it leaves its opponent a lost heap where it can.
"""

import argparse
import functools
import operator
import sys
import time
from pathlib import Path

USUAL = "3,4,5 1"


class IllegalError(Exception):
    pass


class Nim:
    def __init__(self, fen: str, *, twice: bool) -> None:
        heaps, _, player = fen.partition(" ")
        self.heaps = [int(heap) for heap in heaps.split(",")]
        self.player = int(player or 1)
        self.twice = twice
        if self.player not in (1, 2) or min(self.heaps) < 0:
            raise ValueError(fen)

    def move(self, text: str) -> None:
        heap, taken = ord(text[0]) - ord("a"), int(text[1:]) if text[1:].isdigit() else 0
        if self.over() or not 0 <= heap < len(self.heaps) or not 1 <= taken <= self.heaps[heap]:
            raise IllegalError(text)
        self.heaps[heap] -= taken
        if not (self.twice and taken == 1 and not self.over()):
            self.player = 3 - self.player

    def over(self) -> bool:
        return not any(self.heaps)

    def best(self) -> str:
        total = functools.reduce(operator.xor, self.heaps)
        for index, heap in enumerate(self.heaps):
            if heap and heap ^ total < heap:
                return f"{'abcdefghij'[index]}{heap - (heap ^ total)}"
        index = next(index for index, heap in enumerate(self.heaps) if heap)
        return f"{'abcdefghij'[index]}1"


class Program:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.nim = self.fresh(USUAL)

    def fresh(self, fen: str) -> Nim:
        return Nim(fen, twice=self.options.twice)

    def say(self, *lines: str) -> None:
        for line in lines:
            print(line, flush=True)

    def hear(self, line: str) -> bool:
        match line.split():
            case ["ugi"]:
                self.say("id name Nim", "id author nobody", "ugiok")
            case ["isready"]:
                if self.options.forgetful:
                    self.nim = self.fresh(USUAL)
                self.say("readyok")
            case ["uginewgame"]:
                self.nim = self.fresh(USUAL)
            case ["position", kind, *rest]:
                self.position(kind, rest)
            case ["query", what]:
                self.say(f"response {self.answer(what)}")
            case ["go", *_]:
                self.say("info depth 1 score cp 0", f"bestmove {self.nim.best()}")
            case ["quit"]:
                return False
        return True

    def position(self, kind: str, rest: list[str]) -> None:
        at = rest.index("moves") if "moves" in rest else len(rest)
        try:
            self.nim = self.fresh(USUAL if kind == "startpos" else " ".join(rest[:at]))
        except ValueError:
            self.say("info string invalid position")
            return
        for move in rest[at + 1 :]:
            try:
                self.nim.move(move)
            except IllegalError:
                self.refuse(move)
                return

    def refuse(self, move: str) -> None:
        match self.options.illegal:
            case "complain":
                self.say(f"info string illegal move {move}")
            case "die":
                sys.exit(3)
            case "hang":
                time.sleep(60)

    def answer(self, what: str) -> str:
        won = f"p{3 - self.nim.player}win"
        return {
            "gameover": str(self.nim.over()).lower(),
            "p1turn": str(self.nim.player == 1).lower(),
            "result": won if self.nim.over() else "none",
        }[what]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--illegal", choices=["ignore", "complain", "die", "hang"], default="ignore"
    )
    parser.add_argument("--twice", action="store_true")
    parser.add_argument("--forgetful", action="store_true")
    parser.add_argument("--log", type=Path)
    options = parser.parse_args()
    program = Program(options)
    for line in sys.stdin:
        if options.log is not None:
            with options.log.open("a") as log:
                log.write(line)
        if not program.hear(line.strip()):
            return


if __name__ == "__main__":
    main()
