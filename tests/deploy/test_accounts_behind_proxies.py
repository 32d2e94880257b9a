"""Sign-ins through the reverse proxies of deploy/: the cookie, whose address counts, and requests
that two readers could read in two ways."""

import json
import re
import socket
import sqlite3
import ssl
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection, HTTPSConnection
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import pytest

from tests.support.proxies import PROXIES, Proxy
from tests.support.servers import PATIENCE, Server, program, serving

pytestmark = pytest.mark.system

PASSWORD = "correct horse"

CONFIG = """
[clients]
sign_up = "open"
[limits]
exempt = []
[web]
proxies = ["127.0.0.1"]
"""

FORGED = (
    {"X-Forwarded-For": "127.0.0.3"},
    {"X-Forwarded-For": "198.51.100.7, 127.0.0.3"},
    {"Forwarded": "for=127.0.0.3;proto=http", "X-Real-IP": "127.0.0.3"},
    {"X-Forwarded-For": "unknown", "X-Forwarded-Proto": "http"},
    {"X-Forwarded-For": "127.0.0.1"},
)


@pytest.fixture(params=PROXIES)
def kind(request: pytest.FixtureRequest) -> str:
    program(request.param)
    return str(request.param)


@contextmanager
def behind(kind: str, folder: Path) -> Iterator[tuple[Server, Proxy]]:
    config = folder / "server.toml"
    config.write_text(CONFIG)
    with ExitStack() as stack:
        options = "--config", str(config), "--listen", "ws://127.0.0.1:0"
        server = stack.enter_context(serving(folder, *options))
        yield server, stack.enter_context(PROXIES[kind](folder, server.port("ws")))


class Answer:
    def __init__(
        self, line: HTTPConnection, act: str, said: Any, fields: Mapping[str, str]
    ) -> None:
        fields = {"Content-Type": "application/json", **fields}
        line.request("POST", f"/api/account/{act}", json.dumps(said), fields)
        answer = line.getresponse()
        answer.read()
        line.close()
        self.status = answer.status
        self.cookies = SimpleCookie(answer.headers["Set-Cookie"] or "")


def post(
    port: int,
    act: str,
    source: str,
    fields: Mapping[str, str] | None = None,
    tls: ssl.SSLContext | None = None,
    **said: str,
) -> Answer:
    where: dict[str, Any] = {"timeout": PATIENCE, "source_address": (source, 0)}
    if tls is None:
        line = HTTPConnection("localhost", port, **where)
    else:
        line = HTTPSConnection("localhost", port, context=tls, **where)
    return Answer(line, act, said, fields or {})


def test_the_cookie_is_one_of_tls_whatever_a_client_says(tmp_path: Path) -> None:
    program("nginx")
    with behind("nginx", tmp_path) as (_, proxy):
        said = {"name": "Ada", "password": PASSWORD}
        answer = post(proxy.port, "sign-up", "127.0.0.3", tls=proxy.tls, **said)
        assert answer.status == 201
        again = (
            post(proxy.port, "sign-in", "127.0.0.3", forged, proxy.tls, **said)
            for forged in ({"X-Forwarded-Proto": "http"}, {"X-Forwarded-Host": "evil.example"})
        )
        for one in (answer, *again):
            [morsel] = one.cookies.values()
            assert morsel.key == "__Host-ulci_session"
            assert (morsel["secure"], morsel["httponly"]) == (True, True)
            assert (morsel["samesite"].lower(), morsel["path"]) == ("strict", "/")
            assert morsel["domain"] == ""
        plain = post(proxy.plain_port, "sign-in", "127.0.0.3", **said)
        assert (plain.status, plain.cookies) == (301, {})


def test_a_guesser_is_counted_under_the_address_that_the_proxy_saw(
    kind: str, tmp_path: Path
) -> None:
    with behind(kind, tmp_path) as (server, proxy):
        said = {"name": "Ada", "password": PASSWORD}
        assert post(proxy.port, "sign-up", "127.0.0.3", tls=proxy.tls, **said).status == 201

        wrong = {**said, "password": "wrong horse"}
        for forged in FORGED:
            refused = post(proxy.port, "sign-in", "127.0.0.2", forged, proxy.tls, **wrong)
            assert refused.status == 401
            # Around the proxy, from an address that is none.
            assert post(server.port("ws"), "sign-in", "127.0.0.4", forged, **wrong).status == 401
        assert counted(server.database) == {
            "sign-up 127.0.0.3": 1,
            "name ada": 2 * len(FORGED),
            "address 127.0.0.2": len(FORGED),
            "both 127.0.0.2 ada": len(FORGED),
            "address 127.0.0.4": len(FORGED),
            "both 127.0.0.4 ada": len(FORGED),
        }
        assert post(proxy.port, "sign-in", "127.0.0.3", tls=proxy.tls, **said).status == 200


def counted(database: str) -> dict[str, int]:
    """Attempts by key."""
    with closing(sqlite3.connect(database.removeprefix("sqlite:///"))) as connection:
        return dict(connection.execute("SELECT key, count FROM attempts"))


BODY = json.dumps({"name": "Ada", "password": PASSWORD}).encode()
HIDDEN = b"GET /api/server HTTP/1.1\r\nHost: localhost\r\n\r\n"
LENGTH = b"Content-Length: %d\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"
CHUNKS = b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY)

TWO_WAYS = {
    "two lengths": (LENGTH * 2 % (len(BODY), len(BODY + HIDDEN)), BODY + HIDDEN),
    "a list of lengths": (b"Content-Length: %d, 0\r\n" % len(BODY), BODY + HIDDEN),
    "a length and chunks": (LENGTH % len(CHUNKS + HIDDEN) + CHUNKED, CHUNKS + HIDDEN),
    "chunks and a length": (CHUNKED + LENGTH % len(CHUNKS), CHUNKS + HIDDEN),
    "chunks by another name": (b"Transfer-Encoding: xchunked\r\n", CHUNKS + HIDDEN),
    "chunks twice": (CHUNKED + b"Transfer-Encoding: identity\r\n", CHUNKS + HIDDEN),
    "a space before the colon": (b"Transfer-Encoding : chunked\r\n", CHUNKS + HIDDEN),
    "a folded field": (b"X: y\r\n Transfer-Encoding: chunked\r\n", CHUNKS + HIDDEN),
    "a bare line feed": (b"X: y\n" + CHUNKED + LENGTH % 0, CHUNKS + HIDDEN),
}


@pytest.mark.parametrize("way", TWO_WAYS)
def test_no_request_hides_in_the_body_of_a_sign_in(kind: str, tmp_path: Path, way: str) -> None:
    fields, body = TWO_WAYS[way]
    head = b"POST /api/account/sign-in HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    with behind(kind, tmp_path) as (_, proxy), ExitStack() as stack:
        line: socket.socket = socket.create_connection(("127.0.0.1", proxy.port), PATIENCE)
        if proxy.tls is not None:
            line = proxy.tls.wrap_socket(line, server_hostname="localhost")
        stack.callback(line.close)
        line.sendall(head + b"Content-Type: application/json\r\n" + fields + b"\r\n" + body)
        heard = b""
        try:
            while data := line.recv(65536):
                heard += data
        except ConnectionError:
            pass  # it is cut off with bytes that nobody reads
    assert len(re.findall(rb"^HTTP/1\.1 (?:400|401|501) ", heard, re.MULTILINE)) == 1, heard
    assert heard.count(b"HTTP/1.1 ") == 1
    assert b"websocket" not in heard
