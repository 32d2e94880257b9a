"""Connection limits per address."""

import ipaddress

import pytest

from ulci.net.gate import LOOPBACK, RETRY_AFTER, UNKNOWN, Gate, GateLimits, network
from ulci.protocol.messages import Blame

HERE = "198.51.100.7"


@pytest.mark.parametrize(
    ("host", "counted_as"),
    [
        ("198.51.100.7", "198.51.100.7"),
        ("::ffff:198.51.100.7", "198.51.100.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
        ("no address", "no address"),
    ],
)
def test_an_ipv6_address_is_counted_as_its_64(host: str, counted_as: str) -> None:
    assert network(host) == counted_as


def come(gate: Gate, host: str, at: float = 0.0) -> str:
    """Knock, and enter if that is allowed."""
    if (refusal := gate.refusal(host, at)) is not None:
        return str(refusal)
    gate.enter(host)
    return ""


def test_fifty_engines_of_one_machine_are_let_in_at_once() -> None:
    gate = Gate()
    assert {come(gate, HERE) for _ in range(50)} == {""}


def test_an_address_has_only_so_many_connections_until_one_leaves() -> None:
    gate = Gate(GateLimits(connections=2))
    for _ in range(2):
        assert come(gate, HERE) == ""
        gate.opened(HERE)
    assert come(gate, HERE) == (
        f"your address already has 2 connections, which is the limit; retry-after {RETRY_AFTER}"
    )
    assert come(gate, "198.51.100.8") == ""
    gate.leave(HERE)
    assert come(gate, HERE) == ""


def test_handshakes_are_counted_apart_until_they_are_over() -> None:
    gate = Gate(GateLimits(openings=1))
    assert come(gate, HERE) == ""
    assert "in a handshake" in come(gate, HERE)
    gate.opened(HERE)
    assert come(gate, HERE) == ""


def test_handshakes_of_everybody_together_are_bounded_even_for_the_exempt() -> None:
    gate = Gate(GateLimits(all_openings=1))
    assert come(gate, HERE) == ""
    refusal = gate.refusal("127.0.0.1", 0)
    assert refusal is not None
    assert refusal.blame is Blame.SERVER
    assert refusal.retry_after == RETRY_AFTER
    gate.opened(HERE)
    assert come(gate, "127.0.0.1") == ""


def test_too_many_connections_are_told_when_to_retry() -> None:
    gate = Gate(GateLimits(rate=0.5, burst=2))
    for _ in range(2):
        assert come(gate, HERE) == ""
    refusal = gate.refusal(HERE, 0)
    assert refusal is not None
    assert refusal.blame is Blame.CLIENT
    assert refusal.retry_after == 2
    assert str(refusal).endswith("the limit is 0.5 times a second; retry-after 2")
    assert come(gate, HERE, at=2) == ""


def test_a_refused_connection_is_not_counted() -> None:
    gate = Gate(GateLimits(connections=1, rate=1, burst=2))
    assert come(gate, HERE) == ""
    for _ in range(10):
        assert "which is the limit" in come(gate, HERE)
    gate.leave(HERE)
    assert come(gate, HERE) == ""


def test_this_machine_is_exempt_and_so_is_a_proxy_that_is_named() -> None:
    proxy = ipaddress.ip_network("192.0.2.0/24")
    gate = Gate(GateLimits(connections=1, openings=1, rate=1, burst=1, exempt=(*LOOPBACK, proxy)))
    for host in ("127.0.0.1", "::1", "::ffff:127.0.0.1", "192.0.2.77"):
        assert {come(gate, host) for _ in range(200)} == {""}
    assert come(gate, "198.51.100.9") == ""
    assert come(gate, "198.51.100.9") != ""


def test_closed_connections_leave_no_counters() -> None:
    gate = Gate()
    for number in range(100):
        host = f"2001:db8::{number:x}"
        gate.enter(host)
        gate.opened(host)
        gate.leave(host)
    assert not gate.here
    assert not gate.opening


@pytest.mark.parametrize(
    ("host", "said", "meant"),
    [
        ("127.0.0.1", "198.51.100.7", "198.51.100.7"),
        ("127.0.0.1", "192.0.2.1, 198.51.100.7", "198.51.100.7"),
        ("::1", "[2001:db8::7]", "2001:db8::7"),
        ("127.0.0.1", "192.0.2.1, 198.51.100.7:5555", "198.51.100.7"),
        ("127.0.0.1", "[2001:db8::7]:77", "2001:db8::7"),
        ("127.0.0.1", "2001:db8::7", "2001:db8::7"),
        ("127.0.0.1", "198.51.100.7, unknown", UNKNOWN),
        ("127.0.0.1", "_hidden:99", UNKNOWN),
        ("127.0.0.1", "[", UNKNOWN),
        ("127.0.0.1", "", UNKNOWN),
        ("203.0.113.1", "198.51.100.7", ""),  # anybody may say so
    ],
)
def test_forwarded_for_is_trusted_from_exempt_addresses_only(
    host: str, said: str, meant: str
) -> None:
    assert Gate().behind(host, {"x-forwarded-for": said}) == meant


def test_without_forwarded_for_a_proxy_counts_as_itself() -> None:
    assert Gate().behind("127.0.0.1", {}) == ""


def test_clients_with_unknown_addresses_share_one_key() -> None:
    gate = Gate(GateLimits(connections=2))
    assert not gate.exempts(UNKNOWN)
    assert come(gate, UNKNOWN) == come(gate, UNKNOWN) == ""
    assert come(gate, UNKNOWN) != ""
