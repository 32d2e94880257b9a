"""Goes through a course. An engine that died or hangs is started again for the next step."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ulci.net import open_process
from ulci.protocol import Connection, Role, TextCodec

from .courses import COURSES
from .findings import Checked, Finding, Report, Severity
from .patient import Ended, Patient, Silent
from .raw import Raw
from .steps import Step
from .visit import Chart, Visit

# Bytes of a line: engines print long ones.
MAX_LINE = 64 * 1024

# How often in a row it may fail to get ready after it was started again.
STARTS = 2

# s: the examination of an engine that hangs need not wait for its goodbye.
QUIT_GRACE = 0.2

# Python keeps output back unless told otherwise; an engine must not rely on being told.
ENVIRONMENT = {"PYTHONUNBUFFERED": ""}


@dataclass(frozen=True, slots=True)
class Request:
    """What to examine. `timeout` in s, for each answer. only: steps with one of these in their
    name; the introduction is always done."""

    argv: Sequence[str]
    dialect: str = "uci"
    timeout: float = 5.0
    only: Sequence[str] = ()


async def examine(request: Request, told: Callable[[Checked], None] = lambda _: None) -> Report:
    """The whole course; `told` is given each step when it is done.

    Raises:
        ProcessError: it cannot be started.
    """
    doctor = _Doctor(request, told)
    while doctor.steps:
        connection = Connection(Role.SERVER, TextCodec(max_line=MAX_LINE), Raw())
        async with open_process(
            request.argv, connection, quit_grace=QUIT_GRACE, env=ENVIRONMENT
        ) as peer:
            await doctor.see(Patient(peer, request.timeout))
    chart = doctor.chart
    return Report(
        request.argv, request.dialect, chart.id("name"), chart.id("author"), tuple(doctor.checked)
    )


class _Doctor:
    """One examination: the steps that are left, and what was found."""

    def __init__(self, request: Request, told: Callable[[Checked], None]) -> None:
        self.chart = Chart()
        self.checked: list[Checked] = []
        first, *others = COURSES[request.dialect]
        words = [word.casefold() for word in request.only]
        self.steps: list[Step] = [
            first,
            *(s for s in others if not words or any(w in s.name.casefold() for w in words)),
        ]
        self._dialect = request.dialect
        self._told = told
        self._failed = 0

    async def see(self, patient: Patient) -> None:
        """As many steps as this start of the engine lasts for."""
        if self.checked and not await self._greet(patient):
            return
        while self.steps:
            step = self.steps.pop(0)
            if step.option and self.chart.option(step.option) is None:
                self._note(Checked(step.name, step.clause, skipped=f"no option {step.option}"))
                continue
            if not await self._take(step, patient):
                return

    async def _greet(self, patient: Patient) -> bool:
        """Whether it got ready after it was started again."""
        visit = Visit(patient, Chart(), self._dialect, "")
        visit.say(visit.hello)
        try:
            await visit.ready()
        except (Silent, Ended) as failure:
            self._failed += 1
            if self._failed == STARTS:
                self._give_up(f"like all that follows: started again, it gave {failure}")
            return False
        self._failed = 0
        return True

    def _give_up(self, why: str) -> None:
        steps, self.steps = self.steps, []
        for step in steps:
            self._note(Checked(step.name, step.clause, skipped=why))

    async def _take(self, step: Step, patient: Patient) -> bool:
        """Whether the engine can be used for the next step."""
        visit = Visit(patient, self.chart, self._dialect, step.clause)
        usable = not step.last
        try:
            await step.run(visit)
            if usable:
                await visit.ready()
        except (Silent, Ended) as failure:
            usable = False
            if not any(finding.severity is Severity.FAULT for finding in visit.findings):
                visit.find(step.silence, str(failure), step.advice)
        self.chart.unreadable += patient.unreadable
        patient.unreadable = []
        findings: Sequence[Finding] = tuple(visit.findings)
        exchange = tuple(patient.exchange)
        self._note(Checked(step.name, step.clause, findings, exchange, visit.skipped))
        return usable

    def _note(self, checked: Checked) -> None:
        self.checked.append(checked)
        self._told(checked)
