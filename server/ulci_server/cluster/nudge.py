"""Wakes a task that polls before its next poll is due."""

import trio


class Nudge:
    """`begin` a poll, then `wait` for the next one. A nudge in between is not lost."""

    def __init__(self) -> None:
        self._given = trio.Event()

    def give(self) -> None:
        """Poll at once; during a poll: once more after it."""
        self._given.set()

    def begin(self) -> None:
        """The poll that begins now covers all earlier nudges."""
        self._given = trio.Event()

    async def wait(self, seconds: float) -> None:
        """Wait for a nudge, for at most `seconds`."""
        with trio.move_on_after(seconds):
            await self._given.wait()
