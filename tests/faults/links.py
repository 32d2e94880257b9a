"""A line from one server to a database or a bus, which can be cut for a while."""

from contextlib import suppress

import trio


class Link:
    """Passes connections on to a port of this machine, unless it is cut."""

    def __init__(self, far: int) -> None:
        self.port = 0
        self._far = far
        self._whole = True
        self._passing: set[trio.CancelScope] = set()

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
        self.port = listener.socket.getsockname()[1]
        task_status.started()
        await trio.serve_listeners(self._pass_on, [listener])

    async def cut(self, seconds: float) -> None:
        """End all connections, and refuse new ones for so long, or until it is cancelled."""
        self._whole = False
        for scope in self._passing:
            scope.cancel()
        try:
            await trio.sleep(seconds)
        finally:
            self._whole = True

    async def _pass_on(self, near: trio.SocketStream) -> None:
        if not self._whole:
            return
        with suppress(OSError), trio.CancelScope() as scope:
            self._passing.add(scope)
            try:
                far = await trio.open_tcp_stream("127.0.0.1", self._far)
                async with far, trio.open_nursery() as nursery:
                    nursery.start_soon(_copy, near, far, scope)
                    nursery.start_soon(_copy, far, near, scope)
            finally:
                self._passing.discard(scope)


async def _copy(source: trio.SocketStream, sink: trio.SocketStream, over: trio.CancelScope) -> None:
    with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
        while data := await source.receive_some(1 << 16):
            await sink.send_all(data)
    over.cancel()
