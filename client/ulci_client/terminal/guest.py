"""Trio as the guest of an asyncio loop that a toolkit owns: one thread, so no locks."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import trio

T = TypeVar("T")


class Guest:
    """One Trio run. Between its steps the host's callbacks run, never at the same time."""

    def __init__(self) -> None:
        self._scope = trio.CancelScope()
        self._unwanted = False
        self._token: trio.lowlevel.TrioToken | None = None

    async def run(self, main: Callable[[], Awaitable[T]]) -> T | None:
        """Awaited by the host: what `main` gives; None if it was cancelled. Its errors come out."""
        loop = asyncio.get_running_loop()
        ended = loop.create_future()

        async def scoped() -> T | None:
            self._token = trio.lowlevel.current_trio_token()
            if self._unwanted:
                self._scope.cancel()
            with self._scope:
                return await main()
            return None

        trio.lowlevel.start_guest_run(
            scoped,
            run_sync_soon_threadsafe=loop.call_soon_threadsafe,
            run_sync_soon_not_threadsafe=loop.call_soon,
            done_callback=ended.set_result,
            host_uses_signal_set_wakeup_fd=True,  # asyncio's loop does
            restrict_keyboard_interrupt_to_checkpoints=True,
        )
        # A guest cannot be left halfway: a host that is cancelled waits for its end all the same.
        while True:
            try:
                outcome = await asyncio.shield(ended)
                break
            except asyncio.CancelledError:
                self.cancel()
        result: T | None = outcome.unwrap()
        return result

    def soon(self, call: Callable[..., object], *args: object) -> None:
        """From the host: call this among Trio's tasks. Nothing happens before and after its run."""
        if self._token is None:
            return
        try:
            self._token.run_sync_soon(call, *args)
        except trio.RunFinishedError:
            return

    def cancel(self) -> None:
        """From the host: end it, at its first checkpoint if it has not begun."""
        self._unwanted = True
        self.soon(self._scope.cancel)
