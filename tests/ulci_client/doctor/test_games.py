"""Engines for UGI and UTI that are broken on purpose get the right diagnosis."""

import sys
from pathlib import Path

import pytest

from ulci_client.doctor.checks import common
from ulci_client.doctor.report import ExaminationReport
from ulci_client.doctor.runner import Request, examine

BROKEN = str(Path(__file__).parents[2] / "support" / "broken_games.py")

pytestmark = pytest.mark.system

# Dialect and way of being broken: the step that finds it, how bad that is, words of the finding.
WAYS = {
    ("ugi", "says yes"): ("answers queries", "fault", "one of: true, false"),
    ("ugi", "gives up"): ("plays a game", "fault", "though gameover is false"),
    ("ugi", "never ends"): ("plays a game", "note", "did not end"),
    ("ugi", "ends without a result"): ("plays a game", "fault", "gameover is true but result"),
    ("ugi", "forgets the position"): ("keeps the position", "fault", "Do not touch the board"),
    ("uti", "tells no author"): ("tells its name", "fault", "its author"),
    ("uti", "takes what is taken"): ("takes a board by pos", "fault", "cannot be played"),
    ("uti", "has no score"): ("begins a game", "fault", "no score from -100"),
    ("uti", "scores as the mover"): ("scores are", "warning", "always player 1's"),
    ("uti", "moves when it evaluates"): ("evaluates", "fault", "square 1 cannot be played"),
    ("uti", "has errors of its own"): ("refuses", "fault", "by CommandNotKnowError"),
}


async def report(dialect: str, way: str = "", *only: str) -> ExaminationReport:
    argv = (sys.executable, BROKEN, dialect, *([way] if way else []))
    return await examine(Request(argv, dialect, 30.0, only))


@pytest.mark.parametrize(("dialect", "way"), WAYS)
async def test_what_is_broken_is_found(dialect: str, way: str) -> None:
    step, severity, words = WAYS[dialect, way]
    done = await report(dialect, way, step, "tells what")
    findings = [f for each in done.result if each.name.startswith(step) for f in each.findings]
    said = [f"{each.text} {each.advice}" for each in findings if each.severity == severity]
    assert any(words in each for each in said), findings


@pytest.mark.parametrize("dialect", ["ugi", "uti"])
async def test_what_is_whole_has_no_faults(dialect: str, monkeypatch) -> None:
    monkeypatch.setattr(common, "CLOCK", 60_000)  # how fast it is, is the machine's affair
    done = await report(dialect)
    assert [each for each in done.result if each.status == "fault"] == []
    assert (done.name, done.author) == ("Games", "Nobody")
