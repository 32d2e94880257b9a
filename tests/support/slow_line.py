"""A line that takes its time, made of the kernel's own TCP: what lies on it is measured as over any
other network.

    python -m tests.support.slow_line --delay 50 --jitter 20 --hold 80 -- COMMAND ...

runs a command in a network of its own. Whoever listens there at `NEAR` is reached at `FAR`, over a
line that takes so many ms each way, plus up to so many by chance, and holds back acknowledgements
that carry no data from who dialled by so many more, as an interactive program's system may do.

A TUN device carries all that is sent to `FAR`; this program reads it, exchanges sender and receiver
(which leaves every checksum as it was), and writes it back when it is due. So both ends are of this
machine, and no packet takes a short cut.
"""

import fcntl
import heapq
import os
import random
import select
import socket
import struct
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from time import monotonic

import click
import pytest

NEAR, FAR = "10.9.0.1", "10.9.0.2"
MASK = "255.255.255.0"

TUN = "/dev/net/tun"
TUNSETIFF = 0x400454CA
IFF_TUN_NO_PI = 0x1001
SIOCSIFADDR, SIOCSIFNETMASK, SIOCSIFFLAGS = 0x8916, 0x891C, 0x8914
IFF_UP = 1
ONLY_ACK, SYN = 0x10, 0x02
PACKET = 1 << 16

# A network of its own, and nothing in it outlives the command. As root it needs no other user.
ALONE = ("unshare", "--net", "--pid", "--fork", "--kill-child")
AS_ROOT = (*ALONE, "--user", "--map-root-user")


def over_a_slow_line(
    command: Sequence[str], *, delay: int, jitter: int = 0, hold: int = 0
) -> list[str]:
    """The same command on such a line, ms. Where the system lets nobody lay one, which nothing that
    could be installed would change, the test is one that is expected to fail."""
    if (alone := _alone()) is None:
        pytest.xfail(f"no slow line: the system allows no network of one's own, or no {TUN}")
    options = ("--delay", delay, "--jitter", jitter, "--hold", hold)
    return [*_laid(alone), *map(str, options), "--", *command]


@cache
def _alone() -> Sequence[str] | None:
    """What makes a network of one's own here."""
    for alone in (ALONE, AS_ROOT):
        argv = [*_laid(alone), "--", "true"]
        try:
            if subprocess.run(argv, capture_output=True, timeout=60, check=False).returncode == 0:
                return alone
        except OSError:  # no such program
            pass
    return None


def _laid(alone: Sequence[str]) -> list[str]:
    return [*alone, sys.executable, "-m", "tests.support.slow_line"]


class Line:
    """Packets that wait. All times in s."""

    def __init__(self, device: int, delay: float, jitter: float, hold: float) -> None:
        self._device = device
        self._delay, self._jitter, self._hold = delay, jitter, hold
        self._waiting: list[tuple[float, int, bytes]] = []
        self._last = [0.0, 0.0]  # what was sent before in a direction comes before
        self._number = 0
        self._listening: set[int] = set()

    def carry(self, seconds: float) -> None:
        """Take what comes, and hand on what is due, for so long at most."""
        if self._waiting:
            seconds = max(0.0, min(seconds, self._waiting[0][0] - monotonic()))
        if select.select([self._device], [], [], seconds)[0]:
            self._take_all()
        while self._waiting and self._waiting[0][0] <= monotonic():
            packet = heapq.heappop(self._waiting)[2]
            os.write(self._device, packet[:12] + packet[16:20] + packet[12:16] + packet[20:])

    def _take_all(self) -> None:
        now = monotonic()
        while True:
            try:
                packet = os.read(self._device, PACKET)
            except BlockingIOError:
                return
            if packet[0] >> 4 == 4 and packet[9] == socket.IPPROTO_TCP:
                self._number += 1
                heapq.heappush(self._waiting, (self._due(packet, now), self._number, packet))

    def _due(self, packet: bytes, now: float) -> float:
        head = 4 * (packet[0] & 15)
        _, port, offset, flags = struct.unpack_from("!HH8xBB", packet, head)
        if flags & (SYN | ONLY_ACK) == SYN:
            self._listening.add(port)
        there = port in self._listening
        due = now + self._delay + random.uniform(0, self._jitter)
        if there and flags == ONLY_ACK and len(packet) == head + 4 * (offset >> 4):
            return due + self._hold
        self._last[there] = max(due, self._last[there])
        return self._last[there]


def _open_device() -> int:
    device = os.open(TUN, os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH14x", b"line", IFF_TUN_NO_PI))
    _set_up("lo")
    _set_up("line", (SIOCSIFADDR, NEAR), (SIOCSIFNETMASK, MASK))
    return device


def _set_up(name: str, *addresses: tuple[int, str]) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        for request, address in addresses:
            packed = socket.inet_aton(address)
            said = struct.pack("16sHH4s8x", name.encode(), socket.AF_INET, 0, packed)
            fcntl.ioctl(sock, request, said)
        fcntl.ioctl(sock, SIOCSIFFLAGS, struct.pack("16sH14x", name.encode(), IFF_UP))


@click.command(help=__doc__)
@click.option("--delay", default=0, show_default=True, help="ms each way.")
@click.option("--jitter", default=0, show_default=True, help="ms more, by chance.")
@click.option("--hold", default=0, show_default=True, help="ms more for bare acknowledgements.")
@click.argument("command", nargs=-1, required=True)
def main(delay: int, jitter: int, hold: int, command: tuple[str, ...]) -> None:
    line = Line(_open_device(), delay / 1000, jitter / 1000, hold / 1000)
    process = subprocess.Popen(command)
    while process.poll() is None:
        line.carry(0.1)
    sys.exit(process.returncode)


if __name__ == "__main__":
    main()
