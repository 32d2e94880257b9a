"""A UCI engine that writes its analysis and its move apart, as most engines do.

    python two_writes.py NAME [MS LOG]

A program of its own. It plays legal moves at random, and thinks MS ms (without: `BETWEEN`) from one
write to the other, so that what carries its lines reads them one by one. With MS and LOG it is like
Stockfish 11: it complains of empty lines, also while it thinks; LOG gets a byte for each.
"""

import os
import random
import sys
import threading
from pathlib import Path

import chess

BETWEEN = 2
"""ms."""


def say(*lines: str) -> None:
    os.write(1, "".join(f"{line}\n" for line in lines).encode())


def main() -> None:
    chance, board = random.Random(1), chess.Board()
    name, *complains = sys.argv[1:]
    between = float(complains[0] if complains else BETWEEN) / 1000
    for line in sys.stdin:
        match line.split():
            case ["uci"]:
                say(f"id name {name}", "uciok")
            case ["isready"]:
                say("readyok")
            case ["position", "startpos", *rest]:
                board = chess.Board()
                for move in rest[1:]:
                    board.push_uci(move)
            case ["go", *_]:
                move = chance.choice([*board.legal_moves])
                say(f"info depth 1 score cp 1 pv {move.uci()}")
                threading.Timer(between, say, [f"bestmove {move.uci()}"]).start()
            case [] if complains:
                say("Unknown command: ")
                with Path(complains[1]).open("a") as log:
                    log.write(".")
            case ["quit"]:
                return


if __name__ == "__main__":
    main()
