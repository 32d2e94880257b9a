"""What the command line and a GUI's options may ask for."""

import ssl
from pathlib import Path

import pytest
import trustme

from ulci.engines.options import OptionError
from ulci.net import Address, RemoteServer
from ulci_client.opponent.settings import OpponentSettings


def settings(url: str = "tcp://127.0.0.1:1", **asked: object) -> OpponentSettings:
    return OpponentSettings(
        (RemoteServer(Address.parse(url), msgpack=url.startswith("ws")),), **asked
    )


@pytest.mark.parametrize("time", ["300+3", "40/5400+30:900", "600/5x30", "3days", "inf", ""])
def test_time_controls_of_the_server_are_taken(time):
    asked = settings()
    asked.set_untrusted("Time", time)
    assert asked.terms("60+0", 0).time == (time or "60+0")


@pytest.mark.parametrize("time", ["abc", "300+", "+3", "-1", "3:4:x"])
def test_a_wrong_time_control_is_refused_with_what_is_right(time):
    with pytest.raises(OptionError, match=r"^Time is .*, expected a time .* such as 5m\+3s"):
        settings().set_untrusted("Time", time)


@pytest.mark.parametrize(("time", "wire"), [("5 minutes", "300"), ("5m+3s", "300+3")])
def test_times_may_have_units(time, wire):
    asked = settings()
    asked.set_untrusted("Time", time)
    assert asked.terms("", 0).time == wire


def test_a_gui_may_repeat_the_time_that_it_was_offered():
    asked = settings()
    asked.set_untrusted("Time", "3s+1s")
    (offered,) = (option.default for option in asked.offered() if option.name == "Time")
    assert offered == "3+1"
    asked.set_untrusted("Time", offered)
    assert asked.terms("", 0).time == "3+1"


def test_a_time_that_may_be_minutes_or_seconds_is_refused_with_what_to_write():
    asked = settings(time="300+3")
    with pytest.raises(OptionError, match=r"^Time: 5\+3 may .*: write 5m\+3s or 5s\+3s$"):
        asked.set_untrusted("Time", "5+3")
    assert asked.time == "300+3"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Opponent", "Ada Lovelace"),
        ("Pool", "a b"),
        ("Opponent", "A\x07"),
        ("Rated", "maybe"),
        ("Level", "9"),
        ("Level", "strong"),
    ],
)
def test_other_wrong_values_are_refused_and_change_nothing(name, value):
    asked = settings(opponent="Bob")
    with pytest.raises(OptionError, match=f"^{name} is "):
        asked.set_untrusted(name, value)
    assert asked.terms("", 0) == settings().terms("", 0)
    assert asked.opponent == "Bob"


def test_a_level_is_asked_for_and_is_another_wish():
    asked = settings(opponent="House")
    before = asked.wish
    assert asked.terms("", 0).level is None
    asked.set_untrusted("Level", "3")
    assert asked.terms("", 0).level == 3
    assert asked.wish != before
    asked.set_untrusted("Level", "0")
    assert (asked.terms("", 0).level, asked.wish) == (None, before)


def test_a_server_that_the_gui_names_is_trusted_as_the_command_line_says(tmp_path: Path):
    cafile = tmp_path / "ca.pem"
    trustme.CA().cert_pem.write_to_path(str(cafile))
    asked = settings("wss://chess.example", cafile=cafile)
    asked.set_untrusted("Server", "wss://other.example:99")
    context = asked.servers[0].ssl_context
    assert context is not None
    assert len(context.get_ca_certs()) == 1
    assert asked.servers[0].msgpack
    asked = settings("tls://chess.example", insecure=True)
    asked.set_untrusted("Server", "tls://other.example")
    context = asked.servers[0].ssl_context
    assert context is not None
    assert context.verify_mode is ssl.CERT_NONE
    # A server on this machine needs no certificates.
    asked.set_untrusted("Server", "tcp://127.0.0.1:7")
    assert asked.servers[0].ssl_context is None


def test_a_name_of_the_gui_is_one_line_of_printable_characters():
    asked = settings()
    asked.set_untrusted("UCI_Opponent", "GM 2800 human Ada\x1b[2J L")
    assert asked.name == "Ada�[2J L"


def test_a_gui_may_name_several_servers():
    asked = settings()
    named = "ws://a.example:1/x,y, wss://b.example"
    asked.set_untrusted("Server", named)
    addresses = [str(server.address) for server in asked.servers]
    assert addresses == ["ws://a.example:1/x,y", "wss://b.example:25566/ulci"]
    [offered] = [option.default for option in asked.offered() if option.name == "Server"]
    asked.set_untrusted("Server", offered)  # as a GUI repeats it
    assert [str(server.address) for server in asked.servers] == addresses
    with pytest.raises(OptionError, match="http://"):
        asked.set_untrusted("Server", "tcp://a.example,http://b.example")
    assert [str(server.address) for server in asked.servers] == addresses


def test_a_token_is_kept_from_all_servers_if_one_line_could_be_read(tmp_path: Path):
    token = tmp_path / "token"
    token.touch(0o600)
    token.write_text("s3cret")
    asked = settings("tls://a.example")
    asked.set_untrusted("Server", "tls://a.example,tcp://b.example")
    with pytest.raises(OptionError, match=r"on the way to tcp://b\.example:25565"):
        asked.set_untrusted("TokenFile", str(token))
    assert {server.token for server in asked.servers} == {""}
