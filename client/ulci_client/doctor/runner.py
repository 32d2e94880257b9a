"""Runs the steps of a dialect. An engine that died or hangs is restarted for the next step."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ulci.net import open_process
from ulci.protocol import Connection, Role, TextCodec

from .engine import Engine, EngineEnded, RawDialect, Silent
from .report import ExaminationReport, Finding, Severity, StepResult
from .step_context import Context, EngineProfile
from .suites import SUITES, Step

# Bytes of a line.
MAX_LINE = 64 * 1024

# Failed restarts in a row before giving up.
STARTS = 2

# Seconds for `quit` at the end: a hung engine is not waited for.
QUIT_GRACE = 0.2

# An engine must flush its output without being told to; this undoes our own setting.
ENVIRONMENT = {"PYTHONUNBUFFERED": ""}


@dataclass(frozen=True, slots=True)
class Request:
    """What to examine. timeout: s for each answer. only: run steps with one of these in their name,
    and the introduction."""

    argv: Sequence[str]
    dialect: str = "uci"
    timeout: float = 5.0
    only: Sequence[str] = ()


async def examine(
    request: Request, told: Callable[[StepResult], None] = lambda _: None
) -> ExaminationReport:
    """Run all steps; `told` receives each result.

    Raises:
        ProcessError: the engine cannot be started.
    """
    doctor = _Runner(request, told)
    while doctor.steps:
        connection = Connection(Role.SERVER, TextCodec(max_line=MAX_LINE), RawDialect())
        async with open_process(
            request.argv, connection, quit_grace=QUIT_GRACE, env=ENVIRONMENT
        ) as peer:
            await doctor.see(Engine(peer, request.timeout))
    profile = doctor.profile
    return ExaminationReport(
        request.argv,
        request.dialect,
        profile.id("name"),
        profile.id("author"),
        tuple(doctor.result),
    )


class _Runner:
    """One examination: the steps left, and the results so far."""

    def __init__(self, request: Request, told: Callable[[StepResult], None]) -> None:
        self.profile = EngineProfile()
        self.result: list[StepResult] = []
        first, *others = SUITES[request.dialect]
        words = [word.casefold() for word in request.only]
        self.steps: list[Step] = [
            first,
            *(s for s in others if not words or any(w in s.name.casefold() for w in words)),
        ]
        self._dialect = request.dialect
        self._told = told
        self._failed = 0

    async def see(self, engine: Engine) -> None:
        """Run steps until none is left or the engine must be restarted."""
        if self.result and not await self._greet(engine):
            return
        while self.steps:
            step = self.steps.pop(0)
            if step.option and self.profile.option(step.option) is None:
                self._note(StepResult(step.name, step.clause, skipped=f"no option {step.option}"))
                continue
            if not await self._take(step, engine):
                return

    async def _greet(self, engine: Engine) -> bool:
        """Whether it got ready after a restart."""
        # An engine says after its introduction whether it may be used. What it says of that after a
        # restart counts, too.
        profile = EngineProfile(states=self.profile.states)
        context = Context(engine, profile, self._dialect, "")
        context.say(context.hello)
        try:
            await context.ready()
        except (Silent, EngineEnded) as failure:
            self._failed += 1
            if self._failed == STARTS:
                self._give_up(f"not run, like all that follow: after a restart, {failure}")
            return False
        self._failed = 0
        return True

    def _give_up(self, why: str) -> None:
        steps, self.steps = self.steps, []
        for step in steps:
            self._note(StepResult(step.name, step.clause, skipped=why))

    async def _take(self, step: Step, engine: Engine) -> bool:
        """Run one step. Whether the engine can be used for the next one."""
        context = Context(engine, self.profile, self._dialect, step.clause)
        usable = not step.last
        try:
            await step.run(context)
            if usable:
                await context.ready()
        except (Silent, EngineEnded) as failure:
            usable = False
            if not any(finding.severity is Severity.FAULT for finding in context.findings):
                context.find(step.silence, str(failure), step.advice)
        self.profile.unreadable += engine.unreadable
        engine.unreadable = []
        findings: Sequence[Finding] = tuple(context.findings)
        exchange = tuple(engine.exchange)
        self._note(StepResult(step.name, step.clause, findings, exchange, context.skipped))
        return usable

    def _note(self, result: StepResult) -> None:
        self.result.append(result)
        self._told(result)
