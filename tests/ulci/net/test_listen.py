"""The listener, which no peer can break."""

import errno
import resource
import socket
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import replace
from functools import partial

import pytest
import trio
import trio.testing
from wsproto.events import Ping, TextMessage

from tests.support.wires import (
    HANG,
    QUICK,
    BareWebSocket,
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
    upgrade_request,
)
from ulci.net import (
    Address,
    DialError,
    ExhaustedError,
    Gate,
    GateLimits,
    HandshakeError,
    Heard,
    Limits,
    ListenError,
    Misheard,
    Peer,
    dial,
    listen,
    places,
    websocket,
)
from ulci.net import gate as gate_module
from ulci.net.bind import SHORTEST
from ulci.net.listen import Handler
from ulci.protocol.messages import Quit

SCHEMES = ("tcp", "tls", "ws", "wss")
every_scheme = pytest.mark.parametrize("scheme", SCHEMES)


@pytest.fixture(autouse=True)
def _nobody_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is."""
    monkeypatch.setattr(places, "SLOW", 3600.0)


class Errors(list[tuple[str, BaseException]]):
    """What was reported; one can wait for it."""

    def __init__(self) -> None:
        super().__init__()
        self.changed = trio.Event()

    def report(self, who: str, error: BaseException) -> None:
        self.append((who, error))
        self.changed.set()

    async def first(self) -> BaseException:
        await self.changed.wait()
        return self[0][1]


async def echo(peer: Peer) -> None:
    while heard := await peer.receive():
        peer.put(heard.message)


async def fail(peer: Peer) -> None:
    await peer.receive()
    raise KeyError("a bug in a handler")


@asynccontextmanager
async def at(
    scheme: str, handler: Handler = echo, **more: object
) -> AsyncIterator[tuple[Address, Errors]]:
    """A listener, and what it reports."""
    errors = Errors()
    options = {
        "limits": QUICK,
        "ssl_context": server_tls(),
        "on_error": errors.report,
        **more,
    }
    with trio.fail_after(HANG), nothing_left():
        async with trio.open_nursery() as nursery:
            address = await nursery.start(
                partial(
                    listen,
                    Address.parse(f"{scheme}://127.0.0.1:0"),
                    handler,
                    server_side,
                    **options,
                )
            )
            yield address, errors
            nursery.cancel_scope.cancel()


async def works(address: Address) -> None:
    async with dial(address, client_side, ssl_context=client_tls(), limits=QUICK) as peer:
        peer.put(text("hello"))
        assert (await hear(peer)).message == text("hello")


@every_scheme
async def test_it_serves_one_after_the_other_and_many_at_once(scheme: str) -> None:
    async with at(scheme) as (address, errors):
        assert address.port > 0
        await works(address)
        async with trio.open_nursery() as nursery:
            for _ in range(10):
                nursery.start_soon(works, address)
        assert errors == []


@every_scheme
async def test_what_a_handler_raises_ends_only_its_connection(scheme: str) -> None:
    async def picky(peer: Peer) -> None:
        heard = await peer.receive()
        assert heard is not None
        if heard.message == text("boom"):
            raise KeyError("a bug in a handler")
        peer.put(heard.message)

    async with at(scheme, picky) as (address, errors):
        async with dial(address, client_side, ssl_context=client_tls(), limits=QUICK) as peer:
            peer.put(text("boom"))
            assert await peer.receive() is None
        who, error = errors[0]
        assert who.startswith(f"{scheme} 127.0.0.1:")
        assert isinstance(error, KeyError)
        await works(address)


async def test_a_group_of_errors_is_reported_as_one() -> None:
    async def two_bugs(peer: Peer) -> None:
        raise ExceptionGroup("both", [KeyError(), ValueError()])

    async with at("tcp", two_bugs) as (address, errors), await call(address):
        assert isinstance(await errors.first(), ExceptionGroup)


async def test_what_a_handler_said_before_it_failed_is_sent() -> None:
    async def last_words(peer: Peer) -> None:
        peer.put(text("I do not feel well"))
        raise KeyError

    async with at("tcp", last_words) as (address, _), await call(address) as stream:
        assert await read_all(stream) == b"info string I do not feel well\n"


@every_scheme
async def test_connect_and_close_does_not_affect_others(scheme: str) -> None:
    async with at(scheme) as (address, _):
        for _ in range(5):
            await (await call(address)).aclose()
            reset(await call(address))
        await works(address)


@pytest.mark.parametrize("scheme", ["tls", "ws", "wss"])
@pytest.mark.parametrize(
    "garbage", [b"\x00" * 1000, b"GET / HTTP/1.1\r\n", b"uciok\n" * 10, b"\x16\x03\x01\x02\x00\x01"]
)
async def test_garbage_instead_of_a_handshake_does_not_affect_others(
    scheme: str, garbage: bytes
) -> None:
    async with at(scheme, limits=replace(QUICK, opening=HANG)) as (address, errors):
        async with await call(address) as stream:
            await stream.send_all(garbage)
            await works(address)
        assert isinstance(await errors.first(), HandshakeError)
        await works(address)


@pytest.mark.parametrize("scheme", ["tls", "ws", "wss"])
async def test_half_a_handshake_times_out(scheme: str) -> None:
    async with (
        at(scheme, limits=Limits(opening=0.05, linger=0.05)) as (address, errors),
        await call(address) as stream,
    ):
        if scheme == "ws":
            await stream.send_all(upgrade_request()[:30])
        error = await errors.first()
        assert isinstance(error, HandshakeError)
        assert "within 0.05 s" in str(error)


async def test_wss_without_an_upgrade_after_tls_times_out(
    mock_clock: trio.testing.MockClock,
) -> None:
    mock_clock.rate = 1.0  # or the listener could not close
    async with at("wss", limits=replace(QUICK, opening=60.0)) as (address, errors):
        stream = trio.SSLStream(
            await call(address), client_tls(), server_hostname="127.0.0.1", https_compatible=True
        )
        await stream.do_handshake()
        await trio.testing.wait_all_tasks_blocked(0.01)  # the listener has read that, too
        mock_clock.jump(60.0)
        assert "no WebSocket upgrade" in str(await errors.first())
        await stream.aclose()


async def test_a_client_that_does_not_trust_us_is_reported() -> None:
    async with at("tls") as (address, errors):
        stream = trio.SSLStream(
            await call(address), ssl.create_default_context(), server_hostname="127.0.0.1"
        )
        with pytest.raises(trio.BrokenResourceError):
            await stream.do_handshake()
        await trio.aclose_forcefully(stream)
        error = await errors.first()
        assert isinstance(error, HandshakeError)
        assert str(error).startswith("no TLS: ")


async def test_tls_needs_a_certificate() -> None:
    with pytest.raises(ValueError, match="certificate and key"):
        await listen(Address.parse("tls://127.0.0.1:0"), echo, server_side, on_error=report_bug)


async def test_an_address_that_is_taken_is_an_error_before_it_starts() -> None:
    async with at("tcp") as (address, _), trio.open_nursery() as nursery:
        with pytest.raises(ListenError, match="another program"):
            await nursery.start(partial(listen, address, echo, server_side, on_error=report_bug))


# Who may come in


@pytest.mark.parametrize(
    ("scheme", "said"),
    [
        ("tcp", b"info servererror this server is full; retry-after 10\nquit\n"),
        ("ws", b"this server is full; retry-after 10\n"),
        ("tls", b""),
        ("wss", b""),
    ],
)
async def test_the_reason_of_a_refusal_is_sent_where_it_is_cheap(scheme: str, said: bytes) -> None:
    async with at(scheme, limits=Limits(connections=0)) as (address, errors):
        async with await call(address) as stream:
            answer = await read_all(stream)
        assert answer.endswith(said)
        assert answer.startswith(b"HTTP/1.1 503 ") == (scheme == "ws")
        assert "refused: this server is full" in str(errors[0][1])


async def test_handshakes_count_as_connections() -> None:
    async with at("ws", limits=Limits(connections=1, linger=0.05)) as (address, _):
        half = await call(address)
        async with await call(address) as stream:
            assert b"this server is full" in await read_all(stream)
        await half.aclose()


async def test_a_full_listener_refuses_until_somebody_leaves() -> None:
    async with at("tcp", limits=Limits(connections=1, linger=0.05)) as (address, errors):
        async with dial(address, client_side) as first:
            first.put(text("hello"))
            await hear(first)
            async with await call(address) as stream:
                answer = await read_all(stream)
            assert answer == b"info servererror this server is full; retry-after 10\nquit\n"
        await errors.first()
        while True:
            async with await call(address) as stream:
                await stream.send_all(b"info string hello\n")
                if await stream.receive_some() == b"info string hello\n":
                    break


# What the machine may do


@contextmanager
def no_more_files() -> Iterator[None]:
    """This process may open none."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with socket.socket() as probe:
        first_free = probe.fileno()
    resource.setrlimit(resource.RLIMIT_NOFILE, (first_free, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def test_the_listener_survives_exhausted_file_descriptors() -> None:
    async with at("tcp") as (address, errors):
        client = socket.create_connection((address.host, address.port))
        with client, no_more_files():
            error = await errors.first()
            assert isinstance(error, ExhaustedError)
            assert "nobody can connect, out of file descriptors" in str(error)
            assert error.errno == errno.EMFILE
        await works(address)


async def test_exhausted_file_descriptors_are_reported_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Exhausted(Faulty):
        errors = (errno.EMFILE, errno.ENFILE) * 5

    with monkeypatch.context() as patched:
        patched.setattr(socket, "socket", Exhausted)
        patched.setattr("ulci.net.bind.LONGEST", SHORTEST)
        listening = at("tcp")
        address, errors = await listening.__aenter__()
        await works(address)
    assert len(errors) == 1
    await listening.__aexit__(None, None, None)


class Faulty(socket.socket):
    """A listening socket out of which errors come first."""

    errors = (errno.ECONNABORTED, errno.EPROTO, errno.EAGAIN)

    def __init__(self, *args: object, **more: object) -> None:
        super().__init__(*args, **more)  # type: ignore[arg-type]
        self.left = list(self.errors)

    def accept(self) -> tuple[socket.socket, object]:
        if self.left:
            raise OSError(self.left.pop(0), "as accept(2) says")
        return super().accept()


async def test_errors_of_a_new_connection_in_accept_are_skipped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(socket, "socket", Faulty)
        listening = at("tcp")
        address, errors = await listening.__aenter__()
    await works(address)
    assert [error.errno for _, error in errors if isinstance(error, OSError)] == [
        errno.ECONNABORTED,
        errno.EPROTO,
    ]
    await listening.__aexit__(None, None, None)


async def test_a_broken_listening_socket_raises(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Broken(Faulty):
        errors = (errno.EINVAL,)

    with pytest.raises(BaseExceptionGroup) as caught:
        async with trio.open_nursery() as nursery:
            with monkeypatch.context() as patched:
                patched.setattr(socket, "socket", Broken)
                address = await nursery.start(
                    partial(
                        listen,
                        Address.parse("tcp://127.0.0.1:0"),
                        echo,
                        server_side,
                        on_error=report_bug,
                    )
                )
            with socket.create_connection((address.host, address.port)):
                await trio.sleep_forever()
    assert caught.group_contains(OSError)


# The end


@every_scheme
async def test_cancelled_in_the_middle_of_everything_nothing_stays(scheme: str) -> None:
    async with at(scheme) as (address, _):
        async with trio.open_nursery() as nursery:
            for step in range(1, 20):
                nursery.start_soon(works_until_cut, address, step)
            await trio.sleep(0.01)
            nursery.cancel_scope.cancel()
        async with AsyncExitStack() as streams:
            for _ in range(5):
                stream = await streams.enter_async_context(await call(address))
                await stream.send_all(upgrade_request()[:20])


async def works_until_cut(address: Address, step: int) -> None:
    with trio.move_on_after(step / 1000):
        await works(address)


# The log


async def test_a_bug_of_the_reporter_is_logged_and_nothing_more(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def reporter(who: str, error: BaseException) -> None:
        raise ValueError("cannot report")

    async with at("tcp", fail, on_error=reporter) as (address, _):
        for _ in range(2):
            async with await call(address) as stream:
                await stream.send_all(b"info string x\n")
                await read_all(stream)
    assert "on_error failed on KeyError" in caplog.text
    caplog.clear()


# How many may come in


def strict(**limits: object) -> Gate:
    """A gate that exempts nobody."""
    return Gate(GateLimits(exempt=(), **limits))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("scheme", "begin", "said"),
    [
        ("tcp", b"info clienterror your address already has", b"; retry-after 10\nquit\n"),
        ("ws", b"HTTP/1.1 429 Too Many Requests\r\n", b"which is the limit; retry-after 10\n"),
    ],
)
async def test_an_address_at_its_limit_is_told_when_to_retry(
    scheme: str, begin: bytes, said: bytes
) -> None:
    gate = strict(connections=1)
    async with at(scheme, gate=gate) as (address, errors):
        async with dial(address, client_side, limits=QUICK):
            async with await call(address) as stream:
                answer = await read_all(stream)
            assert answer.startswith(begin)
            assert answer.endswith(said)
            assert (b"\r\nRetry-After: 10\r\n" in answer) == (scheme == "ws")
            assert "retry-after 10" in str(errors[0][1])
        while gate.here:
            await trio.lowlevel.checkpoint()
        await works(address)


@every_scheme
async def test_the_gate_forgets_every_closed_connection(scheme: str) -> None:
    gate = strict()
    async with at(scheme, fail, gate=gate, limits=Limits(opening=0.1, linger=0.05)) as (
        address,
        _,
    ):
        reset(await call(address))
        async with await call(address) as silent, await call(address) as stream:
            await stream.send_all(b"nonsense\n")
            await read_all(stream)
            await silent.send_eof()
            while gate.here or gate.opening:
                await trio.lowlevel.checkpoint()


async def test_only_unfinished_handshakes_are_bounded() -> None:
    async with at("ws", gate=strict(openings=1)) as (address, _):
        await works(address)
        async with dial(address, client_side, limits=QUICK):  # done
            half = await call(address)
            async with await call(address) as stream:
                assert b"in a handshake" in await read_all(stream)
            await half.aclose()


async def test_one_gate_may_stand_before_several_listeners() -> None:
    gate = strict(connections=1)
    async with (
        at("tcp", gate=gate) as (one, _),
        at("tcp", gate=gate) as (other, _),
        dial(one, client_side, limits=QUICK) as peer,
    ):
        peer.put(text("hello"))
        await hear(peer)
        async with await call(other) as stream:
            assert b"which is the limit" in await read_all(stream)


async def test_repeated_refusals_do_not_fill_the_log() -> None:
    async with at("tcp", limits=Limits(connections=0)) as (address, errors):
        for _ in range(100):
            async with await call(address) as stream:
                await read_all(stream)
        assert len(errors) < 50


async def converse(peer: Peer) -> None:
    """As the hall does: from its first word on the peer is introduced."""

    async def over() -> None:
        pass

    def answer(said: Heard | Misheard) -> bool:
        peer.put(text("welcome"))
        return True

    heard = await peer.receive()
    assert heard is None or answer(heard)
    await peer.deliver(answer, over)


@every_scheme
async def test_in_a_full_listener_who_is_slow_to_introduce_itself_makes_room(
    scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "SLOW", 0.0)
    limits = Limits(connections=2, linger=0.05)
    line = partial(dial, ssl_context=client_tls(), limits=QUICK)
    met: list[Peer] = []

    async def meet(peer: Peer) -> None:
        met.append(peer)
        await converse(peer)

    async with (
        at(scheme, meet, limits=limits) as (address, _),
        line(address, client_side) as silent,
        line(address, client_side) as known,
    ):
        while len(met) < 2:
            await trio.lowlevel.checkpoint()
        known.put(text("it is me"))
        assert (await hear(known)).message == text("welcome")
        async with line(address, client_side) as third:
            third.put(text("and me"))
            assert (await hear(third)).message == text("welcome")
            assert await silent.receive() is None
            with pytest.raises(DialError):
                async with line(address, client_side) as fourth:
                    await said_goodbye(fourth)
            known.put(text("still me"))
            assert (await hear(known)).message == text("welcome")


async def test_who_is_refused_anyway_takes_no_place_from_anybody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(places, "SLOW", 0.0)
    gate = strict(connections=1)
    limits = Limits(connections=1, linger=0.05)
    async with (
        at("tcp", converse, gate=gate, limits=limits) as (address, _),
        dial(address, client_side, limits=QUICK) as silent,
    ):
        async with await call(address) as stranger:
            assert b"your address already has 1 connection" in await read_all(stranger)
        silent.put(text("it is me"))
        assert (await hear(silent)).message == text("welcome")


async def test_in_a_full_listener_a_known_address_makes_no_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(places, "SLOW", 0.0)
    monkeypatch.setattr(gate_module, "KNOWN_AFTER", 0.0)
    gate, limits = strict(), Limits(connections=1, linger=0.05)
    async with (
        at("tcp", converse, gate=gate, limits=limits) as (address, _),
        dial(address, client_side, limits=QUICK) as silent,
    ):
        while gate.opening:
            await trio.lowlevel.checkpoint()
        async with await call(address) as stranger:
            assert b"this server is full" in await read_all(stranger)
        silent.put(text("it is me"))
        assert (await hear(silent)).message == text("welcome")


async def said_goodbye(peer: Peer) -> None:
    """Over TCP a refusal is a word like any other, and behind TLS just an end."""
    while (heard := await peer.receive()) is not None:
        assert "full" in str(heard.message) or isinstance(heard.message, Quit)
    raise DialError("refused")


async def test_who_is_young_makes_no_room() -> None:
    limits = Limits(connections=1, linger=0.05)
    async with (
        at("tcp", converse, limits=limits) as (address, _),
        dial(address, client_side, limits=QUICK) as silent,
    ):
        async with await call(address) as stream:
            assert b"this server is full" in await read_all(stream)
        silent.put(text("it is me"))
        assert (await hear(silent)).message == text("welcome")


async def test_strangers_leave_a_tenth_of_a_listener_to_known_and_exempt_addresses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gate = strict()
    async with (
        at("tcp", converse, gate=gate, limits=Limits(connections=10, linger=0.05)) as (
            address,
            _,
        ),
        AsyncExitStack() as stack,
    ):
        for _ in range(9):
            await stack.enter_async_context(await call(address))
        async with await call(address) as stranger:
            assert b"this server is full" in await read_all(stranger)
        monkeypatch.setattr(gate_module, "KNOWN_AFTER", 0.0)
        async with dial(address, client_side, limits=QUICK) as known:
            known.put(text("it is me"))
            assert (await hear(known)).message == text("welcome")


async def test_a_client_is_told_when_to_retry() -> None:
    async with at("ws", limits=Limits(connections=1, linger=0.05)) as (address, _):
        async with dial(address, client_side, limits=QUICK):
            with pytest.raises(DialError, match="this server is full") as caught:
                async with dial(address, client_side, limits=QUICK):
                    pass
        assert caught.value.retry_after == 10


@pytest.mark.parametrize("scheme", ["tls", "ws", "wss"])
async def test_a_handshake_takes_no_more_bytes_than_it_can_need(scheme: str) -> None:
    async with at(scheme, limits=Limits(opening=60, linger=0.05)) as (address, errors):
        stream: trio.abc.Stream = await call(address)
        if scheme == "wss":
            stream = trio.SSLStream(stream, client_tls(), server_hostname="127.0.0.1")
        begin = b"\x16\x03\x01" if scheme == "tls" else b"GET /ulci HTTP/1.1\r\nX: "
        with pytest.raises(trio.BrokenResourceError):
            await stream.send_all(begin)
            while True:
                await stream.send_all(b"x" * 65536)
        assert isinstance(await errors.first(), HandshakeError)
        await trio.aclose_forcefully(stream)


async def test_a_peer_cut_for_not_reading_may_reconnect() -> None:
    async def talk(peer: Peer) -> None:
        while heard := await peer.receive():
            # At once more than any system keeps for who does not read: a window that is full does
            # not let everything through that would be said afterwards.
            for _ in range(20_000 if heard.message == text("talk") else 1):
                peer.put(text("x" * 1000))

    limits = Limits(outbox=20_000, flush=0.1, linger=0.05)
    async with at("tcp", talk, limits=limits) as (address, _):
        async with await call(address) as deaf:
            deaf.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            with pytest.raises(trio.BrokenResourceError):
                while True:
                    await deaf.send_all(b"info string talk\n")
        async with dial(address, client_side, limits=QUICK) as peer:
            peer.put(text("hello"))
            assert (await hear(peer)).message == text("x" * 1000)


async def test_a_client_behind_a_proxy_is_counted_like_a_direct_one() -> None:
    hosts: list[str] = []

    async def note(peer: Peer) -> None:
        hosts.append(peer.host)
        await echo(peer)

    gate = Gate(GateLimits(connections=1))
    async with at("ws", note, gate=gate) as (address, errors):
        one, other = ({"X-Forwarded-For": f"198.51.100.{n}"} for n in (1, 2))
        async with dial(address, client_side, headers=one, limits=QUICK):
            async with dial(address, client_side, headers=other, limits=QUICK):
                pass
            with pytest.raises(DialError, match="which is the limit") as caught:
                async with dial(address, client_side, headers=one, limits=QUICK):
                    pass
        assert caught.value.retry_after == 10
        assert isinstance(await errors.first(), HandshakeError)
        while gate.here or gate.opening:
            await trio.lowlevel.checkpoint()
        assert hosts == ["198.51.100.1", "198.51.100.2"]


async def test_an_exempt_address_that_is_no_proxy_comes_as_itself(
    caplog: pytest.LogCaptureFixture,
) -> None:
    hosts: list[tuple[str, bool]] = []

    async def note(peer: Peer) -> None:
        hosts.append((peer.host, peer.proxied))
        await echo(peer)

    named = {"X-Forwarded-For": "198.51.100.1"}
    async with (
        at("ws", note, gate=Gate(GateLimits(proxies=()))) as (address, _),
        dial(address, client_side, headers=named, limits=QUICK) as peer,
    ):
        peer.put(text("hello"))
        assert (await hear(peer)).message == text("hello")
    assert hosts == [("127.0.0.1", False)]
    assert "is not believed" in caplog.text


@pytest.mark.parametrize("scheme", ["ws", "wss"])
async def test_a_client_behind_a_proxy_is_measured_before_its_first_message(scheme: str) -> None:
    trips: list[float] = []

    async def measure(peer: Peer) -> None:
        assert peer.proxied
        while (trip := peer.round_trip()) is None:  # the answer to the ping is on its way
            await trio.lowlevel.checkpoint()
        trips.append(trip)
        peer.put(text("done"))
        await echo(peer)

    headers = {"X-Forwarded-For": "198.51.100.1"}
    async with (
        at(scheme, measure, gate=Gate()) as (address, _),
        dial(address, client_side, headers=headers, ssl_context=client_tls(), limits=QUICK) as peer,
    ):
        assert (await hear(peer)).message == text("done")
    assert 0 < trips[0] < HANG


async def test_that_measurement_is_made_more_than_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(websocket, "SURVEY_INTERVAL", 0)
    async with at("ws", gate=Gate()) as (address, _), await call(address) as stream:
        client = BareWebSocket(stream)
        await client.upgrade("X-Forwarded-For: 198.51.100.1")
        for _ in range(websocket.SURVEY):
            ping = await client.hear(Ping)
            assert isinstance(ping, Ping)
            await client.say(ping.response())
        await client.say(TextMessage("info string echo"))
        await client.hear(TextMessage)
        assert client.heard == []


async def test_certificates_are_asked_for_anew_at_every_connection() -> None:
    asked = 0

    def certificates() -> ssl.SSLContext:
        nonlocal asked
        asked += 1
        return server_tls()

    async with at("tls", ssl_context=certificates) as (address, _):
        await works(address)
        await works(address)
    assert asked == 2
