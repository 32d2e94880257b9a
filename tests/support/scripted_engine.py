"""A UCI engine that does as it is told: the good and the bad sides of engines in the field.

A program of its own, not to be imported: ``python scripted_engine.py [switches]``. It moves the
king's knights to and fro, which is legal from the usual start, and scores a position by the number
of plies, or by the option Score, which --option may offer.

--transcript FILE  append every line that it reads
--once FILE        misbehave only if FILE is not there yet, and make it
--id KEY=VALUE     another `id` line (repeatable); --option LINE another `option` line (repeatable)
--ponder           say what it expects, and offer the option Ponder
--slow-quit SECONDS  needs so long to end, and then writes "gone" into the transcript
--info TEXT        another `info` line of every search (repeatable)
--think SECONDS    search so long
--wait             answer a `go` only at `stop` or `ponderhit`

Misbehaviours:
--no-uciok  --first-line LINE  --die-before-uciok  --stderr TEXT
--die-at-go N  --die-after-move N  --crash-at-go N  --hang-at-go N  --hang-at-ready N
--ignore-stop  --long-line BYTES
--copyprotection STATUS  --registration STATUS  --slow-ready FIFO (ready once it can be read)
--orphan (leaves a child with the same switches that would live for ever)  --ignore-quit
--long-thought BYTES (in every search)  --slow-move FIFO (moves once it can be read)
--flood-at-go N (prints lines without end)  --flood (so before anything is said)
--illegal-at-go N  --close-at-go N (closes its output, and lives on)
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

MOVES = ("g1f3", "g8f6", "f3g1", "f6g8")


def say(*lines: str) -> None:
    # Not print(): unbuffered, it forgets what a full pipe did not take at once.
    data = "".join(f"{line}\n" for line in lines).encode()
    while data:
        data = data[os.write(1, data) :]


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    for name in ("transcript", "once", "copyprotection", "registration", "slow-ready", "slow-move"):
        parser.add_argument(f"--{name}")
    for name in ("id", "info", "option", "first-line", "stderr"):
        parser.add_argument(f"--{name}", action="append", default=[])
    for name in (
        "die-at-go",
        "die-after-move",
        "crash-at-go",
        "hang-at-go",
        "hang-at-ready",
        "flood-at-go",
        "illegal-at-go",
        "close-at-go",
        "long-line",
        "long-thought",
    ):
        parser.add_argument(f"--{name}", type=int, default=0)
    for name in ("ponder", "wait", "no-uciok", "die-before-uciok", "ignore-stop", "orphan"):
        parser.add_argument(f"--{name}", action="store_true")
    for name in ("slow-quit", "think"):
        parser.add_argument(f"--{name}", type=float, default=0.0)
    for name in ("ignore-quit", "flood"):
        parser.add_argument(f"--{name}", action="store_true")
    return parser.parse_args()


class Engine:
    def __init__(self, asked: argparse.Namespace) -> None:
        self.asked = asked
        self.plies = self.searches = self.readies = 0
        self.searching = False
        self.score: int | None = None
        self.bad = True
        if asked.once:
            self.bad = not Path(asked.once).exists()
            Path(asked.once).touch()

    def run(self) -> None:
        asked = self.asked
        while self.bad and asked.flood:
            say("info string " + "x" * 80)
        say(*asked.first_line)
        for text in asked.stderr:
            print(text, file=sys.stderr, flush=True)
        if asked.orphan:
            argv = [sys.executable, "-c", "import time; time.sleep(3600)", *sys.argv[1:]]
            child = subprocess.Popen(argv)
            say(f"info string child {child.pid}")
        for line in sys.stdin:
            if asked.transcript:
                with Path(asked.transcript).open("a", encoding="utf-8") as file:
                    file.write(line)
            verb, *words = line.split() or [""]
            if verb == "quit" and not asked.ignore_quit:
                if asked.slow_quit:
                    time.sleep(asked.slow_quit)
                    with Path(asked.transcript).open("a", encoding="utf-8") as file:
                        file.write("gone\n")
                return
            getattr(self, f"hear_{verb}", lambda _: None)(words)
        while asked.ignore_quit:
            time.sleep(3600)

    def hear_uci(self, _: list[str]) -> None:
        asked = self.asked
        if self.bad and asked.die_before_uciok:
            sys.exit(3)
        if asked.long_line:
            say("info string " + "x" * asked.long_line)
        say("id name Scripted 1.0", "id author Nobody")
        say(*(f"id {each.replace('=', ' ', 1)}" for each in asked.id))
        say(*(f"option {each}" for each in asked.option))
        say("option name Hash type spin default 16 min 1 max 1024")
        if asked.ponder:
            say("option name Ponder type check default false")
        if not (self.bad and asked.no_uciok):
            say("uciok")
        if asked.copyprotection:
            say("copyprotection checking", f"copyprotection {asked.copyprotection}")
        self.hear_register([])

    def hear_register(self, _: list[str]) -> None:
        if self.asked.registration:
            say("registration checking", f"registration {self.asked.registration}")

    def hear_setoption(self, words: list[str]) -> None:
        if words[:3] == ["name", "Score", "value"]:
            self.score = int(words[3])

    def hear_isready(self, _: list[str]) -> None:
        self.readies += 1
        if self.bad and self.readies == self.asked.hang_at_ready:
            time.sleep(3600)
        if self.asked.slow_ready and self.readies > 1:
            Path(self.asked.slow_ready).read_bytes()
        say("readyok")

    def hear_position(self, words: list[str]) -> None:
        self.plies = len(words) - words.index("moves") - 1 if "moves" in words else 0

    def hear_go(self, words: list[str]) -> None:
        asked = self.asked
        if "ponder" not in words:
            self.searches += 1
        if self.bad and self.searches == asked.die_at_go:
            print("what a pity", file=sys.stderr, flush=True)
            sys.exit(7)
        if self.bad and self.searches == asked.crash_at_go:
            os.kill(os.getpid(), signal.SIGSEGV)
        self.searching = True
        score = self.plies if self.score is None else self.score
        say(f"info depth 1 score cp {score} nodes 1 pv {MOVES[self.plies % 4]}")
        say(*(f"info {each}" for each in asked.info))
        time.sleep(asked.think)
        if asked.long_thought:
            say("info string " + "x" * asked.long_thought)
        if asked.slow_move:
            Path(asked.slow_move).read_bytes()
        if self.bad and self.searches == asked.hang_at_go:
            time.sleep(3600)
        while self.bad and self.searches == asked.flood_at_go:
            say("info string " + "x" * 80)
        if self.bad and self.searches == asked.illegal_at_go:
            say("bestmove a1a8")
            return
        if self.bad and self.searches == asked.close_at_go:
            os.close(1)
            time.sleep(3600)
        if not (asked.wait or "ponder" in words or "infinite" in words):
            self.answer()

    def hear_stop(self, _: list[str]) -> None:
        if self.searching and not (self.bad and self.asked.ignore_stop):
            self.answer()

    def hear_ponderhit(self, _: list[str]) -> None:
        self.hear_stop([])

    def answer(self) -> None:
        self.searching = False
        ponder = f" ponder {MOVES[(self.plies + 1) % 4]}" if self.asked.ponder else ""
        say(f"bestmove {MOVES[self.plies % 4]}{ponder}")
        if self.bad and self.searches == self.asked.die_after_move:
            sys.exit(7)


if __name__ == "__main__":
    Engine(parsed()).run()
