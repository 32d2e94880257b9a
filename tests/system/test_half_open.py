"""Half-open connections of some addresses keep nobody out."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest
import trustme

from tests.support.servers import PATIENCE, Server, serving, until

pytestmark = pytest.mark.system

ADDRESS, ALL = 4, 64
"""Handshakes that the server allows; by default both are 16 times as many."""

ATTACKERS = [f"127.0.{n}.1" for n in range(1, 18)]
"""Each in a network of its own."""

STRANGER = "127.0.200.1"

CONFIG = f"""
listen = [
    {{ address = "tcp://127.0.0.1:0" }},
    {{ address = "ws://127.0.0.1:0" }},
    {{ address = "wss://127.0.0.1:0", certificate = "CERTIFICATE", key = "KEY" }},
]
[limits]
address_openings = {ADDRESS}
openings = {ALL}
opening = 3600
exempt = ["127.0.0.1"]
"""

HALVES = {"ws": b"GET / HTTP/1.1\r\nHost: x\r\n", "wss": b"\x16\x03\x01"}


def call(port: int, address: str) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), PATIENCE, (address, 0))


def tls() -> ssl.SSLContext:
    """Of a client to whom any certificate is right."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def status(server: Server, scheme: str, address: str) -> str:
    """Of the answer that this address gets there; empty if it is cut off."""
    with ExitStack() as stack:
        sock = stack.enter_context(closing(call(server.port(scheme), address)))
        if scheme == "wss":
            try:
                sock = stack.enter_context(closing(tls().wrap_socket(sock)))
            except OSError:
                return ""
        answer = stack.enter_context(sock.makefile("rb"))
        sock.sendall(b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        return answer.readline().decode().partition(" ")[2].strip()


def greeting(port: int, address: str) -> str:
    """The first line that the server says over TCP."""
    with closing(call(port, address)) as sock, sock.makefile("rb") as lines:
        return lines.readline().decode().strip()


@contextmanager
def attacked(server: Server, scheme: str) -> Iterator[None]:
    """All attackers have as many half-open connections as they get."""
    with ExitStack() as stack:
        for address in ATTACKERS:
            for _ in range(ADDRESS):
                sock = stack.enter_context(closing(call(server.port(scheme), address)))
                sock.sendall(HALVES[scheme])
        yield


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    issued, chain = trustme.CA().issue_cert("127.0.0.1"), tmp_path / "chain.pem"
    issued.private_key_and_cert_chain_pem.write_to_path(chain)
    config = tmp_path / "server.toml"
    config.write_text(CONFIG.replace("CERTIFICATE", str(chain)).replace("KEY", str(chain)))
    with serving(tmp_path, "--config", str(config)) as running:
        yield running


@pytest.mark.parametrize("scheme", HALVES)
async def test_half_open_connections_of_17_addresses_keep_nobody_out(
    server: Server, scheme: str
) -> None:
    with attacked(server, scheme):
        # Exempt: administrators, proxies and monitors.
        assert status(server, scheme, "127.0.0.1") == "200 OK"
        assert greeting(server.port(), "127.0.0.1") == "uci"
        # Others as soon as those who are slow may be asked to make room.
        await until(lambda: status(server, scheme, STRANGER) == "200 OK", "it is let in", 0.1)
        await until(lambda: greeting(server.port(), STRANGER) == "uci", "it is greeted", 0.1)
