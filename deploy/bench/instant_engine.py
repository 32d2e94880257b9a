"""A UCI engine that answers each ``go`` at once, with the next move of a game that it was given.

``instant_engine.py "MOVE MOVE …"``; with ``flood`` instead it prints lines without end at the first
``go``. It imports nothing that takes time to start.
"""

import sys


def main() -> None:
    moves = sys.argv[1].split()
    ply = 0
    for line in sys.stdin:
        if line.startswith("go"):
            while moves == ["flood"]:
                sys.stdout.write("info depth 1 score cp 0 pv e2e4 e7e5 g1f3 b8c6\n" * 100)
            answer = f"info depth 1 score cp 0 nodes 1 pv {moves[ply]}\nbestmove {moves[ply]}\n"
        elif line.startswith("position"):
            ply = len(line.partition(" moves ")[2].split())
            continue
        elif line.startswith("isready"):
            answer = "readyok\n"
        elif line.startswith("uci\n"):
            answer = "id name Instant\nid author Nobody\nuciok\n"
        elif line.startswith("quit"):
            return
        else:
            continue
        sys.stdout.write(answer)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
