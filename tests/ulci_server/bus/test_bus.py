"""The bus over a hub with scripted faults: nothing twice, nothing out of order, no loss untold."""

from collections import Counter, deque
from collections.abc import Iterable
from functools import partial
from itertools import product

import msgpack
import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from tests.support.buses import KEY, NotedBus, start_buses
from tests.support.memory_hub import MemoryHub
from ulci_server.bus import channel_of
from ulci_server.bus.bus import LAST_RETRY, NO_ANSWER, PING, SLICE, TICK
from ulci_server.bus.foreign import FOREIGN_INTERVAL, REPEATED, STRANGER, UNKNOWN_RUN
from ulci_server.bus.frames import (
    FRAME_BYTES,
    OVERHEAD,
    WAITING_BYTES,
    Frames,
)
from ulci_server.bus.own_pings import UNHEARD_PINGS

FRAMES = Frames(KEY)

QUIET = 10 * PING
"""Seconds in which everything has settled."""


class ScriptedHub(MemoryHub):
    """Gives the frames with messages, in the order of their publication, the fates of a script, and
    notes them all."""

    def __init__(self, *fates: Iterable[float]) -> None:
        super().__init__()
        self.fates = deque(fates)
        self.published: list[tuple[float, str, bytes]] = []

    def _deliver(self, sender: str, channel: str, payload: bytes) -> int:
        self.published.append((trio.current_time(), channel, payload))
        carries = sender != channel and FRAMES.read_untrusted(payload).messages
        fate = self.fates.popleft() if carries and self.fates else (0.0,)
        self.fate = lambda sender, receiver: fate
        return super()._deliver(sender, channel, payload)

    def carried(self, run: int) -> list[tuple[float, tuple[bytes, ...]]]:
        """When batches were published for a run, and their messages."""
        frames = [
            (at, FRAMES.read_untrusted(payload).messages)
            for at, channel, payload in self.published
            if channel == channel_of(KEY, run)
        ]
        return [(at, messages) for at, messages in frames if messages]


async def test_messages_arrive_in_order_at_their_run(autojump_clock, nursery) -> None:
    one, two, three = await start_buses(nursery, MemoryHub(), 1, 2, 3)
    one.send(2, b"a")
    one.send(3, b"b")
    one.send(2, b"c")
    three.send(1, b"d")
    await trio.sleep(QUIET)
    assert two.notes.said == [(1, b"a"), (1, b"c")]
    assert three.notes.said == [(1, b"b")]
    assert one.notes.said == [(3, b"d")]


async def test_a_message_to_oneself_needs_no_hub_and_is_not_heard_from_within_send(
    autojump_clock, nursery
) -> None:
    hub = MemoryHub()
    [bus] = await start_buses(nursery, hub, 1)
    hub.stop()
    bus.send(1, b"a")
    bus.send(1, b"b")
    assert bus.notes.said == []
    await trio.testing.wait_all_tasks_blocked()
    assert bus.notes.said == [(1, b"a"), (1, b"b")]


async def test_a_lone_message_goes_at_once(autojump_clock, nursery) -> None:
    hub = ScriptedHub()
    one, *_ = await start_buses(nursery, hub, 1, 2)
    await trio.sleep(PING / 2)
    now = trio.current_time()
    one.send(2, b"a")
    await trio.testing.wait_all_tasks_blocked()
    assert hub.carried(2) == [(now, (b"a",))]


async def test_a_flush_returns_when_all_is_published(autojump_clock, nursery) -> None:
    hub = ScriptedHub()
    one, _ = await start_buses(nursery, hub, 1, 2)
    one.send(2, b"a")
    await trio.sleep(TICK / 2)
    one.send(2, b"b")
    await one.flush()
    assert [said for _, messages in hub.carried(2) for said in messages] == [b"a", b"b"]
    await one.flush()


async def test_what_gathers_goes_as_one_batch_not_sooner_than_a_tick_later(
    autojump_clock, nursery
) -> None:
    hub = ScriptedHub()
    one, *_ = await start_buses(nursery, hub, 1, 2, 3)
    await trio.sleep(PING / 2)
    now = trio.current_time()
    one.send(2, b"a")
    await trio.testing.wait_all_tasks_blocked()
    one.send(2, b"b")
    one.send(3, b"c")
    one.send(2, b"d")
    await trio.sleep(QUIET)
    assert hub.carried(2) == [(now, (b"a",)), (pytest.approx(now + TICK), (b"b", b"d"))]
    assert hub.carried(3) == [(pytest.approx(now + TICK), (b"c",))]


async def test_what_gathers_during_a_publication_is_the_next_batch(autojump_clock, nursery) -> None:
    hub = ScriptedHub()
    one, *_ = await start_buses(nursery, hub, 1, 2)
    await trio.sleep(PING / 2)
    hub.freeze()
    for message in (b"a", b"b", b"c"):
        one.send(2, message)
        await trio.sleep(0.1)
    assert hub.carried(2) == []
    hub.thaw()
    await trio.sleep(QUIET)
    assert [messages for _, messages in hub.carried(2)] == [(b"a",), (b"b", b"c")]


@pytest.mark.parametrize(
    ("fates", "heard"),
    [
        ([(0, 0)], [b"0", b"1", b"2", b"3"]),
        ([()], ["lost", b"1", b"2", b"3"]),
        ([(0,), ()], [b"0", "lost", b"2", b"3"]),
        ([(0,), (), ()], [b"0", "lost", b"3"]),
        ([(), (0,), ()], ["lost", b"1", "lost", b"3"]),
        ([(0,), (0,), (0,), ()], [b"0", b"1", b"2", "lost"]),
        ([(0,), (0.25,)], [b"0", "lost", b"2", b"3"]),
        ([(0, 0.25)], [b"0", b"1", b"2", b"3"]),
        ([(0.05,), (0.05,), (0.05,), (0.05,)], [b"0", b"1", b"2", b"3"]),
    ],
    ids=str,
)
async def test_each_fate_of_a_batch(autojump_clock, nursery, fates, heard) -> None:
    one, two = await start_buses(nursery, ScriptedHub(*fates), 1, 2)
    await trio.sleep(PING / 2)
    for number in range(4):
        one.send(2, b"%d" % number)
        await trio.sleep(0.02)
    await trio.sleep(QUIET)
    assert two.notes.of(1) == heard
    assert one.notes.of(2) == []
    assert two.counters.lost == heard.count("lost")


async def test_the_loss_of_the_last_batch_is_noticed_within_a_ping(autojump_clock, nursery) -> None:
    one, two = await start_buses(nursery, ScriptedHub(()), 1, 2)
    await trio.sleep(PING / 2)
    one.send(2, b"a")
    with trio.fail_after(PING):
        await two.notes.until((1, "lost"))


async def test_the_loss_of_a_ping_is_no_loss(autojump_clock, nursery) -> None:
    hub = MemoryHub()
    one, two = await start_buses(nursery, hub, 1, 2)
    hub.part(one.channel, two.channel)
    await trio.sleep(QUIET)
    hub.heal()
    one.send(2, b"a")
    await trio.sleep(QUIET)
    assert two.notes.said == [(1, b"a")]
    assert one.notes.said == []


async def test_a_message_sent_before_the_other_had_subscribed_is_a_gap(
    autojump_clock, nursery
) -> None:
    hub = MemoryHub()
    one, two = NotedBus(hub, 1), NotedBus(hub, 2)
    await nursery.start(one.run)
    one.add(2)
    one.send(2, b"a")
    await trio.sleep(PING / 2)
    assert one.notes.take() == [(2, "deaf")]
    await nursery.start(two.run)
    two.add(1)
    await trio.sleep(PING)
    assert two.notes.take() == [(1, "lost")]
    assert one.notes.take() == [(2, "lost")]
    one.send(2, b"b")
    await trio.sleep(QUIET)
    assert two.notes.take() == [(1, b"b")]


async def test_a_message_sent_before_the_other_knew_of_us_is_a_gap(autojump_clock, nursery) -> None:
    hub = MemoryHub()
    one, two = NotedBus(hub, 1), NotedBus(hub, 2)
    await nursery.start(one.run)
    await nursery.start(two.run)
    one.add(2)
    one.send(2, b"a")
    await trio.sleep(PING / 2)
    two.add(1)
    one.send(2, b"b")
    await trio.sleep(QUIET)
    assert two.notes.said == [(1, "lost"), (1, b"b")]


async def test_pings_before_the_other_knew_of_us_are_no_gap(autojump_clock, nursery) -> None:
    hub = MemoryHub()
    one, two = NotedBus(hub, 1), NotedBus(hub, 2)
    await nursery.start(one.run)
    one.add(2)
    await trio.sleep(QUIET)
    await nursery.start(two.run)
    await trio.sleep(QUIET)
    two.add(1)
    await trio.sleep(QUIET)
    one.send(2, b"a")
    two.send(1, b"b")
    await trio.sleep(QUIET)
    assert two.notes.of(1) == [b"a"]
    assert one.notes.of(2) == [b"b"]


async def test_a_message_sent_before_the_run_was_added_is_a_gap(autojump_clock, nursery) -> None:
    hub = MemoryHub()
    one, two = NotedBus(hub, 1), NotedBus(hub, 2)
    await nursery.start(one.run)
    await nursery.start(two.run)
    two.add(1)
    one.send(2, b"a")
    one.add(2)
    one.send(2, b"b")
    await trio.sleep(QUIET)
    assert two.notes.said == [(1, "lost"), (1, b"b")]
    assert one.notes.said == [(2, "lost")]


async def test_a_forgotten_run_is_not_heard_and_gets_nothing(autojump_clock, nursery) -> None:
    hub = ScriptedHub()
    one, two = await start_buses(nursery, hub, 1, 2)
    one.send(2, b"a")
    await trio.sleep(QUIET)
    two.forget(1)
    one.send(2, b"b")
    two.send(1, b"c")
    await trio.sleep(QUIET)
    assert two.notes.said == [(1, b"a")]
    assert one.notes.said == []
    assert two.counters.foreign
    assert two.counters.dropped == 1
    hub.published.clear()
    await trio.sleep(QUIET)
    frames = [FRAMES.read_untrusted(payload) for _, _, payload in hub.published]
    assert not [frame for frame in frames if frame.sender == 2 and frame.receiver == 1]


async def test_a_run_that_is_added_again_has_a_gap_both_ways(autojump_clock, nursery) -> None:
    one, two = await start_buses(nursery, MemoryHub(), 1, 2)
    for bus, other in ((one, 2), (two, 1)):
        bus.send(other, b"a")
    await trio.sleep(QUIET)
    two.forget(1)
    two.add(1)
    two.send(1, b"b")
    one.send(2, b"b")
    await trio.sleep(QUIET)
    assert two.notes.of(1) == [b"a", "lost", "lost", b"b"]  # of what it hears, of what it said
    assert one.notes.of(2) == [b"a", "lost", b"b"]


async def test_a_run_may_be_forgotten_while_it_is_heard(autojump_clock, nursery) -> None:
    one, two = await start_buses(nursery, MemoryHub(), 1, 2)
    taken = []

    def heard(run, messages) -> None:
        taken.extend(messages)
        two.forget(run)

    two._heard = heard
    for number in range(3 * SLICE):
        one.send(2, b"%d" % number)
    await trio.sleep(QUIET)
    assert len(taken) == SLICE


async def test_a_run_cut_off_loses_what_is_sent_and_both_ends_are_told_once(
    autojump_clock, nursery
) -> None:
    hub = MemoryHub()
    one, two, three = await start_buses(nursery, hub, 1, 2, 3)
    await trio.sleep(QUIET)
    with capture_logs() as logs:
        hub.cut(two.channel)
        await trio.sleep(QUIET)
        for number in range(3):
            one.send(2, b"to two")
            two.send(1, b"from two")
            one.send(3, b"%d" % number)
            await trio.sleep(PING)
        assert two.trouble
        assert two.silence > QUIET
        assert one.notes.of(2) == two.notes.said == []
        hub.mend(two.channel)
        await trio.sleep(LAST_RETRY + PING)
    assert one.notes.of(2) == ["lost", "lost"]  # what it sent, and what it did not hear
    assert two.notes.of(1) == ["lost", "lost"]
    assert (2, "deaf") in one.notes.take()
    assert three.notes.of(1) == [b"0", b"1", b"2"]
    assert three.notes.of(2) == []
    assert two.trouble == ""
    assert two.silence <= PING
    assert [log["event"] for log in logs] == ["the bus fails", "the bus works again"]
    one.send(2, b"again")
    two.send(1, b"again")
    await trio.sleep(QUIET)
    assert two.notes.of(1)[-1] == b"again"
    assert one.notes.said == [(2, b"again")]


async def test_a_hub_that_restarts_costs_only_what_was_under_way(autojump_clock, nursery) -> None:
    hub = MemoryHub()
    one, two, three = await start_buses(nursery, hub, 1, 2, 3)
    await trio.sleep(QUIET)
    hub.stop()
    one.send(2, b"lost")
    hub.start()
    await trio.sleep(QUIET)
    assert one.notes.of(2) == ["lost"]
    assert two.notes.of(1) == ["lost"]
    assert three.notes.of(1) == three.notes.of(2) == one.notes.of(3) == []


async def test_what_is_sent_when_the_loss_is_told_arrives(autojump_clock, nursery) -> None:
    hub = MemoryHub()
    one, two = await start_buses(nursery, hub, 1, 2)
    one._lost = lambda run: one.send(run, b"join")
    hub.stop()
    one.send(2, b"lost")
    await trio.sleep(QUIET)
    hub.start()
    await trio.sleep(QUIET)
    assert two.notes.of(1) == ["lost", b"join"]


async def test_a_run_without_a_subscription_is_deaf_until_it_listens_again(
    autojump_clock, nursery
) -> None:
    hub = MemoryHub()
    [one] = await start_buses(nursery, hub, 1)
    one.add(2)
    await trio.sleep(3.5 * PING)
    assert one.notes.take() == [(2, "deaf")] * 3
    one.send(2, b"a")
    two = NotedBus(hub, 2)
    await nursery.start(two.run)
    await trio.sleep(PING)
    one.notes.take()
    await trio.sleep(QUIET)
    assert one.notes.said == []


async def test_a_frozen_hub_is_given_up_and_connected_to_anew(autojump_clock, nursery) -> None:
    hub = MemoryHub()
    one, two = await start_buses(nursery, hub, 1, 2)
    await trio.sleep(PING / 2)
    hub.freeze()
    one.send(2, b"a")
    await trio.sleep(NO_ANSWER + PING)
    assert one.trouble == "the memory hub does not answer; is it stopped, or overloaded?"
    hub.thaw()
    await trio.sleep(QUIET)
    assert one.trouble == two.trouble == ""
    assert one.notes.of(2) == ["lost"]
    assert two.notes.of(1) == ["lost"]


async def test_a_short_freeze_loses_nothing(autojump_clock, nursery) -> None:
    hub = MemoryHub()
    one, two = await start_buses(nursery, hub, 1, 2)
    await trio.sleep(PING / 2)
    hub.freeze()
    one.send(2, b"a")
    await trio.sleep(NO_ANSWER - PING)
    one.send(2, b"b")
    hub.thaw()
    await trio.sleep(QUIET)
    assert two.notes.said == [(1, b"a"), (1, b"b")]
    assert one.notes.said == []


async def test_a_subscription_that_has_ended_without_a_word_is_given_up(
    autojump_clock, nursery
) -> None:
    hub = MemoryHub()
    [one] = await start_buses(nursery, hub, 1)
    hub.fate = lambda sender, receiver: ()
    await trio.sleep((UNHEARD_PINGS + 1.5) * PING)
    assert one.trouble == "the memory hub takes what is published and delivers nothing"
    assert one.silence > UNHEARD_PINGS * PING
    hub.fate = lambda sender, receiver: (0.0,)
    await trio.sleep(QUIET)
    assert one.trouble == ""


async def test_lag_is_the_way_of_a_ping_and_silence_the_time_since(autojump_clock, nursery) -> None:
    hub = MemoryHub(lambda sender, receiver: (0.2,))
    [one] = await start_buses(nursery, hub, 1)
    assert one.lag == pytest.approx(0.2)
    assert one.silence == 0
    await trio.sleep(0.1)
    assert one.silence == pytest.approx(0.1)


async def test_a_run_starts_when_it_has_heard_itself(autojump_clock, nursery) -> None:
    hub = MemoryHub()
    hub.stop()
    one = NotedBus(hub, 1)
    with trio.move_on_after(QUIET) as scope:
        async with trio.open_nursery() as inner:
            await inner.start(one.run)
    assert scope.cancelled_caught
    assert one.trouble == "the memory hub is down, or this run is cut off from it"


async def test_foreign_payloads_are_counted_and_logged_once_a_minute(
    autojump_clock, nursery
) -> None:
    hub = MemoryHub()
    one, two = await start_buses(nursery, hub, 1, 2)
    foreign = [
        b"",
        b"hello",
        msgpack.packb([1, 2, 1, 1, []]),  # another version
        FRAMES.write(2, 3, 1, 1, [b"for another run"]),
        FRAMES.write(9, 1, 1, 1, [b"of an unknown run"]),
    ]
    with capture_logs() as logs:
        for _ in range(100):
            for payload in foreign:
                assert hub.inject(one.channel, payload) == 1
        two.send(1, b"a")
        await trio.sleep(PING)
    assert one.notes.said == [(2, b"a")]
    assert one.counters.foreign == 500
    assert [log["log_level"] for log in logs] == ["warning"] * 3
    assert {log["event"] for log in logs} == {"not a frame for this server"}
    assert "another program publishes on this channel" in logs[0]["what"]
    with capture_logs() as logs:
        await trio.sleep(FOREIGN_INTERVAL)
        hub.inject(one.channel, b"hello")
        await trio.sleep(PING)
    assert [log["count"] for log in logs] == [501]


async def test_who_does_not_know_the_secret_of_the_database_says_nothing_in_a_servers_name(
    autojump_clock, nursery
) -> None:
    hub = MemoryHub()
    one, two = await start_buses(nursery, hub, 1, 2)
    stranger = Frames("another secret")
    for number in (1, 2, 2**62):
        for messages in ([b"forged"], []):
            hub.inject(one.channel, stranger.write(2, 1, number, number, messages))
    two.send(1, b"a")
    one.send(2, b"b")
    await trio.sleep(QUIET)
    assert one.notes.said == [(2, b"a")]
    assert two.notes.said == [(1, b"b")]
    assert KEY not in one.channel


async def test_a_conversation_that_is_published_again_changes_nothing(
    autojump_clock, nursery
) -> None:
    hub = ScriptedHub()
    one, two, three = await start_buses(nursery, hub, 1, 2, 3)
    for word in (b"a", b"b", b"c"):
        await trio.sleep(QUIET)  # pings of each number
        one.send(2, word)
        two.send(1, word)
    await trio.sleep(QUIET)
    said = [[*bus.notes.said] for bus in (one, two, three)]
    messages_in = two.counters.messages_in
    channels = [bus.channel for bus in (one, two, three)]
    for channel, other in product(channels, repeat=2):
        hub.part(channel, other)
    recorded = [payload for _, _, payload in hub.published]
    heard = Counter(channel for _, channel, _ in hub.published)
    await trio.sleep(4 * PING)
    with capture_logs() as logs:
        for channel, payload in product(channels, 2 * recorded):
            hub.inject(channel, payload)
        await trio.sleep(PING / 2)
    assert min(one.silence, two.silence_of(1), three.silence) > 4 * PING
    assert [bus.notes.said for bus in (one, two, three)] == said
    assert two.counters.messages_in == messages_in
    assert three.notes.said == []
    # On its own channel each frame is an old one, on the others it is for another run.
    counted = [bus.counters.repeated for bus in (one, two, three)]
    assert counted == [2 * heard[channel] for channel in channels]
    repeated = [log for log in logs if log["event"] == "not a new frame"]
    assert [log["what"] for log in repeated] == [REPEATED] * 3


async def test_a_run_is_complained_about_if_it_stays_unknown(autojump_clock, nursery) -> None:
    hub = MemoryHub()
    [one] = await start_buses(nursery, hub, 1)

    async def said_of(run: int, seconds: float) -> list[str]:
        with capture_logs() as logs:
            for serial in range(round(seconds / PING)):
                hub.inject(one.channel, FRAMES.write(run, 1, serial + 1, 0, []))
                await trio.sleep(PING)
        return [log["what"] for log in logs]

    assert await said_of(8, STRANGER) == []
    one.add(8)
    one.forget(8)  # as when it was declared dead, and does not know yet
    assert await said_of(8, STRANGER) == []
    assert await said_of(8, STRANGER) == [UNKNOWN_RUN]


async def test_clusters_of_two_databases_share_a_hub(autojump_clock, nursery) -> None:
    hub = MemoryHub()
    ours = [NotedBus(hub, run, "ours") for run in (1, 2)]
    theirs = [NotedBus(hub, run, "theirs") for run in (1, 2)]
    for bus in (*ours, *theirs):
        await nursery.start(bus.run)
        bus.add(3 - bus.run_id)
    ours[0].send(2, b"a")
    theirs[0].send(2, b"b")
    await trio.sleep(QUIET)
    assert ours[1].notes.said == [(1, b"a")]
    assert theirs[1].notes.said == [(1, b"b")]
    assert not any(bus.counters.foreign for bus in (*ours, *theirs))


async def test_what_waits_for_one_run_is_bounded_and_what_exceeds_is_told(
    autojump_clock, nursery
) -> None:
    hub = MemoryHub()
    one, two, three = await start_buses(nursery, hub, 1, 2, 3)
    await trio.sleep(PING / 2)
    large = bytes(WAITING_BYTES // 4)
    for _ in range(4):
        one.send(2, large)
    one.send(2, b"after")
    one.send(3, b"a")
    await trio.sleep(QUIET)
    assert two.notes.said == [(1, "lost"), (1, b"after")]
    assert three.notes.said == [(1, b"a")]
    assert one.notes.said == [(2, "lost")]
    assert one.counters.dropped == 4


async def test_a_large_batch_is_split_and_heard_in_slices(autojump_clock, nursery) -> None:
    hub = ScriptedHub()
    one, two = await start_buses(nursery, hub, 1, 2)
    await trio.sleep(PING / 2)
    slices = []
    two._heard = lambda run, messages: slices.append(messages)
    messages = [b"%0200d" % number for number in range(10_000)]
    for message in messages:
        one.send(2, message)
    await trio.sleep(QUIET)
    assert [message for slice_ in slices for message in slice_] == messages
    assert max(map(len, slices)) == SLICE
    batches = [sum(map(len, messages)) for _, messages in hub.carried(2)]
    assert max(batches) <= FRAME_BYTES
    assert len(batches) == -(-10_000 // (FRAME_BYTES // (200 + OVERHEAD)))


async def test_an_exception_in_a_callback_is_logged_and_ends_nothing(
    autojump_clock, nursery, errors_logged
) -> None:
    one, two = await start_buses(nursery, ScriptedHub(()), 1, 2)

    def fail(*_) -> None:
        raise RuntimeError("bad day")

    heard = two._heard
    two._heard = two._lost = one._deaf = fail
    one.add(3)
    one.send(2, b"lost")
    await trio.sleep(PING)
    one.send(2, b"a")
    await trio.sleep(PING)
    two._heard = heard
    one.send(2, b"b")
    await trio.sleep(PING)
    assert two.notes.said == [(1, b"b")]
    errors = errors_logged.take()
    assert len(errors) >= 3
    assert all("callback failed" in error for error in errors)


async def test_counters_count_what_crosses(autojump_clock, nursery) -> None:
    one, two = await start_buses(nursery, MemoryHub(), 1, 2)
    before = one.counters.batches_out
    for _ in range(3):
        one.send(2, b"abc")
    await trio.sleep(PING / 2)
    assert one.counters.batches_out == before + 1
    assert one.counters.messages_out == two.counters.messages_in == 3
    assert one.counters.bytes_out == two.counters.bytes_in > 9
    assert two.counters.batches_in == one.counters.batches_out


async def test_a_cancelled_bus_leaves_the_hub(autojump_clock, nursery) -> None:
    hub = MemoryHub()
    [one] = await start_buses(nursery, hub, 1)
    two = NotedBus(hub, 2)
    async with trio.open_nursery() as inner:
        await inner.start(two.run)
        inner.cancel_scope.cancel()
    assert hub.inject(two.channel, b"") == 0
    assert hub.inject(one.channel, b"") == 1


# A step of a script: wait, send a number from one run to another, or do something to the hub.
RUNS = (1, 2, 3)
PAIRS = [(one, other) for one in RUNS for other in RUNS if one != other]
STEPS = st.one_of(
    st.tuples(st.just("send"), st.sampled_from(PAIRS), st.integers(1, 40)),
    st.tuples(st.just("wait"), st.sampled_from([0.0005, 0.003, 0.2, 1.0, 4.0])),
    st.tuples(st.sampled_from(["cut", "mend"]), st.sampled_from(RUNS)),
    st.tuples(st.just("part"), st.sampled_from(PAIRS)),
    st.tuples(st.sampled_from(["stop", "start", "freeze", "thaw", "heal"])),
)
FATES = st.lists(
    st.sampled_from([(0.0,), (0.0,), (), (0.0, 0.0), (0.004,), (0.0, 0.3), (0.7,), (0.001, 2.0)]),
    max_size=30,
)


@given(st.lists(STEPS, max_size=30), FATES)
def test_any_script_delivers_in_order_without_doubles_and_tells_every_loss_first(
    steps, fates
) -> None:
    trio.run(partial(_play, steps, fates), clock=trio.testing.MockClock(autojump_threshold=0))


async def _play(steps, fates) -> None:
    hub = ScriptedHub(*fates)
    sent: dict[tuple[int, int], list[bytes]] = {pair: [] for pair in PAIRS}
    with capture_logs():
        async with trio.open_nursery() as nursery:
            buses = dict(zip(RUNS, await start_buses(nursery, hub, *RUNS), strict=True))
            for step in steps:
                match step:
                    case ("send", (one, other), count):
                        for _ in range(count):
                            sent[one, other].append(b"%d" % len(sent[one, other]))
                            buses[one].send(other, sent[one, other][-1])
                    case ("wait", seconds):
                        await trio.sleep(seconds)
                    case (("cut" | "mend") as what, run):
                        getattr(hub, what)(buses[run].channel)
                    case ("part", (one, other)):
                        hub.part(buses[one].channel, buses[other].channel)
                    case (what,):
                        getattr(hub, what)()
            for run in RUNS:
                hub.mend(buses[run].channel)
            hub.heal()
            hub.thaw()
            hub.start()
            await trio.sleep(30)
            nursery.cancel_scope.cancel()
    for (one, other), messages in sent.items():
        _check(messages, buses[other].notes.of(one))


def _check(sent: list[bytes], heard: list[bytes | str]) -> None:
    """Whatever is missing between two messages, or behind the last, was told there."""
    expected = 0
    told = False
    for said in heard:
        if said == "lost":
            told = True
            continue
        number = sent.index(said)
        assert number >= expected, "doubled, or out of order"
        assert number == expected or told, "a loss was not told before what follows"
        expected, told = number + 1, False
    assert expected == len(sent) or told, "the last loss was not told"
