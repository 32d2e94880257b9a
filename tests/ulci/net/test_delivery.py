"""Messages delivered to a plain call instead of a waiting task."""

import socket
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
from importlib import import_module
from itertools import pairwise

import pytest
import trio
import trio.testing

from tests.support.wires import (
    HANG,
    QUICK,
    call,
    client_side,
    client_tls,
    hear,
    nothing_left,
    read_all,
    report_bug,
    reset,
    server_side,
    server_tls,
    text,
)
from ulci import system
from ulci.net import (
    Address,
    Heard,
    Limits,
    Misheard,
    Peer,
    RateLimit,
    detect_stalls,
    dial,
    listen,
    reader,
)
from ulci.protocol.messages import Hello, HelloOk, Info

SCHEMES = ("tcp", "tls", "ws", "wss")
every_scheme = pytest.mark.parametrize("scheme", SCHEMES)
WORD = b"info string %d\n"


class Meeting:
    """A listener that delivers all that its peers say, and what became of it."""

    def __init__(self) -> None:
        self.peers: list[Peer] = []
        self.heard: list[str] = []
        self.ends: list[str] = []
        self.errors: list[str] = []
        self.stop: Callable[[], None] = lambda: None
        self.changed = trio.lowlevel.ParkingLot()
        self.answer: Callable[[Peer, str], bool | None] = lambda _peer, _said: True

    def deal(self, peer: Peer, heard: Heard | Misheard) -> bool:
        said = heard.message
        words = said.string if isinstance(said, Info) and said.string else str(type(said).__name__)
        self.heard.append(words)
        self.changed.unpark_all()
        return self.answer(peer, words) is not False

    async def welcome(self, peer: Peer) -> None:
        async def ended() -> None:
            self.ends.append(peer.why)
            self.changed.unpark_all()
            await trio.lowlevel.checkpoint()

        self.peers.append(peer)
        self.changed.unpark_all()
        await peer.deliver(partial(self.deal, peer), ended)

    def report(self, _who: str, error: BaseException) -> None:
        self.errors.append(repr(error))
        self.changed.unpark_all()

    async def until(self, done: Callable[[], object]) -> None:
        """Until that holds."""
        while not done():
            await self.changed.park()


@asynccontextmanager
async def meeting(
    scheme: str = "tcp", limits: Limits = QUICK
) -> AsyncIterator[tuple[Meeting, Address]]:
    met = Meeting()
    with trio.fail_after(HANG), nothing_left():
        async with trio.open_nursery() as nursery:
            address = await nursery.start(
                partial(
                    listen,
                    Address.parse(f"{scheme}://127.0.0.1:0"),
                    met.welcome,
                    server_side,
                    limits=limits,
                    ssl_context=server_tls(),
                    on_error=met.report,
                )
            )
            met.stop = nursery.cancel_scope.cancel
            yield met, address
            nursery.cancel_scope.cancel()


@asynccontextmanager
async def dialled(address: Address) -> AsyncIterator[Peer]:
    async with dial(address, client_side, ssl_context=client_tls(), limits=QUICK) as peer:
        yield peer


@every_scheme
async def test_all_messages_are_delivered_in_order_and_the_end_once(scheme: str) -> None:
    async with meeting(scheme) as (met, address):
        async with dialled(address) as peer:
            for number in range(200):
                peer.put(text(str(number)))
            await met.until(lambda: len(met.heard) == 200)
        await met.until(lambda: met.ends)
        assert met.heard == [*map(str, range(200))]
        assert met.ends == ["closed by the other side"]
        assert met.errors == []


@every_scheme
async def test_answers_of_a_handler_are_sent(scheme: str) -> None:
    async with meeting(scheme) as (met, address), dialled(address) as peer:
        met.answer = lambda peer, said: peer.put(text(f"{said} again"))
        for number in range(3):
            peer.put(text(str(number)))
            assert (await hear(peer)).message == text(f"{number} again")


async def test_faults_come_at_their_place() -> None:
    async with meeting() as (met, address):
        stream = await call(address)
        await stream.send_all(b"info string a\nbestmove e2e4\n\ninfo string b\n")
        await met.until(lambda: len(met.heard) == 3)
        assert met.heard == ["a", "Fault", "b"]
        await stream.aclose()


async def test_a_fatal_fault_is_the_last_that_is_heard() -> None:
    async with meeting() as (met, address):
        stream = await call(address)
        await stream.send_all(b"GET / HTTP/1.1\ninfo string a\n")
        await read_all(stream)
        await stream.aclose()
        assert met.heard == ["Fault"]
        await met.until(lambda: met.ends)
        assert "HTTP" in met.ends[0]


@every_scheme
async def test_nothing_is_delivered_after_hear_returned_false(scheme: str) -> None:
    async with meeting(scheme) as (met, address), dialled(address) as peer:
        met.answer = lambda _peer, said: said != "stop"
        peer.put(text("a"), text("stop"), text("b"))
        await met.until(lambda: met.ends)
        assert met.heard == ["a", "stop"]
        assert await peer.receive() is None


@every_scheme
async def test_an_error_ends_its_own_connection_only_and_is_reported(scheme: str) -> None:
    def fail(_peer: Peer, said: str) -> bool:
        if said == "boom":
            raise ValueError("a bug")
        return True

    async with meeting(scheme) as (met, address), dialled(address) as other:
        met.answer = fail
        async with dialled(address) as peer:
            peer.put(text("boom"), text("lost"))
            assert await peer.receive() is None
        await met.until(lambda: met.errors)
        assert "a bug" in met.errors[0]
        assert len(met.ends) == 1
        other.put(text("still here"))
        await met.until(lambda: met.heard[-1] == "still here")


@every_scheme
async def test_a_dismissed_peer_reads_the_last_message(scheme: str) -> None:
    def dismiss(peer: Peer, _said: str) -> None:
        peer.put(text("last words"))
        peer.dismiss("enough")

    async with meeting(scheme) as (met, address), dialled(address) as peer:
        met.answer = dismiss
        peer.put(text("a"), text("b"))
        assert (await hear(peer)).message == text("last words")
        assert await peer.receive() is None
        await met.until(lambda: met.ends)
        assert (met.heard, met.ends) == (["a"], ["enough"])


@every_scheme
async def test_the_end_is_reported_once_when_another_task_cuts_or_dismisses(scheme: str) -> None:
    async with meeting(scheme) as (met, address), dialled(address) as one, dialled(address) as two:
        await met.until(lambda: len(met.peers) == 2)
        met.peers[0].cut("gone")
        met.peers[1].dismiss("done")
        met.peers[1].cut("gone")
        for peer in (one, two):
            assert await peer.receive() is None
        await met.until(lambda: len(met.ends) == 2)
        assert sorted(met.ends) == ["done", "gone"]


async def test_a_reset_ends_it() -> None:
    async with meeting() as (met, address):
        stream = await call(address)
        await stream.send_all(WORD % 1)
        await met.until(lambda: met.heard)
        reset(stream)
        await met.until(lambda: met.ends)
        assert met.ends == ["the connection was reset by the other side"]


async def test_the_last_line_counts_without_its_end() -> None:
    async with meeting() as (met, address):
        stream = await call(address)
        await stream.send_all(b"info string a")
        await stream.send_eof()
        await met.until(lambda: met.ends)
        assert met.heard == ["a"]
        await stream.aclose()


async def test_a_cancelled_listener_ends_all_peers() -> None:
    async with meeting() as (met, address):
        streams = [await call(address) for _ in range(2)]
        for stream in streams:
            await stream.send_all(WORD % 1)
        await met.until(lambda: len(met.heard) == 2)
        assert met.ends == []
        met.stop()
        with trio.CancelScope(shield=True):
            await met.until(lambda: len(met.ends) == 2)
            for stream in streams:
                assert await read_all(stream) == b""
                await stream.aclose()


async def test_what_came_with_the_introduction_is_delivered_too() -> None:
    met = Meeting()

    async def introduced(peer: Peer) -> None:
        peer.put(Hello())
        while not isinstance((await hear(peer)).message, HelloOk):
            pass
        await met.welcome(peer)

    with trio.fail_after(HANG), nothing_left():
        async with trio.open_nursery() as nursery:
            address = await nursery.start(
                partial(
                    listen,
                    Address.parse("tcp://127.0.0.1:0"),
                    introduced,
                    server_side,
                    on_error=report_bug,
                )
            )
            stream = await call(address)
            words = b"".join(WORD % number for number in range(500))
            await stream.send_all(b"id name x\nuciok\n" + words)
            await met.until(lambda: len(met.heard) == 500)
            assert met.heard == [*map(str, range(500))]
            await stream.aclose()
            await met.until(lambda: met.ends)
            nursery.cancel_scope.cancel()


async def test_plain_connections_need_no_task_while_they_are_silent() -> None:
    async with meeting() as (met, address):
        streams = [await call(address)]
        await met.until(lambda: len(met.peers) == 1)
        before = trio.lowlevel.current_statistics().tasks_living
        streams += [await call(address) for _ in range(20)]
        await met.until(lambda: len(met.peers) == 21)
        await trio.testing.wait_all_tasks_blocked(0.01)
        assert trio.lowlevel.current_statistics().tasks_living == before
        for stream in streams:
            await stream.aclose()
        await met.until(lambda: len(met.ends) == 21)


async def test_without_an_epoll_a_task_waits_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "EPOLL", None)
    async with meeting() as (met, address):
        async with dialled(address) as peer:
            peer.put(text("a"))
            await met.until(lambda: met.heard)
        await met.until(lambda: met.ends)
        assert met.heard == ["a"]


async def test_other_peers_are_read_during_a_flood() -> None:
    async with meeting() as (met, address), dialled(address) as peer:
        met.answer = lambda peer, said: peer.put(text("x")) if said == "move" else None
        floods = [await call(address) for _ in range(4)]
        async with trio.open_nursery() as nursery:
            for stream in floods:
                nursery.start_soon(flood, stream)
            await met.until(lambda: len(met.heard) > 1000)
            before = len(met.heard)
            peer.put(text("move"))
            await hear(peer)
            assert len(met.heard) - before < 20_000
            nursery.cancel_scope.cancel()
        for stream in floods:
            await stream.aclose()


async def flood(stream: trio.SocketStream) -> None:
    with trio.CancelScope():
        while True:
            await stream.send_all(b"info string x\n" * 1000)


async def test_one_wake_of_the_reader_is_short_with_any_number_of_peers() -> None:
    """Each who is read takes as long as a wake may last: after it the others of the loop act."""
    turns: list[str] = []

    class Slow:
        def __init__(self) -> None:
            self.left = 3

        def turn(self) -> bool:
            began = trio.current_time()
            while trio.current_time() < began + reader.WAKE_TIME:
                pass
            turns.append("read")
            self.left -= 1
            return self.left > 0

    async def others() -> None:
        while True:
            turns.append("others")
            await trio.lowlevel.checkpoint()

    near, far = trio.socket.socketpair()
    with near, far, trio.fail_after(HANG):
        shared = reader.SharedReader(lambda _peer, _failure: None)
        async with trio.open_nursery() as nursery:
            shared.add(near.fileno(), Slow())
            await far.send(b"x")
            nursery.start_soon(shared.run)
            nursery.start_soon(others)
            while turns.count("read") < 6:
                await trio.lowlevel.checkpoint()
            nursery.cancel_scope.cancel()
    told = " ".join(turns)
    assert "read read read" not in told  # the tasks of one turn of the loop have no order


class Guest:
    """Who is not delivered yet: a task waits for what it says."""

    def __init__(self, shared: reader.SharedReader) -> None:
        self.near, self.far = socket.socketpair()
        self.near.setblocking(False)
        self._shared = shared

    async def hear(self) -> bytes:
        await self._shared.wait(self.near.fileno(), self)
        return self.near.recv(100)

    def close(self) -> None:
        self._shared.forget(self.near.fileno())
        self.near.close()
        self.far.close()


@asynccontextmanager
async def guests(number: int) -> AsyncIterator[list[Guest]]:
    with trio.fail_after(HANG):
        async with trio.open_nursery() as nursery:
            shared = reader.SharedReader(lambda _peer, _failure: None)
            invited = [Guest(shared) for _ in range(number)]
            nursery.start_soon(shared.run)
            yield invited
            for guest in invited:
                guest.close()
            nursery.cancel_scope.cancel()


async def test_of_many_who_speak_at_once_few_are_heard_in_one_turn_of_the_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Turns(trio.abc.Instrument):
        number = 0

        def before_io_wait(self, timeout: float) -> None:
            self.number += 1

    turns = Turns()
    heard: list[int] = []

    async def one(guest: Guest) -> None:
        assert await guest.hear() == b"x"
        heard.append(turns.number)

    monkeypatch.setattr(reader, "WOKEN_AT_ONCE", 3)
    monkeypatch.setattr(reader, "WAKE_TIME", HANG)
    trio.lowlevel.add_instrument(turns)
    async with guests(20) as invited, trio.open_nursery() as nursery:
        for guest in invited:
            nursery.start_soon(one, guest)
        await trio.testing.wait_all_tasks_blocked()
        for guest in invited:
            guest.far.send(b"x")
    assert len(heard) == 20
    assert max(Counter(heard).values()) == 3


async def test_who_speaks_while_nobody_listens_costs_nothing_and_is_heard_later() -> None:
    async with guests(1) as [guest]:
        guest.far.send(b"a")
        assert await guest.hear() == b"a"
        guest.far.send(b"b")
        await trio.testing.wait_all_tasks_blocked()  # the reader too, though there is something
        assert await guest.hear() == b"b"
        with trio.move_on_after(0):
            await guest.hear()
        guest.far.send(b"c")
        await trio.testing.wait_all_tasks_blocked()
        assert await guest.hear() == b"c"


async def test_nobody_waits_for_a_socket_that_is_closed() -> None:
    async with guests(1) as [guest], trio.open_nursery() as nursery:
        nursery.start_soon(partial(raises_closed, guest.hear))
        await trio.testing.wait_all_tasks_blocked()
        guest.close()


async def raises_closed(doing: Callable[[], Awaitable[object]]) -> None:
    with pytest.raises(trio.ClosedResourceError):
        await doing()


async def test_one_task_at_most_waits_for_a_socket() -> None:
    async with guests(1) as [guest], trio.open_nursery() as nursery:
        nursery.start_soon(partial(raises_closed, guest.hear))
        await trio.testing.wait_all_tasks_blocked()
        with pytest.raises(trio.BusyResourceError):
            await guest.hear()
        guest.close()


async def test_a_player_is_read_before_those_who_are_introduced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Player:
        heard_before: int | None = None

        def turn(self) -> bool:
            self.heard_before = heard
            player.near.recv(100)
            return False

    async def one(guest: Guest) -> None:
        nonlocal heard
        await guest.hear()
        heard += 1

    heard = 0
    monkeypatch.setattr(reader, "WOKEN_AT_ONCE", 1)
    async with guests(21) as (player, *others), trio.open_nursery() as nursery:
        delivered = Player()
        player._shared.add(player.near.fileno(), delivered)
        for guest in others:
            nursery.start_soon(one, guest)
        await trio.testing.wait_all_tasks_blocked()
        for guest in (*others, player):
            guest.far.send(b"x")
        await trio.testing.wait_all_tasks_blocked()
    assert heard == 20
    assert delivered.heard_before is not None
    assert delivered.heard_before <= 2


async def test_a_pause_that_begins_before_a_turn_that_was_due_delays_it() -> None:
    class Player:
        def turn(self) -> bool:
            read.append(trio.current_time())
            player.near.recv(100)
            return False

    read: list[float] = []
    async with guests(1) as [player]:
        shared, fd = player._shared, player.near.fileno()
        shared.add(fd, Player())
        player.far.send(b"x")
        shared._poll(None)
        shared.pause(fd, until := trio.current_time() + 0.05)
        while not read:
            await trio.lowlevel.checkpoint()
    assert read[0] >= until


async def test_a_few_connections_are_accepted_in_one_turn_of_the_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Turns(trio.abc.Instrument):
        def before_io_wait(self, timeout: float) -> None:
            accepted.append(len(met.peers))

    accepted = [0]  # until the end of each turn
    monkeypatch.setattr(import_module("ulci.net.listen"), "ACCEPTED_AT_ONCE", 3)
    async with meeting() as (met, address):
        with ExitStack() as calls:
            for _ in range(9):  # while the loop stands still
                where = ("127.0.0.1", address.port)
                calls.enter_context(socket.create_connection(where))
            trio.lowlevel.add_instrument(Turns())
            await met.until(lambda: len(met.peers) == 9)
            await trio.lowlevel.checkpoint()
            assert max(after - before for before, after in pairwise(accepted)) == 3
        await met.until(lambda: len(met.ends) == 9)


async def test_a_flooding_peer_is_paused_but_its_end_is_seen() -> None:
    rate_limit = RateLimit(rate=100_000, burst=2_000, read=0, line=0, info=0, patience=30)
    async with meeting(limits=replace(QUICK, rate_limit=rate_limit)) as (met, address):
        stream = await call(address)
        began = trio.current_time()
        await stream.send_all(b"info string x\n" * 3000)  # 42 kB, of which 16 are read at once
        await met.until(lambda: len(met.heard) == 3000)
        assert trio.current_time() - began > 0.2
        await stream.aclose()
        await met.until(lambda: met.ends)


async def test_a_peer_that_keeps_flooding_is_disconnected() -> None:
    rate_limit = RateLimit(rate=1_000, burst=100, read=0, line=0, info=0, patience=0.3)
    async with meeting(limits=replace(QUICK, rate_limit=rate_limit)) as (met, address):
        stream = await call(address)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trickle, stream)
            await met.until(lambda: met.ends)
            nursery.cancel_scope.cancel()
        assert "you send too much" in met.ends[0]
        assert met.heard[-1] == "Fault"
        await stream.aclose()


async def trickle(stream: trio.SocketStream) -> None:
    try:
        while True:
            await stream.send_all(b"info string x\n" * 10)
            await trio.sleep(0.02)
    except trio.BrokenResourceError:
        await trio.sleep_forever()


async def test_a_peer_that_is_cut_during_its_pause_ends_at_once() -> None:
    rate_limit = RateLimit(rate=10, burst=1, read=0, line=0, info=0)
    async with meeting(limits=replace(QUICK, rate_limit=rate_limit)) as (met, address):
        stream = await call(address)
        await stream.send_all(b"info string x\n" * 10)
        await met.until(lambda: met.heard)
        await stream.send_all(b"info string x\n" * 10)
        await trio.testing.wait_all_tasks_blocked(0.02)
        met.peers[0].cut("gone")
        await met.until(lambda: met.ends)
        assert met.ends == ["gone"]
        await stream.aclose()


async def test_after_a_stall_all_that_waited_is_late_however_many_turns_its_reading_takes(
    mock_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "WAKE_TIME", -1.0)  # one peer a turn of the loop
    monkeypatch.setattr(reader, "AT_ONCE", 2)
    mock_clock.rate = 1.0  # or the listener could not close
    detect_stalls()
    late: list[float] = []
    async with meeting() as (met, address):

        def deal(_peer: Peer, heard: Heard | Misheard) -> bool:
            late.append(heard.late)
            met.changed.unpark_all()
            return True

        met.deal = deal  # type: ignore[method-assign]
        with ExitStack() as open_sockets:
            socks = [
                open_sockets.enter_context(socket.create_connection((address.host, address.port)))
                for _ in range(12)
            ]
            await met.until(lambda: len(met.peers) == len(socks))
            for sock in socks:
                sock.sendall(WORD % 1 + WORD % 2)  # the stamp is of the last byte
            mock_clock.jump(3.0)
            await met.until(lambda: len(late) == 2 * len(socks))
            assert all(3.0 <= each < 4.0 for each in late)
            for _ in range(5):
                await trio.lowlevel.checkpoint()
            late.clear()
            socks[0].sendall(WORD % 3 + WORD % 4)
            await met.until(lambda: len(late) == 2)
            assert max(late) < 3.0


async def test_all_that_has_arrived_is_read_before_an_alarm_may_ring(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reader, "WAKE_TIME", -1.0)  # one peer a turn of the loop
    monkeypatch.setattr(reader, "AT_ONCE", 2)
    async with meeting() as (met, address):
        with ExitStack() as open_sockets:
            socks = [
                open_sockets.enter_context(socket.create_connection((address.host, address.port)))
                for _ in range(40)
            ]
            await met.until(lambda: len(met.peers) == len(socks))
            for number, sock in enumerate(socks):
                sock.sendall(WORD % number)
            await reader.read_all_arrived(2)
            assert sorted(met.heard, key=int) == [*map(str, range(len(socks)))]


async def test_a_second_stall_takes_nothing_back_of_the_first(
    mock_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "WAKE_TIME", -1.0)
    mock_clock.rate = 1.0
    detect_stalls()
    late: list[float] = []
    async with meeting() as (met, address):

        def deal(_peer: Peer, heard: Heard | Misheard) -> bool:
            late.append(heard.late)
            if len(late) == 10:
                mock_clock.jump(0.2)
            met.changed.unpark_all()
            return True

        met.deal = deal  # type: ignore[method-assign]
        with ExitStack() as open_sockets:
            socks = [
                open_sockets.enter_context(socket.create_connection((address.host, address.port)))
                for _ in range(12)
            ]
            await met.until(lambda: len(met.peers) == len(socks))
            for sock in socks:
                sock.sendall(WORD % 1 + WORD % 2)
            mock_clock.jump(3.0)
            await met.until(lambda: len(late) == 2 * len(socks))
            assert min(late) >= 3.0
