"""Connection limits per address."""

import ipaddress
from collections.abc import Sequence
from functools import partial

import pytest

from ulci.net.gate import (
    KNOWN_AFTER,
    LOOPBACK,
    NETWORK_CONNECTIONS,
    NETWORK_OPENINGS,
    RETRY_AFTER,
    UNKNOWN,
    Gate,
    GateLimits,
    network,
    wide_network,
)
from ulci.net.places import SLOW
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
    gate.enter(host, at)
    return ""


def open_one(gate: Gate, host: str, at: float = 0.0) -> None:
    """Come in, and be done with the handshake."""
    assert gate.refusal(host, at) is None
    gate.opened(host, gate.enter(host, at), at)


def test_fifty_engines_of_one_machine_are_let_in_at_once() -> None:
    gate = Gate()
    assert {come(gate, HERE) for _ in range(50)} == {""}


def test_an_address_has_only_so_many_connections_until_one_leaves() -> None:
    gate = Gate(GateLimits(connections=2))
    for _ in range(2):
        open_one(gate, HERE)
    assert come(gate, HERE) == (
        f"your address already has 2 connections, which is the limit; retry-after {RETRY_AFTER}"
    )
    assert come(gate, "198.51.100.8") == ""
    gate.leave(HERE, 0)
    assert come(gate, HERE) == ""


def test_handshakes_are_counted_apart_until_they_are_over() -> None:
    gate = Gate(GateLimits(openings=1))
    place = gate.enter(HERE, 0)
    assert "in a handshake" in come(gate, HERE)
    gate.opened(HERE, place, 0)
    assert come(gate, HERE) == ""


# What all share


def cuts(gate: Gate, host: str, at: float = 0.0, number: int = 1) -> list[int]:
    """So many half-open connections; the numbers of those that were ended for others."""
    ended: list[int] = []
    for each in range(number):
        assert gate.refusal(host, at) is None
        gate.enter(host, at, partial(ended.append, each))
    return ended


ATTACKERS = {
    "17 addresses": [f"198.18.{n}.1" for n in range(17)],
    "an IPv6 /59": [f"2001:db8:0:{n:x}::1" for n in range(32)],
}


def fill(gate: Gate, hosts: Sequence[str], at: float = 0.0) -> int:
    """As many half-open connections as they get; how many that is."""
    taken = 0
    for host in hosts:
        for _ in range(gate.limits.burst):
            taken += come(gate, host, at) == ""
    return taken


@pytest.mark.parametrize("hosts", ATTACKERS.values(), ids=ATTACKERS)
def test_half_open_connections_of_some_keep_no_exempt_address_out(hosts: Sequence[str]) -> None:
    gate = Gate()
    assert fill(gate, hosts) <= gate.limits.all_openings
    assert {come(gate, "127.0.0.1") for _ in range(50)} == {""}


@pytest.mark.parametrize("hosts", ATTACKERS.values(), ids=ATTACKERS)
def test_nor_any_other_address_once_they_are_slow(hosts: Sequence[str]) -> None:
    gate = Gate()
    fill(gate, hosts)
    assert come(gate, HERE, SLOW) == ""
    assert come(gate, "203.0.113.5", SLOW) == ""


def test_strangers_leave_places_for_known_addresses() -> None:
    gate = Gate()
    open_one(gate, HERE)
    taken = fill(gate, [f"198.18.{n}.1" for n in range(100)], KNOWN_AFTER)
    assert taken < gate.limits.all_openings
    assert "too many connections are being opened" in come(gate, "203.0.113.5", KNOWN_AFTER)
    assert come(gate, HERE, KNOWN_AFTER) == ""


@pytest.mark.parametrize(
    ("left", "known"), [(KNOWN_AFTER - 0.1, False), (KNOWN_AFTER, True), (1e6, True)]
)
def test_an_address_is_known_once_it_was_here_for_a_while(left: float, known: bool) -> None:
    gate = Gate()
    open_one(gate, HERE)
    assert gate.knows(HERE, left) is known
    gate.leave(HERE, left)
    assert gate.knows(HERE, left + 1e6) is known


def test_half_a_handshake_makes_no_address_known() -> None:
    gate = Gate()
    assert come(gate, HERE) == ""
    assert not gate.knows(HERE, 10 * KNOWN_AFTER)


def test_so_many_known_addresses_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ulci.net.gate.KNOWN", 2)
    gate, hosts = Gate(), [f"198.51.100.{n}" for n in range(3)]
    for host in hosts:
        open_one(gate, host)
        gate.leave(host, KNOWN_AFTER)
    assert [gate.knows(host, 0) for host in hosts] == [False, True, True]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("198.51.100.7", "198.51.100.200", True),
        ("198.51.100.7", "198.51.101.7", False),
        ("2001:db8:7::1", "2001:db8:7:ffff::1", True),
        ("2001:db8:7::1", "2001:db8:8::1", False),
        ("::ffff:198.51.100.7", "198.51.100.8", True),
        ("no address", "no address", True),
    ],
)
def test_a_network_has_no_more_than_some_of_its_addresses_may_have(
    one: str, other: str, same: bool
) -> None:
    assert (wide_network(one) == wide_network(other)) is same


def addresses(network: str) -> list[str]:
    return [f"{network}.{n}" for n in range(1, 100)]


def test_handshakes_of_a_network_are_bounded() -> None:
    gate = Gate()
    taken = fill(gate, addresses("198.51.100"))
    assert taken == NETWORK_OPENINGS * gate.limits.openings
    assert "your network has too many" in come(gate, "198.51.100.250")
    assert come(gate, "198.51.101.1") == ""


def test_connections_of_a_network_are_bounded() -> None:
    gate = Gate(GateLimits(connections=2))
    for host in addresses("198.51.100")[: NETWORK_CONNECTIONS * 2]:
        open_one(gate, host)
    assert come(gate, "198.51.100.250").startswith("198.51.100.0/24 already has 20 connections")
    assert come(gate, "198.51.101.1") == ""
    gate.leave("198.51.100.1", 0)
    assert come(gate, "198.51.100.250") == ""


def test_who_is_slow_makes_room_for_others_of_its_address() -> None:
    gate = Gate(GateLimits(openings=3))
    ended = cuts(gate, HERE, 0, 3)
    assert come(gate, HERE, SLOW - 0.1) != ""
    assert ended == []
    assert come(gate, HERE, SLOW) == ""
    assert ended == [0]


def test_who_is_done_with_its_handshake_makes_no_room() -> None:
    gate, ended = Gate(GateLimits(openings=1)), list[str]()
    place = gate.enter(HERE, 0, lambda: ended.append("ended"))
    gate.opened(HERE, place, 1)
    assert come(gate, HERE, SLOW) == ""
    assert come(gate, HERE, 3 * SLOW) == ""
    assert ended == []


def test_exempt_addresses_are_bounded_too_but_apart() -> None:
    gate = Gate(GateLimits(all_openings=4))
    assert [come(gate, "127.0.0.1") for _ in range(4)] == [""] * 4
    refusal = gate.refusal("127.0.0.1", 0)
    assert refusal is not None
    assert (refusal.blame, refusal.retry_after) == (Blame.SERVER, RETRY_AFTER)
    assert come(gate, HERE) == ""
    assert come(gate, "127.0.0.1", SLOW) == ""


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
    gate.leave(HERE, 0)
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
        open_one(gate, host)
        gate.leave(host, 0)
    assert not gate.here
    assert not gate.opening
    assert not gate._here_since
    assert not gate._networks
    assert not gate._opening._taken


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
def test_forwarded_for_is_trusted_from_proxies_only(host: str, said: str, meant: str) -> None:
    assert Gate().behind(host, {"x-forwarded-for": said}) == meant


MINE = ipaddress.ip_network("192.0.2.0/24")
SAYS = {"x-forwarded-for": "198.51.100.7"}


def test_an_exempt_address_names_nobody_else(caplog: pytest.LogCaptureFixture) -> None:
    gate = Gate(GateLimits(exempt=(*LOOPBACK, MINE)))
    assert [gate.behind("192.0.2.5", SAYS) for _ in range(3)] == [""] * 3
    assert gate.exempts("192.0.2.5")
    [warning] = caplog.messages
    assert warning.startswith("X-Forwarded-For from 192.0.2.5 is not believed")
    assert "proxies under [web]" in warning


def test_nobody_is_warned_of_what_strangers_send(caplog: pytest.LogCaptureFixture) -> None:
    assert Gate().behind("203.0.113.1", SAYS) == ""
    assert caplog.messages == []


def test_a_proxy_names_its_clients_whether_it_is_exempt_or_not() -> None:
    gate = Gate(GateLimits(proxies=(MINE,)))
    assert gate.behind("192.0.2.5", SAYS) == "198.51.100.7"
    assert not gate.exempts("198.51.100.7")
    assert gate.behind("127.0.0.1", SAYS) == ""


def test_without_forwarded_for_a_proxy_counts_as_itself() -> None:
    assert Gate().behind("127.0.0.1", {}) == ""


def test_clients_with_unknown_addresses_share_one_key() -> None:
    gate = Gate(GateLimits(connections=2))
    assert not gate.exempts(UNKNOWN)
    assert come(gate, UNKNOWN) == come(gate, UNKNOWN) == ""
    assert come(gate, UNKNOWN) != ""
