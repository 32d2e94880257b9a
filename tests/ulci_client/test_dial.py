from functools import partial

import pytest
import trio

from ulci.net import Address, Peer, listen
from ulci.protocol import ULCI, Connection, Hello, HelloOk, Position, Role, TextCodec
from ulci_client.dial import Server


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
