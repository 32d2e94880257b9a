"""HTTP beside WebSocket on one port."""

import json
import socket
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import trio

from tests.support.sites import App, Client, client, get, plain, site_at
from tests.support.wires import (
    QUICK,
    call,
    client_side,
    client_tls,
    hear,
    read_all,
    reset,
    text,
    upgrade_request,
)
from tests.ulci.net.test_turns import Loop
from ulci.net import (
    Address,
    Gate,
    GateLimits,
    Limits,
    Site,
    dial,
    http,
    http_front,
    own_names,
    places,
)
from ulci.net import gate as gate_module
from ulci.net.asgi import PIECE, LeftError, Receive, Scope, Send
from ulci.net.http_origin import ANY_NAME, foreign_page
from ulci.net.turns import IS_KNOWN, Delay, Turns

both = pytest.mark.parametrize("url", ["ws://127.0.0.1:0", "wss://127.0.0.1:0"])


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """An application has no time to end by itself."""
    monkeypatch.setattr(http_front, "GRACE", 0.0)


# Asked and answered


@both
async def test_pages_and_websockets_share_a_port(url: str) -> None:
    async with site_at(url) as served, client(served) as browser:
        answer = await browser.ask("/games?state=running")
        assert answer.status == 200
        assert json.loads(answer.body)["path"] == "/games"
        async with dial(
            served.address, client_side, ssl_context=client_tls(), limits=QUICK
        ) as peer:
            peer.put(text("hello"))
            assert (await hear(peer)).message == text("hello")
            assert (await browser.ask()).status == 200
        assert served.errors == []


@both
async def test_an_application_is_told_what_was_asked_by_whom_and_where(url: str) -> None:
    async with site_at(url) as served, client(served) as browser:
        await browser.ask("/a%2fb/..%20c%25?q=%41", "X-Name: \xe4", "X-Name: b")
        [scope] = served.app.scopes
        assert scope["path"] == "/a/b/.. c%"
        assert scope["raw_path"] == b"/a%2fb/..%20c%25"
        assert scope["query_string"] == b"q=%41"
        assert scope["headers"][1:] == [(b"x-name", b"\xc3\xa4"), (b"x-name", b"b")]
        assert scope["type"] == "http"
        assert scope["scheme"] == ("https" if served.address.tls else "http")
        assert scope["client"][0] == "127.0.0.1"
        assert scope["client"][1] > 0
        assert scope["server"] == ("127.0.0.1", served.address.port)
        assert scope["http_version"] == "1.1"


async def test_one_connection_carries_one_request_after_the_other() -> None:
    async with site_at() as served, client(served) as browser:
        for number in range(5):
            assert b"/%d" % number in (await browser.ask(f"/{number}")).body
        assert len({scope["client"] for scope in served.app.scopes}) == 1


async def test_pipelined_requests_are_answered_in_order() -> None:
    async with site_at() as served, client(served) as browser:
        post = partial(get, method="POST", body=b"some body")
        await browser.stream.send_all(b"".join([get("/0"), post("/1"), b"\r\n", get("/2")]))
        told = [json.loads((await browser.answer()).body) for _ in range(3)]
        assert [each["path"] for each in told] == ["/0", "/1", "/2"]
        assert [each["body"] for each in told] == ["", "some body", ""]


@pytest.mark.parametrize(
    "request_",
    [get("/", "Connection: close"), b"GET / HTTP/1.0\r\n\r\n", b"\r\n" + get() + b"\r\n"],
)
async def test_a_connection_ends_when_the_client_wants_it_or_says_nothing(
    request_: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "KEEP_ALIVE", 0.05)
    async with site_at() as served, await served.call() as stream:
        await stream.send_all(request_)
        answer = await read_all(stream)
        assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
        assert answer.endswith(b"}")
        assert served.errors == []


async def test_a_connection_without_a_word_is_closed_without_one() -> None:
    limits = replace(QUICK, opening=0.05)
    async with site_at(limits=limits) as served, await served.call() as stream:
        assert await read_all(stream) == b""
        await (await served.call()).aclose()
        assert served.errors == []


# Bodies


@pytest.mark.parametrize("size", [1, 4096, 65536])
async def test_a_body_comes_in_one_piece(size: int) -> None:
    async with site_at() as served, client(served) as browser:
        answer = await browser.ask(method="POST", body=b"x" * size)
        assert len(json.loads(answer.body)["body"]) == size
        assert (await browser.ask()).status == 200


async def test_chunks_are_joined() -> None:
    chunks = b"5;name=value\r\nhello\r\n1\r\n,\r\n6\r\n world\r\n0\r\nX-Sum: 1\r\n\r\n"
    async with site_at() as served, client(served) as browser:
        head = get("/", "Transfer-Encoding: chunked", method="POST")
        await browser.stream.send_all(head + chunks + get("/next"))
        assert json.loads((await browser.answer()).body)["body"] == "hello, world"
        assert json.loads((await browser.answer()).body)["path"] == "/next"


async def test_a_client_that_waits_to_be_told_so_goes_on() -> None:
    async with site_at() as served, await served.call() as stream:
        head = get("/", "Expect: 100-continue", "Content-Length: 5", method="POST")
        await stream.send_all(head)
        assert await stream.receive_some() == b"HTTP/1.1 100 Continue\r\n\r\n"
        await stream.send_all(b"hello")
        assert json.loads((await Client(stream).answer()).body)["body"] == "hello"


async def test_one_that_waits_with_too_much_is_told_so_at_once() -> None:
    async with site_at() as served, client(served) as browser:
        answer = await browser.ask(
            "/", "Expect: 100-continue", "Content-Length: 65537", method="POST"
        )
        assert answer.status == 413


async def test_bodies_are_bounded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_front, "BODIES_AT_ONCE", 1)
    async with site_at() as served, client(served) as one, client(served) as other:
        await one.stream.send_all(get("/held", method="POST", body=b"x"))
        await served.app.until(1)
        refused = await other.ask(method="POST", body=b"x")
        assert (refused.status, refused.fields["retry-after"]) == (503, "10")
        served.app.go_on.set()
        assert (await one.answer()).status == 200
        assert (await one.ask(method="POST", body=b"x")).status == 200


async def test_strangers_leave_some_of_them_to_known_addresses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http_front, "BODIES_OF_STRANGERS", 1)
    gate = strict()
    async with site_at(gate=gate) as served, client(served) as one, client(served) as other:
        await one.stream.send_all(get("/held", method="POST", body=b"x"))
        await served.app.until(1)
        assert (await other.ask(method="POST", body=b"x")).status == 503
        monkeypatch.setattr(gate_module, "KNOWN_AFTER", 0.0)
        async with client(served) as third:
            assert (await third.ask(method="POST", body=b"x")).status == 200
        served.app.go_on.set()
        assert (await one.answer()).status == 200


# Answers without a body


async def test_head_is_answered_without_a_body() -> None:
    async with site_at() as served, client(served) as browser:
        answer = await browser.ask(method="HEAD")
        assert int(answer.fields["content-length"]) > 0
        assert answer.body == b""
        assert (await browser.ask()).status == 200


async def test_head_of_an_endless_answer_ends(at_once: None) -> None:
    async with site_at() as served, client(served) as browser:
        assert (await browser.ask("/endless", method="HEAD")).status == 200
        assert (await browser.ask()).status == 200
        assert served.app.cancelled == 1
        assert served.bugs == []


@pytest.mark.parametrize(("path", "method"), [("/", "HEAD"), ("/nothing-new", "GET")])
async def test_an_answer_without_a_body_that_has_ended_keeps_nothing(
    path: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    delays: list[Delay] = []

    class SeenDelay(Delay):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            delays.append(self)

    monkeypatch.setattr(http_front, "GRACE", 3600.0)
    monkeypatch.setattr(http_front, "Delay", SeenDelay)
    async with site_at() as served, client(served) as browser:
        for _ in range(20):
            await browser.ask(path, method=method)
        await browser.ask()
        assert [len(delay) for delay in delays] == [0]


async def test_an_answer_without_a_body_ends_however_many_wait_for_a_turn(
    at_once: None,
) -> None:
    app, turns = App(), CrowdedTurns()
    async with site_at(site=Site(app, turns=turns)) as served, client(served) as browser:
        await browser.stream.send_all(get("/endless", method="HEAD"))
        await turns.come.wait()
        turns.let_pass.release()
        await browser.answer("HEAD")
        await app.until(0)
        assert app.cancelled == 1


class CrowdedTurns(Turns):
    """Only those who are let pass get one."""

    def __init__(self) -> None:
        super().__init__()
        self.come = trio.Event()
        self.let_pass = trio.Semaphore(0)

    async def take(self) -> None:
        self.come.set()
        await self.let_pass.acquire()


async def test_an_unchanged_page_has_no_body() -> None:
    async with site_at() as served, client(served) as browser:
        answer = await browser.ask("/nothing-new")
        assert (answer.status, answer.body) == (304, b"")
        assert "date" in answer.fields
        assert (await browser.ask()).status == 200


@pytest.mark.parametrize("method", ["OPTIONS", "DELETE", "BREW", "get", "M-SEARCH"])
async def test_every_method_is_left_to_the_application(method: str) -> None:
    async with site_at() as served, client(served) as browser:
        answer = await browser.ask(method=method)
        assert json.loads(answer.body)["method"] == method


# An application that fails


@pytest.mark.parametrize("path", ["/fails", "/says-nothing", "/splits", "/body-first"])
async def test_a_bug_of_the_application_is_one_500_and_one_report(path: str) -> None:
    async with site_at() as served, await served.call() as stream:
        await stream.send_all(get(path))
        answer = await read_all(stream)
        assert answer.startswith(b"HTTP/1.1 500 ")
        assert b"cookie" not in answer
        [(who, error)] = served.errors
        assert who.startswith("ws 127.0.0.1:")
        assert who.endswith(f" GET {path}")
        assert "bug" in repr(error) or path != "/fails"


async def test_a_bug_in_the_middle_of_an_answer_leaves_it_without_an_end() -> None:
    async with site_at() as served, await served.call() as stream:
        await stream.send_all(get("/fails-late"))
        answer = await read_all(stream)
        assert answer.endswith(b"data: 1\n\n\r\n")
        assert [type(error) for error in served.bugs] == [KeyError]


# Those who leave


@pytest.mark.parametrize("path", ["/endless", "/held"])
@pytest.mark.parametrize("leave", [reset, lambda stream: stream.socket.close()])
async def test_what_was_asked_ends_with_its_connection(
    path: str, leave: Callable[[trio.SocketStream], None], at_once: None
) -> None:
    async with site_at() as served:
        stream = await call(served.address)
        await stream.send_all(get(path))
        await served.app.until(1)
        leave(stream)
        await served.app.until(0)
        assert served.app.cancelled + len(served.app.raised) == 1
        assert {type(error) for error in served.app.raised} <= {LeftError}
        assert served.errors == []


async def test_an_application_that_listens_hears_that_its_peer_left() -> None:
    async with site_at() as served:
        async with await served.call() as stream:
            await stream.send_all(get("/waiting"))
            await served.app.until(1)
        await served.app.until(0)
        assert served.app.heard == [{"type": "http.disconnect"}]
        assert served.errors == []


async def test_a_client_may_end_its_side_and_then_read() -> None:
    async with site_at() as served, await served.call() as stream:
        await stream.send_all(get("/held"))
        await stream.send_eof()
        await served.app.until(1)
        served.app.go_on.set()
        assert (await read_all(stream)).endswith(b"held")


@both
async def test_a_client_that_does_not_read_is_given_up(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "SEND_TIMEOUT", 0.05)
    async with site_at(url) as served, await served.call() as stream:
        await stream.send_all(get("/flood"))
        await served.app.until(1)
        await served.app.until(0)
        assert [type(error) for error in served.app.raised] == [LeftError]
        assert "0.05 s" in str(served.app.raised[0])
        assert served.errors == []


async def test_one_that_reads_slowly_gets_everything() -> None:
    async with site_at() as served, client(served) as browser:
        assert len((await browser.ask("/long")).body) == 3_000_000


@both
async def test_an_idle_stream_ends_with_the_listener(url: str) -> None:
    async with site_at(url) as served, client(served) as browser:
        await browser.stream.send_all(get("/endless"))
        assert (await browser.answer(whole=False)).status == 200


# WebSockets beside it


@pytest.mark.parametrize(
    ("request_", "status", "said"),
    [
        (get("/ulci"), b"426", b"\r\n\r\nThe relay is at /ulci, over WebSocket.\n"),
        (upgrade_request("/chess"), b"404", b"The relay is at /ulci, over WebSocket.\n"),
        (upgrade_request().replace(b": 13", b": 7"), b"426", b"\r\n\r\n"),
        (b"uci\n", b"400", b"speaks HTTP and WebSocket, and no lines of text.\n"),
    ],
)
async def test_who_asks_wrongly_for_the_relay_is_told_how(
    request_: bytes, status: bytes, said: bytes
) -> None:
    async with site_at() as served, await served.call() as stream:
        await stream.send_all(request_)
        answer = await read_all(stream)
        assert answer.split()[1] == status
        assert answer.endswith(said)
        await served.failure()
        assert served.bugs == []


async def test_a_relay_at_the_root_leaves_the_root_to_the_page() -> None:
    async with site_at("ws://127.0.0.1:0/") as served, client(served) as browser:
        assert (await browser.ask("/")).status == 200
        async with dial(served.address, client_side, limits=QUICK) as peer:
            peer.put(text("hello"))
            await hear(peer)


async def test_a_websocket_is_not_opened_by_a_second_request() -> None:
    async with site_at() as served, client(served) as browser:
        await browser.ask()
        await browser.stream.send_all(upgrade_request())
        assert (await browser.answer()).status == 400


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        (["Origin: http://localhost"], b"101"),
        (["Origin: HTTPS://LOCALHOST:443"], b"101"),
        (["Origin: https://friend.example"], b"101"),
        (["Origin: https://friend.example:444"], b"403"),
        (["Origin: http://friend.example"], b"403"),
        (["Origin: https://evil.example"], b"403"),
        (["Origin: https://localhost.evil.example"], b"403"),
        (["Origin: http://localhost:8080"], b"403"),
        (["Origin: null"], b"403"),
        (["Origin: "], b"403"),
        (["Origin: http://localhost", "Origin: https://evil.example"], b"403"),
    ],
)
async def test_pages_of_others_may_not_open_a_websocket(fields: list[str], status: bytes) -> None:
    async with site_at(origins=frozenset({"https://friend.example"})) as served:
        async with await served.call() as stream:
            await stream.send_all(upgrade_request("/ulci", *fields))
            answer = await stream.receive_some()
            assert answer.split()[1] == status
            assert (b" may not open this WebSocket: " in answer) == (status == b"403")
        if status == b"403":
            assert "may not open" in await served.failure()


HTTPS_PROXY = ("X-Forwarded-For: 192.0.2.9", "X-Forwarded-Proto: https")


@pytest.mark.parametrize(
    ("host", "fields", "status"),
    [
        ("127.0.0.1:25566", [], b"101"),
        ("[::1]:25566", [], b"101"),
        ("192.0.2.1", [], b"101"),
        ("LOCALHOST:1", [], b"101"),
        ("game.localhost:25566", [], b"101"),
        ("Games.LAN:25566", [], b"101"),
        ("evil.example:25566", [], b"403"),
        ("evil.games.lan", [], b"403"),
        ("127.0.0.1.evil.example", [], b"403"),
        ("localhost.evil.example", [], b"403"),
        ("evil.example", ["X-Forwarded-For: 192.0.2.9"], b"403"),
        ("evil.example", ["X-Forwarded-For: 192.0.2.9", "X-Forwarded-Proto: http"], b"403"),
        ("evil.example", ["X-Forwarded-Proto: https"], b"403"),
        ("games.example", HTTPS_PROXY, b"403"),
    ],
)
async def test_a_page_is_our_own_only_under_a_name_that_nobody_else_can_own(
    host: str, fields: list[str], status: bytes
) -> None:
    names = frozenset({"games.lan"})
    async with site_at(names=names, gate=Gate()) as served, await served.call() as stream:
        own = f"Origin: http://{host}"
        await stream.send_all(upgrade_request("/ulci", own, *fields, host=host))
        assert (await stream.receive_some()).split()[1] == status


@pytest.mark.parametrize(("scheme", "status"), [("https", b"101"), ("http", b"403")])
async def test_a_page_behind_a_proxy_with_tls_is_one_of_tls(scheme: str, status: bytes) -> None:
    """A page of plain HTTP under the same name can be of anybody between."""
    async with site_at(gate=Gate()) as served, await served.call() as stream:
        own = f"Origin: {scheme}://games.example"
        request = upgrade_request("/ulci", own, *HTTPS_PROXY, host="games.example")
        await stream.send_all(request)
        assert (await stream.receive_some()).split()[1] == status


async def test_behind_our_own_tls_the_certificate_has_proved_the_name() -> None:
    async with site_at("wss://127.0.0.1:0") as served, await served.call() as stream:
        own = upgrade_request("/ulci", "Origin: https://games.example", host="games.example")
        await stream.send_all(own)
        assert (await stream.receive_some()).split()[1] == b"101"


async def test_the_log_tells_of_a_refused_page_once_a_minute_and_what_to_do() -> None:
    async with site_at() as served:
        for _ in range(5):
            async with await served.call() as stream:
                own = "Origin: http://games.example:25566"
                await stream.send_all(upgrade_request("/ulci", own, host="games.example:25566"))
                assert (await read_all(stream)).startswith(b"HTTP/1.1 403 ")
        [(_, refusal)] = served.errors
        assert "games.example is not known to be a name of this server" in str(refusal)
        assert 'set names = ["games.example"] under [web]' in str(refusal)
        assert "--known-as games.example" in str(refusal)


async def test_a_page_of_another_site_is_allowed_by_its_origin() -> None:
    async with site_at() as served, await served.call() as stream:
        await stream.send_all(upgrade_request("/ulci", "Origin: https://friend.example:444"))
        said = (await read_all(stream)).decode()
        assert 'set origins = ["https://friend.example:444"] under [web]' in said
        assert "let it pass Host on" in said


@pytest.mark.parametrize("first", [True, False])
async def test_a_page_that_was_refused_can_ask_why(first: bool) -> None:
    own = "Origin: http://games.example:25566"
    async with site_at() as served, await served.call() as stream:
        if not first:
            await Client(stream).ask()
        await stream.send_all(get("/ulci", own, method="POST", host="games.example:25566"))
        said = (await read_all(stream)).decode()
        assert said.startswith("HTTP/1.1 403 ")
        assert "Content-Type: text/plain" in said
        assert 'set names = ["games.example"] under [web]' in said


async def test_the_reason_of_a_refused_page_fills_no_log() -> None:
    own = "Origin: http://games.example:25566"
    async with site_at() as served:
        for _ in range(3):
            async with client(served) as browser:
                await browser.ask()
                await browser.ask("/ulci", own, method="POST", host="games.example:25566")
        assert len(served.errors) == 1


async def test_heads_that_are_none_do_not_fill_the_log() -> None:
    async with site_at() as served:
        for _ in range(100):
            async with await served.call() as stream:
                await stream.send_all(b"GET / HTTP/9.9\r\n\r\n")
                await read_all(stream)
        assert 0 < len(served.errors) < 50


def test_names_of_a_server_are_those_that_it_is_announced_and_allowed_under() -> None:
    listeners = map(Address.parse, ("ws://*:1", "tcp://Games.lan", "ws://127.0.0.1"))
    names = own_names(listeners, ["https://chess.example:444", "*"], ["Club.example"])
    machine = socket.gethostname().lower()
    neighbours = f"{machine.partition('.')[0]}.local"
    allowed = {"chess.example", "club.example"}
    assert names == {machine, neighbours, "games.lan", "127.0.0.1", *allowed}


def test_a_public_server_takes_every_name_for_its_own_but_no_page_of_another() -> None:
    def refusal(origin: str) -> str:
        fields = [(b"host", b"anything.example:25566"), (b"origin", origin.encode())]
        names = frozenset({ANY_NAME})
        page = foreign_page(fields, scheme="http", names=names, origins=frozenset())
        return "" if page is None else page.why

    assert refusal("http://anything.example:25566") == ""
    for other in ("http://evil.example", "http://anything.example", "null"):
        assert refusal(other) == "it is not one of this server"


async def test_all_origins_can_be_allowed() -> None:
    async with site_at(origins=frozenset({"*"})) as served, await served.call() as stream:
        await stream.send_all(upgrade_request("/ulci", "Origin: https://evil.example"))
        assert (await stream.receive_some()).split()[1] == b"101"


async def test_without_a_site_nothing_is_answered_over_http() -> None:
    async with site_at(site=None) as served, await served.call() as stream:
        await stream.send_all(get())
        assert await read_all(stream) == b"HTTP/1.1 400 \r\ncontent-length: 0\r\n\r\n"
        assert await served.failure() == "the peer left, or sent no WebSocket upgrade"


async def test_without_a_site_the_origin_does_not_matter() -> None:
    async with site_at(site=None) as served, await served.call() as stream:
        await stream.send_all(upgrade_request("/ulci", "Origin: https://evil.example"))
        assert (await stream.receive_some()).split()[1] == b"101"


# Crowds


async def test_of_a_crowd_one_request_is_answered_in_a_turn_of_the_loop() -> None:
    loop, crowd = Loop(), 50
    trio.lowlevel.add_instrument(loop)

    async def tell(scope: Scope, receive: Receive, send: Send) -> None:
        loop.passed()
        await plain(send, b"told")

    async with site_at() as served, AsyncExitStack() as stack:
        served.app.tell = tell  # type: ignore[method-assign]
        browsers = [await stack.enter_async_context(client(served)) for _ in range(crowd)]
        for _ in range(2):  # on new connections, and on those that are kept
            for browser in browsers:
                await browser.stream.send_all(get())
            for browser in browsers:
                assert (await browser.answer()).body == b"told"
    assert loop.most == 1


async def never(_: Turns) -> None:
    await trio.sleep_forever()


async def test_whoever_looks_after_the_server_waits_for_no_crowd(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Turns, "take", never)
    served_at_once = site_at(prompt=frozenset({"/livez"}))
    async with served_at_once as served, client(served) as browser, client(served) as waiting:
        await waiting.stream.send_all(get("/"))
        for _ in range(2):
            assert (await browser.ask("/livez")).status == 200
        assert [scope["path"] for scope in served.app.scopes] == ["/livez"] * 2


@pytest.mark.parametrize(
    ("gate", "fields", "known"),
    [
        (GateLimits(), [], True),
        (GateLimits(), ["X-Forwarded-For: 192.0.2.1"], False),
        (GateLimits(), ["x-forwarded-for:192.0.2.1"], False),
        (GateLimits(), ["X-Forwarded-For: 192.0.2.1, 127.0.0.1"], True),
        (GateLimits(), ["X-Forwarded-For: 127.0.0.1", "X-Forwarded-For: 192.0.2.1"], False),
        (GateLimits(proxies=()), ["X-Forwarded-For: 192.0.2.1"], True),
        (GateLimits(exempt=()), [], False),
        (GateLimits(exempt=(), proxies=()), ["X-Forwarded-For: 127.0.0.1"], False),
    ],
)
async def test_who_is_known_waits_for_no_crowd_of_strangers(
    gate: GateLimits, fields: list[str], known: bool
) -> None:
    seen = []

    class SeenTurns(Turns):
        async def take(self) -> None:
            seen.append(IS_KNOWN.get())
            await super().take()

    site = Site(App(), turns=SeenTurns())
    async with site_at(site=site, gate=Gate(gate)) as served, client(served) as browser:
        for _ in range(2):
            await browser.ask("/", *fields)
        assert seen == [known] * 2


async def test_a_player_waits_for_no_crowd(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Turns, "take", never)
    async with site_at() as served, await served.call() as stream:
        await stream.send_all(upgrade_request("/ulci"))
        assert (await stream.receive_some()).split()[1] == b"101"


async def test_a_long_answer_is_sent_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = []

    async def take(_: Turns) -> None:
        taken.append(1)
        await trio.lowlevel.checkpoint()

    monkeypatch.setattr(Turns, "take", take)
    async with site_at() as served, client(served) as browser:
        assert len((await browser.ask("/long")).body) == 3_000_000
    assert len(taken) >= 3_000_000 // PIECE


# How many


@pytest.fixture(autouse=True)
def _nobody_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is."""
    monkeypatch.setattr(places, "SLOW", 3600.0)


def strict(**limits: object) -> Gate:
    return Gate(GateLimits(exempt=(), proxies=(), **limits))  # type: ignore[arg-type]


async def empty(gate: Gate) -> None:
    while gate.here or gate.opening:
        await trio.lowlevel.checkpoint()


async def test_a_connection_counts_at_the_gate_until_it_ends(at_once: None) -> None:
    gate = strict(connections=2)
    async with site_at(gate=gate) as served:
        async with client(served) as one, client(served) as other:
            await one.ask()
            await other.stream.send_all(get("/endless"))
            await other.answer(whole=False)
            assert gate.opening == 0
            assert gate.here.total() == 2
            async with await served.call() as third:
                assert (await read_all(third)).startswith(b"HTTP/1.1 429 ")
        await empty(gate)


async def test_a_full_listener_is_full_for_pages_too() -> None:
    limits = Limits(connections=1, linger=0.05)
    async with site_at(limits=limits) as served, client(served) as one:
        await one.ask()
        async with await served.call() as stream:
            assert (await read_all(stream)).startswith(b"HTTP/1.1 503 ")


BEHIND = ("X-Forwarded-For: 192.0.2.9, 198.51.100.1", "X-Forwarded-Proto: https")


async def test_a_request_through_a_proxy_counts_for_its_client_while_it_is_answered(
    at_once: None,
) -> None:
    gate = Gate(GateLimits(connections=1))
    async with site_at(gate=gate) as served:
        async with client(served) as one, client(served) as other:
            await one.ask("/", *BEHIND)
            assert served.app.scopes[0]["client"] == ("198.51.100.1", 0)
            assert served.app.scopes[0]["scheme"] == "https"
            await one.stream.send_all(get("/endless", *BEHIND))
            await one.answer(whole=False)
            refused = await other.ask("/", *BEHIND)
            assert (refused.status, refused.fields["retry-after"]) == (429, "10")
        await empty(gate)


async def test_who_is_no_trusted_proxy_names_nobody_else() -> None:
    async with site_at(gate=strict()) as served, client(served) as browser:
        await browser.ask("/", *BEHIND)
        assert served.app.scopes[0]["client"][0] == "127.0.0.1"
        assert served.app.scopes[0]["scheme"] == "http"


async def test_an_address_that_asks_too_often_is_told_to_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http_front, "REQUESTS_AT_ONCE", 2)
    monkeypatch.setattr(http_front, "REQUESTS_A_SECOND", 0.01)
    async with site_at(gate=strict()) as served, client(served) as browser:
        assert [(await browser.ask()).status for _ in range(3)] == [200, 200, 429]
        assert "too often" in await served.failure()


async def test_this_machine_may_ask_as_often_as_it_likes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_front, "REQUESTS_AT_ONCE", 2)
    async with site_at(gate=Gate()) as served, client(served) as browser:
        assert {(await browser.ask()).status for _ in range(10)} == {200}
