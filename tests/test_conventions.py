"""The conventions that programs can check, as tests: whoever runs all tests runs them too."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

PACKAGES = [
    init.parent
    for top in ("server", "client", "migrations")
    for init in sorted((ROOT / top).rglob("__init__.py"))
]

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


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_package_names_all_its_modules_and_no_others(package: Path) -> None:
    """In backquotes, or in an indented table."""
    text = ast.get_docstring(ast.parse((package / "__init__.py").read_text())) or ""
    tables = " ".join(re.findall(r"^    .*", text, re.MULTILINE))
    modules = {*_modules(package)}
    assert modules <= {*re.findall(r"`(\w+)`", text), *re.findall(r"\w+", tables)}
    lists = "".join(re.findall(r"^\* ((?:`\w+`[:,] ?)+)", text, re.MULTILINE))
    assert {*re.findall(r"`(\w+)`", lists)} <= {path.stem for path in package.iterdir()}


def _modules(package: Path) -> Iterator[str]:
    for path in package.iterdir():
        if path.suffix == ".py" and path.stem not in ("__init__", "__main__"):
            yield path.stem
        elif (path / "__init__.py").exists():
            yield path.name
