from ulci_client.doctor.report import (
    WIDTH,
    ExaminationReport,
    Finding,
    Severity,
    StepResult,
    TranscriptLine,
    as_object,
    exchange_lines,
    head_line,
    step_lines,
    sum_line,
)

ASKED = TranscriptLine(0.0, True, "go infinite")
SAID = TranscriptLine(12.3, False, "bestmove e2e4")
FAULT = Finding(
    Severity.FAULT, "bestmove came before stop", "Wait.", "UCI 2004, go infinite", (ASKED, SAID)
)
NOTE = Finding(Severity.NOTE, "it is slow", "Hurry.", "UCI 2004, go")
BAD = StepResult("go infinite", "UCI 2004, go infinite", (FAULT,), (ASKED, SAID))
GOOD = StepResult("go depth", "UCI 2004, go", (NOTE,), (ASKED,))
SKIPPED = StepResult("go ponder", "UCI 2004, go ponder", skipped="no option Ponder")
REPORT = ExaminationReport(("./engine",), "uci", "Engine 1", "Ada", (BAD, GOOD, SKIPPED))


def test_a_good_step_is_one_line():
    assert [*step_lines(GOOD)] == ["  ok     go depth"]
    assert [*step_lines(SKIPPED)] == ["  skip   go ponder (no option Ponder)"]


def test_under_a_fault_stand_clause_advice_and_what_was_said():
    assert [*step_lines(BAD)] == [
        "  FAULT  go infinite",
        "         fault: bestmove came before stop",
        "         clause: UCI 2004, go infinite",
        "         advice: Wait.",
        "              0.0 > go infinite",
        "             12.3 < bestmove e2e4",
    ]


def test_verbose_shows_notes_and_everything_that_was_said():
    said = "\n".join(step_lines(GOOD, verbose=True))
    assert "note: it is slow" in said
    assert "> go infinite" in said


def test_of_a_long_exchange_the_beginning_and_the_end_are_shown():
    lines = [TranscriptLine(float(at), False, f"info depth {at}") for at in range(100)]
    shown = [*exchange_lines(lines)]
    assert len(shown) == 13
    assert shown[4].strip() == "… 88 lines …"
    assert shown[-1].endswith("info depth 99")
    assert len([*exchange_lines(lines, everything=True)]) == 100


def test_nothing_is_wider_than_a_terminal_nor_moves_its_cursor():
    long = TranscriptLine(1.0, False, "info \x1b[2J\t" + "x" * 500)
    finding = Finding(Severity.FAULT, "word " * 60, "advice " * 60, "UCI", (long,))
    lines = [*step_lines(StepResult("step", "UCI", (finding,)))]
    assert max(map(len, lines)) == WIDTH
    assert "\x1b" not in "".join(lines)
    assert len(head_line(ExaminationReport(("x" * 200,), "uci"))) == WIDTH


def test_the_sum_counts_steps_and_findings():
    assert head_line(REPORT) == "Engine 1 by Ada, examined in UCI"
    assert sum_line(REPORT) == "3 steps, 1 ok, 1 fault, 1 skipped"


def test_the_object_has_all_of_it():
    said = as_object(REPORT, strict=False)
    assert (said["faults"], said["warnings"], said["exit"]) == (1, 0, 1)
    assert [step["status"] for step in said["steps"]] == ["fault", "ok", "skipped"]
    assert said["steps"][0]["findings"][0]["exchange"] == [
        {"at": 0.0, "sent": True, "line": "go infinite"},
        {"at": 12.3, "sent": False, "line": "bestmove e2e4"},
    ]


def test_warnings_fail_only_if_that_is_asked_for():
    warning = Finding(Severity.WARNING, "", "", "")
    report = ExaminationReport(("x",), "uci", result=(StepResult("step", "", (warning,)),))
    assert report.exit_code(strict=False) == 0
    assert report.exit_code(strict=True) == 1
    assert report.result[0].status == "warning"
