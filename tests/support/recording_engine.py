"""An engine with the options of real ones that write files, and that obeys them.

A program of its own: ``python recording_engine.py RECORD``. It appends every line that it reads to
the file RECORD, and, as Stockfish does, to the one that ``Debug Log File`` names.
"""

import sys
from pathlib import Path

OPTIONS = """\
Debug Log File type string default <empty>
LogFile type string default <empty>
SyzygyPath type string default <empty>
EvalFile type string default engine.nnue
Threads type spin default 1 min 1 max 1024
Hash type spin default 16 min 1 max 33554432
Clear Hash type button
Save Hash to File type button
Ponder type check default false
MultiPV type spin default 1 min 1 max 500
Skill Level type spin default 20 min 0 max 20
Contempt type spin default 0 min -100 max 100
UCI_Chess960 type check default false
UCI_LimitStrength type check default false
UCI_Elo type spin default 1320 min 1320 max 3190
UCI_ShowWDL type check default false
UCI_Opponent type string default <empty>
UCI_Variant type combo default chess var chess var atomic var crazyhouse
UCI_EngineAbout type string default Nobody
UCI_SetPositionValue type string default <empty>
"""

MOVES = ("g1f3", "g8f6", "f3g1", "f6g8")


def main(record: Path) -> None:
    files, plies = [record], 0
    for line in sys.stdin:
        for file in files:
            with file.open("a", encoding="utf-8") as log:
                log.write(line)
        verb, *words = line.split() or [""]
        if verb == "uci":
            print("id name Recording 1", *(f"option name {each}" for each in OPTIONS.splitlines()),
                  "uciok", sep="\n", flush=True)  # fmt: skip
        elif verb == "isready":
            print("readyok", flush=True)
        elif line.startswith("setoption name Debug Log File value "):
            files = [record, Path(line.split("value ", 1)[1].strip())]
        elif line.startswith("setoption name Save Hash to File"):
            Path("hash.bin").write_text("all of it", "utf-8")
        elif verb == "position":
            plies = len(words) - words.index("moves") - 1 if "moves" in words else 0
        elif verb == "go":
            print(f"bestmove {MOVES[plies % 4]}", flush=True)
        elif verb == "quit":
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]))
