"""``ulci bridge`` as a process, and a line between it and the server that a test can cut."""

import os
import signal
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from math import inf
from pathlib import Path

import trio

from ulci.wire_log import conversation

from .forks import Fork
from .servers import PATH, PATIENCE

MARK = "TEST_MARK"
"""Inherited by what a bridge starts, as our own variables are not."""


class Bridge:
    """One bridge. Its children carry a mark, even those that outlive it."""

    def __init__(self, folder: Path, name: str, *argv: str) -> None:
        self.mark = uuid.uuid4().hex
        self.screen, self.log = folder / f"{name}.screen", folder / f"{name}.log"
        with self.screen.open("w") as screen:
            ours = {"PATH": PATH, MARK: self.mark, "XDG_STATE_HOME": str(folder)}
            self.process = Fork(
                ["-m", "ulci_client.cli", "bridge", "--wire-log", str(self.log), *argv],
                stdout=screen,
                stderr=screen,
                env={**os.environ, **ours},
            )

    @property
    def shown(self) -> str:
        return self.screen.read_text()

    def said(self, words: str) -> int:
        """How often both conversations hold these words so far."""
        return self.spoken.count(words)

    @property
    def spoken(self) -> str:
        """What its engines and servers said and heard so far: `` engine > go wtime 1000``."""
        if not self.log.exists():
            return ""
        signs = {"said": ">", "heard": "<"}
        return "".join(
            f" {who.partition(' ')[0]} {signs.get(entry.event, f'- {entry.event}')} {entry.text}\n"
            for who, entry in conversation(self.log)
        )

    def processes(self) -> list[int]:
        """What it has started and is still alive; itself not counted."""
        return [*_marked(self.mark)]

    async def ended(self) -> int:
        """Its exit code."""
        with trio.fail_after(PATIENCE):
            return await trio.to_thread.run_sync(self.process.wait, PATIENCE)

    def close(self) -> None:
        self.process.kill()
        for pid in _marked(self.mark):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(PATIENCE)


def _marked(mark: str) -> Iterator[int]:
    wanted = f"{MARK}={mark}".encode()
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):  # it has ended meanwhile, or is somebody else's
                if wanted in (folder / "environ").read_bytes().split(b"\0"):
                    yield int(folder.name)


@contextmanager
def bridged(folder: Path, name: str, *argv: str) -> Iterator[Bridge]:
    """A bridge that is gone with the block, and so is all that it started."""
    bridge = Bridge(folder, name, *argv)
    try:
        yield bridge
    finally:
        bridge.close()


class Wire:
    """A port that is passed on to another one of this machine until it is cut. `allowance`: bytes
    of each direction after which a call is cut, by the call's number from 1. `heard`: what those
    who call have said."""

    def __init__(self, port: int, allowance: Callable[[int], float] = lambda _: inf) -> None:
        self._far = port
        self._allowance = allowance
        self._calls = trio.CancelScope()
        self.port = 0
        self.calls = 0
        self.heard = bytearray()

    def cut(self) -> None:
        """Break what is open; who calls again is passed on again."""
        self._calls.cancel()

    async def run(self, task_status: trio.TaskStatus[None]) -> None:
        [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
        self.port = listener.socket.getsockname()[1]
        task_status.started()
        async with listener:
            while True:
                near = await listener.accept()
                self.calls += 1
                async with trio.open_nursery() as nursery:
                    self._calls = nursery.cancel_scope
                    far = await trio.open_tcp_stream("127.0.0.1", self._far)
                    left = self._allowance(self.calls)
                    nursery.start_soon(_pump, near, far, left, self.heard)
                    nursery.start_soon(_pump, far, near, left, bytearray())


async def _pump(
    source: trio.SocketStream, sink: trio.SocketStream, left: float, heard: bytearray
) -> None:
    try:
        async for data in source:
            heard += data
            await sink.send_all(data[: int(min(len(data), left))])
            left -= len(data)
            if left <= 0:
                return
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        pass
    finally:
        await trio.aclose_forcefully(source)
        await trio.aclose_forcefully(sink)


@asynccontextmanager
async def wire(port: int, allowance: Callable[[int], float] = lambda _: inf) -> AsyncIterator[Wire]:
    """A wire to that port, for one connection at a time."""
    laid = Wire(port, allowance)
    async with trio.open_nursery() as nursery:
        await nursery.start(laid.run)
        yield laid
        nursery.cancel_scope.cancel()
