"""Tokens: where they stand, and that nobody else can read them."""

import stat

import pytest

from ulci.net import Address
from ulci_client.account.tokens import forget, kept, save, servers

HERE = Address.parse("tls://Chess.example")


@pytest.fixture(autouse=True)
def home(monkeypatch, tmp_path):
    """Where this user's settings are."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config"


def test_what_is_saved_is_kept_for_that_server_and_for_this_user(home):
    path = save(HERE, "s3cret")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert path.is_relative_to(home)
    assert kept(HERE) == kept(Address.parse("tcp://chess.example")) == "s3cret"
    assert kept(Address.parse("tls://chess.example:1")) == ""
    assert servers() == ["chess.example:25565"]


def test_the_last_one_that_was_saved_counts_until_it_is_forgotten():
    save(HERE, "s3cret")
    save(HERE, "other")
    assert kept(HERE) == "other"
    assert forget(HERE)
    assert kept(HERE) == ""
    assert not forget(HERE)
    assert servers() == []


def test_a_stored_token_readable_by_others_is_refused():
    save(HERE, "s3cret").chmod(0o644)
    with pytest.raises(ValueError, match="chmod 600"):
        kept(HERE)


@pytest.mark.parametrize("token", ["", "two words", "s3c\x1bret", "s3c\nret"])
def test_what_is_no_token_is_not_saved(token):
    with pytest.raises(ValueError, match="a token is one word"):
        save(HERE, token)


def test_a_folder_that_cannot_be_written_is_named(home):
    home.write_text("")
    with pytest.raises(ValueError, match="cannot write to"):
        save(HERE, "s3cret")


def test_a_token_is_stored_for_an_ip_address_too():
    save(Address.parse("tcp://[::1]:7"), "s3cret")
    assert kept(Address.parse("tcp://[::1]:7")) == "s3cret"
