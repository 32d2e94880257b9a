"""A guest who plays an engine of the server, so that its cost for others can be measured.

``engine_guest.py PORT ENGINE HOW`` prints ``ready`` when it is about to begin, begins at the first
line of its input, and stops at the second; then it prints how many games it began. HOW is ``long``
(one game, in which it waits for the engine's first move for ever) or ``short`` (it resigns each
game once the engine has moved, and begins the next when the engine's program has ended).
"""

import os
import select
import sys
import time

from hostile_guest import NICE, Guest, Host

ENDS = 1.5
"""s after a game in which an engine's program ends that is not kept: a second, and some."""


def challenge(guest: Guest, engine: bytes) -> None:
    """Begin a game, in which the engine moves first."""
    asked = b"challenge " + engine + b" color black"
    guest.say(asked)
    while b"isready" not in (heard := guest.wait_for(b"\n")):
        if b"no-such-player" in heard:  # the server is asking what it is
            time.sleep(0.1)
            guest.say(asked)
    guest.say(b"readyok")


def resign(guest: Guest) -> None:
    guest.wait_for(b"\ngo ")
    guest.say(b"resign", b"bestmove 0000")
    guest.wait_for(b" over ")
    guest.wait_for(b"isready")
    guest.say(b"readyok")


def main() -> None:
    port, engine, how = int(sys.argv[1]), sys.argv[2].encode(), sys.argv[3]
    os.nice(NICE)
    guest = Host(port, "tcp", "127.0.0.1").guest()
    print("ready", flush=True)
    sys.stdin.readline()
    games, goes_on = 0, True
    while goes_on:
        challenge(guest, engine)
        games += 1
        if how == "short":
            resign(guest)
        goes_on = not select.select([sys.stdin], [], [], ENDS if how == "short" else None)[0]
    print(f"{games} 0", flush=True)


if __name__ == "__main__":
    main()
