"""Whom a server does not want stays away, and nobody else: the real server and the real bridge."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
import trio

from tests.support import scripted_engine
from tests.support.bridges import Bridge, bridged
from tests.support.clients import Client
from tests.support.hosting import connection
from tests.support.servers import Server, serving, until
from ulci.net import Address, dial
from ulci.protocol.messages import Seek, Terms

pytestmark = pytest.mark.system

REJECTED = 4

LONGEST_LINE = 1024
"""Bytes."""

over_every_line = pytest.mark.parametrize("scheme", ["tcp", "ws"])


@contextmanager
def hosting(folder: Path) -> Iterator[Server]:
    listen = [f"--listen={scheme}://127.0.0.1:0" for scheme in ("tcp", "ws")]
    config = folder / "server.toml"
    config.write_text(f"[limits]\nline = {LONGEST_LINE}\n[shutdown]\ngrace = 0\n")
    with serving(folder, "--config", str(config), *listen) as server:
        yield server


@contextmanager
def playing(
    server: Server, scheme: str, *options: str, slow: Path | None = None
) -> Iterator[Bridge]:
    """Fish, who has White and says lines of which the server complains."""
    url = f"{scheme}://127.0.0.1:{server.port(scheme)}"
    engine = (sys.executable, scripted_engine.__file__, "--long-thought", str(2 * LONGEST_LINE))
    if slow is not None:
        engine += ("--slow-move", str(slow))
    terms = ("--name", "Fish", "--color", "white", "--time", "600")
    with bridged(
        server.folder, "bridge", "--server", url, *terms, *options, "--", *engine
    ) as bridge:
        yield bridge


@asynccontextmanager
async def person(server: Server) -> AsyncIterator[Client]:
    address = Address("tcp", "127.0.0.1", server.port())
    async with dial(address, connection) as peer:
        yield Client(peer)


async def sit_down(client: Client) -> str:
    """Bob, who has Black against the bridge; his secret."""
    secret = await client.introduce_person("Bob")
    client.say(Seek(Terms(color="black", time="600")))
    await client.get_ready()
    return secret


async def complained(bridge: Bridge) -> None:
    await until(lambda: "the server says: " in bridge.shown, "the server complains")


@over_every_line
async def test_whose_token_is_wrong(tmp_path, scheme):
    token = tmp_path / "token"
    token.touch(0o600)
    token.write_text("guess\n")
    with (
        hosting(tmp_path) as server,
        playing(server, scheme, "--token-file", str(token)) as bridge,
    ):
        assert await bridge.ended() == REJECTED
    assert "rejects this engine: your token is not valid" in bridge.shown.splitlines()[-1]
    assert bridge.said("server - opened") == 1


@over_every_line
@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["ban", "Fish", "forever", "spam"], "you are banned here: spam"),
        (["kick", "Fish", "spam"], "kicked by Root: spam"),
    ],
)
async def test_whom_an_administrator_sends_away_in_mid_game(tmp_path, scheme, words, why):
    with hosting(tmp_path) as server, playing(server, scheme) as bridge:
        async with person(server) as bob:
            await sit_down(bob)
            await complained(bridge)
            administer(server, *words)
            assert await bridge.ended() == REJECTED
    last = bridge.shown.splitlines()[-1]
    assert "rejects this engine: " in last
    assert last.endswith(why)
    assert bridge.said("server - opened") == 1


def administer(server: Server, *words: str) -> None:
    token = server.folder / "root.token"
    token.touch(0o600)
    token.write_text(server.run("player", "add", "Root", "--admin"))
    url = f"tcp://127.0.0.1:{server.port()}"
    subprocess.run(
        [sys.executable, "-m", "ulci_server.cli", "admin", "--server", url,
         "--token-file", str(token), *words],
        check=True,
    )  # fmt: skip


@over_every_line
async def test_but_not_whose_server_is_killed_right_after_it_complained(tmp_path, scheme):
    os.mkfifo(thought := tmp_path / "thought")
    with hosting(tmp_path) as server, playing(server, scheme, slow=thought) as bridge:
        async with person(server) as bob:
            secret = await sit_down(bob)
            await complained(bridge)
            server.kill()
        listen = [f"--listen={address}" for address in server.addresses]
        server.options = (*server.options[:2], *listen)
        server.start()
        async with person(server) as bob:
            await bob.come_back("Bob", secret)
            await bob.get_ready()
            await trio.to_thread.run_sync(thought.write_bytes, b"now", abandon_on_cancel=True)
            await bob.be_asked()  # Fish has moved
        assert bridge.process.poll() is None
    assert bridge.shown.count(" begins: ") == 1
