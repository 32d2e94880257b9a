"""Many who watch, in a process of their own: ``crowd.py PORT NUMBER``.

Each line of its input is the number of a game that all are to watch. For each it prints how many
bytes they had been sent since the one before, once the server has told all of them of the new one.
"""

import os
import selectors
import sys

from players import RECEIVE, idle_connections

NICE = 10
"""Players share the processor, and their latency is what is measured."""


def main() -> None:
    port, number = int(sys.argv[1]), int(sys.argv[2])
    os.nice(NICE)
    crowd = idle_connections(port, number, bare=False)
    selector = selectors.EpollSelector()
    for sock in crowd:
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
                waiting = {sock.fileno() for sock in crowd}
                for sock in crowd:
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
