"""The conventions that programs can check, as tests: whoever runs all tests runs them too."""

import ast
import re
import subprocess
import sys
import tomllib
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


def _types_on(system: str) -> list[str]:
    """Of what is meant to run there, with a cache of its own: one for another system is no use."""
    cache = f".mypy_cache/{system}"
    return [
        "-m",
        "mypy",
        "--platform",
        system,
        "--cache-dir",
        cache,
        "-p",
        "ulci",
        "-p",
        "ulci_client",
    ]


CHECKS = {
    "ruff finds nothing": ["-m", "ruff", "check"],
    "every file is formatted": ["-m", "ruff", "format", "--check"],
    "the types fit": ["-m", "mypy"],
    "the clients' types fit on Windows": _types_on("win32"),
    "the clients' types fit on macOS": _types_on("darwin"),
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


_MODULES = {"argon2_cffi": "argon2"}
"""Of packages that are called otherwise."""


def test_whatever_is_imported_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    needed = [*project["dependencies"], *extras["postgres"], *extras["cluster"], *extras["swiss"]]
    declared = {re.match(r"[\w-]+", need)[0].replace("-", "_") for need in needed}
    declared = {_MODULES.get(name, name) for name in declared}
    imported = {name for package in PACKAGES for name in _imported(package)}
    ours = {"ulci", "ulci_server", "ulci_client", "ulci_migrations"}
    assert imported - ours - sys.stdlib_module_names - declared == set()


def test_the_lowest_versions_that_are_tried_are_the_lower_bounds() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    needed = [*project["dependencies"], *extras["postgres"], *extras["cluster"], *extras["swiss"]]
    bounds = {tuple(each.split(">=")) for each in needed if ">=" in each}
    tried = dict(
        line.split("==")
        for line in (ROOT / "constraints-lowest.txt").read_text().splitlines()
        if not line.startswith("#")
    )
    found = {(name, tried[name.partition("[")[0].replace("_", "-")]) for name, _ in bounds}
    assert {(name, _whole(version)) for name, version in bounds} == {
        (name, _whole(version)) for name, version in found
    }


def _whole(version: str) -> str:
    """Without zeros behind it: 2.7 is 2.7.0."""
    return re.sub(r"(\.0|\.post0)+$", "", version)


def test_no_text_tells_to_install_this_program_from_an_index() -> None:
    told = [
        path.relative_to(ROOT).as_posix()
        for folder in ("server", "client", "deploy")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".md", ".toml") and "install 'ulci-relay" in path.read_text()
    ]
    assert told == []


def _imported(package: Path) -> Iterator[str]:
    """The first part of the name of every module that the package's modules import."""
    for path in package.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                yield from (each.name.partition(".")[0] for each in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                yield node.module.partition(".")[0]


def _modules(package: Path) -> Iterator[str]:
    for path in package.iterdir():
        if path.suffix == ".py" and path.stem not in ("__init__", "__main__"):
            yield path.stem
        elif (path / "__init__.py").exists():
            yield path.name
