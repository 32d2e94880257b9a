"""An engine that is broken on purpose gets the right diagnosis."""

import sys
from pathlib import Path

import pytest

from ulci.net import ProcessError
from ulci_client.doctor.checks import chess, common
from ulci_client.doctor.report import ExaminationReport, StepResult
from ulci_client.doctor.runner import Request, examine

BROKEN = str(Path(__file__).parents[2] / "support" / "broken_engine.py")

# Of an answer that does come, s: enough for a busy machine.
PATIENT = 30.0
# Of one that does not.
BRIEF = 3.0

pytestmark = pytest.mark.system

# Way of being broken: the step that finds it, how bad that is, and words of text or advice.
HEARD = {
    "has no author": ("introduces itself", "fault", "Say `id author …`"),
    "has a default beyond max": ("its options", "fault", "not from min to max"),
    "has a default that is no var": ("its options", "fault", "none of its vars"),
    "has an option without a type": ("its options", "fault", "has no type"),
    "offers an option twice": ("its options", "fault", "Offer every option once"),
    "forgets the position at isready": ("keeps the", "fault", "plays all its moves"),
    "plays illegal moves": ("go depth", "fault", "bestmove a1a1 is illegal"),
    "reads no FEN": ("castling in fen", "fault", "Set up the board afresh"),
    "plays no moves of a position": ("position with", "fault", "plays all its moves"),
    "ends go infinite by itself": ("go infinite", "fault", "Wait for stop"),
    "ends pondering by itself": ("go ponder", "fault", "wait for ponderhit or stop"),
    "answers stop when idle": ("ignores stop", "fault", "Ignore stop while"),
    "minds the case of options": ("option names", "fault", "without regard to case"),
    "ignores searchmoves": ("go searchmoves", "fault", "Search only the moves"),
    "makes up moves": ("a mated", "warning", "bestmove 0000"),
    "chats": ("only protocol", "warning", "info string"),
    "overstays": ("go movetime", "warning", "Look at the clock more often"),
    "dies of unknown commands": ("ignores unknown", "fault", "Ignore unknown input"),
    "dies when mated": ("a mated", "fault", "every go needs its bestmove"),
    "castles as in chess": ("castling in Chess960", "fault", "ended with exit code"),
    "quits with an error": ("quits", "warning", "Return 0"),
    "fails its copy protection": ("copy protection", "fault", "must not use such an engine"),
    "says how its copy protection feels": ("copy protection", "fault", "ok or error"),
    "leaves a child": ("quits", "warning", "End every process that you start"),
}  # fmt: skip

# The same for ways that show in what was said in other steps, which must be done first.
JUDGED = {
    "answers twice": ("one bestmove", "fault", "exactly one bestmove"),
    "writes a score without its unit": ("info lines", "fault", "neither cp nor mate"),
    "writes seldepth alone": ("info lines", "fault", "seldepth without depth"),
    "writes words for numbers": ("info lines", "fault", "'many' for its number"),
    "writes pv first": ("info lines", "warning", "behind its pv"),
    "writes an illegal pv": ("every pv", "fault", "Cut the line"),
}  # fmt: skip

# And for those that are found by waiting in vain.
SILENT = {
    "says no uciok": ("introduces itself", "fault", "no uciok after uci"),
    "keeps back its output": ("introduces itself", "fault", "flush standard output"),
    "is deaf while it searches": ("answers isready during", "fault", "while searching"),
    "never ends its copy protection": ("copy protection", "fault", "after copyprotection checking"),
    "knows no nodes": ("go nodes", "fault", "Let the limit"),
    "ignores stop": ("go infinite", "fault", "answer stop with bestmove"),
    "is silent when stalemated": ("a stalemated", "fault", "every go needs its bestmove"),
    "knows no CRLF": ("reads lines that end", "warning", "Strip CR"),
    "splits at every blank": ("reads blanks and tabs", "fault", "split lines at any run"),
    "ignores quit": ("quits", "fault", "End the process at quit"),
}  # fmt: skip


def broken(way: str, *only: str, timeout: float = PATIENT) -> Request:
    return Request((sys.executable, BROKEN, *([way] if way else [])), "uci", timeout, only)


def found(report: ExaminationReport, step: str) -> StepResult:
    return next(each for each in report.result if each.name.startswith(step))


def assert_finds(report: ExaminationReport, step: str, severity: str, words: str) -> None:
    result = found(report, step)
    said = [f"{each.text} {each.advice}" for each in result.findings if each.severity == severity]
    assert any(words in each for each in said), result
    assert all(each.clause for each in result.findings)


@pytest.mark.parametrize("way", HEARD)
async def test_what_an_engine_says_wrong_is_found(way: str, monkeypatch) -> None:
    if way.startswith("ends "):  # its answer, which should not come, is awaited
        for checks in (common, chess):
            monkeypatch.setattr(checks, "LISTEN", 60.0)
    step, severity, words = HEARD[way]
    report = await examine(broken(way, step))
    assert_finds(report, step, severity, words)
    assert report.exit_code(strict=True) == 1


async def test_who_only_ignores_searchmoves_is_told_nothing_of_castling() -> None:
    report = await examine(broken("ignores searchmoves", "castling in Chess960"))
    assert found(report, "castling in Chess960").findings == ()


@pytest.mark.parametrize("way", JUDGED)
async def test_what_it_says_wrong_in_any_step_is_found_at_the_end(way: str) -> None:
    step, severity, words = JUDGED[way]
    report = await examine(broken(way, "go depth", "go searchmoves", step))
    assert_finds(report, step, severity, words)
    assert found(report, step).findings[0].exchange[0].sent, "it shows what was asked"


@pytest.mark.parametrize("way", SILENT)
async def test_what_an_engine_does_not_say_is_found(way: str) -> None:
    step, severity, words = SILENT[way]
    report = await examine(broken(way, step, timeout=BRIEF))
    assert_finds(report, step, severity, words)


@pytest.fixture
def no_stopwatch(monkeypatch) -> None:
    """How long an answer takes says more about the machine than about the engine."""
    monkeypatch.setattr(common, "LATE", 60_000)
    monkeypatch.setattr(common, "CLOCK", 60_000)


async def test_a_good_engine_passes_every_step(no_stopwatch) -> None:
    report = await examine(broken("", timeout=PATIENT))
    assert [(each.name, each.findings) for each in report.result if each.findings] == []
    assert (report.name, report.author) == ("Broken", "Nobody")
    assert report.exit_code(strict=True) == 0


async def test_an_engine_that_is_not_registered_is_told_so_once_and_examined() -> None:
    report = await examine(broken("is not registered", "copy protection", "go depth"))
    said = [line.text for line in found(report, "introduces itself").exchange if line.sent]
    assert said == ["uci", "isready", "register later"]
    [note] = found(report, "copy protection").findings
    assert "registration error" in note.text
    assert report.exit_code(strict=True) == 0


async def test_an_engine_that_dies_is_restarted_for_the_next_step() -> None:
    report = await examine(broken("dies when mated", "position"))
    assert [each.status for each in report.result if "mated" in each.name] == ["fault", "ok"]
    died = found(report, "a mated").findings[0]
    assert "ended with exit code 1; its last lines on standard error: no moves!" in died.text


async def test_an_engine_that_does_not_get_ready_is_given_up() -> None:
    report = await examine(broken("keeps back its output", timeout=BRIEF))
    statuses = [each.status for each in report.result]
    assert statuses == ["fault"] + ["skipped"] * (len(statuses) - 1)


async def test_what_outlived_an_engine_does_not_outlive_its_examination() -> None:
    report = await examine(broken("leaves a child", "quits"))
    assert "1 of its processes outlived it" in found(report, "quits").findings[0].text


async def test_a_program_that_is_not_there_cannot_be_examined() -> None:
    with pytest.raises(ProcessError):
        await examine(Request(("/nowhere/engine",)))


@pytest.mark.parametrize("dialect", ["uci", "ulci", "ugi", "uti"])
async def test_the_house_engine_passes(dialect: str, no_stopwatch) -> None:
    argv = (sys.executable, "-m", "ulci_client.house_engine", "--dialect", dialect)
    report = await examine(Request(argv, dialect, PATIENT))
    assert report.name.startswith("House ")
    assert report.exit_code(strict=False) == 0, [
        each for each in report.result if each.status == "fault"
    ]
    assert "skipped" not in [each.status for each in report.result]


async def test_a_game_of_ugi_is_played_to_its_end() -> None:
    argv = (
        sys.executable,
        "-m",
        "ulci_client.house_engine",
        "--dialect",
        "ugi",
        "UCI_Variant=tictactoe",
    )
    report = await examine(Request(argv, "ugi", PATIENT, ("plays a game",)))
    said = found(report, "plays a game").exchange
    assert "response true" in [line.text for line in said if not line.sent]
    assert not found(report, "plays a game").findings
