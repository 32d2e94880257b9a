"""The pipes of a process as one stream, with half the turns of the loop that Trio's own take.

Trio's pipes begin each read and write with a turn of the loop, and try a read before they wait for
bytes, which are almost never there yet. An engine writes its analysis in many pieces.
"""

import os
from contextlib import suppress

import trio

MOST = 65536
"""Bytes that are read at once: what a pipe holds."""


class PipePair(trio.abc.Stream):
    """Reads the one pipe and writes the other. For one task that reads, and one that writes; both
    pipes must have descriptors (so not under Windows)."""

    def __init__(self, writes: trio.abc.SendStream, reads: trio.abc.ReceiveStream) -> None:
        self._writes, self._reads = writes, reads
        self._reading = False

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """The next bytes; none at the end.

        Raises:
            trio.ClosedResourceError: the pipe was closed here.
            trio.BrokenResourceError: it cannot be read.
            trio.BusyResourceError: another task reads it.
        """
        if self._reading:
            raise trio.BusyResourceError("another task reads this pipe")
        self._reading = True
        try:
            while True:
                await trio.lowlevel.wait_readable(_open_descriptor(self._reads))
                with suppress(BlockingIOError):
                    return os.read(_open_descriptor(self._reads), max_bytes or MOST)
        except OSError as error:
            raise trio.BrokenResourceError from error
        finally:
            self._reading = False

    def send_now(self, data: bytes) -> int:
        """Write what the pipe takes at once; returns how many bytes.

        Raises:
            trio.ClosedResourceError: the pipe was closed here.
            trio.BrokenResourceError: nobody reads it any more.
        """
        try:
            return os.write(_open_descriptor(self._writes), data)
        except BlockingIOError:
            return 0
        except OSError as error:
            raise trio.BrokenResourceError from error

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await self._writes.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        await self._writes.wait_send_all_might_not_block()

    async def aclose(self) -> None:
        try:
            await self._writes.aclose()
        finally:
            await self._reads.aclose()


def pipes_of(process: trio.Process) -> PipePair | None:
    """Of a process that was started with both pipes; None where they have no descriptors."""
    writes, reads = process.stdin, process.stdout
    assert writes is not None
    assert reads is not None
    if _descriptor(writes) is None or _descriptor(reads) is None:
        return None
    return PipePair(writes, reads)


def _descriptor(stream: trio.abc.AsyncResource) -> int | None:
    fileno = getattr(stream, "fileno", None)
    return None if fileno is None else int(fileno())


def _open_descriptor(stream: trio.abc.AsyncResource) -> int:
    number = _descriptor(stream)
    if number is None or number < 0:
        raise trio.ClosedResourceError("the pipe was closed here")
    return number
