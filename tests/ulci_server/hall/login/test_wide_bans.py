"""Bans that would shut out more people than their author may have meant."""

from ipaddress import ip_network

import pytest

from ulci.net import LOOPBACK
from ulci_server.hall.login.bans import too_wide


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("0.0.0.0/0", "0.0.0.0/0 is every IPv4 address"),
        ("::/0", "::/0 is every IPv6 address"),
        ("64.0.0.0/7", "64.0.0.0/7 is larger than any /8"),
        ("2001::/15", "2000::/15 is larger than any /16"),
        ("64.0.0.0/8", ""),
        ("2001::/16", ""),
        ("192.0.2.7", "your own address 192.0.2.7 is in 192.0.2.7/32"),
        ("192.0.2.0/24", "your own address 192.0.2.7 is in 192.0.2.0/24"),
        ("192.0.2.8", ""),
        ("127.0.0.1", "127.0.0.1/32 contains addresses of 127.0.0.0/8, which the limits exempt"),
        ("::1", "::1/128 contains addresses of ::1/128"),
        ("::ffff:0:0/96", "0.0.0.0/0 is every IPv4 address"),
        ("::ffff:64.0.0.0/103", "64.0.0.0/7 is larger than any /8"),
        ("::ffff:192.0.2.0/120", "your own address 192.0.2.7 is in 192.0.2.0/24"),
        ("::ffff:10.0.0.0/104", "10.0.0.0/8 contains addresses of 10.1.0.0/16"),
        ("::ffff:192.0.2.8", ""),
        ("10.0.0.0/8", "10.0.0.0/8 contains addresses of 10.1.0.0/16"),
    ],
)
def test_what_shuts_out_many_or_oneself_says_so(value: str, why: str) -> None:
    said = too_wide(value, "192.0.2.7", (*LOOPBACK, ip_network("10.1.0.0/16")))
    assert said.startswith(why)
    assert bool(said) is bool(why)
