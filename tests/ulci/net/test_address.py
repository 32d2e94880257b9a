"""URLs in, addresses out, and advice for every way to get one wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ulci.net.address import MAX_PORT, SCHEMES, Address, in_brackets


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("tcp://example.org", Address("tcp", "example.org", 25565)),
        ("tls://example.org", Address("tls", "example.org", 25565)),
        ("ws://example.org", Address("ws", "example.org", 25566, "/ulci")),
        ("wss://example.org", Address("wss", "example.org", 25566, "/ulci")),
        ("tcp://127.0.0.1:0", Address("tcp", "127.0.0.1", 0)),
        ("tcp://[::1]:4711", Address("tcp", "::1", 4711)),
        ("tcp://[fe80::1%eth0]", Address("tcp", "fe80::1%eth0", 25565)),
        ("TCP://example.org/", Address("tcp", "example.org", 25565)),
        ("tcp://*", Address("tcp", "*", 25565)),
        ("tcp://schach.müller.de:1", Address("tcp", "schach.müller.de", 1)),
        (" ws://example.org:80/chess \n", Address("ws", "example.org", 80, "/chess")),
        ("ws://example.org/", Address("ws", "example.org", 25566, "/")),
        ("ws://example.org?room=1", Address("ws", "example.org", 25566, "/ulci?room=1")),
        ("ws://example.org:", Address("ws", "example.org", 25566, "/ulci")),
    ],
)
def test_an_address_is_read_from_its_url(url: str, address: Address) -> None:
    assert Address.parse(url) == address


@pytest.mark.parametrize(
    ("url", "advice"),
    [
        ("", "empty"),
        ("localhost:25565", "try tcp://localhost:25565"),
        ("http://example.org/ulci", "try ws://example.org/ulci"),
        ("https://example.org", "try wss://example.org"),
        ("gopher://example.org", "one of tcp://, tls://, ws://, wss://"),
        ("tcp://", "names no host"),
        ("ws://:25566/ulci", "ws://127.0.0.1"),
        ("tcp://example.org:chess", "a number from 0 to 65535"),
        ("tcp://example.org:65536", "a number from 0 to 65535"),
        ("tcp://example.org:-1", "a number from 0 to 65535"),
        ("tcp://example.org:٣", "a number from 0 to 65535"),
        ("tcp://example.org/chess", "only ws:// and wss://"),
        ("ws://example.org/schäch", "as %XX"),
        ("tcp://::1", "in brackets"),
        ("tcp://2001:db8::1:25565", "in brackets"),
        ("tcp://ada@example.org", "no user name and no token"),
        ("ws://example.org/ulci#top", "contains a #"),
        ("tcp://example.org 25565", "contains a blank"),
        ("tcp://exam\tple.org", "contains a blank"),
        ("tcp://[::1", "in brackets"),
        ("tcp://[abc", "is not an address"),
    ],
)
def test_a_wrong_url_is_answered_with_advice(url: str, advice: str) -> None:
    with pytest.raises(ValueError) as caught:
        Address.parse(url)
    assert advice in str(caught.value)


hosts = st.one_of(
    st.from_regex(r"[a-z0-9]([a-z0-9.-]{0,20}[a-z0-9])?", fullmatch=True),
    st.ip_addresses().map(str),
)


@given(
    scheme=st.sampled_from(sorted(SCHEMES)),
    host=hosts,
    port=st.integers(0, MAX_PORT),
    path=st.from_regex(r"/[a-z0-9/]{0,10}", fullmatch=True),
)
def test_an_address_gives_its_url_back(scheme: str, host: str, port: int, path: str) -> None:
    address = Address(scheme, host, port, path if SCHEMES[scheme].websocket else "")
    assert Address.parse(str(address)) == address


@given(st.text(max_size=40))
def test_whatever_is_written_is_an_address_or_a_value_error(text: str) -> None:
    try:
        Address.parse(text)
    except ValueError as error:
        assert str(error)  # noqa: PT017 (either way is right)


def test_an_address_knows_its_layers() -> None:
    kinds = {url: Address.parse(url) for url in ("tcp://h", "tls://h", "ws://h", "wss://h")}
    assert [address.tls for address in kinds.values()] == [False, True, False, True]
    assert [address.websocket for address in kinds.values()] == [False, False, True, True]


def test_only_ipv6_is_put_in_brackets() -> None:
    assert in_brackets("::1") == "[::1]"
    assert in_brackets("127.0.0.1") == "127.0.0.1"
