"""Started programs do not outlive our process, however it ends."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import trio

from tests.support.wires import HANG, hear, nothing_left, server_side
from ulci.net import ProcessError, open_process, orphans
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


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


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
            assert all(map(alive, pids))
            os.killpg(starter.pid, signal.SIGKILL)
            while any(map(alive, pids)):  # noqa: ASYNC110 (nobody tells us)
                await trio.sleep(0.001)
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
