"""The rules for all tests, tried on tests that break them."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

CONFTEST = Path(__file__).with_name("conftest.py")
CONFIGURATION = CONFTEST.parent.parent / "pyproject.toml"

# Each of these starts another pytest, and that its workers.
pytestmark = pytest.mark.timeout(900)

SUITE = """
import logging
import pytest
import structlog
from ulci_server.cli import logs
from ulci_server.config import Log

def log_error():
    structlog.get_logger().error("it burns", where="here")

def test_that_logs():
    log_error()

def test_whose_library_logs():
    logging.getLogger("lib").error("it smokes")

def test_that_takes(errors_logged):
    log_error()
    logging.getLogger("lib").error("it smokes")
    assert len(errors_logged.take()) == 2

def test_that_catches(caplog):
    with structlog.testing.capture_logs():
        log_error()
    logging.getLogger("lib").error("it smokes")
    caplog.clear()

def test_that_sets_up_the_log():
    logs.set_up(Log(level="error"))

def test_that_warns_after_it(caplog):
    logging.getLogger("lib").warning("it is warm")
    assert caplog.messages == ["it is warm"]

def test_that_skips():
    pytest.skip("not here")

@pytest.mark.skipif(True, reason="not there")
def test_that_is_skipped():
    pass

@pytest.mark.xfail
def test_that_is_known_to_fail():
    assert False
"""
SKIPPED_WHOLE = "import pytest; pytest.skip('nowhere', allow_module_level=True)"

HANGS = """
import pytest
import trio

async def test_first():
    pass

@pytest.mark.timeout(1)
async def test_that_hangs():
    await trio.sleep_forever()

@pytest.mark.timeout(1)
async def test_that_keeps_all_exceptions():
    while True:
        try:
            await trio.sleep_forever()
        except BaseException:
            pass

async def test_next():
    pass

def usual(config):
    return float(config.getini("timeout"))

def test_that_has_a_limit(pytestconfig):
    assert usual(pytestconfig) >= 60

@pytest.mark.parametrize("mark", [
    pytest.param(mark, marks=getattr(pytest.mark, mark)) for mark in ("slow", "faults")
])
def test_that_takes_longer(request, mark):
    assert request.node.get_closest_marker("timeout").args[0] > usual(request.config)

@pytest.mark.slow
@pytest.mark.timeout(5000)
def test_that_says_so_itself(request):
    assert request.node.get_closest_marker("timeout").args[0] == 5000
"""

Run = Callable[..., str]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """What pytest says of a suite under these rules."""
    folder = tmp_path_factory.mktemp("suite")
    shutil.copy(CONFTEST, folder / "conftest.py")
    (folder / "test_it.py").write_text(SUITE, encoding="utf-8")
    (folder / "test_skipped.py").write_text(SKIPPED_WHOLE, encoding="utf-8")
    clean = {key: value for key, value in os.environ.items() if not key.startswith("ULCI_TEST")}
    argv = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", "--rootdir", folder]
    argv += ["--continue-on-collection-errors", folder]

    def say(**environ: str) -> str:
        return subprocess.run(
            argv,
            cwd=folder,
            env={**clean, **environ},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        ).stdout

    return say


@pytest.fixture(scope="module")
def usual(run: Run) -> str:
    return run()


@pytest.fixture(scope="module")
def strict(run: Run) -> str:
    return run(ULCI_TEST_REQUIRE_ALL="1")


def test_an_error_in_the_log_that_nobody_expects_fails_the_test(usual: str) -> None:
    assert "ERROR test_it.py::test_that_logs" in usual
    assert "it burns" in usual


def test_an_error_logged_by_the_standard_library_fails_it_too(usual: str) -> None:
    assert "ERROR test_it.py::test_whose_library_logs" in usual
    assert "it smokes" in usual


def test_an_error_that_was_taken_caught_or_cleared_is_expected(usual: str) -> None:
    for name in ("takes", "catches"):
        assert f"PASSED test_it.py::test_that_{name}" in usual
        assert f"ERROR test_it.py::test_that_{name}" not in usual


def test_a_log_that_a_command_set_up_is_forgotten(usual: str) -> None:
    assert "PASSED test_it.py::test_that_warns_after_it" in usual


def test_a_skip_fails_only_where_everything_is_required(usual: str, strict: str) -> None:
    assert "3 skipped" in usual
    assert "skipped" not in strict.splitlines()[-1]
    for why in ("not here", "not there", "nowhere"):
        assert f"{why} (and ULCI_TEST_REQUIRE_ALL is set)" in strict


def test_an_expected_failure_is_no_skip(strict: str) -> None:
    assert "1 xfailed" in strict


def test_a_test_that_hangs_fails_under_its_own_name_and_no_other_does(tmp_path: Path) -> None:
    shutil.copy(CONFTEST, tmp_path / "conftest.py")
    shutil.copy(CONFIGURATION, tmp_path)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text(HANGS, encoding="utf-8")
    argv = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n", "1", "-rA"]
    said = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    for name in ("hangs", "keeps_all_exceptions"):
        assert f"crashed while running 'tests/test_it.py::test_that_{name}'" in said
    assert "2 failed, 6 passed" in said, said
