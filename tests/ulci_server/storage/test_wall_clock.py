from datetime import UTC, datetime, timedelta

import pytest

from ulci_server.storage import WallClock

START = datetime(2026, 3, 1, tzinfo=UTC)
DAY = 86_400.0


class Clocks:
    def __init__(self) -> None:
        self.machine = START.timestamp()
        self.steady = 5.0

    def pass_by(self, seconds: float) -> None:
        self.machine += seconds
        self.steady += seconds


@pytest.fixture
def clocks() -> Clocks:
    return Clocks()


@pytest.fixture
def clock(clocks: Clocks) -> WallClock:
    return WallClock(lambda: clocks.machine, lambda: clocks.steady)


def test_it_tells_the_time(clock, clocks):
    clocks.pass_by(90)
    assert clock() == START + timedelta(seconds=90)


@pytest.mark.parametrize("days", [1, -1, 365])
def test_it_does_not_jump_with_the_machines_clock_until_it_is_told_to(clock, clocks, days):
    clocks.pass_by(1)
    clocks.machine += days * DAY
    clocks.pass_by(1)
    assert clock() == START + timedelta(seconds=2)
    assert clock.follow() == days * DAY
    assert clock() == START + timedelta(seconds=2, days=days)


def test_a_clock_that_is_hardly_wrong_has_not_jumped(clock, clocks):
    clocks.machine += 0.25
    assert clock.follow() == 0
    assert clock() == START + timedelta(seconds=0.25)
