"""The conventions that programs can check, as tests: whoever runs all tests runs them too."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# Import-linter has no module to be run by -m.
LINT_IMPORTS = "from importlinter.cli import lint_imports_command; lint_imports_command()"

# By this Python and not by a PATH, so that the versions are those of the tests.
CHECKS = {
    "ruff finds nothing": ["-m", "ruff", "check"],
    "every file is formatted": ["-m", "ruff", "format", "--check"],
    "the types fit": ["-m", "mypy"],
    "no room imports upwards": ["-c", LINT_IMPORTS],
}


@pytest.mark.slow
@pytest.mark.parametrize("argv", CHECKS.values(), ids=CHECKS)
def test_the_conventions_hold(argv: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, *argv], cwd=ROOT, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
