"""Started programs do not outlive our process, however it ends."""

import errno
import os
import signal
import subprocess
import sys

import pytest
import trio

from tests.support.processes import lives
from tests.support.wires import HANG, hear, nothing_left, server_side
from ulci.net import Peer, ProcessError, open_process, orphans
from ulci.protocol import Connection, Role, TextCodec
from ulci.protocol.messages import Info

# It reads nothing, and a polite signal is nothing to it.
STUCK = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
print("info string stuck", flush=True)
time.sleep(1000)
"""

# As a script does that starts the real engine.
WRAPPER = 'echo "info string $$"; "$0" -c "$1" & echo "info string $!"; wait'

STARTER = f"""
import sys
import trio
from ulci.net import open_process
from ulci.protocol import Connection, Role, TextCodec

async def main():
    argv = ["sh", "-c", {WRAPPER!r}, sys.executable, {STUCK!r}]
    async with open_process(argv, Connection(Role.SERVER, TextCodec())) as peer:
        for _ in range(3):
            heard = await peer.receive()
            print(heard.message.string, flush=True)
        await trio.sleep_forever()

trio.run(main)
"""


async def gone(*pids: int) -> None:
    """Return when they have ended: who was killed has no environment any more, and counts as a
    process until the system has given it a turn to end. Nobody tells us."""
    while any(map(lives, pids)):  # noqa: ASYNC110
        await trio.sleep(0.001)


async def test_too_many_open_files_are_reported_and_nothing_is_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def no_pipe() -> tuple[int, int]:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(orphans.os, "pipe", no_pipe)
    connection = Connection(Role.SERVER, TextCodec())
    with pytest.raises(ProcessError, match=r"cannot start a program: .* too many files open"):
        async with open_process(["cat"], connection):
            pass


@pytest.mark.system
async def test_a_hanging_program_behind_a_script_dies_with_our_process() -> None:
    starter = await trio.lowlevel.open_process(
        [sys.executable, "-c", STARTER], stdout=subprocess.PIPE, start_new_session=True
    )
    assert starter.stdout is not None
    try:
        with trio.fail_after(HANG):
            said = b""
            while said.count(b"\n") < 3:
                said += await starter.stdout.receive_some()
            pids = [int(word) for word in said.split() if word.isdigit()]
            assert len(pids) == 2
            assert all(map(lives, pids))
            os.killpg(starter.pid, signal.SIGKILL)
            await gone(*pids)
    finally:
        starter.kill()
        await starter.wait()
        await starter.stdout.aclose()


async def test_without_a_shell_or_without_the_guard_a_program_runs_as_well(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for argv in (("/no/such/shell",), (orphans.SHELL, "-c", "exit")):
        monkeypatch.setattr(orphans, "ARGV", argv)
        with nothing_left(), trio.fail_after(HANG):
            program = [sys.executable, "-c", "print('info string here')"]
            async with open_process(program, server_side()) as peer:
                assert (await hear(peer)).message == Info(string="here")
            assert peer.returncode == 0


async def test_the_guard_ends_if_no_program_was_started() -> None:
    with nothing_left(), trio.fail_after(HANG), pytest.raises(KeyError):
        async with orphans.orphan_guard():
            raise KeyError


# What becomes a daemon: it has left its parent, its group and its session.
DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.write(1, b"info string %d\\n" % os.getpid())
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        time.sleep(1000)
    os._exit(0)
os.wait()
os.write(1, b"info string started\\n")
sys.stdin.read()
"""


async def started(peer: Peer) -> int:
    """The daemon's number."""
    said = [str((await hear(peer)).message.string) for _ in range(2)]
    [pid] = [int(word) for word in said if word.isdigit()]
    assert lives(pid)
    assert os.getsid(pid) != peer.pid
    return pid


async def test_a_daemon_ends_with_the_program_that_has_started_it() -> None:
    with trio.fail_after(HANG):
        async with open_process([sys.executable, "-c", DAEMON], server_side()) as peer:
            daemon = await started(peer)
        assert daemon in peer.survivors
        await gone(daemon)


async def test_a_daemon_ends_only_with_its_own_program() -> None:
    program = [sys.executable, "-c", DAEMON]
    with trio.fail_after(HANG):
        async with open_process(program, server_side()) as first:
            mine = await started(first)
            async with open_process(program, server_side()) as second:
                theirs = await started(second)
            assert second.survivors == [theirs]
            await gone(theirs)
            assert lives(mine)
        assert first.survivors == [mine]
        await gone(mine)


async def test_a_daemon_of_a_program_that_was_killed_ends_too() -> None:
    with trio.fail_after(HANG):
        async with open_process([sys.executable, "-c", DAEMON], server_side()) as peer:
            daemon = await started(peer)
            peer.kill()
            while await peer.receive() is not None:
                pass
        assert peer.survivors == [daemon]
        await gone(daemon)


@pytest.mark.system
async def test_a_daemon_dies_with_our_process() -> None:
    starter = STARTER.replace(repr(WRAPPER), repr('exec "$0" -c "$1"')).replace(
        repr(STUCK), repr(DAEMON)
    )
    starter = starter.replace("range(3)", "range(2)")
    process = await trio.lowlevel.open_process(
        [sys.executable, "-c", starter], stdout=subprocess.PIPE, start_new_session=True
    )
    assert process.stdout is not None
    try:
        with trio.fail_after(HANG):
            said = b""
            while said.count(b"\n") < 2:
                said += await process.stdout.receive_some()
            [daemon] = [int(word) for word in said.split() if word.isdigit()]
            assert lives(daemon)
            os.killpg(process.pid, signal.SIGKILL)
            await gone(daemon)
    finally:
        process.kill()
        await process.wait()
        await process.stdout.aclose()
