"""Errors that nothing explains, or nothing at that time."""

import math

import pytest

from .case import Trouble
from .log import AFTERWARDS, fenced, loop_was_held, unexpected_errors, untimely_errors

pytestmark = pytest.mark.faults

LOCKED = "2026-01-01T00:00:00Z [error    ] storage fails  trouble='database is locked'"
NOON = 1767225600.0
"""Of that line, s since 1970."""


def found(kind: str, since: float, until: float) -> list[str]:
    """By a clock of the troubles that is 1,000 s behind."""
    trouble = Trouble(kind, NOON - 1000 + since, NOON - 1000 + until)
    return [v.kind for v in untimely_errors(LOCKED, [trouble], 1000.0)]


def test_a_server_that_was_declared_dead():
    log = (
        f"{LOCKED}\n2026-01-01T00:00:02Z [warning  ] this server was fenced, and begins anew  run=1"
    )
    since = NOON - 1000 + 2
    assert [*fenced(log, "a", 1000.0)] == [Trouble("fenced", since, math.inf, "a")]
    log += "\n2026-01-01T00:00:09Z [info     ] run begins  run=2"
    assert [*fenced(log, "a", 1000.0)] == [Trouble("fenced", since, since + 7, "a")]


def test_an_error_while_somebody_else_writes():
    assert found("lock", -1, 1) == []


def test_an_error_long_after_it_or_before():
    assert found("lock", -20, -AFTERWARDS - 1) == ["error in the log"]
    assert found("lock", 1, 2) == ["error in the log"]


def test_an_error_of_which_something_else_is_the_reason():
    assert found("freeze", -1, 1) == ["error in the log"]


def test_a_line_without_a_time_is_of_the_one_before():
    log = f"{LOCKED}\nTraceback (most recent call last):\n"
    trouble = Trouble("lock", NOON - 1, NOON + 1)
    assert [v.text for v in untimely_errors(log, [trouble], 0.0)] == [log.splitlines()[1]]


def test_an_error_is_expected_of_what_was_done():
    assert [*unexpected_errors(LOCKED, ["lock", "cut"])] == []
    assert [v.kind for v in unexpected_errors(LOCKED, ["cut"])] == ["error in the log"]


def test_what_held_the_loop_by_the_word_of_whoever_watches_it():
    log = """\
2026-01-01T00:00:00Z [warning  ] the loop was held        what='seek' whose='Ada' ms=61.5 times=1
2026-01-01T00:00:01Z [warning  ] the loop was held        what='seek' whose='Ada' ms=11.0 times=1
A STEP HELD THE LOOP 142.0 ms: serve, serve:219 welcome:137
2026-01-01T00:00:02Z [info     ] joined                   client='HELD THE LOOP'
"""
    assert [v.text for v in loop_was_held(log)] == [
        "A STEP HELD THE LOOP 142.0 ms: serve, serve:219 welcome:137"
    ]
