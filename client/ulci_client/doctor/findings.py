"""What an examination finds. Pure."""

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field


class Severity(enum.StrEnum):
    """A fault breaks the standard; a warning is what some programs stumble over; a note is good to
    know."""

    FAULT = "fault"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a conversation. `at` in ms since the step began; `sent` by us, or received."""

    at: float
    sent: bool
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that an author should know. `clause` names the standard and the place in it."""

    severity: Severity
    text: str
    advice: str
    clause: str
    exchange: Sequence[Line] = ()


@dataclass(frozen=True, slots=True)
class Checked:
    """One step that was done, or was not because of `skipped`."""

    name: str
    clause: str
    findings: Sequence[Finding] = ()
    exchange: Sequence[Line] = ()
    skipped: str = ""

    @property
    def status(self) -> str:
        """``fault``, ``warning``, ``ok`` or ``skipped``; notes are ok."""
        if self.skipped:
            return "skipped"
        found = {finding.severity for finding in self.findings}
        return next((s.value for s in (Severity.FAULT, Severity.WARNING) if s in found), "ok")


@dataclass(frozen=True, slots=True)
class Report:
    """The whole examination of the engine that `argv` starts."""

    argv: Sequence[str]
    dialect: str
    name: str = ""
    author: str = ""
    checked: Sequence[Checked] = field(default_factory=tuple)

    def count(self, severity: Severity) -> int:
        """How many findings of this severity there are."""
        return sum(f.severity is severity for each in self.checked for f in each.findings)

    def exit_code(self, *, strict: bool) -> int:
        """0 if all is good, 1 if there are faults; with `strict` warnings count, too."""
        bad = self.count(Severity.FAULT) + (self.count(Severity.WARNING) if strict else 0)
        return 1 if bad else 0
