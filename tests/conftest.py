"""What holds for every test: no error in the log that nobody expected, no skip where none may be.

A test in which something goes wrong on purpose asks for `errors_logged` and takes them. What it
catches in `structlog.testing.capture_logs` or clears from `caplog` is looked at already.
"""

import gc
import logging
import os
import sys
from collections.abc import Generator, Iterator, Mapping
from typing import Any

import pytest
import structlog
from hypothesis import HealthCheck, settings

from ulci_server.cli import logs

REQUIRE_ALL = "ULCI_TEST_REQUIRE_ALL"
"""Set where everything that tests can need is installed: a skip is a failure there."""

# How long an example takes says more about the machine than about us. All who run the tests try the
# same examples: a change fails for what it did, not by chance.
settings.register_profile(
    "patient",
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
# `--hypothesis-profile quick`: where the same tests are run in full elsewhere.
settings.register_profile("quick", settings.get_profile("patient"), max_examples=5)
# `--hypothesis-profile search`: other examples every time, and many more.
settings.register_profile(
    "search",
    settings.get_profile("patient"),
    max_examples=1000,
    derandomize=False,
    database=None,
    print_blob=True,
)
settings.load_profile("patient")


def pytest_xdist_auto_num_workers() -> int:
    """Five for two processors: many tests wait for engines, servers and timeouts. Each further
    worker takes ten seconds to collect the tests, and delays those that measure time."""
    return (5 * (os.cpu_count() or 1) + 1) // 2


# All tests of a worker and what they import are a million objects: to look for garbage among them
# took a twentieth of the time of the tests. What is young is looked through as ever.
gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


_unfrozen: list[None] = []
_unfreeze = gc.unfreeze


def unfreeze() -> None:
    """`gc.unfreeze`, noted: to ask `gc.get_freeze_count` after each test takes 70 ms, because it
    counts them."""
    _unfreeze()
    _unfrozen.append(None)


gc.unfreeze = unfreeze


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """A server that ends in the process of its test has called `gc.unfreeze`."""
    if _unfrozen:
        _unfrozen.clear()
        gc.collect(1)
        gc.freeze()


TIME_LIMITS = {"slow": 900, "faults": 900}
"""Seconds that a test with this mark may take on a busy machine, if it does not say so itself. The
limit of all others is in pyproject.toml."""


@pytest.hookimpl(tryfirst=True)
def pytest_itemcollected(item: pytest.Item) -> None:
    if item.get_closest_marker("timeout") is None:
        limits = [limit for mark, limit in TIME_LIMITS.items() if item.get_closest_marker(mark)]
        if limits:
            item.add_marker(pytest.mark.timeout(max(limits)))


LONG = ("slow", "system", "faults")
"""Marks of tests that take seconds, most of which they wait."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Each worker begins with its share of the long tests, so that none of them is left over at the
    end, when the others have nothing to do. Tests of a folder stay together: what needs the
    processors, as browsers do, then runs beside what waits, as servers do."""
    workers = getattr(config, "workerinput", {}).get("workercount", 1)
    modules: dict[object, list[pytest.Item]] = {}
    quick = []
    for item in items:
        if any(map(item.get_closest_marker, LONG)):
            modules.setdefault(item.getparent(pytest.Module), []).append(item)
        else:
            quick.append(item)
    shares: list[list[pytest.Item]] = [[] for _ in range(workers)]
    for number, module in enumerate(modules.values()):
        shares[number * workers // len(modules)] += module
    for number, share in enumerate(shares):
        size = (len(items) + number) // workers  # as the scheduler divides them
        missing = max(0, size - len(share))
        share += quick[:missing]
        del quick[:missing]
    items[:] = [item for share in shares for item in share] + quick


class ErrorLog:
    """What was logged as an error or worse, through structlog or the standard library."""

    def __init__(self, caplog: pytest.LogCaptureFixture) -> None:
        self._caplog = caplog
        self._events: list[str] = []

    def hear(self, _: object, level: str, event: dict[str, Any]) -> dict[str, Any]:
        """A processor of structlog."""
        if structlog.processors.NAME_TO_LEVEL[level] >= logging.ERROR:
            self._events.append(" ".join(f"{key}={value!r}" for key, value in event.items()))
        return event

    def take(self) -> list[str]:
        """The errors until now, which are then no longer held against the test."""
        taken, self._events = self._events, []
        for phase in ("setup", "call", "teardown"):
            records = self._caplog.get_records(phase)
            taken += [r.getMessage() for r in records if r.levelno >= logging.ERROR]
            records.clear()
        return taken


@pytest.fixture(autouse=True)
def errors_logged(caplog: pytest.LogCaptureFixture) -> Iterator[ErrorLog]:
    """Fails the test if an error was logged and not taken."""
    log = ErrorLog(caplog)
    levels = {name: logging.getLogger(name).level for name in ("", *logs.TALKATIVE)}
    structlog.reset_defaults()
    structlog.configure(processors=[log.hear, *structlog.get_config()["processors"]])
    yield log
    structlog.reset_defaults()
    _forget_set_up(levels)
    if left := log.take():
        pytest.fail("\n".join(["logged as errors:", *left]), pytrace=False)


def _forget_set_up(levels: Mapping[str, int]) -> None:
    """What a command set up in this process would tell structlog of the next test's errors, too,
    and hide its warnings."""
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)
    root = logging.getLogger()
    for handler in [*root.handlers]:
        if type(handler).__module__.startswith("ulci_server"):
            root.removeHandler(handler)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """What is slow is not traced for coverage: that would make it three times as slow, and which
    lines can be reached at all is shown by the others. (The mark `no_cover` has no effect in a
    worker of xdist, where pytest-cov runs two tracers, and pausing one resumes the other.)"""
    tracer = sys.gettrace()
    if item.get_closest_marker("slow"):
        sys.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(tracer)


def _unskipped(report: pytest.TestReport | pytest.CollectReport) -> None:
    if os.environ.get(REQUIRE_ALL) and report.skipped and not hasattr(report, "wasxfail"):
        why = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{why} (and {REQUIRE_ALL} is set)"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _unskipped(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _unskipped(report)
    return report
