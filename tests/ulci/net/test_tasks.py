"""A nursery for servants."""

import pytest
import trio

from ulci.net.tasks import servants


async def test_servants_end_with_the_block() -> None:
    async with servants() as nursery:
        nursery.start_soon(trio.sleep_forever)


async def test_the_blocks_own_error_comes_out_bare() -> None:
    with pytest.raises(KeyError):
        async with servants() as nursery:
            nursery.start_soon(trio.sleep_forever)
            raise KeyError("mine")


async def test_a_cancelled_block_is_cancelled_and_nothing_else() -> None:
    with trio.CancelScope() as scope:
        async with servants() as nursery:
            nursery.start_soon(trio.sleep_forever)
            scope.cancel()
            await trio.sleep_forever()
    assert scope.cancelled_caught


async def test_a_servant_that_fails_after_all_is_not_hushed_up() -> None:
    async def fails() -> None:
        raise ValueError("a bug")

    with pytest.raises(ExceptionGroup) as caught:
        async with servants() as nursery:
            nursery.start_soon(fails)
    assert caught.group_contains(ValueError)
