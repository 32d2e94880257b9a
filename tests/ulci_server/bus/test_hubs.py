"""What holds for a bus over any hub: the one in memory, on the mock clock, and Redis."""

import gc
import math
import signal
import time
import uuid
from abc import ABC, abstractmethod
from urllib.parse import urlsplit

import pytest
import trio
import trio.testing

from tests.support.buses import NotedBus, trouble_of
from tests.support.memory_hub import MemoryHub
from tests.support.redis_servers import RedisServer, ask_redis
from ulci_server.bus import HubError, open_hub
from ulci_server.bus import bus as bus_module
from ulci_server.bus.bus import NO_ANSWER
from ulci_server.bus.frames import WAITING_BYTES, Frames

MANY = 100_000
PATIENCE = 60
"""Seconds after which a test hangs."""


@pytest.fixture(autouse=True)
def patient(monkeypatch) -> None:
    """The machine may stand still, too."""
    monkeypatch.setattr(bus_module, "NO_ANSWER", PATIENCE)


class Medium(ABC):
    """A hub, and what a test does to it from outside. Blocking calls, all short."""

    def __init__(self, hub) -> None:
        self.hub = hub
        self.key = uuid.uuid4().hex
        self.frames = Frames(self.key)

    def bus(self, run: int) -> NotedBus:
        return NotedBus(self.hub, run, self.key)

    async def buses(self, nursery: trio.Nursery, *runs: int) -> list[NotedBus]:
        """Connected, and known to each other."""
        buses = [self.bus(run) for run in runs]
        for bus in buses:
            await nursery.start(bus.run)
            for run in runs:
                bus.add(run)
        return buses

    @abstractmethod
    def inject(self, channel: str, payload: bytes) -> None: ...
    @abstractmethod
    def drop_link(self, bus: NotedBus) -> None: ...
    @abstractmethod
    def kill(self) -> None: ...
    @abstractmethod
    def start(self) -> None: ...
    @abstractmethod
    def freeze(self) -> None: ...
    @abstractmethod
    def thaw(self) -> None: ...


class MemoryMedium(Medium):
    def __init__(self) -> None:
        super().__init__(MemoryHub())

    def inject(self, channel: str, payload: bytes) -> None:
        self.hub.inject(channel, payload)

    def drop_link(self, bus: NotedBus) -> None:
        self.hub.cut(bus.channel)
        self.hub.mend(bus.channel)

    def kill(self) -> None:
        self.hub.stop()

    def start(self) -> None:
        self.hub.start()

    def freeze(self) -> None:
        self.hub.freeze()

    def thaw(self) -> None:
        self.hub.thaw()


class RedisMedium(Medium):
    """`server`: of the test's own."""

    def __init__(self, url: str, server: RedisServer | None = None) -> None:
        super().__init__(open_hub(url))
        self._where = urlsplit(url)
        self._server = server

    def inject(self, channel: str, payload: bytes) -> None:
        host, port = self._where.hostname, self._where.port
        assert ask_redis(host, port, "PUBLISH", channel, payload) == 1

    def drop_link(self, bus: NotedBus) -> None:
        listed = self._server.ask("CLIENT", "LIST").decode().splitlines()
        ours = [dict(word.partition("=")[::2] for word in line.split()) for line in listed]
        clients = [client["id"] for client in ours if client["name"] == "ulci"]
        # The bus that was started first has the lower number.
        assert self._server.ask("CLIENT", "KILL", "ID", min(clients, key=int)) == 1

    def kill(self) -> None:
        self._server.kill()

    def start(self) -> None:
        self._server.start()

    def freeze(self) -> None:
        self._server.signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._server.signal(signal.SIGCONT)


@pytest.fixture(params=["memory", "redis"])
def kind(request) -> str:
    return request.param


@pytest.fixture
def clock(kind) -> trio.abc.Clock | None:
    """The mock clock, and the real one for Redis."""
    return trio.testing.MockClock(autojump_threshold=0) if kind == "memory" else None


@pytest.fixture
def medium(kind, request) -> Medium:
    if kind == "memory":
        return MemoryMedium()
    return RedisMedium(request.getfixturevalue("redis_url"))


@pytest.fixture
def own(kind, request) -> Medium:
    """A medium that nobody else uses: it may be killed."""
    if kind == "memory":
        return MemoryMedium()
    server = request.getfixturevalue("redis_server")
    return RedisMedium(server.url, server)


async def until(condition, bus: NotedBus) -> None:
    """Wait until it holds; something must be said to a bus when it does."""
    with trio.fail_after(PATIENCE):
        while not condition():
            await bus.notes.count(len(bus.notes.said) + 1)


async def converse(one: NotedBus, two: NotedBus, word: bytes) -> None:
    """Send a message there and one back."""
    with trio.fail_after(PATIENCE):
        one.send(two.run_id, word)
        await two.notes.until((one.run_id, word))
        two.send(one.run_id, word)
        await one.notes.until((two.run_id, word))


async def test_a_link_publishes_in_order_and_counts_the_subscribers(clock, medium) -> None:
    a, b, c = (f"{medium.key}:{name}" for name in "abc")
    with trio.fail_after(PATIENCE):
        async with medium.hub.connect(a) as one, medium.hub.connect(b) as two:
            heard = []

            async def hear(link, count) -> None:
                while len(heard) < count:
                    heard.extend(await link.receive())

            async with trio.open_nursery() as nursery:
                nursery.start_soon(hear, two, 2)
                nursery.start_soon(one.receive)  # a publication is answered while one receives
                frames = [(b, b"first"), (c, b"nobody"), (b, bytes(range(256))), (a, b"own")]
                assert await one.publish(frames) == [1, 0, 1, 1]
    assert heard == [b"first", bytes(range(256))]


async def test_messages_arrive_in_order_both_ways(clock, medium, nursery) -> None:
    one, two = await medium.buses(nursery, 1, 2)
    messages = [b"%d" % number for number in range(1000)]
    with trio.fail_after(PATIENCE):
        for message in messages:
            one.send(2, message)
            two.send(1, message)
            if len(message) % 3:
                await trio.lowlevel.checkpoint()
        await two.notes.count(1000)
        await one.notes.count(1000)
    assert two.notes.said == [(1, message) for message in messages]
    assert one.notes.said == [(2, message) for message in messages]


async def test_a_hundred_thousand_messages_arrive_in_order(clock, medium, nursery) -> None:
    one, two = await medium.buses(nursery, 1, 2)
    with trio.fail_after(PATIENCE):
        for number in range(MANY):
            one.send(2, b"%d" % number)
            if number % 10_000 == 9999:
                await two.notes.count(number - 20_000)
        await two.notes.count(MANY)
    assert two.notes.said == [(1, b"%d" % number) for number in range(MANY)]
    assert one.counters.batches_out < MANY / 10


class LongestStep(trio.abc.Instrument):
    """Of all tasks, in seconds of this thread's processor time."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._began = math.inf

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        self._began = time.thread_time()

    def after_task_step(self, task: trio.lowlevel.Task) -> None:
        self.seconds = max(self.seconds, time.thread_time() - self._began)


@pytest.fixture
def no_collection():
    """The garbage of all other tests is not of this one's making."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize(
    ("count", "size"), [(10_000, 200), (100_000, 2), (16, WAITING_BYTES // 17)]
)
async def test_no_batch_holds_the_loop(clock, medium, nursery, no_collection, count, size) -> None:
    one, two = await medium.buses(nursery, 1, 2)
    messages = [b"%0*d" % (size, number % 90) for number in range(count)]
    for message in messages:
        one.send(2, message)
    step = LongestStep()
    trio.lowlevel.add_instrument(step)
    with trio.fail_after(PATIENCE):
        await two.notes.count(count)
    trio.lowlevel.remove_instrument(step)
    assert [message for _, message in two.notes.said] == messages
    assert step.seconds < 0.01


async def test_a_message_of_megabytes_arrives(clock, medium, nursery) -> None:
    one, two = await medium.buses(nursery, 1, 2)
    large = bytes(range(256)) * (WAITING_BYTES // 512)
    await converse(one, two, large)
    assert two.notes.said == [(1, large)]


async def test_two_clusters_share_a_hub(clock, medium, nursery) -> None:
    ours = await medium.buses(nursery, 1, 2)
    medium.key = uuid.uuid4().hex
    theirs = await medium.buses(nursery, 1, 2)
    await converse(*ours, b"ours")
    await converse(*theirs, b"theirs")
    assert [bus.notes.of(3 - bus.run_id) for bus in ours] == [[b"ours"]] * 2
    assert [bus.notes.of(3 - bus.run_id) for bus in theirs] == [[b"theirs"]] * 2


async def test_foreign_doubled_and_older_frames_are_dropped(clock, medium, nursery) -> None:
    one, two = await medium.buses(nursery, 1, 2)
    await converse(one, two, b"a")
    for payload in (
        b"hello",
        bytes(1000),
        medium.frames.write(1, 2, 1, 1, [b"doubled"]),
        medium.frames.write(7, 2, 1, 1, [b"of an unknown run"]),
        medium.frames.write(1, 3, 2, 2, [b"for another run"]),
    ):
        medium.inject(two.channel, payload)
    await converse(one, two, b"b")
    assert two.notes.of(1) == [b"a", b"b"]
    assert two.counters.foreign >= 4


async def test_a_gap_is_told_before_what_follows(clock, medium, nursery) -> None:
    [two] = await medium.buses(nursery, 2)
    two.add(1)
    for number in (1, 2, 5, 6):
        medium.inject(two.channel, medium.frames.write(1, 2, number, number, [b"%d" % number]))
    medium.inject(two.channel, medium.frames.write(1, 2, 7, 8, []))
    await until(lambda: len(two.notes.of(1)) == 6, two)
    assert two.notes.of(1) == [b"1", b"2", "lost", b"5", b"6", "lost"]


async def test_a_run_that_ends_is_deaf(clock, medium, nursery) -> None:
    [one] = await medium.buses(nursery, 1)
    async with trio.open_nursery() as inner:
        two = medium.bus(2)
        await inner.start(two.run)
        two.add(1)
        one.add(2)
        await converse(one, two, b"a")
        inner.cancel_scope.cancel()
    one.send(2, b"b")
    with trio.fail_after(PATIENCE):
        await one.notes.until((2, "deaf"))


async def test_a_hub_that_is_killed_loses_only_what_was_under_way(clock, own, nursery) -> None:
    one, two = await own.buses(nursery, 1, 2)
    await converse(one, two, b"before")
    own.kill()
    one.send(2, b"lost")
    own.start()
    await until(lambda: "lost" in two.notes.of(1), two)
    await until(lambda: "lost" in one.notes.of(2), one)
    await converse(one, two, b"after")
    assert two.notes.of(1) == [b"before", "lost", b"after"]
    assert one.notes.of(2) == [b"before", "lost", b"after"]
    assert one.trouble == two.trouble == ""


async def test_a_link_that_breaks_is_made_anew(clock, own, nursery) -> None:
    one, two = await own.buses(nursery, 1, 2)
    await converse(one, two, b"before")
    own.drop_link(one)
    two.send(1, b"lost")
    await until(lambda: "lost" in one.notes.of(2), one)
    await converse(one, two, b"after")
    assert one.notes.of(2)[-1] == two.notes.of(1)[-1] == b"after"


async def test_a_hub_that_is_stopped_for_a_moment_loses_nothing(clock, own, nursery) -> None:
    one, two = await own.buses(nursery, 1, 2)
    await converse(one, two, b"a")
    own.freeze()
    one.send(2, b"b")
    await trio.sleep(0.2)
    one.send(2, b"c")
    own.thaw()
    await converse(one, two, b"d")
    assert two.notes.of(1) == [b"a", b"b", b"c", b"d"]


async def test_a_hub_that_is_stopped_for_long_is_connected_to_anew(
    clock, own, nursery, monkeypatch
) -> None:
    one, two = await own.buses(nursery, 1, 2)
    await converse(one, two, b"before")
    own.freeze()
    monkeypatch.setattr(bus_module, "NO_ANSWER", NO_ANSWER)
    one.send(2, b"under way")
    with trio.fail_after(PATIENCE):
        assert "does not answer; is it stopped, or overloaded?" in await trouble_of(one)
    assert one.silence > NO_ANSWER
    monkeypatch.setattr(bus_module, "NO_ANSWER", PATIENCE)
    own.thaw()
    await until(lambda: "lost" in one.notes.of(2), one)
    await converse(one, two, b"after")
    # What was under way may have arrived, or not: whatever it was, it was told in time.
    assert two.notes.of(1)[0] == b"before"
    assert two.notes.of(1)[-1] == b"after"
    assert two.notes.of(1)[1:-1] in ([b"under way"], ["lost"])


async def test_a_hub_that_is_down_is_told_by_connect(clock, own) -> None:
    own.kill()
    with pytest.raises(HubError):
        async with own.hub.connect("channel"):
            pass
