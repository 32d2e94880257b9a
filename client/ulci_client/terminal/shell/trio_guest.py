"""Trio as a guest of the asyncio loop that prompt_toolkit owns: one thread, so no locks."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import trio

T = TypeVar("T")


class TrioGuest:
    """One Trio run inside an asyncio loop; their callbacks alternate, never in parallel."""

    def __init__(self) -> None:
        self._scope = trio.CancelScope()
        self._unwanted = False
        self._token: trio.lowlevel.TrioToken | None = None

    async def run(self, main: Callable[[], Awaitable[T]]) -> T | None:
        """Run `main` in Trio; awaited by the host. Its result; None if cancelled. Raises its
        errors."""
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
        # A guest run cannot be abandoned: a cancelled host still waits for its end.
        while True:
            try:
                outcome = await asyncio.shield(ended)
                break
            except asyncio.CancelledError:
                self.cancel()
        result: T | None = outcome.unwrap()
        return result

    def soon(self, call: Callable[..., object], *args: object) -> None:
        """From the host: call this in Trio. Ignored before and after the run."""
        if self._token is None:
            return
        try:
            self._token.run_sync_soon(call, *args)
        except trio.RunFinishedError:
            return

    def cancel(self) -> None:
        """From the host: cancel the run, at its first checkpoint if it has not begun."""
        self._unwanted = True
        self.soon(self._scope.cancel)
