"""A UCI engine that is broken on purpose, in one way at a time, for those who must find it.

A program of its own, not to be imported: ``python broken_engine.py [WAY]``. It plays any legal
move. Without a way it does everything as it should.
"""

import os
import subprocess
import sys
import time

import chess

WAY = sys.argv[1] if len(sys.argv) > 1 else ""


class Engine:
    def __init__(self) -> None:
        self.board = chess.Board()
        self.words: list[str] = []
        self.waits = ""  # for what its answer waits
        self.held: list[str] = []
        self.registers = 0
        self.unready = False

    def say(self, *lines: str) -> None:
        if WAY == "keeps back its output":
            self.held += lines
            return
        for line in lines:
            os.write(1, f"{line}\n".encode())

    def run(self) -> None:
        if WAY == "leaves a child":
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        while data := sys.stdin.buffer.readline():
            line = data.decode().rstrip("\n")
            if WAY != "knows no CRLF":
                line = line.rstrip("\r")
            exact = WAY in ("knows no CRLF", "splits at every blank")
            words = line.split(" ") if exact else line.split()
            verb, *self.words = words or [""]
            if verb == "quit" and WAY != "ignores quit":
                break
            hear = getattr(self, f"hear_{verb.lower()}", None)
            if hear is not None:
                hear()
            elif WAY == "dies of unknown commands" and verb:
                sys.exit(f"what is {verb}?")
        for line in self.held:
            os.write(1, f"{line}\n".encode())
        while WAY == "ignores quit":
            time.sleep(60)
        sys.exit(3 if WAY == "quits with an error" else 0)

    def hear_uci(self) -> None:
        self.say("id name Broken")
        if WAY != "has no author":
            self.say("id author Nobody")
        default = 2000 if WAY == "has a default beyond max" else 16
        self.say(f"option name Hash type spin default {default} min 1 max 1024")
        style = "Wild" if WAY == "has a default that is no var" else "Solid"
        self.say(f"option name Style type combo default {style} var Solid var Risky")
        if WAY == "has an option without a type":
            self.say("option name Contempt default 0")
        if WAY == "offers an option twice":
            self.say("option name hash type spin default 1 min 1 max 2")
        self.say("option name Ponder type check default false")
        self.say("option name UCI_Chess960 type check default false")
        if WAY != "says no uciok":
            self.say("uciok")
        if WAY == "fails its copy protection":
            self.say("copyprotection checking", "copyprotection error")
        if WAY == "never ends its copy protection":
            self.say("copyprotection checking")
        if WAY == "says how its copy protection feels":
            self.say("copyprotection fine")
        if WAY == "is not registered":
            self.say("registration checking", "registration error")

    def hear_register(self) -> None:
        self.registers += 1
        if self.registers > 3:
            sys.exit("stop registering me!")
        self.say("registration checking", "registration error")
        if self.unready:
            self.say("readyok")

    def hear_isready(self) -> None:
        if WAY == "is not registered" and not self.registers:
            self.unready = True  # until somebody knows the word
            return
        if WAY == "is deaf while it searches" and self.waits:
            return
        if WAY == "forgets the position at isready":
            self.board = chess.Board()
        if WAY == "chats":
            self.say("ready when you are!")
        self.say("readyok")

    def hear_setoption(self) -> None:
        text = " ".join(self.words)
        if WAY == "minds the case of options" and not text.startswith(
            ("name Hash ", "name Ponder ", "name UCI_Chess960 ", "name Nonsense ")
        ):
            self.say(f"No such option: {text}")
        name, _, value = text.partition(" value ")
        if name.lower() == "name uci_chess960" and WAY != "castles as in chess":
            self.board = chess.Board(chess960=value == "true")

    def hear_position(self) -> None:
        chess960 = self.board.chess960
        cut = self.words.index("moves") if "moves" in self.words else len(self.words)
        fen = chess.STARTING_FEN if self.words[0] == "startpos" else " ".join(self.words[1:cut])
        if WAY == "reads no FEN":
            fen = chess.STARTING_FEN
        self.board = chess.Board(fen, chess960=chess960)
        if WAY != "plays no moves of a position":
            for move in self.words[cut + 1 :]:
                self.board.push(self.board.parse_uci(move))

    def hear_go(self) -> None:
        words = self.words
        endless = WAY == "knows no nodes" and "nodes" in words
        if endless or ("infinite" in words and WAY != "ends go infinite by itself"):
            self.waits = "stop"
        elif "ponder" in words and WAY != "ends pondering by itself":
            self.waits = "ponderhit"
        if not self.waits:
            if "movetime" in words:
                time.sleep(0.7 if WAY == "overstays" else 0.01)
            self.answer()

    def hear_stop(self) -> None:
        if self.waits:
            if WAY != "ignores stop":
                self.answer()
        elif WAY == "answers stop when idle":
            self.answer()

    def hear_ponderhit(self) -> None:
        self.hear_stop()

    def answer(self) -> None:
        self.waits = ""
        moves = [self.board.uci(move) for move in self.board.legal_moves]
        if not moves:
            self.no_move()
            return
        if "searchmoves" in self.words and WAY != "ignores searchmoves":
            moves = self.words[self.words.index("searchmoves") + 1 :]
        move = "a1a1" if WAY == "plays illegal moves" else moves[0]
        self.inform(moves[0])
        self.say(f"bestmove {move}")
        if WAY == "answers twice":
            self.say(f"bestmove {move}")

    def no_move(self) -> None:
        if WAY == "dies when mated" and self.board.is_check():
            sys.exit("no moves!")
        if WAY == "is silent when stalemated" and not self.board.is_check():
            return
        self.say("bestmove a1a1" if WAY == "makes up moves" else "bestmove 0000")

    def inform(self, move: str) -> None:
        score = "17" if WAY == "writes a score without its unit" else "cp 17"
        depth = "" if WAY == "writes seldepth alone" else "depth 1 "
        nodes = "many" if WAY == "writes words for numbers" else "12"
        pv = f"{move} {move}" if WAY == "writes an illegal pv" else move
        last = f"pv {pv} time 3" if WAY == "writes pv first" else f"time 3 pv {pv}"
        self.say(f"info {depth}seldepth 2 score {score} nodes {nodes} {last}")


if __name__ == "__main__":
    Engine().run()
