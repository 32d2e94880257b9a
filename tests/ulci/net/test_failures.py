"""Of failed connections some are reported, of every kind, and the number of the rest."""

import pytest

from ulci.net.errors import Failed, HandshakeError
from ulci.net.failures import A_SECOND, AT_ONCE, Failures

USUAL = sorted({*Failed} - {Failed.PAGE}, key=lambda kind: kind.name)


def told(failures: Failures, kind: Failed, at: float, number: int) -> list[str]:
    """What is reported of so many failures of a kind."""
    reports = [failures.of(HandshakeError("no", kind), at) for _ in range(number)]
    return [str(report) for report in reports if report is not None]


@pytest.mark.parametrize("kind", USUAL)
def test_a_flood_of_failures_is_some_lines(kind: Failed) -> None:
    failures = Failures()
    assert told(failures, kind, 0, AT_ONCE + 240) == ["no"] * AT_ONCE
    assert told(failures, kind, 1 / A_SECOND, 1) == ["no (and 240 more of this kind before)"]
    assert told(failures, kind, 2 / A_SECOND, 1) == ["no"]


def test_a_day_of_it_is_some_thousand_lines() -> None:
    failures = Failures()
    day = sum(len(told(failures, Failed.REQUEST, second, 10)) for second in range(24 * 3600))
    assert day < 9000


@pytest.mark.parametrize("flood", Failed)
@pytest.mark.parametrize("other", Failed)
def test_it_hides_no_other_kind(flood: Failed, other: Failed) -> None:
    failures = Failures()
    told(failures, flood, 0, 1000)
    assert told(failures, other, 0, 1) == (["no"] if other is not flood else [])


def test_pages_of_other_sites_are_told_of_once_a_minute() -> None:
    failures = Failures()
    told_of = [told(failures, Failed.PAGE, second, 5) for second in range(61)]
    assert told_of == [["no"], *[[]] * 59, ["no (and 299 more of this kind before)"]]


def test_a_bug_is_always_told() -> None:
    failures, bug = Failures(), KeyError("oh")
    assert [failures.of(bug, 0) for _ in range(1000)] == [bug] * 1000
