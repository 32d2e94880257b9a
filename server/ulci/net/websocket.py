"""Peers over WebSocket: one message per frame, text or msgpack.

trio-websocket runs on our stream. Its reader task may fail at any time (a peer that pings while we
close is enough, trio-websocket issue 184), so it has a nursery of its own.
"""

from collections.abc import Awaitable, Callable, Mapping

import trio
from trio_websocket import (
    CloseReason,
    ConnectionClosed,
    WebSocketConnection,
)

from ulci.net.errors import CloseCode, NetError
from ulci.net.limits import Limits
from ulci.net.peer import CLOSED_BY_PEER, LOST
from ulci.net.streams import QueuedPeer
from ulci.net.tcpstream import TcpStream
from ulci.net.timing import STALL
from ulci.net.websocket_frames import FrameStream
from ulci.protocol import Announcement, Connection, Unread
from ulci.protocol.messages import Message

UNHEARD = 256 * 1024
"""Bytes that may come in before a whole message. Nothing else bounds a message of endless empty
frames, which trio-websocket keeps one by one, or pings, each of which it answers; the pongs of five
silent days stay below."""

SURVEY = 5
"""Pings that measure the round trip of a new peer behind a proxy, where the system's value is
useless. Answers of the program do not suffice: the first ``readyok`` includes clearing the engine's
memory, and one late measurement would stay until the next."""

SURVEY_INTERVAL = 1.0
"""Seconds between these pings."""

CLOSE_WORDS: Mapping[int, str] = {
    1000: CLOSED_BY_PEER,
    1001: "closed by the other side: it is going away",
    1005: CLOSED_BY_PEER,
    1006: LOST,
    1007: "sent text that is not UTF-8; a text frame must be",
}


class WebSocketPeer(QueuedPeer):
    """A peer over an upgraded WebSocket."""

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
        """`Peer.put`; text is counted in characters, which equal bytes except in players' names."""
        if self._mute:
            return
        frames = self.connection.send_frames(*messages)
        size = sum(map(len, frames))
        if frames and self._fits(size):
            self._asked(messages)
            self._queued += size
            self._frames += frames
            self._wake.unpark()

    async def keep_alive(self) -> None:
        """Ping a silent peer; cut it without an answer. Ends only by being cancelled."""
        last = self._network.intake
        for _ in range(SURVEY if self.proxied else 0):
            await self._ping(trio.current_time())
            await trio.sleep(SURVEY_INTERVAL)
        while True:
            await trio.sleep_until(last.at + self.limits.ping_interval)
            asked = trio.current_time()
            if asked >= last.at + self.limits.ping_interval:  # still silent
                await self._ping(asked)

    async def _ping(self, asked: float) -> None:
        last = self._network.intake
        with trio.move_on_after(self.limits.ping_timeout) as waiting:
            try:
                await self._ws.ping()
            except ConnectionClosed:
                await trio.sleep_forever()  # receive() reports it
            if last.late <= STALL:
                self._round_trip.measured(last.at - last.late - asked)
        # While no task reads, an untaken frame or a pause blocks the answer: no reason to cut
        if waiting.cancelled_caught and self._network.was_silent_since(asked):
            self.cut(f"no answer to a ping within {self.limits.ping_timeout:g} s")

    async def _hear(self) -> None:
        try:
            frame = await self._ws.get_message()
        except ConnectionClosed as error:
            self._end(self._why_closed(error.reason))
            return
        size = len(frame.encode()) if isinstance(frame, str) else len(frame)
        if size > self.limits.max_frame:
            self.dismiss(self._too_long(), CloseCode.TOO_BIG)  # trio-websocket counts characters
            return
        self._at, self._late = self._read_time()
        self._network.unheard = 0
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

    def end(self) -> None:
        """It was closed, and nothing reads from it any more."""
        # The parser of wsproto 1.3 is a generator that refers to itself. Unless a frame has closed
        # it, each lost connection would leave 10 kB to the garbage collector.
        parsing = self._ws._wsproto.connection
        if parsing is not None:
            parsing._proto._parse_more.close()

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
    """Run a WebSocket from its upgrade to its end; fails only before it is started."""
    peer: WebSocketPeer | None = None
    failure: Exception | None = None
    try:
        async with trio.open_nursery() as nursery:
            peer = await opening(nursery)
            nursery.start_soon(peer.keep_alive)
            task_status.started(peer)
            await peer.run()
            nursery.cancel_scope.cancel()
    except* Exception as group:  # noqa: BLE001 (raised to the starter, or in `why`)
        failure = _first(group)
    finally:
        if peer is not None:
            peer.end()
        await trio.aclose_forcefully(bottom)
    if failure is None:
        return
    try:
        if peer is None:
            raise failure
        peer.cut(f"{LOST} ({failure})")
    finally:
        del failure  # avoids a reference cycle through its traceback


def _first(group: BaseExceptionGroup[Exception]) -> Exception:
    """The most likely first error: our own errors explain more than a library's."""
    leaves: list[Exception] = []
    groups: list[BaseExceptionGroup[Exception]] = [group]
    for inner in groups:
        for error in inner.exceptions:
            (groups if isinstance(error, BaseExceptionGroup) else leaves).append(error)  # type: ignore[arg-type]
    return min(leaves, key=lambda error: not isinstance(error, NetError))
