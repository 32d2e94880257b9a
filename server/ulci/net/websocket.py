"""Peers over WebSocket: one message a frame, text or msgpack.

trio-websocket runs the protocol on a stream of ours. Its reader is a task that may fail at any time
(a peer that pings while we close is enough, trio-websocket issue 184), so it lives in a nursery of
its own, below everything that matters.
"""

from collections.abc import Awaitable, Callable, Mapping

import trio
from trio_websocket import (
    CloseReason,
    ConnectionClosed,
    WebSocketConnection,
)

from ulci.net.errors import NetError
from ulci.net.limits import Limits
from ulci.net.peer import CLOSED_BY_PEER, LOST
from ulci.net.streams import QueuedPeer
from ulci.net.tcpstream import TcpStream
from ulci.protocol import Connection, Unread
from ulci.protocol.messages import Message

UNHEARD = 256 * 1024
"""Bytes that may come in before a whole message does. Nothing else bounds a message of ever more
empty frames, which trio-websocket keeps one by one, nor pings, each of which it answers; the pongs
of five silent days are fewer."""

FRAME = 14
"""Bytes of the longest head of a frame."""

READ_AHEAD = 16 * 1024
"""Bytes that may have come in beyond the message that is handed over: the next ones."""

EMPTY = 6
"""Bytes of the smallest frame: pings and empty pieces are as much work as a line each."""

CLOSE_WORDS: Mapping[int, str] = {
    1000: CLOSED_BY_PEER,
    1001: "closed by the other side: it is going away",
    1005: CLOSED_BY_PEER,
    1006: LOST,
    1007: "sent text that is not UTF-8; a text frame must be",
}
TOO_BIG = 1009


class WebSocketPeer(QueuedPeer):
    """A peer over a WebSocket whose upgrade is done."""

    __slots__ = ("_beside", "_frames", "_network", "_ws")

    def __init__(
        self,
        ws: WebSocketConnection,
        connection: Connection,
        *,
        bottom: TcpStream,
        label: str,
        limits: Limits,
        headers: Mapping[str, str],
    ) -> None:
        super().__init__(connection, label=label, limits=limits, bottom=bottom, headers=headers)
        self._network = bottom
        bottom.unheard, bottom.most_unheard = 0, UNHEARD
        self._ws = ws
        self._frames: list[str | bytes] = []
        self._beside = 0  # bytes that came in and were no message so far

    def put(self, *messages: Message | Unread) -> None:
        """As every `Peer`'s; text is counted in letters, which are bytes but in people's names."""
        if self._mute:
            return
        frames = self.connection.send_frames(*messages)
        size = sum(map(len, frames))
        if frames and self._fits(size):
            self._asked(messages)
            self._messages_out += len(frames)
            self._bytes_out += size
            self._queued += size
            self._frames += frames
            self._wake.unpark()

    async def keep_alive(self) -> None:
        """Ping whoever is silent; cut whoever does not answer. Ends only by being cancelled."""
        last = self._network.intake
        while True:
            await trio.sleep_until(last.at + self.limits.ping_interval)
            asked = trio.current_time()
            if asked < last.at + self.limits.ping_interval:
                continue  # it spoke meanwhile
            with trio.move_on_after(self.limits.ping_timeout) as waiting:
                try:
                    await self._ws.ping()
                except ConnectionClosed:
                    await trio.sleep_forever()  # receive() says so
            # If nobody reads, the frame that nobody takes from us is in the way of the answer
            if waiting.cancelled_caught and self._network.reading and last.at <= asked:
                self.cut(f"no answer to a ping within {self.limits.ping_timeout:g} s")

    async def _feed(self) -> None:
        try:
            frame = await self._ws.get_message()
        except ConnectionClosed as error:
            self._end(self._why_closed(error.reason))
            return
        size = len(frame.encode()) if isinstance(frame, str) else len(frame)
        if size > self.limits.max_frame:
            self.cut(self._too_long())  # trio-websocket counts letters
            return
        self._at, self._late = self._when()
        self._charge_frames(size)
        self._network.unheard = 0
        self._bytes_in += len(frame)
        self.connection.receive_frame(frame)

    def _charge_frames(self, size: int) -> None:
        """A message of that size came, and with it what nobody sees of the WebSocket."""
        if self._allowance is None:
            return
        if not size:
            self._allowance.line()
        self._beside = max(0, self._beside + self._network.unheard - size - FRAME)
        if self._beside > READ_AHEAD:
            self._allowance.read(self._beside // EMPTY * self.limits.pace.line)
            self._beside = 0

    async def _send_queued(self) -> None:
        frames, self._frames = self._frames, []
        try:
            self._network.hold(len(frames) > 1)
            for frame in frames[:-1]:
                await self._ws.send_message(frame)
            self._network.hold(False)
            await self._ws.send_message(frames[-1])
        except ConnectionClosed as error:
            self._lost(OSError(self._why_closed(error.reason)))
        else:
            self._queued -= sum(map(len, frames))

    def _stream(self) -> trio.abc.AsyncResource:
        return self._network

    async def _close(self) -> None:
        await self._ws.aclose()

    def _too_long(self) -> str:
        return f"a frame was too long: at most {self.limits.max_frame} bytes are allowed here"

    def _why_closed(self, reason: CloseReason | None) -> str:
        if self._network.unheard > UNHEARD:
            return f"sent more than {UNHEARD} bytes without a whole message among them"
        if reason is None:
            return LOST
        if reason.code == TOO_BIG:
            return self._too_long()
        said = f"closed by the other side with code {reason.code} {reason.reason or ''}".strip()
        return CLOSE_WORDS.get(reason.code, said)


Opening = Callable[[trio.Nursery], Awaitable[WebSocketPeer]]
"""Upgrades a stream, with trio-websocket's reader in this nursery."""


async def own(
    opening: Opening,
    bottom: TcpStream,
    *,
    task_status: trio.TaskStatus[WebSocketPeer] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Keep a WebSocket from its upgrade to its end; fails only before it is started."""
    peer: WebSocketPeer | None = None
    failure: Exception | None = None
    try:
        async with trio.open_nursery() as nursery:
            peer = await opening(nursery)
            nursery.start_soon(peer.keep_alive)
            task_status.started(peer)
            await peer.run()
            nursery.cancel_scope.cancel()
    except* Exception as group:  # noqa: BLE001 (said by whoever started us, or in `why`)
        failure = _first(group)
    finally:
        await trio.aclose_forcefully(bottom)
    if failure is None:
        return
    if peer is None:
        raise failure
    peer.cut(f"{LOST} ({failure})")


def _first(group: BaseExceptionGroup[Exception]) -> Exception:
    """What went wrong first, as far as one can tell: our own words count more than a library's."""
    leaves: list[Exception] = []
    groups: list[BaseExceptionGroup[Exception]] = [group]
    for inner in groups:
        for error in inner.exceptions:
            (groups if isinstance(error, BaseExceptionGroup) else leaves).append(error)  # type: ignore[arg-type]
    return min(leaves, key=lambda error: not isinstance(error, NetError))
