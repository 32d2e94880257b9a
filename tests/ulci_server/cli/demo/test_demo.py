"""``ulci-server demo`` as somebody runs it, who may also leave in the middle."""

import fcntl
import io
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import urllib.request
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chess.pgn
import pytest
import trio

from tests.support.engines import SCRIPT
from tests.support.servers import PATIENCE, until

pytestmark = pytest.mark.system

PYTHON = Path(sys.executable).name
HOUSE = f"{sys.executable} -m ulci_client.house_engine"
NEVER_MOVING = f"{sys.executable} {SCRIPT} --wait"

QUICK = ("--engine", HOUSE, "--engine", HOUSE, "--time", "depth=1")
SLOW = ("--engine", NEVER_MOVING, "--engine", NEVER_MOVING, "--time", "600")

ROWS, COLUMNS = 24, 80


def _hear_signals() -> None:
    """What a shell starts in the background, or nohup, ignores these, tests and all."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Demo:
    """A command whose processes, and theirs, can be told from all others by a mark."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.mark = f"TEST_MARK={uuid.uuid4().hex}"

    def start(self, *options: str, out: int = subprocess.PIPE) -> subprocess.Popen[str]:
        name, _, value = self.mark.partition("=")
        lines = {"COLUMNS": str(COLUMNS), "LINES": str(ROWS), "TERM": "xterm"}
        return subprocess.Popen(
            [sys.executable, "-m", "ulci_server.cli", "demo", *options],
            env={**os.environ, **lines, name: value, "TMPDIR": str(self.folder)},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            preexec_fn=_hear_signals,
        )

    def run(self, *options: str) -> tuple[int, str]:
        with self.start(*options) as process:
            out, _ = process.communicate(timeout=PATIENCE)
        return process.returncode, out

    def running(self) -> list[str]:
        """The command lines of what it has started and what still runs."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if self.mark.encode() in (process / "environ").read_bytes():
                    found.append((process / "cmdline").read_text().replace("\0", " "))
            except OSError:  # it has ended, or belongs to somebody else
                continue
        return found

    def begun(self) -> bool:
        """Whether both engines run and the server knows both players."""
        logs = [log.read_text() for log in self.folder.glob("*/server.log")]
        return any(log.count("joined") == 2 for log in logs)

    def nothing_left(self) -> bool:
        return not self.running() and not [*self.folder.iterdir()]


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Demo]:
    demo = Demo(tmp_path)
    yield demo
    assert demo.running() == []


def test_it_ends_by_itself_with_the_stored_game_and_says_how_to_go_on(demo: Demo) -> None:
    folder = demo.folder / "kept"
    code, out = demo.run(*QUICK, "--folder", str(folder))
    assert code == 0, out
    assert re.search(r"^game 1: .* - .*, chess depth=1$", out, re.MULTILINE)
    assert re.search(r"^1\. \S+ +\d+\.\d\d s", out, re.MULTILINE)
    record, _, next_ = out[out.index("[Event ") :].partition("\nNow it is your turn:\n")
    game = chess.pgn.read_game(io.StringIO(record))
    assert game is not None
    assert game.errors == []
    assert {game.headers["White"], game.headers["Black"]} == {f"{PYTHON} 1", f"{PYTHON} 2"}
    assert game.end().board().outcome(claim_draw=True) is not None
    assert "ulci-server serve" in next_
    assert "bridge -- ENGINE" in next_
    assert {path.name for path in folder.iterdir()} >= {"ulci.db", "server.log", "bridge-1.log"}


def test_on_a_terminal_the_board_is_drawn_over_itself(demo: Demo) -> None:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    written = b""
    with demo.start(*QUICK, out=theirs) as process, os.fdopen(ours, "rb", buffering=0) as screen:
        os.close(theirs)
        try:
            while piece := screen.read(65536):
                written += piece
        except OSError:  # so a terminal says that nobody has it open any more
            pass
        assert process.wait(PATIENCE) == 0
    text = written.decode()
    up = {int(lines) for lines in re.findall(r"\x1b\[(\d+)F", text)}
    assert up == {13}
    lines = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text).splitlines()
    assert max(map(len, lines)) < COLUMNS
    assert "{" not in text[text.index("[Event ") :]
    assert demo.nothing_left()


def read(url: str) -> dict[str, Any]:
    with urllib.request.urlopen(url) as answer:
        document: dict[str, Any] = json.load(answer)
    return document


async def test_a_browser_sees_the_game_until_ctrl_c(demo: Demo) -> None:
    with demo.start(*SLOW, "--web") as process:
        await until(demo.begun, "both players are there")
        assert process.stdout is not None
        page = process.stdout.readline().split()[-1]
        running: list[Any] = []
        while not running:  # both are there before the game is in the record
            answer = await trio.to_thread.run_sync(read, f"{page}api/games?state=running")
            running = answer["games"]
        assert running[0]["state"] == "running"
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
    assert demo.nothing_left()


async def test_ctrl_c_and_a_closed_terminal_leave_nothing_behind(demo: Demo) -> None:
    for number, code in ((signal.SIGINT, 1), (signal.SIGHUP, 129)):
        with demo.start(*SLOW) as process:
            await until(demo.begun, "both players are there")
            process.send_signal(number)
            assert process.wait(PATIENCE) == code
            assert "Traceback" not in process.stdout.read()
        assert demo.nothing_left()


def test_an_engine_that_fails_is_told_and_nothing_is_left(demo: Demo) -> None:
    code, out = demo.run("--engine", "there-is-none", "--engine", NEVER_MOVING)
    assert code == 1
    assert re.search(r"Error: bridge-1 failed:\n +error: cannot start 'there-is-none'", out)
    assert demo.nothing_left()


def test_it_gives_up_in_time(demo: Demo) -> None:
    code, out = demo.run(*SLOW, "--within", "1")
    assert code == 1
    assert re.search(r"Error: (no game had begun|the game was not over) after 1 s", out)
    assert demo.nothing_left()
