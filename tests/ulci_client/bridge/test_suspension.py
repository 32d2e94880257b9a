"""Whether the machine was suspended."""

import trio
from trio.testing import MockClock

from ulci_client.bridge.suspension import LEAST, LOOK, suspended_so_far, watch_suspension


async def test_each_suspension_is_told_once_with_its_length(
    autojump_clock: MockClock,
) -> None:
    told: list[tuple[float, float]] = []
    began = trio.current_time()
    so_far = iter([100.0, 100.0, 100.0 + LEAST / 2, 400.0, 400.0, 404.0])

    def woken(seconds: float) -> None:
        told.append((trio.current_time() - began, seconds))

    with trio.move_on_after(5.5 * LOOK):
        await watch_suspension(woken, lambda: next(so_far))
    assert told == [(3 * LOOK, 300.0 - LEAST / 2), (5 * LOOK, 4.0)]


def test_this_machine_tells_how_long_it_was_suspended() -> None:
    assert suspended_so_far() >= 0.0
