"""A thousand who ask for one running game at once; a process of its own.

``viewers.py PORT_OF_PLAYERS PORT_OF_PAGES HOW`` plays its games so far as they are asked for,
prints ``ready``, begins at the first line of its input, and stops at the second. Then it prints how
often a whole game was read, and how often a viewer was cut off before.

HOW is ``cold`` (each thousand asks for another game, which nobody has watched yet) or ``warm`` (all
ask for one, which others have just read).
"""

import os
import selectors
import socket
import sys
from itertools import count, cycle

from dearest_lines import game
from hostile_guest import NICE, Guest, Host
from players import prepared_game
from processes import allow_connections
from wires import RECEIVE

VIEWERS = 1000

ADDRESSES = 23
"""From which they come, each of another network, so that each has fewer than the streams that one
may open."""

PLIES = 80

GAMES = 8
"""That nobody has watched; the thousands after these ask for them again."""

BEGINS, ENDS = b"event: game\n", b"\n\n"


def play(host: Host) -> int:
    """The number of a running game of `PLIES` plies."""
    white, black = game(host, b"game chess time 600+5")
    number = int(black.wait_for(b" start white").split()[-3])
    for ply, move in enumerate(prepared_game()[:PLIES]):
        mover: Guest = black if ply % 2 else white
        if ply:
            mover.wait_for(b"go wtime")
        mover.say(move)
    (black if PLIES % 2 else white).wait_for(b"go wtime")
    return number


class Viewers:
    """Those of one time. They leave when all have read the game or were cut off."""

    def __init__(self, port: int, network: int, number: int) -> None:
        self.read = self.cuts = 0
        self._ask = b"GET /api/games/%d/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" % number
        self._selector = selectors.EpollSelector()
        self._all = [socket.socket() for _ in range(VIEWERS)]
        for at, sock in enumerate(self._all):
            sock.setblocking(False)
            sock.bind((f"127.{network}.{1 + at % ADDRESSES}.1", 0))
            sock.connect_ex(("127.0.0.1", port))
            self._selector.register(sock, selectors.EVENT_WRITE, bytearray())

    def watch(self) -> bool:
        """Whether the input said nothing meanwhile."""
        with self._selector as selector:
            selector.register(sys.stdin, selectors.EVENT_READ)
            goes_on = True
            while goes_on and self.read + self.cuts < VIEWERS:
                for key, events in selector.select():
                    if key.data is None:
                        goes_on = False
                    elif events & selectors.EVENT_WRITE:
                        self._say(key)
                    else:
                        self._hear(key)
        for sock in self._all:
            sock.close()
        return goes_on

    def _say(self, key: selectors.SelectorKey) -> None:
        assert isinstance(key.fileobj, socket.socket)
        try:
            key.fileobj.send(self._ask)
        except OSError:
            self._selector.unregister(key.fileobj)
            self.cuts += 1
        else:
            self._selector.modify(key.fileobj, selectors.EVENT_READ, key.data)

    def _hear(self, key: selectors.SelectorKey) -> None:
        assert isinstance(key.fileobj, socket.socket)
        try:
            data = key.fileobj.recv(RECEIVE)
        except OSError:
            data = b""
        key.data.extend(data)
        begins = key.data.find(BEGINS)
        whole = begins >= 0 and key.data.find(ENDS, begins) >= 0
        if whole or not data:
            self._selector.unregister(key.fileobj)
            self.read += whole
            self.cuts += not whole


def main() -> None:
    players, pages, how = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    os.nice(NICE)
    allow_connections()
    host = Host(players, "tcp", "127.0.0.1")  # exempt: a guest may have used up its own limits
    games = [play(host) for _ in range(GAMES if how == "cold" else 1)]
    networks, asked = count(10), cycle(games)
    if how == "warm":
        Viewers(pages, next(networks), games[0]).watch()
    print("ready", flush=True)
    sys.stdin.readline()
    read = cuts = 0
    goes_on = True
    while goes_on:
        viewers = Viewers(pages, next(networks), next(asked))
        goes_on = viewers.watch()
        read, cuts = read + viewers.read, cuts + viewers.cuts
    print(f"{read} {cuts}", flush=True)


if __name__ == "__main__":
    main()
