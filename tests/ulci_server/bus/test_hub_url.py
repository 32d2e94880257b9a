"""URLs of hubs: what they mean, and what is said of wrong ones, without their passwords."""

import ssl
import sys
from contextlib import suppress

import pytest
import trustme
from hypothesis import given
from hypothesis import strategies as st

from ulci_server.bus import HubError, open_hub
from ulci_server.bus.hub_url import RedisAddress, redis_address

SECRET = "s3cr3t"


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("redis://localhost", RedisAddress("localhost")),
        ("redis://127.0.0.1:7000/3", RedisAddress("127.0.0.1", 7000, database=3)),
        ("redis://[::1]:7000/", RedisAddress("::1", 7000)),
        (f"redis://:{SECRET}@host", RedisAddress("host", password=SECRET)),
        ("redis://ada:p%40%2F%3A@host", RedisAddress("host", user="ada", password="p@/:")),
    ],
)
def test_a_url_names_host_port_user_and_database(url, address) -> None:
    assert redis_address(url) == address


def test_rediss_checks_the_certificate_and_the_name() -> None:
    context = redis_address("rediss://host:6380").context
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname


def test_a_certificate_of_ours_is_loaded(tmp_path) -> None:
    authority = trustme.CA()
    certificate = authority.issue_cert("ulci")
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    certificate.private_key_and_cert_chain_pem.write_to_path(tmp_path / "ours.pem")
    files = f"ssl_ca_certs={tmp_path}/ca.pem&ssl_certfile={tmp_path}/ours.pem"
    assert len(redis_address(f"rediss://host?{files}").context.get_ca_certs()) == 1


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("", "must look like redis://"),
        ("host:6379", "must look like redis://"),
        ("http://host", "must look like redis://"),
        ("redis://", "has no host"),
        ("redis:///0", "has no host"),
        (f"redis://ada:{SECRET}/x@host", "no valid host and port; is a character of the user or"),
        (f"redis://ada:{SECRET}#x@host:1", "no valid host and port"),
        (f"redis://ada:[{SECRET}@host", "no valid host and port"),
        ("redis://host:99999", "no valid host and port"),
        (f"redis://host/{SECRET}", "must be a number, as in /0"),
        ("redis://host/²", "must be a number, as in /0"),
        ("rediss://host?ssl_cert_reqs=none", "unknown option, 'ssl_cert_reqs'; there are: ssl_ca"),
        ("redis://host?ssl_ca_certs=ca.pem", "ssl_ca_certs in the URL of Redis is for rediss://"),
        ("rediss://host?ssl_ca_certs=/no/file", "cannot read /no/file or its key: No such file"),
        ("rediss://host?ssl_certfile=/no/file", "cannot read /no/file or its key: No such file"),
        (f"rediss://host?ssl_ca_certs={__file__}", "holds no certificate in PEM format"),
    ],
)
def test_a_wrong_url_is_explained_without_its_password(url, words) -> None:
    with pytest.raises(HubError) as caught:
        open_hub(url)
    assert words in str(caught.value)
    assert SECRET not in str(caught.value)


@given(st.text(), st.sampled_from(["", "redis://", "rediss://h?", "redis://a:b@", "redis://h/"]))
def test_any_other_text_is_an_address_or_explained(text, start) -> None:
    with suppress(HubError):
        redis_address(start + text)


def test_an_address_shows_no_password() -> None:
    address = redis_address(f"redis://ada:{SECRET}@[::1]:7000/1")
    assert str(address) == "Redis at [::1]:7000"
    assert SECRET not in repr(address)
    assert str(open_hub("redis://host")) == "Redis at host:6379"


def test_without_hiredis_it_is_said_what_to_install(monkeypatch) -> None:
    monkeypatch.delitem(sys.modules, "ulci_server.bus.redis_hub", raising=False)
    monkeypatch.setitem(sys.modules, "hiredis", None)
    with pytest.raises(
        HubError, match=r"hiredis is not installed; in the clone of this program run: .venv/bin/pip"
    ):
        open_hub("redis://host")
