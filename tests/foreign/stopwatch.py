"""An engine, with its thinking timed where it thinks: nothing between the engine and the line but
this, which passes on every chunk as it was written.

    python stopwatch.py LOG ENGINE [ARGUMENT…]

appends a line to LOG for every ``go`` and every ``bestmove``: the number of the game, the plies
before the move, the move (of ``go`` a dash), and the microseconds since ``go``.
"""

import os
import selectors
import subprocess
import sys
import time

CHUNK = 65536


class Stopwatch:
    """What both sides said, as far as it concerns the time."""

    def __init__(self, log: int) -> None:
        self._log = log
        self._game = self._ply = 0
        self._began = 0.0
        self._rest = {True: b"", False: b""}

    def note(self, data: bytes, at: float, *, of_server: bool) -> None:
        """Look at what was read at `at` (s)."""
        *lines, self._rest[of_server] = (self._rest[of_server] + data).split(b"\n")
        for line in lines:
            words = line.split()
            if not words:
                continue
            if of_server:
                self._told(words, at)
            elif words[0] == b"bestmove" and len(words) > 1:
                self._note(words[1].decode(), at)

    def _told(self, words: list[bytes], at: float) -> None:
        match words[0]:
            case b"ucinewgame":
                self._game += 1
            case b"position":
                moves = words.index(b"moves") + 1 if b"moves" in words else len(words)
                self._ply = len(words) - moves
            case b"go":
                self._began = at
                self._note("-", at)

    def _note(self, move: str, at: float) -> None:
        spent = round((at - self._began) * 1e6)
        os.write(self._log, f"{self._game} {self._ply} {move} {spent}\n".encode())


def main(log: str, *argv: str) -> int:
    engine = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    assert engine.stdin is not None
    assert engine.stdout is not None
    noted = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    stopwatch = Stopwatch(noted)
    ways = selectors.DefaultSelector()
    ways.register(0, selectors.EVENT_READ, engine.stdin.fileno())
    ways.register(engine.stdout, selectors.EVENT_READ, 1)
    while True:
        for way, _ in ways.select():
            data = os.read(way.fd, CHUNK)
            if not data and way.fd == 0:  # the line is gone: so the engine hears of it
                ways.unregister(0)
                engine.stdin.close()
                continue
            if not data:
                return engine.wait()
            # Noted first: whoever hears the last move of a game may end this program.
            stopwatch.note(data, time.monotonic(), of_server=way.fd == 0)
            _write(way.data, data)


def _write(to: int, data: bytes) -> None:
    while data:
        data = data[os.write(to, data) :]


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
