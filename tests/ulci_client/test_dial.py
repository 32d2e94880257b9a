import ssl
from functools import partial

import pytest
import trio
import trustme

from ulci.net import Address, Peer, listen
from ulci.protocol import ULCI, Connection, Hello, HelloOk, Position, Role, TextCodec
from ulci_client.dial import Server, is_loopback, tls_context


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("chess.localhost", True),
        ("10.0.0.1", False),
        ("example.org", False),
    ],
)
def test_this_very_machine_is_known_by_its_address_or_name(host, loopback):
    assert is_loopback(host) is loopback


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
def test_a_line_is_private_if_encrypted_or_within_this_machine(url, private):
    assert Server(Address.parse(url)).is_private is private


def test_the_system_decides_whom_to_trust_unless_told_otherwise():
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


@pytest.mark.parametrize("scheme", ["tcp", "ws"])
async def test_the_longest_game_is_heard(scheme: str):
    longest = Position(None, ("g1f3", "g8f6", "f3g1", "f6g8") * 2950)

    async def say_it(peer: Peer) -> None:
        peer.put(Hello())
        await peer.receive()  # uciok
        peer.put(longest)
        await peer.receive()  # the end

    def connection(_: str) -> Connection:
        return Connection(Role.SERVER, TextCodec(), ULCI)

    async with trio.open_nursery() as nursery:
        start = partial(listen, Address.parse(f"{scheme}://127.0.0.1:0"), say_it, connection)
        address = await nursery.start(start)
        async with Server(address).dial() as peer:
            assert (await peer.receive()).message == Hello()
            peer.put(HelloOk())
            assert (await peer.receive()).message == longest
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize(("token", "header"), [("s3cret", "Bearer s3cret"), ("", None)])
async def test_a_token_is_said_in_the_upgrade_of_a_websocket(token: str, header: str | None):
    upgrades: list[str | None] = []

    async def meet(peer: Peer) -> None:
        upgrades.append(peer.headers.get("authorization"))
        peer.put(Hello())

    def connection(_: str) -> Connection:
        return Connection(Role.SERVER, TextCodec(), ULCI)

    async with trio.open_nursery() as nursery:
        start = partial(listen, Address.parse("ws://127.0.0.1:0"), meet, connection)
        address = await nursery.start(start)
        server = Server(address, token=token)
        async with server.dial() as peer:
            await peer.receive()
        nursery.cancel_scope.cancel()
    assert upgrades == [header]
    assert "s3cret" not in repr(server)
