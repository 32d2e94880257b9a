import ssl
from pathlib import Path

import pytest
import trustme
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from ulci_server.config import ConfigError, Listener, load


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with certificates in every state."""
    folder = tmp_path_factory.mktemp("tls")
    authority = trustme.CA()
    mine, other = authority.issue_cert("localhost"), authority.issue_cert("localhost")
    for chain in mine.cert_chain_pems:
        chain.write_to_path(folder / "cert.pem", append=True)
    mine.private_key_pem.write_to_path(folder / "key.pem")
    mine.private_key_and_cert_chain_pem.write_to_path(folder / "both.pem")
    other.private_key_pem.write_to_path(folder / "other.pem")
    key = load_pem_private_key(mine.private_key_pem.bytes(), None)
    hidden = key.private_bytes(
        Encoding.PEM, PrivateFormat.TraditionalOpenSSL, BestAvailableEncryption(b"secret")
    )
    (folder / "hidden.pem").write_bytes(hidden)
    (folder / "text.pem").write_text("hello", encoding="utf-8")
    return folder


def listener(folder: Path, table: str) -> Listener:
    path = folder / "server.toml"
    path.write_text(f"listen = [{{ {table} }}]", encoding="utf-8")
    return load(path).listen[0]


def fault(folder: Path, table: str) -> str:
    with pytest.raises(ConfigError) as caught:
        listener(folder, table)
    (found,) = caught.value.faults
    return str(found)


@pytest.mark.parametrize(
    "files", ['certificate = "cert.pem", key = "key.pem"', 'certificate = "both.pem"']
)
@pytest.mark.parametrize("scheme", ["tls", "wss"])
def test_a_certificate_beside_the_configuration_encrypts(
    folder: Path, scheme: str, files: str
) -> None:
    made = listener(folder, f'address = "{scheme}://*", {files}')
    assert made.certificate is not None
    assert made.certificate.parent == folder
    assert isinstance((made.certificates() or list)(), ssl.SSLContext)


def test_what_is_not_encrypted_has_no_context(folder: Path) -> None:
    assert listener(folder, 'address = "ws://*"').certificates() is None


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ('address = "tls://*"', "certificate: is missing: tls:// needs the path of a PEM file"),
        (
            'address = "tcp://*", certificate = "cert.pem"',
            "certificate: has no use: tcp:// is not encrypted; leave it out, or write tls://",
        ),
        (
            'address = "ws://*", key = "key.pem"',
            "key: has no use: ws:// is not encrypted; leave it out, or write wss://",
        ),
        ('address = "tls://*", certificate = "no.pem"', "no.pem: No such file or directory"),
        (
            'address = "tls://*", certificate = "cert.pem", key = "no.pem"',
            "no.pem: No such file or directory",
        ),
        ('address = "tls://*", certificate = "cert.pem"', "key: is missing, or"),
        (
            'address = "tls://*", certificate = "cert.pem", key = "other.pem"',
            "other.pem does not belong to the certificate",
        ),
        (
            'address = "tls://*", certificate = "cert.pem", key = "hidden.pem"',
            "key: the key is protected by a passphrase",
        ),
        (
            'address = "tls://*", certificate = "text.pem", key = "text.pem"',
            "are not PEM files with a certificate and its key",
        ),
        ('address = "tls://*", certificate = 3', "certificate: expected a path in quotes, found 3"),
        ('address = "tcp:/h"', "address: "),
        ('pool = "chess"', "address: is missing"),
    ],
)
def test_what_cannot_work_is_told_before_anybody_connects(
    folder: Path, table: str, text: str
) -> None:
    assert text in fault(folder, table)


def test_certificates_that_vanish_later_are_an_ordinary_error(folder: Path, tmp_path: Path) -> None:
    both = tmp_path / "both.pem"
    both.write_bytes((folder / "both.pem").read_bytes())
    made = listener(tmp_path, 'address = "tls://*", certificate = "both.pem"')
    both.unlink()
    with pytest.raises(OSError, match="No such file"):
        made.certificates()


@pytest.mark.parametrize(
    "address",
    [
        "tcp://127.0.0.1:1",
        "ws://localhost:1",
        "tcp://[::1]:1",
        "tcp://192.168.1.7:1",
        "ws://10.1.2.3:1",
        "tcp://[fe80::1%eth0]:1",
        "tcp://[fd00::1]:1",
    ],
)
def test_a_plain_listener_for_this_machine_or_network_is_nothing_to_warn_of(address: str) -> None:
    assert Listener.at(address).warning() == ""


@pytest.mark.parametrize(
    ("address", "safe"),
    [
        ("tcp://*", "tls"),
        ("ws://0.0.0.0:80", "wss"),
        ("ws://[::]:80", "wss"),
        ("tcp://8.8.8.8", "tls"),
        ("tcp://[2606:4700::1]:1", "tls"),
        ("ws://games.example.org", "wss"),
    ],
)
def test_a_plain_listener_that_others_may_reach_is_warned_of(address: str, safe: str) -> None:
    warning = Listener.at(address).warning()
    assert f"Write {safe}://" in warning
    assert "reverse proxy" in warning


def test_an_encrypted_listener_is_nothing_to_warn_of(folder: Path) -> None:
    assert listener(folder, 'address = "tls://*", certificate = "both.pem"').warning() == ""
