"""Requests that mean harm: each ends its own connection, and nothing else."""

import gc
import tracemalloc
from dataclasses import replace

import h11
import pytest
import trio
import trio.testing
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.sites import Served, get, site_at
from tests.support.wires import HANG, QUICK, client_side, client_tls, hear, reset, text
from ulci.net import Gate, GateLimits, dial, http, http_front
from ulci.net.http_head import HEAD_BYTES, BadRequestError, end_of_head, read_head

TIMES = 50
"""Of each kind."""

LIMITS = replace(QUICK, opening=20.0)
SHORT = replace(QUICK, opening=1.0)
"""For requests that never end: how long it takes to refuse them."""

CHUNKED = get("/", "Transfer-Encoding: chunked", method="POST")

HOSTILE: dict[str, tuple[bytes, str]] = {
    "a head that never ends": (get()[:-2] + b"X: " + b"x" * 2 * HEAD_BYTES, "431"),
    "an address that never ends": (b"GET /" + b"x" * 2 * HEAD_BYTES, "431"),
    "thousands of fields": (get("/", *["A: b"] * 2000), "431"),
    "half a head": (get()[:-2], "408"),
    "half a body": (get(method="POST", body=b"xx")[:-1], "408"),
    "half a chunk": (CHUNKED + b"5\r\nab", "408"),
    "a long body": (get("/", "Content-Length: 65537", method="POST"), "413"),
    "a very long body": (get("/", f"Content-Length: {'9' * 30}", method="POST"), "400"),
    "a long body in chunks": (CHUNKED + b"8000\r\n%b\r\n" % (b"x" * 0x8000) * 3, "413"),
    "a body of small chunks": (CHUNKED + b"1\r\nx\r\n" * 3000, "413"),
    "endless fields after the body": (CHUNKED + b"0\r\n" + b"a:b\r\n" * 3000, "431"),
    "a long extension of a chunk": (CHUNKED + b"1;" + b"x" * 9000, "431"),
    "a chunk without a size": (CHUNKED + b"zz\r\n", "400"),
    "a negative chunk": (CHUNKED + b"-1\r\n", "400"),
    "a chunk that ends wrongly": (CHUNKED + b"1\r\nxGET / HTTP/1.1\r\n", "400"),
    "both lengths": (
        get("/", "Content-Length: 4", "Transfer-Encoding: chunked") + b"0\r\n\r\n",
        "400",
    ),
    "two lengths": (get("/", "Content-Length: 1", "Content-Length: 2"), "400"),
    "a length twice": (get("/", "Content-Length: 1", "content-length: 1") + b"x", "400"),
    "a list of lengths": (get("/", "Content-Length: 1, 1") + b"x", "400"),
    "a signed length": (get("/", "Content-Length: +1") + b"x", "400"),
    "a blank before the colon": (get("/", "Content-Length : 1") + b"x", "400"),
    "two encodings": (get("/", "Transfer-Encoding: chunked, chunked"), "501"),
    "an unknown encoding": (get("/", "Transfer-Encoding: xchunked"), "501"),
    "chunks in HTTP/1.0": (CHUNKED.replace(b"1.1", b"1.0") + b"0\r\n\r\n", "400"),
    "a bare carriage return": (get("/", "X: a\rTransfer-Encoding: chunked"), "400"),
    "a bare line feed": (get("/", "X: a\nTransfer-Encoding: chunked"), "400"),
    "a folded line": (get("/", "X: a\r\n Transfer-Encoding: chunked"), "400"),
    "a NUL in a field": (get("/", "X: a\0b"), "400"),
    "a control character in a field": (get("/", "X: \x1b[2J"), "400"),
    "a NUL in the path": (get("/a\0b"), "400"),
    "an encoded NUL in the path": (get("/a%00b"), "400"),
    "an encoded line break in the path": (get("/a%0d%0Ab"), "400"),
    "a broken escape in the path": (get("/%zz"), "400"),
    "no host": (b"GET / HTTP/1.1\r\n\r\n", "400"),
    "two hosts": (get("/", "Host: evil.example"), "400"),
    "no path": (get("chess"), "400"),
    "a fragment": (get("/#a"), "400"),
    "a proxy's request": (get("evil.example:443", method="CONNECT"), "501"),
    "HTTP/0.9": (b"GET /\r\n", "400"),
    "HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505"),
    "HTTP/1.7": (get().replace(b"HTTP/1.1", b"HTTP/1.7"), "505"),
    "TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 500, "400"),
    "zeros": (b"\x00" * 1000, "400"),
    "lines of the relay": (b"uci\nid username Ada\nisready\n", "400"),
    "a foreign page": (
        get("/ulci", "Upgrade: websocket", "Connection: Upgrade", "Origin: https://evil.example"),
        "403",
    ),
    "an upgrade to nothing": (get("/ulci", "Upgrade: websocket", "Connection: Upgrade"), "400"),
    "an upgrade to HTTP/2": (
        get(
            "/", "Upgrade: h2c", "Connection: Upgrade, HTTP2-Settings", "HTTP2-Settings: !", "TE: x"
        ),
        "200",
    ),
    "a path that climbs": (get("/../../%2e%2e/etc/passwd"), "200"),
    "an absolute address": (get("http://evil.example/../x"), "200"),
    "bytes that are no text": (get("/%ff%fe%c0%af"), "200"),
    "a hundred requests at once": (get("/x") * 100, "200"),
    "more requests than anybody sends": (get("/held") + get("/x") * 3000, ""),
    "an application that fails": (get("/fails"), "500"),
}


async def attack(served: Served, request: bytes, leave: str) -> bytes:
    """Say it, and leave; what was answered."""
    stream = await served.call()
    answer = b""
    try:
        with trio.move_on_after(HANG):
            await stream.send_all(request)
            if leave == "read":
                while data := await stream.receive_some():
                    answer += data
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        pass
    finally:
        if leave == "reset" and isinstance(stream, trio.SocketStream):
            reset(stream)
        await trio.aclose_forcefully(stream)
    return answer


async def converse(
    served: Served,
    done: trio.Event,
    *,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """The bystander: goes on until the others are done."""
    async with dial(served.address, client_side, ssl_context=client_tls(), limits=QUICK) as peer:
        number = 0
        while not done.is_set() or number < 10:
            number += 1
            peer.put(text(f"{number}"))
            assert (await hear(peer)).message == text(f"{number}")
            if number == 1:
                task_status.started()
            await trio.sleep(0.002)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "KEEP_ALIVE", 0.1)
    monkeypatch.setattr(http_front, "GRACE", 0.0)


@pytest.mark.parametrize("name", HOSTILE)
async def test_fifty_hostile_requests_of_a_kind_do_not_disturb_a_conversation(name: str) -> None:
    request, status = HOSTILE[name]
    gate = Gate(GateLimits(exempt=(), connections=200, openings=200, burst=200))
    answers: list[bytes] = []

    async def one(served: Served) -> None:
        answers.append(await attack(served, request, "read"))

    limits = SHORT if status == "408" else LIMITS
    async with site_at(gate=gate, limits=limits) as served, trio.open_nursery() as nursery:
        done = trio.Event()
        await nursery.start(converse, served, done)
        async with trio.open_nursery() as attackers:
            for _ in range(TIMES):
                attackers.start_soon(one, served)
        done.set()
        while gate.here.total() > 1 or gate.opening:
            await trio.lowlevel.checkpoint()
        assert served.app.running == 0
        expected = {status} if status else {""}
        assert {answer[9:12].decode() for answer in answers} == expected
        assert {type(error) for error in served.bugs} <= {KeyError}
        assert len(served.bugs) == (TIMES if name == "an application that fails" else 0)


@pytest.mark.parametrize("leave", ["close", "reset"])
async def test_those_who_leave_in_the_middle_of_anything_leave_nothing(leave: str) -> None:
    whole = get("/endless", "Transfer-Encoding: chunked") + b"3\r\nabc\r\n0\r\n\r\n"
    async with site_at(limits=LIMITS) as served, trio.open_nursery() as nursery:
        done = trio.Event()
        await nursery.start(converse, served, done)
        async with trio.open_nursery() as attackers:
            for end in range(len(whole) + 1):
                attackers.start_soon(attack, served, whole[:end], leave)
        done.set()
        await served.app.until(0)
        assert served.bugs == []


@pytest.mark.parametrize("url", ["ws://127.0.0.1:0", "wss://127.0.0.1:0"])
async def test_memory_returns_after_every_kind_of_request(url: str) -> None:
    async def every_kind(served: Served, times: int) -> None:
        for _ in range(times):
            async with trio.open_nursery() as attackers:
                for request, _ in HOSTILE.values():
                    attackers.start_soon(attack, served, request, "close")
        await served.app.until(0)
        while trio.lowlevel.current_statistics().tasks_living > tasks:
            await trio.lowlevel.checkpoint()
        served.errors.clear()  # some are reported only when the connection is closed
        served.app.scopes.clear()
        served.app.raised.clear()
        gc.collect()

    async with site_at(url, limits=LIMITS) as served:
        await trio.testing.wait_all_tasks_blocked()
        tasks = trio.lowlevel.current_statistics().tasks_living
        await every_kind(served, 2)
        tracemalloc.start()
        try:
            await every_kind(served, 1)
            before, _ = tracemalloc.get_traced_memory()
            await every_kind(served, 5)
            after, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert after - before < 200_000


# Anything at all

PARTS = st.sampled_from(
    [
        b"GET ", b"POST ", b"/", b"*", b"%00", b" HTTP/1.1", b" HTTP/1.0", b"\r\n", b"\r", b"\n",
        b" ", b"\r\n\r\n", b"Host: x\r\n", b"Content-Length: 3\r\n",
        b"Transfer-Encoding: chunked\r\n", b"3\r\nabc\r\n", b"0\r\n\r\n",
        b"Connection: Upgrade\r\n", b"Upgrade: websocket\r\n",
        b"Expect: 100-continue\r\n", b"\x00", b"\xff", b":", b"http://", b"A: b\r\n",
    ]
)  # fmt: skip
REQUESTS = st.lists(PARTS | st.binary(max_size=20), max_size=30).map(b"".join) | st.builds(
    lambda at, what: (
        get("/", "A: b", method="POST", body=b"x")[:at]
        + what
        + get("/", "A: b", method="POST", body=b"x")[at:]
    ),
    st.integers(0, 80),
    st.binary(max_size=5) | PARTS,
)


@given(REQUESTS)
def test_a_head_is_read_or_refused_and_nothing_else(data: bytes) -> None:
    try:
        end = end_of_head(data)
        assert end == 0 or data[:end].endswith(b"\r\n\r\n")
        if end:
            head, connection = read_head(data[:end])
            assert isinstance(connection, h11.Connection)
            assert head.raw_path.startswith((b"/", b"*"))
            assert head.path.isprintable() or not head.path.isascii()
    except BadRequestError as error:
        refused = error
    else:
        return
    assert 400 <= refused.status < 600
    assert "\r" not in refused.text


@settings(max_examples=20)
@given(st.lists(REQUESTS, min_size=1, max_size=10))
def test_whatever_is_sent_nobody_else_notices(requests: list[bytes]) -> None:
    async def main() -> None:
        async with site_at(limits=replace(LIMITS, linger=0.01)) as served:
            async with trio.open_nursery() as nursery:
                done = trio.Event()
                nursery.start_soon(converse, served, done)
                async with trio.open_nursery() as attackers:
                    for request in requests:
                        attackers.start_soon(attack, served, request, "close")
                done.set()
            assert served.bugs == []

    trio.run(main)
