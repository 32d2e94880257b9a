"""The report: lines for people, a JSON object for programs. Pure."""

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from .findings import Checked, Finding, Line, Report, Severity

WIDTH = 80

# Lines of an exchange that are shown: how it began, and how it ended.
FIRST, LAST = 4, 8

_STATUS = {"ok": "ok", "warning": "warn", "fault": "FAULT", "skipped": "skip"}
_INDENT = " " * 9


def step_lines(checked: Checked, *, verbose: bool = False) -> Iterator[str]:
    """One line, and what was found under it."""
    why = f" ({checked.skipped})" if checked.skipped else ""
    yield from _wrapped(f"{checked.name}{why}", f"  {_STATUS[checked.status]:<7}")
    for finding in checked.findings:
        if verbose or finding.severity is not Severity.NOTE:
            yield from _finding_lines(finding)
            if not verbose:
                yield from exchange_lines(finding.exchange)
    if verbose:
        yield from exchange_lines(checked.exchange, everything=True)


def _finding_lines(finding: Finding) -> Iterator[str]:
    yield from _wrapped(f"{finding.severity}: {finding.text}", _INDENT)
    yield from _wrapped(f"clause: {finding.clause}", _INDENT)
    yield from _wrapped(f"advice: {finding.advice}", _INDENT)


def exchange_lines(lines: Sequence[Line], *, everything: bool = False) -> Iterator[str]:
    """What was sent (>) and received (<), with ms since the step began."""
    left_out = 0 if everything else len(lines) - FIRST - LAST
    for at, line in enumerate(lines):
        if left_out > 1 and FIRST <= at < FIRST + left_out:
            if at == FIRST:
                yield f"{_INDENT}           … {left_out} lines …"
            continue
        yield _cut(f"{_INDENT}{line.at:>8.1f} {'>' if line.sent else '<'} {_visible(line.text)}")


def head_line(report: Report) -> str:
    """Who was examined."""
    name = report.name or report.argv[0]
    author = f" by {report.author}" if report.author else ""
    return _cut(f"{_visible(name)}{_visible(author)}, examined in {report.dialect.upper()}")


def sum_line(report: Report) -> str:
    """What came of it."""
    statuses = [checked.status for checked in report.checked]
    counts = [f"{len(statuses)} steps", f"{statuses.count('ok')} ok"]
    counts += [
        f"{number} {severity}{'' if number == 1 else 's'}"
        for severity in (Severity.FAULT, Severity.WARNING)
        if (number := report.count(severity))
    ]
    if skipped := statuses.count("skipped"):
        counts.append(f"{skipped} skipped")
    return ", ".join(counts)


def as_object(report: Report, *, strict: bool) -> dict[str, Any]:
    """The whole report, to be written as JSON. Times in ms."""
    return {
        "engine": list(report.argv),
        "dialect": report.dialect,
        "name": report.name,
        "author": report.author,
        "steps": [_step_object(checked) for checked in report.checked],
        "faults": report.count(Severity.FAULT),
        "warnings": report.count(Severity.WARNING),
        "exit": report.exit_code(strict=strict),
    }


def _step_object(checked: Checked) -> dict[str, Any]:
    return {
        "name": checked.name,
        "clause": checked.clause,
        "status": checked.status,
        "skipped": checked.skipped,
        "findings": [
            {
                "severity": finding.severity.value,
                "text": finding.text,
                "advice": finding.advice,
                "clause": finding.clause,
                "exchange": [_line_object(line) for line in finding.exchange],
            }
            for finding in checked.findings
        ],
    }


def _line_object(line: Line) -> dict[str, Any]:
    return {"at": line.at, "sent": line.sent, "line": line.text}


def _wrapped(text: str, first: str) -> Iterator[str]:
    """What an engine wrote may be in it: nothing that a terminal would obey."""
    clean = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    yield from textwrap.wrap(
        clean, WIDTH, initial_indent=first, subsequent_indent=_INDENT, break_on_hyphens=False
    )


def _visible(text: str) -> str:
    """Tabs and CRs as people write them."""
    text = text.replace("\t", "\\t").replace("\r", "\\r")
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


def _cut(line: str) -> str:
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…"
