"""How clients reach a server: certificates, tokens, loopback."""

import ssl
from functools import partial

import pytest
import trio
import trustme

from tests.support.wires import report_bug
from ulci.net import Address, Peer, RemoteServer, is_loopback, listen, read_token
from ulci.net.remote import tls_context
from ulci.protocol import ULCI, Connection, Role, TextCodec
from ulci.protocol.messages import Hello, HelloOk, Position


@pytest.mark.parametrize(
    ("url", "private"),
    [
        ("tcp://127.0.0.1", True),
        ("tls://example.org", True),
        ("wss://example.org", True),
        ("ws://example.org", False),
        ("tcp://example.org", False),
    ],
)
def test_a_connection_is_private_if_encrypted_or_local(url, private):
    assert RemoteServer(Address.parse(url)).is_private is private


@pytest.mark.parametrize("scheme", ["tcp", "ws"])
async def test_the_longest_game_is_received(scheme: str):
    longest = Position(None, ("g1f3", "g8f6", "f3g1", "f6g8") * 2950)

    async def say_it(peer: Peer) -> None:
        peer.put(Hello())
        await peer.receive()  # uciok
        peer.put(longest)
        await peer.receive()  # the end

    def connection(_: str) -> Connection:
        return Connection(Role.SERVER, TextCodec(), ULCI)

    async with trio.open_nursery() as nursery:
        start = partial(
            listen,
            Address.parse(f"{scheme}://127.0.0.1:0"),
            say_it,
            connection,
            on_error=report_bug,
        )
        address = await nursery.start(start)
        async with RemoteServer(address).dial() as peer:
            assert (await peer.receive()).message == Hello()
            peer.put(HelloOk())
            assert (await peer.receive()).message == longest
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize(("token", "header"), [("s3cret", "Bearer s3cret"), ("", None)])
async def test_the_token_is_sent_in_the_websocket_upgrade(token: str, header: str | None):
    upgrades: list[str | None] = []

    async def meet(peer: Peer) -> None:
        upgrades.append(peer.headers.get("authorization"))
        peer.put(Hello())

    def connection(_: str) -> Connection:
        return Connection(Role.SERVER, TextCodec(), ULCI)

    async with trio.open_nursery() as nursery:
        start = partial(
            listen, Address.parse("ws://127.0.0.1:0"), meet, connection, on_error=report_bug
        )
        address = await nursery.start(start)
        server = RemoteServer(address, token=token)
        async with server.dial() as peer:
            await peer.receive()
        nursery.cancel_scope.cancel()
    assert upgrades == [header]
    assert "s3cret" not in repr(server)


# The secret


def test_the_token_stands_in_a_file_or_in_the_environment(tmp_path):
    path = tmp_path / "token"
    path.write_text("  s3cret\n")
    path.chmod(0o600)
    environment = {"ULCI_TOKEN": " other "}
    assert read_token(path, environment) == "s3cret"
    assert read_token(None, environment) == "other"
    assert read_token(None, {}) == ""


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "must hold the token and nothing else"),
        (b"two words", "must hold the token and nothing else"),
        (b"\xff\xfe", "is not a text file"),
    ],
)
def test_a_file_that_is_no_token_is_refused(tmp_path, content, says):
    path = tmp_path / "token"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(ValueError, match=says):
        read_token(path, {})


def test_a_token_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"cannot read .*: No such file"):
        read_token(tmp_path / "missing", {})


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o620, 0o666])
def test_a_file_that_others_can_read_is_refused_with_what_to_do(tmp_path, mode):
    path = tmp_path / "token"
    path.write_text("s3cret\n")
    path.chmod(mode)
    with pytest.raises(ValueError, match=rf"chmod 600 {path}") as caught:
        read_token(path, {})
    assert "s3cret" not in str(caught.value)


# The other end


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("::1%lo", True),
        ("::ffff:127.0.0.1", True),
        ("::ffff:10.0.0.1", False),
        ("localhost", True),
        ("chess.localhost", True),
        ("10.0.0.1", False),
        ("example.org", False),
    ],
)
def test_loopback_is_recognised_by_address_or_name(host, loopback):
    assert is_loopback(host) is loopback


def test_by_default_the_systems_certificates_are_trusted():
    assert tls_context() is None


def test_an_insecure_context_trusts_anybody():
    context = tls_context(insecure=True)
    assert context is not None
    assert context.verify_mode is ssl.CERT_NONE
    assert not context.check_hostname


def test_a_file_of_certificates_is_trusted_alone(tmp_path):
    path = tmp_path / "ca.pem"
    trustme.CA().cert_pem.write_to_path(str(path))
    context = tls_context(path)
    assert context is not None
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert len(context.get_ca_certs()) == 1


def test_a_file_without_certificates_is_named(tmp_path):
    path = tmp_path / "ca.pem"
    path.write_text("hello")
    with pytest.raises(ValueError, match=r"ca\.pem holds no certificates in PEM format"):
        tls_context(path)
    with pytest.raises(ValueError, match=r"cannot read .*missing\.pem: No such file"):
        tls_context(tmp_path / "missing.pem")
