"""The conventions that programs can check, as tests: whoever runs all tests runs them too."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

CHECKS = {
    "ruff finds nothing": ["ruff", "check"],
    "every file is formatted": ["ruff", "format", "--check"],
    "the types fit": ["mypy"],
    "no room imports upwards": ["lint-imports"],
}


@pytest.mark.parametrize("argv", CHECKS.values(), ids=CHECKS)
def test_the_conventions_hold(argv: list[str]) -> None:
    program = Path(sys.executable).parent / argv[0]
    done = subprocess.run(
        [program, *argv[1:]], cwd=ROOT, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
