"""When did the loop last look? What it reads after a stall may have lain there all the time."""

import pytest
import trio
import trio.testing

from ulci.net.looking import LOOKS, PULSE, STALL, Looking, look_out, stall


@pytest.fixture
async def looking(mock_clock: trio.testing.MockClock) -> Looking:
    return Looking()


def wait(mock_clock: trio.testing.MockClock, looking: Looking, *seconds: float) -> None:
    """Look after each of these."""
    for pause in seconds:
        mock_clock.jump(pause)
        looking.after_io_wait(0)


async def test_who_looks_often_has_no_stall(mock_clock, looking) -> None:
    wait(mock_clock, looking, *[PULSE] * 20)
    assert looking.stall(trio.current_time()) == 0


async def test_a_busy_moment_is_no_stall(mock_clock, looking) -> None:
    wait(mock_clock, looking, PULSE, STALL - 0.001)
    assert looking.stall(trio.current_time()) == 0


async def test_what_is_found_after_a_long_time_without_a_look_may_have_lain_there_all_the_time(
    mock_clock, looking
) -> None:
    wait(mock_clock, looking, PULSE, 3.0)
    assert looking.stall(trio.current_time()) == pytest.approx(3.0)


async def test_the_looks_after_the_one_that_ends_a_stall_count_for_it_and_no_more(
    mock_clock, looking
) -> None:
    wait(mock_clock, looking, PULSE, 3.0)
    for look in range(1, LOOKS):
        wait(mock_clock, looking, 0.001)
        assert looking.stall(trio.current_time()) == pytest.approx(3.0 + look * 0.001)
    wait(mock_clock, looking, 0.001)
    assert looking.stall(trio.current_time()) == 0


async def test_of_two_stalls_in_a_row_the_first_is_where_the_waiting_began(
    mock_clock, looking
) -> None:
    wait(mock_clock, looking, PULSE, 3.0, 1.0)
    assert looking.stall(trio.current_time()) == pytest.approx(4.0)


async def test_what_was_found_before_a_stall_and_is_read_after_it_has_lain_there_all_along(
    mock_clock, looking
) -> None:
    wait(mock_clock, looking, PULSE)
    mock_clock.jump(3.0)
    assert looking.stall(trio.current_time()) == pytest.approx(3.0)


async def test_a_loop_that_is_always_slow_excuses_no_more_than_its_last_looks(
    mock_clock, looking
) -> None:
    wait(mock_clock, looking, *[2 * STALL] * 100)
    assert looking.stall(trio.current_time()) == pytest.approx(2 * STALL * LOOKS)


async def test_where_nobody_looks_out_there_is_no_stall(mock_clock) -> None:
    mock_clock.jump(100)
    assert stall(trio.current_time()) == 0


async def test_a_loop_that_is_held_up_knows_it_when_it_looks_again(mock_clock) -> None:
    look_out()
    await trio.lowlevel.checkpoint()
    mock_clock.jump(3.0)
    await trio.lowlevel.checkpoint()
    assert stall(trio.current_time()) == pytest.approx(3.0)
    for _ in range(LOOKS):
        await trio.lowlevel.checkpoint()
    assert stall(trio.current_time()) == 0
