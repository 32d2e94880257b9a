"""Programs as peers: start, output, quit and kill."""

import signal
import stat
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import trio
import trio.testing

from tests.support.processes import lives
from tests.support.wires import HANG, QUICK, ending, hear, nothing_left, server_side, text
from ulci.net import Limits, ProcessError, ProcessPeer, RateLimit, open_process
from ulci.net import process as process_module
from ulci.net.limits import RECEIVE_BYTES
from ulci.net.process import STDERR_LINES, exit_text
from ulci.protocol import UCI, Connection, RemoteProtocolError, Role, TextCodec
from ulci.protocol.messages import BestMove, Go, Hello, HelloOk, Id

ENGINE = """
import sys
for line in sys.stdin:
    word = line.split()[0]
    if word == "uci":
        print("id name Test\\nuciok")
    elif word == "go":
        print("bestmove e2e4", end="" if "infinite" in line else "\\n")
        if "infinite" in line:
            sys.exit(3)
    elif word == "quit":
        print("good bye", file=sys.stderr)
        sys.exit(0)
"""


def python(script: str) -> list[str]:
    return [sys.executable, "-c", script]


@asynccontextmanager
async def running(
    script: str, grace: float = 5.0, limits: Limits = QUICK
) -> AsyncIterator[ProcessPeer]:
    with trio.fail_after(HANG), nothing_left():
        async with open_process(
            python(script), server_side(), limits=limits, quit_grace=grace
        ) as peer:
            yield peer


async def test_an_engine_is_a_peer() -> None:
    async with running(ENGINE) as peer:
        assert peer.pid > 0
        assert peer.label == f"{Path(sys.executable).name} (process {peer.pid})"
        assert peer.returncode is None
        peer.put(Hello())
        assert (await hear(peer)).message == Id("name", "Test")
        assert (await hear(peer)).message == HelloOk()
        peer.put(Go())
        assert (await hear(peer)).message == BestMove("e2e4")
    assert peer.returncode == 0
    assert peer.stderr_tail == ("good bye",)
    assert peer.why == "closed by this side"


async def test_a_program_that_has_ended_is_not_said_to_run_while_others_are_looked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks, found = threading.Event(), threading.Event()

    def look(mark: str) -> list[int]:
        looks.set()
        found.wait(HANG)
        return [1]

    async def find() -> None:
        await trio.testing.wait_all_tasks_blocked()
        found.set()

    monkeypatch.setattr(process_module, "kill_marked", look)
    monkeypatch.setattr(process_module, "EXIT_GRACE", 0.0)
    async with running("import sys; sys.exit(3)") as peer:
        await trio.to_thread.run_sync(looks.wait, HANG)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(find)
            try:
                assert (await ending(peer)).endswith("ended with exit code 3")
            finally:
                found.set()
        assert peer.survivors == [1]


async def test_the_last_line_counts_without_a_newline_and_the_exit_is_reported() -> None:
    async with running(ENGINE) as peer:
        peer.put(Hello())
        await hear(peer)
        await hear(peer)
        peer.put(Go(infinite=True))
        assert (await hear(peer)).message == BestMove("e2e4")
        assert await ending(peer) == f"{Path(sys.executable).name} ended with exit code 3"
        assert peer.returncode == 3


async def test_a_crash_is_reported_after_a_put_to_the_dead_program() -> None:
    async with running("import os; os.close(0); os.kill(os.getpid(), 11)") as peer:
        for _ in range(10):
            peer.put(text("x"))
            await trio.lowlevel.checkpoint()
        assert (await ending(peer)).endswith("was killed by SIGSEGV (segmentation fault)")


async def test_a_program_that_closes_its_output_and_runs_on_is_reported_as_such(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(process_module, "EXIT_GRACE", 0.01)
    script = "import os, time; os.close(1); time.sleep(1000)"
    async with running(script, grace=0.01) as peer:
        assert (await ending(peer)).endswith("closed its output but is still running")
    assert peer.returncode == -signal.SIGKILL


async def test_a_program_that_ignores_quit_is_killed_after_the_grace() -> None:
    script = "print('info string here'); import time; time.sleep(1000)"
    async with running(script, grace=0.01) as peer:
        await hear(peer)
    assert peer.returncode == -signal.SIGKILL
    assert not lives(peer.pid)


async def test_a_cancelled_block_kills_the_program_at_once() -> None:
    with trio.fail_after(HANG), nothing_left():
        async with trio.open_nursery() as nursery:

            async def play() -> None:
                script = "import time; time.sleep(1000)"
                async with open_process(python(script), server_side(), quit_grace=1000) as peer:
                    pids.append(peer.pid)
                    nursery.cancel_scope.cancel()
                    await trio.sleep_forever()

            pids: list[int] = []
            nursery.start_soon(play)
        assert not lives(pids[0])


FAMILY = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
print("info string", child.pid)
"""


@pytest.mark.parametrize("then", ["time.sleep(1000)", "sys.exit(0)"])
async def test_children_die_with_the_program(then: str) -> None:
    async with running(FAMILY + then, grace=0.01) as peer:
        message = (await hear(peer)).message
        child = int(message.string)  # type: ignore[union-attr, arg-type]
        if "exit" in then:
            # It leaves its child behind, with its own output open: that must not keep us waiting
            assert (await ending(peer)).endswith("ended with exit code 0")
    while lives(child):  # noqa: ASYNC110 (it was killed: the system takes its time)
        await trio.sleep(0.001)


async def test_a_full_stderr_does_not_stop_it_and_its_last_lines_are_kept() -> None:
    script = (
        "import sys\n"
        "for i in range(20000): print('line', i, 'x' * 1000, file=sys.stderr)\n"
        "sys.stderr.write('and half a line'); sys.stderr.flush()\n"
        "print('info string done')\n"
        "sys.stdin.read()"
    )
    async with running(script) as peer:
        assert (await hear(peer)).message == text("done")
        while peer.stderr_tail[-1:] != ("and half a line",):
            await trio.lowlevel.checkpoint()
        assert len(peer.stderr_tail) == STDERR_LINES + 1
        assert peer.stderr_tail[-2].startswith("line 19999 xxx")
        assert max(map(len, peer.stderr_tail)) <= 500


async def test_what_it_writes_to_stderr_may_be_listened_to() -> None:
    noted: list[tuple[str, str]] = []
    async with running(ENGINE) as peer:
        peer.remark = lambda event, text="", game=0: noted.append((event, text))
    assert ("stderr", "good bye") in noted


async def test_an_endless_line_of_output_is_dropped_and_the_next_is_read() -> None:
    script = (
        "import sys\n"
        "print('info string before')\n"
        "for _ in range(1000): sys.stdout.write('x' * 10000)\n"
        "print('\\ninfo string after')\n"
        "sys.stdin.read()"
    )
    async with running(script) as peer:
        assert (await hear(peer)).message == text("before")
        with pytest.raises(RemoteProtocolError) as caught:
            await peer.receive()
        assert not caught.value.fatal
        assert (await hear(peer)).message == text("after")


FLOODS = {
    "lines": "while True: print('info string', 'x' * 100)",
    "one line": "import os\nwhile True: os.write(1, b'x' * 4096)",
}


@pytest.mark.parametrize("script", FLOODS.values(), ids=FLOODS)
async def test_a_program_that_prints_without_end_is_read_at_its_rate_and_then_given_up(
    script: str,
) -> None:
    rate, burst, patience = 1_000_000, 100_000, 0.2
    limit = RateLimit(rate=rate, burst=burst, read=0, line=0, info=0, patience=patience)
    async with running(script, grace=0, limits=replace(QUICK, rate_limit=limit)) as peer:
        began, heard, why = trio.current_time(), 0, ""
        while "you send too much" not in why:
            try:
                await peer.receive()
                heard += 1
            except RemoteProtocolError as error:  # also of the line without an end
                why = str(error)
        took = trio.current_time() - began
    assert took >= patience
    # What was in its buffers when it was paused comes on top.
    assert heard * 114 <= burst + rate * took + 2 * RECEIVE_BYTES


async def test_lines_that_end_with_a_carriage_return_only_are_lines() -> None:
    script = (
        "import sys\n"
        "for i in range(20000): sys.stdout.write(f'info string {i}\\r')\n"
        "sys.stdout.flush(); sys.stdin.read()"
    )
    async with running(script) as peer:
        for number in range(20_000):
            assert (await hear(peer)).message == text(str(number))


async def test_output_after_quit_is_read_until_the_program_exits() -> None:
    script = "import sys\nsys.stdin.read()\nfor _ in range(10000): print('x' * 100)\n"
    async with running(script, limits=replace(QUICK, flush=HANG)) as peer:
        pass
    assert peer.returncode == 0


async def test_another_task_may_receive_while_the_program_quits() -> None:
    async with running(ENGINE) as peer, trio.open_nursery() as nursery:

        async def listening() -> None:
            assert await peer.receive() is None

        nursery.start_soon(listening)
        await trio.lowlevel.checkpoint()
        await peer.aclose()
    assert peer.returncode == 0


async def test_the_environment_is_ours_with_additions() -> None:
    script = "import os; print('info string', os.environ['PYTHONUNBUFFERED'], os.environ['MINE'])"
    async with open_process(python(script), server_side(), env={"MINE": "yes"}) as peer:
        assert (await hear(peer)).message == text("1 yes")


async def test_the_program_inherits_no_variable_of_the_relay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("ULCI_TOKEN", "ULCI_DATABASE", "ULCI_OF_TOMORROW"):
        monkeypatch.setenv(name, "secret")
    monkeypatch.setenv("OTHER", "theirs")
    script = (
        "import os; print('info string', *(n for n in os.environ if n[:4] in ('ULCI', 'OTHE')))"
    )
    async with open_process(python(script), server_side()) as peer:
        assert (await hear(peer)).message == text("OTHER")


async def test_the_program_starts_in_the_given_folder(tmp_path: Path) -> None:
    script = "import os; print('info string', os.getcwd())"
    async with open_process(python(script), server_side(), cwd=str(tmp_path)) as peer:
        assert (await hear(peer)).message == text(str(tmp_path))


async def test_errors_of_the_block_are_raised_unwrapped() -> None:
    with pytest.raises(KeyError):
        async with running(ENGINE):
            raise KeyError


async def test_a_program_that_cannot_be_sent_quit_ends_with_its_input() -> None:
    connection = Connection(Role.CLIENT, TextCodec(), UCI)
    reading = python("import sys; sys.stdin.read()")
    async with open_process(reading, connection, quit_grace=HANG) as peer:
        pass
    assert peer.returncode == 0


# Why it cannot be started


async def why_not(argv: list[str], **more: object) -> str:
    with trio.fail_after(HANG), nothing_left(), pytest.raises(ProcessError) as caught:
        async with open_process(argv, server_side(), **more):  # type: ignore[arg-type]
            raise AssertionError("it runs")
    return str(caught.value)


def write(path: Path, content: str, mode: int) -> str:
    path.write_text(content, encoding="ascii")
    path.chmod(mode)
    return str(path)


async def test_an_empty_command() -> None:
    assert await why_not([]) == "the command is empty"


async def test_a_program_that_is_not_in_path() -> None:
    why = await why_not(["there-is-no-such-engine"])
    assert why == (
        "cannot start 'there-is-no-such-engine': it is not in PATH; write its full path"
        " (Debian installs games in /usr/games)"
    )


@pytest.mark.parametrize("command", ["sh -c", "/bin/sh -c", "sh /some/where", "sh  -c 'exit 0'"])
async def test_a_program_and_its_arguments_in_one_pair_of_quotes(command: str) -> None:
    first = command.split()[0]
    assert (await why_not([command])).endswith(
        f"it does not exist, but {first!r} does: quote each argument by itself, or none"
    )


async def test_a_program_whose_name_holds_a_blank(tmp_path: Path) -> None:
    assert (await why_not([str(tmp_path / "my engine")])).endswith(": it does not exist")


async def test_a_program_among_debians_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_module, "GAMES", str(tmp_path))
    game = write(tmp_path / "some-engine", "#!/bin/sh\n", 0o755)
    why = await why_not(["some-engine"])
    assert why.endswith(f"it is in {tmp_path}, not in PATH: write {game}")


async def test_a_file_that_does_not_exist(tmp_path: Path) -> None:
    assert (await why_not([str(tmp_path / "engine")])).endswith(": it does not exist")


async def test_a_script_whose_interpreter_does_not_exist(tmp_path: Path) -> None:
    script = write(tmp_path / "engine", "#!/no/such/interpreter\n", 0o755)
    assert "its interpreter or loader does not" in await why_not([script])


async def test_a_file_that_may_not_be_executed(tmp_path: Path) -> None:
    script = write(tmp_path / "engine", "#!/bin/sh\n", stat.S_IRUSR)
    assert (await why_not([script])).endswith(f"try: chmod +x {script}")


async def test_a_folder(tmp_path: Path) -> None:
    assert (await why_not([str(tmp_path)])).endswith("it is a folder, not a program")


async def test_a_file_that_is_no_program(tmp_path: Path) -> None:
    script = write(tmp_path / "engine", "just words\n", 0o755)
    assert "not a program for this machine" in await why_not([script])


async def test_a_folder_to_start_in_that_does_not_exist(tmp_path: Path) -> None:
    there = str(tmp_path / "nowhere")
    why = await why_not([sys.executable], cwd=there)
    assert why.endswith(f"the folder {there!r} does not exist")


async def test_a_name_that_no_program_can_have() -> None:
    assert "null byte" in await why_not(["eng\0ine"])


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (None, "closed its output but is still running"),
        (0, "ended with exit code 0"),
        (-9, "was killed by SIGKILL (killed)"),
        (-40, "was killed by signal 40 (real-time signal 6)"),
    ],
)
def test_an_exit_is_put_into_words(code: int | None, words: str) -> None:
    assert exit_text(code) == words


async def test_survivors_of_the_group_are_listed() -> None:
    child = "import subprocess, sys; print(subprocess.Popen(['sleep', '60']).pid, flush=True)"
    async with running(child) as peer:
        assert await hear(peer) is not None
        while await peer.receive() is not None:
            pass
        assert len(peer.survivors) == 1
    async with running(ENGINE) as peer:
        await peer.quit(HANG)
        assert peer.survivors == []
