"""``ulci-server cluster demo`` as somebody runs it, who may also leave in the middle."""

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio

from tests.support.servers import PATIENCE, require_services, until

pytestmark = [pytest.mark.system, pytest.mark.slow]

HOUSE = f"{sys.executable} -m ulci_client.house_engine"
PLAY = ("--engine", HOUSE, "--engine", HOUSE, "--time", "5+0.1")


@pytest.fixture(autouse=True)
def _installed() -> None:
    require_services()


def start(folder: Path, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "ulci_server.cli", "cluster", "demo", *options],
        env={**os.environ, "TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        # Whatever a shell starts in the background is made deaf to it, tests and all.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def running(folder: Path) -> list[str]:
    """The command lines of what still runs and was told of that folder, or lives below it."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            said = (process / "cmdline").read_text().replace("\0", " ")
            environment = (process / "environ").read_bytes()
        except OSError:  # it has ended, or belongs to somebody else
            continue
        if str(folder) in said or f"TMPDIR={folder}\0".encode() in environment + b"\0":
            found.append(said)
    return found


def left_behind(folder: Path) -> list[str]:
    return [*map(str, folder.iterdir()), *running(folder)]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Another user, who runs PostgreSQL if we are root, comes through to what is below."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o711)
        yield folder


def test_a_game_goes_on_when_its_server_is_killed(open_folder: Path) -> None:
    with start(open_folder, *PLAY) as process:
        out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, out
    killed = re.search(
        r"^kill -9 (\w): the server that plays this game is dead$", out, re.MULTILINE
    )
    heir = re.search(
        r"^ +\d+ ms  (\w) has taken the game over, with all (\d+) half-moves$", out, re.MULTILINE
    )
    assert killed[1] != heir[1]
    assert int(heir[2]) >= 20
    assert re.search(r"^ +\d+ ms  the next move is played$", out, re.MULTILINE)
    assert re.search(r'^\[Result "(1-0|0-1|1/2-1/2)"\]$', out, re.MULTILINE)
    assert "did not come back" not in out
    assert left_behind(open_folder) == []


async def test_who_leaves_in_the_middle_leaves_nothing_behind(open_folder: Path) -> None:
    process = start(open_folder, *PLAY)
    try:
        logs = open_folder.glob
        await until(lambda: [*logs("*/bridge-2.log")], "the bridges run")
        process.send_signal(signal.SIGINT)
        with trio.fail_after(PATIENCE):
            out, _ = await trio.to_thread.run_sync(process.communicate)
    finally:
        process.kill()
    assert "Traceback" not in out
    assert process.returncode == 1
    assert left_behind(open_folder) == []


async def test_a_demo_that_is_killed_leaves_no_program_behind(open_folder: Path) -> None:
    with start(open_folder, *PLAY) as process:
        try:
            logs = open_folder.glob
            await until(lambda: [*logs("*/bridge-2.log")], "the bridges run")
            assert len(running(open_folder)) > 5
        finally:
            process.kill()
    await until(lambda: not running(open_folder), "all that it started has ended")


def test_half_of_what_is_needed_is_wrong_usage(shell) -> None:
    said = shell.refused("cluster", "demo", "--cluster", "redis://127.0.0.1", code=2)
    assert said == "--database and --cluster belong together: name both, or neither"
