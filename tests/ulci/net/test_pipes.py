"""The two pipes of a process as one stream."""

import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio
import trio.testing

from ulci.net.pipes import PipePair, pipes_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows' pipes are others")

ECHO = "import os\nwhile data := os.read(0, 65536): os.write(1, data)"
DEAF = "import time; time.sleep(3600)"


@asynccontextmanager
async def running(program: str) -> AsyncIterator[tuple[PipePair, trio.Process]]:
    process = await trio.lowlevel.open_process(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    pipes = pipes_of(process)
    assert pipes is not None
    try:
        yield pipes, process
    finally:
        process.kill()
        await process.wait()
        await pipes.aclose()


async def test_what_is_written_at_once_is_read_and_the_end_is_empty() -> None:
    async with running(ECHO) as (pipes, process):
        assert pipes.send_now(b"go\n") == 3
        assert await pipes.receive_some() == b"go\n"
        assert process.stdin is not None
        await process.stdin.aclose()
        assert await pipes.receive_some() == b""


async def test_of_what_does_not_fit_the_rest_is_left_to_the_writer() -> None:
    async with running(DEAF) as (pipes, _):
        more = bytes(10**6)
        assert 0 < pipes.send_now(more) < len(more)
        assert pipes.send_now(more) == 0


async def test_a_program_that_is_gone_cannot_be_written_to() -> None:
    async with running("") as (pipes, process):
        await process.wait()
        with pytest.raises(trio.BrokenResourceError):
            pipes.send_now(b"go\n")


async def test_pipes_that_were_closed_here_say_so() -> None:
    async with running(ECHO) as (pipes, _):
        async with trio.open_nursery() as nursery:

            async def read() -> None:
                with pytest.raises(trio.ClosedResourceError):
                    await pipes.receive_some()

            nursery.start_soon(read)
            await trio.testing.wait_all_tasks_blocked()
            await pipes.aclose()
        with pytest.raises(trio.ClosedResourceError):
            pipes.send_now(b"go\n")


async def test_only_one_task_reads() -> None:
    async with running(ECHO) as (pipes, _), trio.open_nursery() as nursery:
        nursery.start_soon(pipes.receive_some)
        await trio.testing.wait_all_tasks_blocked()
        with pytest.raises(trio.BusyResourceError):
            await pipes.receive_some()
        nursery.cancel_scope.cancel()
