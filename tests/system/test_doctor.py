"""What the examination says of engines that many people use; each finding was seen by hand, too."""

import os
import shutil

import pytest

from ulci_client.doctor.runner import Request, examine

PATH = f"{os.environ.get('PATH', '')}{os.pathsep}/usr/games"

pytestmark = [pytest.mark.system, pytest.mark.slow]

# What the versions of Debian 12 do wrong: a name to know them by, and the steps that have faults.
KNOWN: dict[str, tuple[str, set[str]]] = {
    "stockfish": ("Stockfish 15.1", set()),
    # It answers isready only when the search is over, and minds the case of options.
    "glaurung": (
        "Glaurung 2.2",
        {"answers isready during a search", "option names in any case"},
    ),
    # It searches on beyond any number of nodes, searches all moves whatever it is told, and does
    # not know a command with blanks around it.
    "toga2": (
        "Toga II 3.0",
        {
            "go nodes",
            "go searchmoves",
            "reads blanks and tabs",
            "reads blanks in position and go",
        },
    ),
    # It does not know searchmoves, nor a command with blanks around it.
    "ethereal-chess": (
        "Ethereal 12.00",
        {"go searchmoves", "reads blanks and tabs", "reads blanks in position and go"},
    ),
    # As Toga: both are made of Fruit.
    "gnuchess --uci": (
        "GNU Chess 6.2.7",
        {
            "go nodes",
            "go searchmoves",
            "reads blanks and tabs",
            "reads blanks in position and go",
        },
    ),
}


@pytest.mark.parametrize("engine", KNOWN)
async def test_what_is_said_of_an_engine_is_true_of_it(engine: str) -> None:
    program, *words = engine.split()
    path = shutil.which(program, path=PATH)
    if path is None:
        pytest.skip(f"{program} is not installed")
    report = await examine(Request((path, *words)))
    name, known = KNOWN[engine]
    if report.name != name:
        pytest.skip(f"this is {report.name}, of which nothing is known, and not {name}")
    assert {each.name for each in report.result if each.status == "fault"} == known


async def test_glaurung_is_told_to_read_while_it_searches() -> None:
    path = shutil.which("glaurung", path=PATH)
    if path is None:
        pytest.skip("glaurung is not installed")
    report = await examine(Request((path,), timeout=3.0, only=("during a search",)))
    finding = report.result[1].findings[0]
    assert "no readyok" in finding.text
    assert "Read the input while searching" in finding.advice
    assert finding.clause == "UCI 2004, isready"
