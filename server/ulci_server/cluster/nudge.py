"""Wakes a task that looks at something again and again before its next look is due."""

import trio


class Nudge:
    """`begin` a look, then `wait` for the next one. A nudge that comes in between is not lost."""

    def __init__(self) -> None:
        self._given = trio.Event()

    def give(self) -> None:
        """Look again at once; during a look: once more after it."""
        self._given.set()

    def begin(self) -> None:
        """What was nudged for until now is seen by this look."""
        self._given = trio.Event()

    async def wait(self, seconds: float) -> None:
        """Until the next look, `seconds` at most."""
        with trio.move_on_after(seconds):
            await self._given.wait()
