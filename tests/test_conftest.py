"""The rules for all tests, tried on tests that break them."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

CONFTEST = Path(__file__).with_name("conftest.py")

SUITE = """
import logging
import pytest
import structlog

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


def test_a_skip_fails_only_where_everything_is_required(usual: str, strict: str) -> None:
    assert "3 skipped" in usual
    assert "skipped" not in strict.splitlines()[-1]
    for why in ("not here", "not there", "nowhere"):
        assert f"{why} (and ULCI_TEST_REQUIRE_ALL is set)" in strict


def test_an_expected_failure_is_no_skip(strict: str) -> None:
    assert "1 xfailed" in strict
