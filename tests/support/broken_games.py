"""An engine for UGI or UTI that is broken on purpose, in one way at a time.

A program of its own: ``python broken_games.py ugi|uti [WAY]``. Its UGI game is over after four
moves, its UTI answers the first empty square.
"""

import os
import sys

DIALECT, WAY = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
PLIES = 4


def say(line: str) -> None:
    os.write(1, f"{line}\n".encode())


def ugi() -> None:
    plies = 0
    waits = False
    for line in sys.stdin:
        match line.split():
            case ["ugi"]:
                for each in ("id name Games", "id author Nobody", "ugiok"):
                    say(each)
            case ["isready"]:
                plies = 0 if WAY == "forgets the position" else plies
                say("readyok")
            case ["position", *words]:
                plies = len(words) - words.index("moves") - 1 if "moves" in words else 0
            case ["query", question]:
                say(f"response {answer(question, plies)}")
            case ["go", *limits]:
                waits = "infinite" in limits
                if not waits:
                    say("bestmove 0000" if WAY == "gives up" else "bestmove x")
            case ["stop"] if waits:
                waits = False
                say("bestmove x")
            case ["quit"]:
                return


def answer(question: str, plies: int) -> str:
    over = plies >= PLIES and WAY != "never ends"
    if question == "gameover":
        return "yes" if WAY == "says yes" else str(over).lower()
    if question == "p1turn":
        return str(plies % 2 == 0).lower()
    return "draw" if over and WAY != "ends without a result" else "none"


def uti() -> None:
    cells, turn = "-" * 9, "1"
    for line in sys.stdin:
        match line.split():
            case ["uti"]:
                say("utiok")
            case ["id"]:
                say("Games" if WAY == "tells no author" else "name Games author Nobody")
            case ["info"]:
                say("standard eval")
            case ["isready"]:
                say("readyok")
            case ["newgame"]:
                cells, turn = "-" * 9, "1"
            case ["pos", board, player]:
                cells, turn = board, player
            case ["posmoves", moves, player]:
                stones = dict(move.split(",") for move in moves.split(";"))
                cells = "".join(stones.get(str(at), "-") for at in range(1, 10))
                turn = player
            case ["eval", "0"]:
                say("1 0" if WAY == "moves when it evaluates" else "0 0")
            case [square] if square.isdecimal():
                at = int(square) - 1
                if at >= 0:
                    cells = f"{cells[:at]}{turn}{cells[at + 1 :]}"
                say(reply(cells, turn))
            case ["quit"]:
                return
            case ["stop" | "debug", *_]:
                pass
            case _:
                say("what?" if WAY == "has errors of its own" else "CommandNotKnowError")


def reply(cells: str, turn: str) -> str:
    square = 1 if WAY == "takes what is taken" else cells.find("-") + 1
    score = {"1": 50, "2": -50}[turn]
    if WAY == "scores as the mover":
        score = 50
    return str(square) if WAY == "has no score" else f"{square} {score}"


{"ugi": ugi, "uti": uti}[DIALECT]()
