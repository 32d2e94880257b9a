"""What `serve --public` opens, and what it tells its operator."""

import pytest

from tests.support.servers import serving
from ulci.net import Address
from ulci_server.cli.public import own_addresses, public_lines
from ulci_server.cli.serve import _changes

BOTH = [Address.parse("tcp://*:25565"), Address.parse("ws://*:25566")]

NOTHING_ASKED = {
    **dict.fromkeys(("listen", "known_as", "engines"), ()),
    **dict.fromkeys(("public", "no_engine", "shared_ports", "log_json"), False),
    **dict.fromkeys(
        ("time", "game", "database", "durability", "cluster", "name", "log_level", "wire_log")
    ),
    "config": "server.toml",
}


def told(*own: str, addresses=BOTH) -> str:
    return "\n".join(public_lines(addresses, own))


def test_others_are_told_addresses_to_open_and_to_type():
    text = told("203.0.113.7", "2606:4700::7")
    assert "http://203.0.113.7:25566/  tcp://203.0.113.7:25565" in text
    assert "http://[2606:4700::7]:25566/  tcp://[2606:4700::7]:25565" in text


def test_a_private_address_needs_a_router_that_forwards_the_ports():
    text = told("192.168.1.5")
    assert "router   192.168.1.5 is an address of your own network only" in text
    assert "TCP ports 25565 and 25566 to\n         192.168.1.5;" in text


def test_a_public_address_needs_a_firewall_that_lets_the_ports_in():
    text = told("8.8.8.8")
    assert "router" not in text
    assert "firewall" in text


def test_it_says_that_nothing_is_encrypted_unless_all_is():
    assert "nothing here is encrypted" in told("8.8.8.8")
    secret = [Address.parse("tls://*:25565"), Address.parse("wss://*:25566")]
    text = told("8.8.8.8", addresses=secret)
    assert "encrypted" not in text
    assert "https://8.8.8.8:25566/" in text


@pytest.mark.parametrize("own", [(), ("127.0.0.1",)])
def test_a_machine_without_a_network_is_told_so(own):
    assert "others   cannot reach this server" in told(*own)


def test_a_server_for_a_proxy_on_this_machine_is_told_that_it_is_reached_by_no_other_way():
    here = [Address.parse("tcp://127.0.0.1:25565"), Address.parse("ws://localhost:25566")]
    text = told("192.168.1.5", addresses=here)
    assert "others   cannot reach this server: it listens on this machine only" in text
    assert "no address in a network" not in text
    assert "router" not in text
    assert "firewall" not in text


def test_a_listener_at_one_address_is_reached_there():
    one = [Address.parse("ws://10.0.0.7:25566"), Address.parse("tcp://127.0.0.1:25565")]
    text = told("192.168.1.5", addresses=one)
    assert "others   http://10.0.0.7:25566/\n" in text
    assert "TCP port 25566 to\n         10.0.0.7;" in text
    assert "192.168.1.5" not in text


def test_a_listener_under_a_name_is_reached_under_it():
    text = told(addresses=[Address.parse("wss://games.example:443")])
    assert "others   https://games.example:443/" in text
    assert "firewall" in text


def test_own_addresses_are_addresses():
    for address in own_addresses():
        assert told(address)


@pytest.mark.parametrize(
    ("listen", "wanted"),
    [((), ["tcp://*:25565", "ws://*:25566"]), (("ws://*:0",), ["ws://*:0"])],
)
def test_it_listens_for_programs_and_browsers_unless_it_is_told_where(listen, wanted):
    changes = _changes({**NOTHING_ASKED, "public": True, "listen": listen})
    assert [each["address"] for each in changes["listen"]] == wanted
    assert changes["web"] == {"public": True}


def test_without_it_nothing_is_public():
    assert _changes(NOTHING_ASKED) == {}


@pytest.mark.system
def test_a_public_server_says_so_when_it_is_ready(tmp_path):
    anywhere = ("--public", "--listen", "tcp://*:0", "--listen", "ws://*:0")
    with serving(tmp_path, *anywhere) as server:
        ports = server.port("tcp"), server.port("ws")
        assert server.process is not None
        rest = []
        for line in server.process.stdout:
            rest.append(line)
            if "Anybody may play as a guest" in line:
                break
        assert f"  tcp://{own_addresses()[0]}:{ports[0]}\n" in "".join(rest)
