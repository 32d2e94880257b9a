"""Many who watch, in a process of their own: ``crowd.py PORT NUMBER [--streams]``.

Each line of its input is the number of a game that all are to watch. For each it prints how many
bytes they had been sent since the one before, once the server has told all of them of the new one.
They are people in the lobby, over TCP, or with ``--streams`` readers of event streams, over HTTP.
"""

import os
import selectors
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from players import idle_connections
from wires import RECEIVE

NICE = 10
"""Players share the processor, and their latency is what is measured."""


STREAMS = "--streams"

BEGUN = {False: b"lobby watch", True: b"event: game\n"}
"""What the server tells each of them of the game that they watch, by whether they read streams."""


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
def crowd(port: int, number: int, *, streams: bool = False) -> Iterator[Crowd]:
    """So many, connected and in the lobby, or ready to open event streams."""
    argv = [sys.executable, __file__, str(port), str(number), *([STREAMS] if streams else [])]
    process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield Crowd(process)
    finally:
        process.kill()
        process.communicate()


def in_lobby(port: int, number: int) -> list[socket.socket]:
    return idle_connections(port, number, bare=False)


def watching(people: Iterable[socket.socket], game: int) -> None:
    for sock in people:
        sock.sendall(b"watch %d\n" % game)


def streaming(port: int, number: int, game: int) -> list[socket.socket]:
    """Readers who connect as they ask: the server closes what says nothing."""
    people = []
    for _ in range(number):
        sock = socket.create_connection(("127.0.0.1", port))
        sock.sendall(b"GET /api/games/%d/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" % game)
        people.append(sock)
    return people


def main() -> None:
    port, number, streams = int(sys.argv[1]), int(sys.argv[2]), STREAMS in sys.argv
    os.nice(NICE)
    selector = selectors.EpollSelector()
    selector.register(sys.stdin, selectors.EVENT_READ)
    people = [] if streams else in_lobby(port, number)
    for sock in people:
        selector.register(sock, selectors.EVENT_READ)
    print("here", flush=True)
    heard = 0
    waiting: set[int] = set()
    while True:
        for key, _ in selector.select():
            if key.fileobj is sys.stdin:
                if not (game := sys.stdin.readline().strip()):
                    return
                if streams:
                    assert not people, "readers of streams have one game"
                    people = streaming(port, number, int(game))
                    for sock in people:
                        selector.register(sock, selectors.EVENT_READ)
                else:
                    watching(people, int(game))
                waiting = {sock.fileno() for sock in people}
                continue
            data = key.fileobj.recv(RECEIVE)  # type: ignore[union-attr]
            if not data:
                raise SystemExit("the server ended the connection of one who watches")
            heard += len(data)
            if key.fd in waiting and BEGUN[streams] in data:
                waiting.remove(key.fd)
                if not waiting:
                    print(heard, flush=True)
                    heard = 0


if __name__ == "__main__":
    main()
