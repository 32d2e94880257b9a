"""A line between a player and a server on this machine, which a test cuts where it likes."""

from functools import partial

import trio


class Line:
    """Passes what is said on to the port `far` of this machine, from a `port` of its own that stays
    the same whatever happens to the line or to the server."""

    def __init__(self, far: int) -> None:
        self.far = far
        self.port = 0
        self.lost = 0
        """How often a connection was cut here."""
        self._word = b""
        self._held: list[trio.CancelScope] = []

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Until cancelled."""
        [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
        self.port = listener.socket.getsockname()[1]
        task_status.started()
        await trio.serve_listeners(self._hold, [listener])

    def cut(self) -> None:
        """Now, with nothing under way."""
        for scope in self._held:
            scope.cancel()

    def cut_after(self, word: str) -> None:
        """As soon as one end has said this, which still arrives; what follows it does not."""
        self._word = word.encode()

    async def _hold(self, near: trio.SocketStream) -> None:
        async with near:
            try:
                far = await trio.open_tcp_stream("127.0.0.1", self.far)
            except OSError:
                return  # nobody is there
            async with far:
                await self._between(near, far)

    async def _between(self, near: trio.SocketStream, far: trio.SocketStream) -> None:
        async with trio.open_nursery() as nursery:
            scope = nursery.cancel_scope
            self._held.append(scope)
            for source, sink in ((near, far), (far, near)):
                nursery.start_soon(partial(self._pass_on, source, sink, scope))
        self._held.remove(scope)
        self.lost += 1

    async def _pass_on(
        self, source: trio.SocketStream, sink: trio.SocketStream, scope: trio.CancelScope
    ) -> None:
        try:
            async for data in source:
                if self._word and self._word in data:
                    before, word, _ = data.partition(self._word)
                    self._word = b""
                    await sink.send_all(before + word)
                    break
                await sink.send_all(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass
        scope.cancel()
