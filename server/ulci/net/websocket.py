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

from ulci.net.codes import CloseCode
from ulci.net.errors import NetError
from ulci.net.frames import FrameStream
from ulci.net.limits import Limits
from ulci.net.peer import CLOSED_BY_PEER, LOST
from ulci.net.streams import QueuedPeer
from ulci.net.tcpstream import TcpStream
from ulci.protocol import Announcement, Connection, Unread
from ulci.protocol.messages import Message

UNHEARD = 256 * 1024
"""Bytes that may come in before a whole message does. Nothing else bounds a message of ever more
empty frames, which trio-websocket keeps one by one, nor pings, each of which it answers; the pongs
of five silent days are fewer."""

SURVEY = 5
"""Pings by which the line of a new peer behind a proxy is measured, whom the system does not reach.
Its program's answers alone would not do: the first ``readyok`` is that of an engine which clears
its memory, and one measurement that is late by chance would hold until there is another."""

SURVEY_INTERVAL = 1.0
"""s from one of them to the next."""

CLOSE_WORDS: Mapping[int, str] = {
    1000: CLOSED_BY_PEER,
    1001: "closed by the other side: it is going away",
    1005: CLOSED_BY_PEER,
    1006: LOST,
    1007: "sent text that is not UTF-8; a text frame must be",
}


class WebSocketPeer(QueuedPeer):
    """A peer over a WebSocket whose upgrade is done."""

    __slots__ = ("_frames", "_network", "_ws")

    def __init__(
        self,
        ws: WebSocketConnection,
        connection: Connection,
        *,
        bottom: TcpStream,
        label: str,
        limits: Limits,
        headers: Mapping[str, str],
        frames: FrameStream | None = None,
    ) -> None:
        super().__init__(connection, label=label, limits=limits, bottom=bottom, headers=headers)
        if frames is not None:
            frames.charge(self._allowance)
        self._network = bottom
        bottom.unheard, bottom.most_unheard = 0, UNHEARD
        self._ws = ws
        self._frames: list[str | bytes] = []

    def put(self, *messages: Message | Unread | Announcement) -> None:
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
        for _ in range(SURVEY if self.proxied else 0):
            await self._ping(trio.current_time())
            await trio.sleep(SURVEY_INTERVAL)
        while True:
            await trio.sleep_until(last.at + self.limits.ping_interval)
            asked = trio.current_time()
            if asked >= last.at + self.limits.ping_interval:  # or else it spoke meanwhile
                await self._ping(asked)

    async def _ping(self, asked: float) -> None:
        last = self._network.intake
        with trio.move_on_after(self.limits.ping_timeout) as waiting:
            try:
                await self._ws.ping()
            except ConnectionClosed:
                await trio.sleep_forever()  # receive() says so
            self._measured(asked, last.at, last.late)
        # If nobody reads, the frame that nobody takes from us is in the way of the answer
        if waiting.cancelled_caught and self._network.reading and last.at <= asked:
            self.cut(f"no answer to a ping within {self.limits.ping_timeout:g} s")

    async def _hear(self) -> None:
        try:
            frame = await self._ws.get_message()
        except ConnectionClosed as error:
            self._end(self._why_closed(error.reason))
            return
        size = len(frame.encode()) if isinstance(frame, str) else len(frame)
        if size > self.limits.max_frame:
            self.dismiss(self._too_long(), CloseCode.TOO_BIG)  # trio-websocket counts letters
            return
        self._at, self._late = self._when()
        self._network.unheard = 0
        self._bytes_in += len(frame)
        self.connection.receive_frame(frame)

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
        await self._ws.aclose(self._code, None if self._code is CloseCode.NORMAL else self.why)

    def _too_long(self) -> str:
        return f"a frame was too long: at most {self.limits.max_frame} bytes are allowed here"

    def _why_closed(self, reason: CloseReason | None) -> str:
        if self._network.unheard > UNHEARD:
            return f"sent more than {UNHEARD} bytes without a whole message among them"
        if reason is None:
            return LOST
        if reason.code == CloseCode.TOO_BIG:
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
    try:
        if peer is None:
            raise failure
        peer.cut(f"{LOST} ({failure})")
    finally:
        del failure  # its traceback has this frame: together they would be garbage in a cycle


def _first(group: BaseExceptionGroup[Exception]) -> Exception:
    """What went wrong first, as far as one can tell: our own words count more than a library's."""
    leaves: list[Exception] = []
    groups: list[BaseExceptionGroup[Exception]] = [group]
    for inner in groups:
        for error in inner.exceptions:
            (groups if isinstance(error, BaseExceptionGroup) else leaves).append(error)  # type: ignore[arg-type]
    return min(leaves, key=lambda error: not isinstance(error, NetError))
