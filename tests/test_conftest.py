"""The rules for all tests, tried on tests that break them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).with_name("conftest.py")

HEAD = """
import logging
import pytest
import structlog

def log_error():
    structlog.get_logger().error("it burns", where="here")
"""


def run(folder: Path, test: str, **environ: str) -> str:
    """What pytest says of a test under these rules."""
    shutil.copy(CONFTEST, folder / "conftest.py")
    (folder / "test_it.py").write_text(HEAD + test, encoding="utf-8")
    clean = {key: value for key, value in os.environ.items() if not key.startswith("ULCI_TEST")}
    argv = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", folder, folder]
    done = subprocess.run(
        argv, env={**clean, **environ}, capture_output=True, text=True, timeout=120, check=False
    )
    return done.stdout


def test_an_error_in_the_log_that_nobody_expects_fails_the_test(tmp_path: Path) -> None:
    said = run(tmp_path, "def test(): log_error()")
    assert "1 passed, 1 error" in said
    assert "it burns" in said


def test_an_error_logged_by_the_standard_library_fails_it_too(tmp_path: Path) -> None:
    said = run(tmp_path, "def test(): logging.getLogger('lib').error('it burns')")
    assert "1 passed, 1 error" in said


def test_an_error_that_was_taken_is_expected(tmp_path: Path) -> None:
    test = """
def test(errors_logged):
    log_error()
    logging.getLogger("lib").error("it burns")
    assert len(errors_logged.take()) == 2
"""
    assert "1 passed in" in run(tmp_path, test)


def test_an_error_that_a_test_caught_or_cleared_is_expected(tmp_path: Path) -> None:
    test = """
def test(caplog):
    with structlog.testing.capture_logs():
        log_error()
    logging.getLogger("lib").error("it burns")
    caplog.clear()
"""
    assert "1 passed in" in run(tmp_path, test)


@pytest.mark.parametrize(
    "test",
    [
        "def test(): pytest.skip('not here')",
        "pytest.skip('not here', allow_module_level=True)",
        "@pytest.mark.skipif(True, reason='not here')\ndef test(): pass",
    ],
)
def test_a_skip_fails_only_where_everything_is_required(tmp_path: Path, test: str) -> None:
    assert "1 skipped" in run(tmp_path, test)
    required = run(tmp_path, test, ULCI_TEST_REQUIRE_ALL="1")
    assert "not here (and ULCI_TEST_REQUIRE_ALL is set)" in required
    assert "1 error" in required or "1 failed" in required


def test_an_expected_failure_is_no_skip(tmp_path: Path) -> None:
    test = "@pytest.mark.xfail\ndef test(): assert False"
    assert "1 xfailed" in run(tmp_path, test, ULCI_TEST_REQUIRE_ALL="1")
