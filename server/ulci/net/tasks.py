"""Tasks that serve a block and end with it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio


@asynccontextmanager
async def servants() -> AsyncIterator[trio.Nursery]:
    """A nursery for tasks that never fail: they end with the block, whose own error comes out bare.

    A plain nursery would wrap it into an exception group, and ``except DialError`` around
    ``async with dial(…)`` would miss what the caller's own block raised.
    """
    caught: BaseException | None = None
    try:
        async with trio.open_nursery() as nursery:
            try:
                yield nursery
            except BaseException as error:  # noqa: BLE001 (raised again below)
                caught = error
            nursery.cancel_scope.cancel()
    except BaseExceptionGroup:
        if caught is None:
            raise
    if caught is not None:
        try:
            raise caught
        finally:
            del caught  # no reference cycle through the traceback
