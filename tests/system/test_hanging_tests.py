"""A test that hangs is ended together with its process, by ``os._exit``: nothing in it cleans up.
What it has started ends all the same."""

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

import pytest
import trio

from tests.support.processes import lives
from tests.support.servers import until

pytestmark = pytest.mark.system

SLEEPER = "import signal; signal.pause()"

HANGING = """
import os, sys
import trio
from tests.support.forks import Fork
from tests.support.servers import running, standing

async def hang(sleeper):
    null = open(os.devnull, "w")
    fork = Fork([sleeper], stdout=null, stderr=null)
    with standing([sys.executable, sleeper], null) as stands:
        async with running([sys.executable, sleeper], [sys.executable, sleeper]) as runs:
            print(fork.pid, stands.pid, *(one.pid for one in runs), flush=True)
            os._exit(1)

trio.run(hang, sys.argv[1])
"""


async def test_whatever_a_hanging_test_has_started_ends_with_it(tmp_path: Path) -> None:
    (sleeper := tmp_path / "sleeper.py").write_text(SLEEPER)
    argv = [sys.executable, "-c", HANGING, str(sleeper)]
    done = await trio.run_process(argv, capture_stdout=True, check=False)
    pids = [int(word) for word in done.stdout.split()]
    assert len(pids) == 4
    try:
        await until(lambda: not any(map(lives, pids)), "all of them have ended")
    finally:
        for pid in filter(lives, pids):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
