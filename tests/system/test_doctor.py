"""What the examination says of engines that many people use; each finding was seen by hand, too."""

import os
import shutil

import pytest

from ulci_client.doctor.examine import Request, examine

PATH = f"{os.environ.get('PATH', '')}{os.pathsep}/usr/games"

pytestmark = [pytest.mark.system, pytest.mark.slow]

# What is known of the versions that Debian 12 has; others may have mended it, so a finding that is
# gone is no failure, but one that is new is.
KNOWN: dict[str, set[str]] = {
    "stockfish": set(),
    # It answers isready only when the search is over, and minds the case of options.
    "glaurung": {"answers isready during a search", "option names in any case"},
    # It searches on where it should stop at a number of nodes, searches all moves whatever it is
    # told, and does not know a command with blanks before or behind it.
    "toga2": {
        "go nodes",
        "go searchmoves",
        "reads blanks and tabs",
        "reads blanks in position and go",
    },
    "ethereal-chess": {
        "go nodes",
        "go searchmoves",
        "reads blanks and tabs",
        "reads blanks in position and go",
    },
    "gnuchess --uci": {
        "go nodes",
        "go searchmoves",
        "reads blanks and tabs",
        "reads blanks in position and go",
    },
}


@pytest.mark.parametrize("engine", KNOWN)
async def test_only_what_is_true_of_an_engine_is_said_of_it(engine: str) -> None:
    program, *words = engine.split()
    path = shutil.which(program, path=PATH)
    if path is None:
        pytest.skip(f"{program} is not installed")
    report = await examine(Request((path, *words), timeout=10.0))
    faults = {each.name: each.findings for each in report.checked if each.status == "fault"}
    new = {name: faults[name] for name in faults.keys() - KNOWN[engine]}
    assert not new
    assert report.name
    good = [each.name for each in report.checked if each.status in ("ok", "warning")]
    assert len(good) > 25


async def test_glaurung_is_told_to_read_while_it_searches() -> None:
    path = shutil.which("glaurung", path=PATH)
    if path is None:
        pytest.skip("glaurung is not installed")
    report = await examine(Request((path,), timeout=3.0, only=("during a search",)))
    finding = report.checked[1].findings[0]
    assert "no readyok" in finding.text
    assert "Read the input while searching" in finding.advice
    assert finding.clause == "UCI 2004, isready"
