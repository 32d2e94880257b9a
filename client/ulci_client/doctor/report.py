"""Findings, and the report of them: lines for people, a JSON object for programs. Pure."""

import enum
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ulci_client.sanitize import clean


class Severity(enum.StrEnum):
    """A fault violates the standard; a warning may trouble some programs; a note is for
    information."""

    FAULT = "fault"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class TranscriptLine:
    """One line of the conversation. at: ms since the step began. sent: by us, else received."""

    at: float
    sent: bool
    text: str


Exchange = Sequence[TranscriptLine]


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding for the author. clause: the standard and the section."""

    severity: Severity
    text: str
    advice: str
    clause: str
    exchange: Exchange = ()


@dataclass(frozen=True, slots=True)
class StepResult:
    """The result of a step; `skipped`: why it was not run."""

    name: str
    clause: str
    findings: Sequence[Finding] = ()
    exchange: Exchange = ()
    skipped: str = ""

    @property
    def status(self) -> str:
        """``fault``, ``warning``, ``ok`` or ``skipped``; notes count as ok."""
        if self.skipped:
            return "skipped"
        found = {finding.severity for finding in self.findings}
        return next((s.value for s in (Severity.FAULT, Severity.WARNING) if s in found), "ok")


@dataclass(frozen=True, slots=True)
class ExaminationReport:
    """The whole examination of the engine started by `argv`."""

    argv: Sequence[str]
    dialect: str
    name: str = ""
    author: str = ""
    result: Sequence[StepResult] = field(default_factory=tuple)

    def count(self, severity: Severity) -> int:
        """The number of findings of this severity."""
        return sum(f.severity is severity for each in self.result for f in each.findings)

    def exit_code(self, *, strict: bool) -> int:
        """1 if there are faults, or with `strict` warnings; else 0."""
        bad = self.count(Severity.FAULT) + (self.count(Severity.WARNING) if strict else 0)
        return 1 if bad else 0


WIDTH = 80

# Lines shown of an exchange's beginning and end.
FIRST, LAST = 4, 8

_STATUS = {"ok": "ok", "warning": "warn", "fault": "FAULT", "skipped": "skip"}
_INDENT = " " * 9


def step_lines(result: StepResult, *, verbose: bool = False) -> Iterator[str]:
    """A step's line, and its findings below it."""
    why = f" ({result.skipped})" if result.skipped else ""
    yield from _wrapped(f"{result.name}{why}", f"  {_STATUS[result.status]:<7}")
    for finding in result.findings:
        if verbose or finding.severity is not Severity.NOTE:
            yield from _finding_lines(finding)
            if not verbose:
                yield from exchange_lines(finding.exchange)
    if verbose:
        yield from exchange_lines(result.exchange, everything=True)


def _finding_lines(finding: Finding) -> Iterator[str]:
    yield from _wrapped(f"{finding.severity}: {finding.text}", _INDENT)
    yield from _wrapped(f"clause: {finding.clause}", _INDENT)
    yield from _wrapped(f"advice: {finding.advice}", _INDENT)


def exchange_lines(lines: Exchange, *, everything: bool = False) -> Iterator[str]:
    """The lines sent (>) and received (<), with ms since the step began."""
    left_out = 0 if everything else len(lines) - FIRST - LAST
    for at, line in enumerate(lines):
        if left_out > 1 and FIRST <= at < FIRST + left_out:
            if at == FIRST:
                yield f"{_INDENT}           … {left_out} lines …"
            continue
        yield _cut(f"{_INDENT}{line.at:>8.1f} {'>' if line.sent else '<'} {_visible(line.text)}")


def head_line(report: ExaminationReport) -> str:
    """The engine's name and author."""
    name = report.name or report.argv[0]
    author = f" by {report.author}" if report.author else ""
    return _cut(f"{_visible(name)}{_visible(author)}, examined in {report.dialect.upper()}")


def sum_line(report: ExaminationReport) -> str:
    """The counts."""
    statuses = [result.status for result in report.result]
    counts = [f"{len(statuses)} steps", f"{statuses.count('ok')} ok"]
    counts += [
        f"{number} {severity}{'' if number == 1 else 's'}"
        for severity in (Severity.FAULT, Severity.WARNING)
        if (number := report.count(severity))
    ]
    if skipped := statuses.count("skipped"):
        counts.append(f"{skipped} skipped")
    return ", ".join(counts)


def as_object(report: ExaminationReport, *, strict: bool) -> dict[str, Any]:
    """The whole report for JSON. Times in ms."""
    return {
        "engine": list(report.argv),
        "dialect": report.dialect,
        "name": report.name,
        "author": report.author,
        "steps": [_step_object(result) for result in report.result],
        "faults": report.count(Severity.FAULT),
        "warnings": report.count(Severity.WARNING),
        "exit": report.exit_code(strict=strict),
    }


def _step_object(result: StepResult) -> dict[str, Any]:
    return {
        "name": result.name,
        "clause": result.clause,
        "status": result.status,
        "skipped": result.skipped,
        "findings": [
            {
                "severity": finding.severity.value,
                "text": finding.text,
                "advice": finding.advice,
                "clause": finding.clause,
                "exchange": [
                    {"at": line.at, "sent": line.sent, "line": line.text}
                    for line in finding.exchange
                ],
            }
            for finding in result.findings
        ],
    }


def _wrapped(text: str, first: str) -> Iterator[str]:
    """Wrapped lines of sanitized text."""
    yield from textwrap.wrap(
        clean(text), WIDTH, initial_indent=first, subsequent_indent=_INDENT, break_on_hyphens=False
    )


def _visible(text: str) -> str:
    """Sanitized text, with tabs and CRs escaped."""
    return clean(text.replace("\t", "\\t").replace("\r", "\\r"))


def _cut(line: str) -> str:
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…"
