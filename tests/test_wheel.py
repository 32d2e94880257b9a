"""The wheel holds every file of the packages, under the name by which it is imported."""

import re
import tomllib
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
BUILT = PROJECT["tool"]["hatch"]["build"]
PACKAGES = [ROOT / folder for folder in BUILT["targets"]["wheel"]["packages"]]

READ = (
    "ulci_migrations/versions",
    "ulci_client/bot/bot.toml",
    "ulci_server/config/server.toml",
    "ulci_server/web/openapi.json",
    "ulci_server/web/static/index.html",
    "ulci_server/web/static/board.js",
    "ulci_server/web/static/pieces.svg",
)
"""What the programs read beside modules."""


@pytest.fixture(scope="module")
def held() -> set[str]:
    files = WheelBuilder(str(ROOT)).recurse_included_files()
    return {file.distribution_path for file in files}


def test_no_file_of_the_packages_is_left_out_or_added(held: set[str]) -> None:
    here = {
        f"{package.name}/{path.relative_to(package).as_posix()}"
        for package in PACKAGES
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert held == here


def test_no_link_of_the_text_for_a_package_index_leads_into_this_repository() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    for each in PROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]["substitutions"]:
        text = re.sub(each["pattern"], each["replacement"], text)
    targets = re.findall(r"\]\(([^)]*)\)", text)
    assert targets
    assert [target for target in targets if not target.startswith("https://")] == []
    assert "`server/README.md`" in text


@pytest.mark.parametrize("path", READ)
def test_what_the_programs_read_is_in_it(held: set[str], path: str) -> None:
    assert any(name == path or name.startswith(f"{path}/") for name in held)
