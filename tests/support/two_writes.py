"""A UCI engine that writes its analysis and its move apart, as most engines do.

    python two_writes.py NAME

A program of its own. It plays legal moves at random, and thinks `BETWEEN` s from one write to the
other, so that what carries its lines reads them one by one.
"""

import os
import random
import sys
import time

import chess

BETWEEN = 0.002


def say(*lines: str) -> None:
    os.write(1, "".join(f"{line}\n" for line in lines).encode())


def main() -> None:
    chance, board = random.Random(1), chess.Board()
    for line in sys.stdin:
        match line.split():
            case ["uci"]:
                say(f"id name {sys.argv[1]}", "uciok")
            case ["isready"]:
                say("readyok")
            case ["position", "startpos", *rest]:
                board = chess.Board()
                for move in rest[1:]:
                    board.push_uci(move)
            case ["go", *_]:
                move = chance.choice([*board.legal_moves])
                say(f"info depth 1 score cp 1 pv {move.uci()}")
                time.sleep(BETWEEN)
                say(f"bestmove {move.uci()}")
            case ["quit"]:
                return


if __name__ == "__main__":
    main()
