"""Programs of which none is left behind."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.processes import lives
from tests.support.servers import PATIENCE, until
from ulci_server.cli.demo import programs
from ulci_server.cli.demo.programs import ENDING, ending_at_signals, leave_if_asked, running

pytestmark = pytest.mark.system

STUBBORN = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
print(child.pid)
time.sleep(3600)
"""


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_its_output_is_kept_and_its_end_is_told(tmp_path: Path) -> None:
    code = "import sys\nfor n in range(9): print(n)\nsys.exit(3)"
    with running("it", python(code), tmp_path / "log") as program:
        assert program.wait(120)
        assert program.code == 3
        assert program.said == [str(n) for n in range(9)]
        assert program.tail == "\n".join(f"    {n}" for n in range(4, 9))


def test_one_that_said_nothing_is_said_to_have_said_nothing(tmp_path: Path) -> None:
    with running("it", python(""), tmp_path / "log") as program:
        program.wait(120)
        assert program.tail == "    (it said nothing)"


def test_a_token_of_whoever_shows_it_is_nothing_to_its_bridges(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ULCI_TOKEN", "of-another-server")
    code = "import os; print([name for name in os.environ if name.startswith('ULCI_')])"
    with running("it", python(code), tmp_path / "log") as program:
        program.wait(120)
        assert "ULCI_TOKEN" not in program.tail


async def test_what_does_not_end_is_killed_with_all_that_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "POLITE", 0.01)
    with running("it", python(STUBBORN), tmp_path / "log") as program:
        while not program.said:
            program.wait(0.05)
        assert not program.wait(0)
        child = int(program.said[0])
    assert program.code == -signal.SIGKILL
    await until(lambda: not lives(child), "its child is gone")


PARENT = """
import signal, sys
from pathlib import Path
from ulci_server.cli.demo.programs import running
child = "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); time.sleep(3600)"
with running("it", [sys.executable, "-c", child], Path(sys.argv[1])) as program:
    print(program.pid, flush=True)
    signal.pause()
"""


def killed_parent(log: Path) -> int:
    """The program of a process that was killed."""
    argv = [*python(PARENT), str(log)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as parent:
        try:
            child = int(parent.stdout.readline())
            assert lives(child)
        finally:
            parent.kill()
    return child


async def test_it_ends_when_whoever_shows_it_is_killed(tmp_path: Path) -> None:
    child = killed_parent(tmp_path / "log")
    await until(lambda: not lives(child), "its program is gone")


def test_what_cannot_be_started_is_told(tmp_path: Path) -> None:
    with pytest.raises(OSError), running("it", ["/no/such/program"], tmp_path / "log"):
        pass


@pytest.fixture
def heard() -> Iterator[None]:
    """As in the foreground: a shell's background ignores Ctrl-C, and nohup a closed terminal."""
    before = [(number, signal.signal(number, signal.SIG_DFL)) for number in ENDING]
    yield
    for number, handler in before:
        signal.signal(number, handler)


@pytest.mark.usefixtures("heard")
@pytest.mark.parametrize(
    ("number", "left_by"),
    [
        (signal.SIGINT, KeyboardInterrupt),
        (signal.SIGTERM, SystemExit),
        (signal.SIGHUP, SystemExit),
    ],
)
def test_these_signals_leave_the_block_where_it_waits_and_are_given_back(
    number: signal.Signals, left_by: type[BaseException], tmp_path: Path
) -> None:
    before = signal.getsignal(number)
    with pytest.raises(left_by) as caught, ending_at_signals():
        leave_if_asked()
        signal.raise_signal(number)  # and nowhere else
        with running("it", python("import time; time.sleep(3600)"), tmp_path / "log") as program:
            program.wait(PATIENCE)
    if left_by is SystemExit:
        assert caught.value.args == (128 + number,)
    assert signal.getsignal(number) is before
    assert program.code == -signal.SIGTERM


@pytest.mark.usefixtures("heard")
def test_a_second_signal_spares_the_wait_for_a_stubborn_program(tmp_path: Path) -> None:
    argv = python(STUBBORN)
    with (
        pytest.raises(SystemExit),
        ending_at_signals(),
        running("it", argv, tmp_path / "log") as program,
    ):
        while not program.said:
            program.wait(0.05)
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)
        leave_if_asked()
    assert program.code == -signal.SIGKILL


@pytest.mark.usefixtures("heard")
def test_a_signal_that_comes_last_of_all_is_not_forgotten() -> None:
    with pytest.raises(KeyboardInterrupt), ending_at_signals():
        signal.raise_signal(signal.SIGINT)


@pytest.mark.usefixtures("heard")
def test_what_was_ignored_is_ignored() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with ending_at_signals():
        signal.raise_signal(signal.SIGINT)
        leave_if_asked()
