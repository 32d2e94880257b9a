"""Ctrl-C ends a program without a traceback, whenever it comes."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.servers import PATIENCE, serving
from ulci_client.terminal.shell.run import INTERRUPTED

pytestmark = pytest.mark.system

ULCI = (sys.executable, "-m", "ulci_client.cli")
SERVER = (sys.executable, "-m", "ulci_server.cli")


def interrupt(argv: tuple[str, ...], awaited: str, **environ: str) -> tuple[int, str, str]:
    """Ctrl-C as soon as it has said that, also where these tests run in the background of a shell,
    which ignores it. Its exit code, and what it said of it."""
    program = subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, **environ}, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    with program:
        try:
            for line in program.stdout:
                if awaited in line:
                    break
            program.send_signal(signal.SIGINT)
            said, why = program.communicate(timeout=PATIENCE)
        finally:
            program.kill()
    return program.returncode, said, why


@pytest.mark.parametrize("imported", ["click", "chess"], ids=["first", "later"])
@pytest.mark.parametrize(
    "argv", [(*ULCI, "play", "--plain"), (*SERVER, "serve")], ids=["ulci", "ulci-server"]
)
def test_while_it_is_being_imported(tmp_path: Path, imported: str, argv: tuple[str, ...]) -> None:
    text = "import sys, time\nprint('importing', flush=True)\ntime.sleep(1000)\n"
    (tmp_path / f"{imported}.py").write_text(text)
    done = interrupt(argv, "importing", PYTHONPATH=str(tmp_path))
    assert done == (-signal.SIGINT, "", "")


def test_a_person_at_a_plain_terminal_leaves(tmp_path: Path) -> None:
    with serving(tmp_path, "--listen", "tcp://127.0.0.1:0") as server:
        argv = (*ULCI, "play", "--plain", "--server", f"tcp://127.0.0.1:{server.port()}")
        code, _, why = interrupt(argv, "welcome")
        assert (code, why) == (INTERRUPTED, "")
