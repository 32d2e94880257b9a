"""The bus of one run: batches out, callbacks in."""

import math
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from functools import partial

import structlog
import trio

from ulci.net import Steps

from .counters import Counters
from .foreign import ForeignPayloads
from .frames import ForeignError, Frame, Frames
from .hub import Hub, HubConnection, HubError, channel_of
from .own_pings import OwnPings
from .pair import Pair

LOG = structlog.get_logger("ulci_server.bus")

TICK = 0.002
"""Minimum seconds between two publications. Each costs both ends as much as a hundred messages do,
so there should be few under load. The wait costs a move no clock time."""

PING = 0.25
"""Seconds between two publications to every run, which show the loss of a last batch. A cut of 2 s,
after which a server counts as cut off, is then eight missing pings, not a late one."""

NO_ANSWER = 2.0
"""Seconds for one publication, or one connection: the run then connects again."""

FIRST_RETRY = 0.1
"""Seconds until the hub is tried again: a restarted Redis answers within 0.03 s."""

LAST_RETRY = 0.5
"""Maximum seconds between two tries, reached by doubling: the end of an outage may be noticed that
much later."""

SLICE = 32
"""Messages in one call of `heard`: at 100 µs each it stays far below 10 ms."""

WORK_TIME = 0.001
"""Seconds of writing frames, or of calls of `heard`, between two checkpoints for other tasks."""

WRONG_RUN = "a frame for another run: two clusters share the hub and the key of one database"

Heard = Callable[[int, Sequence[bytes]], object]
Told = Callable[[int], object]


class Bus:
    """Sends messages to other runs and receives theirs. key: the secret of their database, by which
    they recognize each other. All callbacks run in the Trio thread; an exception in one is logged
    and ends nothing.

    `heard(run, messages)`: messages of a run, in its order; a large batch comes in several calls.
    `lost(run)`: messages from this run or to it are missing. It is called once a gap, before
    anything from that run that was sent after the gap; of messages to it, as soon as the run can be
    reached again, so that what is sent then arrives.
    `deaf(run)`: a publication found that the run does not listen; repeated every `PING`. It is no
    proof of its end: after a restart of the hub, every run is deaf until it has connected again.

    Each end of a gap gets its own report. While the hub is down or a run does not listen, messages
    to it are dropped, not kept: they would be out of date, and recovery is the same as after any
    other loss.
    """

    def __init__(
        self, hub: Hub, key: str, run: int, *, heard: Heard, lost: Told, deaf: Told
    ) -> None:
        self.run_id = run
        self.channel = channel_of(key, run)
        self.counters = Counters()
        self.trouble = ""
        """Why the hub cannot be used; empty while it can, and before the first try."""
        self._hub = hub
        self._key = key
        self._frames = Frames(key)
        self._heard, self._lost, self._deaf = heard, lost, deaf
        self._pairs: dict[int, Pair] = {}
        self._own = Pair(run)
        self._own.added = True
        self._pings = OwnPings()
        self._working = trio.Event()
        self._pause = FIRST_RETRY
        self._to_self: list[bytes] = []
        self._wake_own = trio.Event()
        self._wake = trio.Event()
        self._publishing = False
        self._published = trio.Event()
        self._connected = False
        # Shielded: half a batch must not be lost with the connection.
        self._steps = Steps(seconds=WORK_TIME, shielded=True)
        self._foreign = ForeignPayloads(self.channel, self.counters)

    def add(self, run: int) -> None:
        """From now on send to another run, and accept its messages."""
        if run == self.run_id:
            return
        self._foreign.know(run)
        pair = self._pair(run)
        if not pair.added:
            pair.added = pair.reachable = True
            pair.heard_at = trio.current_time()

    def forget(self, run: int) -> None:
        """Send no more to a run that has ended, and drop its messages.

        Its numbers are kept, because it may be added again, and count on.
        """
        pair = self._pairs.get(run)
        if pair is not None and pair.added:
            self.counters.dropped += pair.forget()

    def send(self, run: int, message: bytes) -> None:
        """Send a message to a run, or to this one itself. Never waits and never fails: what cannot
        be sent is dropped, and `lost` reports that."""
        if run == self.run_id:
            self._to_self.append(message)
            self._wake_own.set()
            return
        pair = self._pair(run)
        if self._connected and pair.added and pair.reachable:
            self.counters.dropped += pair.put(message)
            self._wake.set()
        else:
            pair.drop()
            self.counters.dropped += 1

    @property
    def silence(self) -> float:
        """Seconds since the last own ping came back: how long this run has been cut off from the
        hub, and thereby from every other run. 0 before `run`."""
        return self._pings.silence

    @property
    def lag(self) -> float:
        """Seconds that the last ping took from here through the hub and back."""
        return self._pings.lag

    def silence_of(self, run: int) -> float:
        """Seconds since something came from that run, at least its ping. 0 for a run that was not
        added, and this one."""
        pair = self._pairs.get(run)
        return trio.current_time() - pair.heard_at if pair is not None and pair.added else 0.0

    def heard_at(self, run: int) -> float | None:
        """When the last frame of that run came (s), also if it lives no more; None if this run has
        never known it."""
        pair = self._pairs.get(run)
        return None if pair is None or math.isinf(pair.heard_at) else pair.heard_at

    def heard_before(self, run: int, at: float) -> float:
        """The last time (s) up to `at` when that run was heard, also if it lives no more: `at`
        itself, unless that is within a silence; `at`, too, if the run was never known."""
        pair = self._pairs.get(run)
        return at if pair is None or math.isinf(pair.heard_at) else pair.heard_before(at)

    def silent(self, run: int, since: float, until: float) -> list[tuple[float, float]]:
        """The spans between these two times (s) in which that run was silent while it lived, though
        it sends something every `PING`. Empty for a run that was not added, and this one."""
        pair = self._pairs.get(run)
        return [] if pair is None else pair.silent(since, until)

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Carry messages until cancelled, and reconnect for ever. Started when the first own ping
        has come back through the hub: until then, nobody else should know of this run."""
        self._pings.begin()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._deliver_own)
            nursery.start_soon(self._connect_for_ever)
            await self._working.wait()
            task_status.started()

    async def flush(self) -> None:
        """Return when all that was sent has been published, or dropped: before this run ends."""
        with trio.move_on_after(NO_ANSWER):
            while self._connected and (self._publishing or self._waits):
                await self._published.wait()

    # Implementation

    @property
    def _waits(self) -> bool:
        return any(pair.added and pair.waits for pair in self._pairs.values())

    def _pair(self, run: int) -> Pair:
        if run not in self._pairs:
            self._pairs[run] = Pair(run)
        return self._pairs[run]

    async def _connect_for_ever(self) -> None:
        while True:
            try:
                async with AsyncExitStack() as stack:
                    with self._answer_expected():
                        connection = await stack.enter_async_context(
                            self._hub.connect(self.channel)
                        )
                    await self._use(connection)
            except HubError as error:
                self._in_trouble(str(error))
            await trio.sleep(self._pause)
            self._pause = min(2 * self._pause, LAST_RETRY)

    @contextmanager
    def _answer_expected(self) -> Iterator[None]:
        with trio.move_on_after(NO_ANSWER) as scope:
            yield
        if scope.cancelled_caught:
            raise HubError(f"{self._hub} does not answer; is it stopped, or overloaded?")

    def _in_trouble(self, why: str) -> None:
        if why != self.trouble:
            LOG.warning("the bus fails", trouble=why)
        self.trouble = why

    async def _use(self, connection: HubConnection) -> None:
        """Publish and receive until the connection is lost.

        Raises:
            HubError: it is lost.
        """
        self._connected = True
        self._pings.connected()
        reasons: list[HubError] = []
        try:
            async with trio.open_nursery() as nursery:

                async def until_lost(task: Callable[[HubConnection], Awaitable[None]]) -> None:
                    try:
                        await task(connection)
                    except HubError as error:
                        reasons.append(error)
                        nursery.cancel_scope.cancel()

                nursery.start_soon(until_lost, self._hear_all)
                nursery.start_soon(until_lost, self._publish_all)
        finally:
            self._connected = False
            for pair in self._pairs.values():
                self.counters.dropped += pair.drop_waiting()
        raise reasons[0]

    # Out

    async def _publish_all(self, connection: HubConnection) -> None:
        ping_at = -math.inf
        while True:
            now = trio.current_time()
            pinging = now >= ping_at
            if pinging:
                ping_at = now + PING
            self._publishing = True
            try:
                await self._publish(connection, pinging=pinging)
            finally:
                self._publishing = False
                published, self._published = self._published, trio.Event()
                published.set()
            with trio.move_on_at(ping_at):
                await self._wake.wait()
            if trio.current_time() < now + TICK:
                await trio.sleep_until(now + TICK)

    async def _publish(self, connection: HubConnection, *, pinging: bool) -> None:
        """One round trip with a batch for each run for which something waits; `pinging`: for every
        run and for this one."""
        self._steps.begin()
        self._wake = trio.Event()
        ping = [(self.channel, self._own_ping())] if pinging else []
        frames: list[tuple[str, bytes]] = []
        counted: list[tuple[Pair, int]] = []  # of each frame: its run, and how many messages
        for pair in list(self._pairs.values()):
            if not pair.added or not (pinging or pair.waits):
                continue
            channel = channel_of(self._key, pair.run)
            for batch in pair.take():
                frames.append((channel, self._frames.write(self.run_id, pair.run, *batch)))
                counted.append((pair, len(batch.messages)))
                await self._steps.done()
        if not frames and not ping:
            return
        try:
            with self._answer_expected():
                receivers = await connection.publish(frames + ping)
        except BaseException:  # cancelled, too: the connection was lost
            for pair, count in counted:
                self._dropped(pair, count)
            raise
        self.counters.batches_out += len(frames)
        self.counters.messages_out += sum(count for _, count in counted)
        self.counters.bytes_out += sum(len(frame) for _, frame in frames)
        for (pair, count), found in zip(counted, receivers, strict=False):
            if not pair.added:
                continue
            if found:
                self._reached(pair)
            else:
                self._not_reached(pair, count)

    def _own_ping(self) -> bytes:
        """
        Raises:
            HubError: the last pings did not come back.
        """
        if self._pings.are_lost:
            raise HubError(f"{self._hub} takes what is published and delivers nothing")
        return self._frames.write(self.run_id, self.run_id, self._pings.next(), 0, ())

    def _dropped(self, pair: Pair, messages: int) -> None:
        if messages:
            pair.untold = True
            self.counters.dropped += messages

    def _not_reached(self, pair: Pair, messages: int) -> None:
        pair.reachable = False
        self._dropped(pair, messages)
        self.counters.dropped += pair.drop_waiting()
        self._call(partial(self._deaf, pair.run))

    def _reached(self, pair: Pair) -> None:
        pair.reachable = True
        if pair.untold and pair.added:
            pair.untold = False
            self._say_lost(pair.run)

    # In

    async def _hear_all(self, connection: HubConnection) -> None:
        while True:
            payloads = await connection.receive()
            self._steps.begin()
            for payload in payloads:
                await self._hear(payload)

    async def _hear(self, payload: bytes) -> None:
        await self._steps.done()
        try:
            frame = self._frames.read_untrusted(payload)
        except ForeignError as error:
            self._foreign.note(str(error))
            return
        if frame.receiver != self.run_id:
            self._foreign.note(WRONG_RUN)
        elif frame.sender == self.run_id:
            self._hear_own_ping(frame.serial)
        elif (pair := self._pairs.get(frame.sender)) is None or not pair.added:
            self._foreign.note_stranger(frame.sender)
        else:
            self.counters.batches_in += 1
            self.counters.bytes_in += len(payload)
            await self._hear_frame(pair, frame)

    def _hear_own_ping(self, serial: int) -> None:
        if not self._pings.hear(serial):
            self._foreign.note_repeated()
            return
        self._pause = FIRST_RETRY
        self._working.set()
        if self.trouble:
            LOG.info("the bus works again")
            self.trouble = ""

    async def _hear_frame(self, pair: Pair, frame: Frame) -> None:
        if pair.is_old(frame.serial):
            self._foreign.note_repeated()
            return
        pair.frame_came(frame.serial, trio.current_time())
        if pair.hear(frame.number, empty=not frame.messages):
            self._say_lost(pair.run)
        self._reached(pair)
        self.counters.messages_in += len(frame.messages)
        await self._deliver(pair, frame.messages)

    async def _deliver(self, pair: Pair, messages: Sequence[bytes]) -> None:
        """Call `heard` until all is delivered, or the run is forgotten."""
        for start in range(0, len(messages), SLICE):
            await self._steps.done()
            if not pair.added:
                return
            self._call(partial(self._heard, pair.run, messages[start : start + SLICE]))

    async def _deliver_own(self) -> None:
        while True:
            await self._wake_own.wait()
            self._steps.begin()
            self._wake_own = trio.Event()
            messages, self._to_self = self._to_self, []
            await self._deliver(self._own, messages)

    # Callbacks

    def _say_lost(self, run: int) -> None:
        self.counters.lost += 1
        self._call(partial(self._lost, run))

    def _call(self, callback: Callable[[], object]) -> None:
        try:
            callback()
        except Exception:
            LOG.exception("callback failed", callback=callback)
