"""What a message between two servers costs: the bus over Redis, beside a plain Trio TCP stream.

A sender and a receiver are processes of their own. Both transports gather what is said during one
publication, or write, into the next, so a batch is as large as it forms at the rate of the row. See
README.md here.
"""

import argparse
import json
import os
import socket
import statistics
import struct
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Sequence
from typing import Any

import msgpack
import trio
from results_table import Line, Measured, table

from ulci_server.bus import Bus, open_hub
from ulci_server.bus.bus import TICK

REDIS = "ULCI_TEST_REDIS_URL"
RATES = (500, 5_000, 50_000)
"""Messages a second."""

STAMP = struct.Struct("=d")
REST = bytes(192)
"""With the time of its sending, a message has 200 bytes."""

STEP = 0.001
"""s between two wakings of the sender at the most, which says then what is due."""

SETTLE = 0.5
"""s before a row, in which connections are made."""


Heard = Callable[[int, Sequence[bytes]], object]


class OverBus:
    """Two runs of one cluster."""

    def __init__(self, where: str, run: int, heard: Heard) -> None:
        url, key = where.rsplit(" ", 1)
        self._peer = 3 - run
        self.bus = Bus(open_hub(url), key, run, heard=heard, lost=self._lost, deaf=self._deaf)
        self.bus.add(self._peer)

    @property
    def batches(self) -> int:
        return self.bus.counters.batches_out + self.bus.counters.batches_in

    def send(self, message: bytes) -> None:
        self.bus.send(self._peer, message)

    async def run(self, task_status: trio.TaskStatus[None]) -> None:
        await self.bus.run(task_status)

    @staticmethod
    def _lost(run: int) -> None:
        raise SystemExit(f"messages of or to {run} were lost: the rate is too high")

    @staticmethod
    def _deaf(run: int) -> None:
        """It has not begun yet."""


class OverTcp:
    """The reference: as little as can gather and say messages in batches. The receiver listens."""

    def __init__(self, where: str, run: int, heard: Heard) -> None:
        self.batches = 0
        self._where = int(where)
        self._run = run
        self._heard = heard
        self._waiting: list[bytes] = []
        self._wake = trio.Event()

    def send(self, message: bytes) -> None:
        self._waiting.append(message)
        self._wake.set()

    async def run(self, task_status: trio.TaskStatus[None]) -> None:
        if self._run == 2:
            sock = socket.socket(fileno=self._where)
            sock.setblocking(False)
            listener = trio.SocketListener(trio.socket.from_stdlib_socket(sock))
            task_status.started()
            await self._receive(await listener.accept())
        else:
            stream = await trio.open_tcp_stream("127.0.0.1", self._where)
            task_status.started()
            await self._write(stream)

    async def _write(self, stream: trio.SocketStream) -> None:
        while True:
            await self._wake.wait()
            at = trio.current_time()
            self._wake = trio.Event()
            batch, self._waiting = self._waiting, []
            await stream.send_all(msgpack.packb(batch))
            self.batches += 1
            await trio.sleep_until(at + TICK)

    async def _receive(self, stream: trio.SocketStream) -> None:
        unpacker = msgpack.Unpacker()
        while data := await stream.receive_some(64 * 1024):
            unpacker.feed(data)
            for batch in unpacker:
                self.batches += 1
                self._heard(1, batch)


class Nowhere:
    """What the sender takes besides sending."""

    batches = 0

    def __init__(self, where: str, run: int, heard: Heard) -> None: ...

    def send(self, message: bytes) -> None: ...

    async def run(self, task_status: trio.TaskStatus[None]) -> None:
        task_status.started()


KINDS: dict[str, Any] = {"bus": OverBus, "tcp": OverTcp, "none": Nowhere}


async def send(transport: str, where: str, rate: int, seconds: float) -> dict[str, Any]:
    """Say messages at an even rate. What it took of the processor."""
    async with trio.open_nursery() as nursery:
        sending = KINDS[transport](where, 1, lambda *_: None)
        await nursery.start(sending.run)
        await trio.sleep(SETTLE)
        count, total = 0, int(rate * seconds)
        began, worked, batches = trio.current_time(), time.process_time(), sending.batches
        while count < total:
            due = min(total, int((trio.current_time() - began) * rate) + 1)
            stamp = STAMP.pack(time.monotonic())
            for _ in range(due - count):
                sending.send(stamp + REST)
            count = due
            await trio.sleep_until(max(began + count / rate, trio.current_time() + STEP))
        await trio.sleep(SETTLE)
        cpu, batches = time.process_time() - worked, sending.batches - batches
        nursery.cancel_scope.cancel()
    return {"cpu": cpu, "batches": batches}


async def receive(transport: str, where: str, total: int) -> dict[str, Any]:
    """Hear so many messages. What it took of the processor, and how long each was under way."""
    delays: list[float] = []
    worked = 0.0
    done = trio.Event()

    def heard(_: int, messages: Sequence[bytes]) -> None:
        nonlocal worked
        if not delays:
            worked = time.process_time()
        now = time.monotonic()
        delays.extend(now - STAMP.unpack_from(message)[0] for message in messages)
        if len(delays) >= total:
            done.set()

    async with trio.open_nursery() as nursery:
        receiving = KINDS[transport](where, 2, heard)
        await nursery.start(receiving.run)
        print("ready", flush=True)
        await done.wait()
        cpu = time.process_time() - worked
        nursery.cancel_scope.cancel()
    cuts = statistics.quantiles(delays, n=100)
    return {"cpu": cpu, "p50": 1000 * cuts[49], "p99": 1000 * cuts[98]}


def measure(transport: str, url: str, rate: int, seconds: float, idle: float) -> Measured:
    """One row of one transport. idle: s of processor time that the sender takes without any."""
    total = int(rate * seconds)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        where = {"bus": f"{url} {uuid.uuid4().hex}", "tcp": str(listener.getsockname()[1])}
        end = {"bus": where["bus"], "tcp": str(listener.fileno())}
        receiver = process("receive", transport, end[transport], total, fds=(listener.fileno(),))
        assert receiver.stdout is not None
        if receiver.stdout.readline().strip() != "ready":
            raise SystemExit("the receiver has ended: does Redis run?")
        sent = answer(process("send", transport, where[transport], rate, seconds))
        got = answer(receiver)
    figures = {
        "send µs a message": (sent["cpu"] - idle) / total * 1e6,
        "receive µs a message": got["cpu"] / total * 1e6,
        "messages a batch": total / sent["batches"],
        "p50 ms": got["p50"],
        "p99 ms": got["p99"],
    }
    return Measured(figures)


def process(*argv: object, fds: Sequence[int] = ()) -> "subprocess.Popen[str]":
    command = [sys.executable, __file__, *map(str, argv)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, pass_fds=fds)


def answer(process: "subprocess.Popen[str]") -> dict[str, Any]:
    said, _ = process.communicate()
    if process.returncode:
        raise SystemExit(f"a process has failed: {said}")
    found: dict[str, Any] = json.loads(said)
    return found


def main() -> None:
    if sys.argv[1:2] == ["send"]:
        _, _, transport, where, rate, seconds = sys.argv
        print(json.dumps(trio.run(send, transport, where, int(rate), float(seconds))))
        return
    if sys.argv[1:2] == ["receive"]:
        _, _, transport, where, total = sys.argv
        print(json.dumps(trio.run(receive, transport, where, int(total))))
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--redis", default=os.environ.get(REDIS, "redis://127.0.0.1:6379/0"))
    parser.add_argument("--rates", type=int, nargs="+", default=RATES, help="messages a second")
    parser.add_argument("--seconds", type=float, default=3.0, help="of each row")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    lines = []
    for rate in options.rates:
        seen: dict[str, list[Measured]] = {"bus": [], "tcp": []}
        for _ in range(options.rounds):
            idle = answer(process("send", "none", "", rate, options.seconds))["cpu"]
            for transport, rounds in seen.items():
                rounds.append(measure(transport, options.redis, rate, options.seconds, idle))
        lines.append(Line(f"{rate} messages/s", seen["bus"], seen["tcp"]))
    for line in table(lines):
        print(line)


if __name__ == "__main__":
    main()
