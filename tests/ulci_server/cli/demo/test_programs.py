"""Programs of which none is left behind."""

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.support.engines import lives
from tests.support.servers import until
from ulci_server.cli.demo import programs
from ulci_server.cli.demo.programs import ending_at_signals, running

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


def test_what_cannot_be_started_is_told(tmp_path: Path) -> None:
    with pytest.raises(OSError), running("it", ["/no/such/program"], tmp_path / "log"):
        pass


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_these_signals_leave_the_block_and_are_given_back(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with pytest.raises(SystemExit) as caught, ending_at_signals():
        os.kill(os.getpid(), number)
        signal.pause()
    assert caught.value.code == 128 + number
    assert signal.getsignal(number) is before
