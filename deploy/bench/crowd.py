"""Many who watch, in a process of their own: ``crowd.py PORT NUMBER``.

Each line of its input is the number of a game that all are to watch. For each it prints how many
bytes they had been sent since the one before, once the server has told all of them of the new one.
"""

import os
import selectors
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from players import idle_connections
from wires import RECEIVE

NICE = 10
"""Players share the processor, and their latency is what is measured."""


class Crowd:
    """That process, seen from the one that began it."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self._hear()

    def watch(self, game: int) -> int:
        """All of them watch that game from now on; the bytes that they were sent until then."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{game}\n")
        self._process.stdin.flush()
        return int(self._hear())

    def _hear(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("those who watch are gone")
        return line


@contextmanager
def crowd(port: int, number: int) -> Iterator[Crowd]:
    """So many, connected and in the lobby."""
    argv = [sys.executable, __file__, str(port), str(number)]
    process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield Crowd(process)
    finally:
        process.kill()
        process.communicate()


def main() -> None:
    port, number = int(sys.argv[1]), int(sys.argv[2])
    os.nice(NICE)
    people = idle_connections(port, number, bare=False)
    selector = selectors.EpollSelector()
    for sock in people:
        selector.register(sock, selectors.EVENT_READ)
    selector.register(sys.stdin, selectors.EVENT_READ)
    print("here", flush=True)
    heard = 0
    waiting: set[int] = set()
    while True:
        for key, _ in selector.select():
            if key.fileobj is sys.stdin:
                if not (game := sys.stdin.readline().strip()):
                    return
                waiting = {sock.fileno() for sock in people}
                for sock in people:
                    sock.sendall(b"watch %d\n" % int(game))
                continue
            data = key.fileobj.recv(RECEIVE)  # type: ignore[union-attr]
            heard += len(data)
            if key.fd in waiting and b"lobby watch" in data:
                waiting.remove(key.fd)
                if not waiting:
                    print(heard, flush=True)
                    heard = 0


if __name__ == "__main__":
    main()
