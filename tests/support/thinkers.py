"""Players that answer after a time of their own, over every kind of connection there is.

    python -m tests.support.thinkers FOLDER --delay 50

starts a server in that folder whose database it leaves there. Of every kind and every time there
are two players, called by both (``wss-20-1``), who play with each other at a listener of their own.
`--delay` and `--jitter` are those of the reverse proxy, each way, that goes between players of the
kind ``proxied`` and the server; the other lines are as slow as they are. `--ready` is what
everybody needs for each ``readyok``, as an engine does that clears its memory.
"""

import math
import random
import ssl
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path

import click
import trio
import trustme

from tests.faults.bullet import written_game
from ulci.net import TEXT, Address, dial
from ulci.protocol import ULCI, Connection, Role, TextCodec
from ulci.protocol.messages import (
    BestMove,
    Go,
    Hello,
    HelloOk,
    Id,
    Info,
    IsReady,
    Position,
    ReadyOk,
)

from .servers import Server

SOCKETS = ("tcp", "tls", "ws", "wss")
PROXIED = "proxied"
KINDS = (*SOCKETS, PROXIED)

THINK = (0, 20, 200)
"""ms."""

PLIES = 16
"""Of a game."""

APART = 0.02
"""s from the arrival of two players to that of the next two."""

HANG = 120.0

CONFIG = """
listen = [{listeners}]
[limits]
exempt = ["127.0.0.0/8", "10.9.0.0/24"]
[web]
proxies = ["127.0.0.0/8", "10.9.0.0/24"]
[database]
durability = "process"
"""
POOL = """
[[pool]]
name = "{name}"
time = "60"
"""


def think_of(name: str) -> int:
    """ms that the player of that name thinks."""
    return int(name.split("-")[1])


class Players:
    """All of them, and the server that they play at."""

    def __init__(self, folder: Path, near: str, far: str, kinds: Sequence[str], games: int) -> None:
        self._far = far
        self._pairs = [(kind, think) for kind in kinds for think in THINK]
        self._games = games
        self._moves = written_game(1, PLIES)
        authority = trustme.CA()
        self._trust = ssl.create_default_context()
        authority.configure_trust(self._trust)
        pem = authority.issue_cert(near, far).private_key_and_cert_chain_pem
        pem.write_to_path(str(folder / "server.pem"))
        pools = "".join(POOL.format(name=f"{kind}-{think}") for kind, think in self._pairs)
        listeners = ", ".join(_listener(kind, think, near) for kind, think in self._pairs)
        config = folder / "server.toml"
        config.write_text(CONFIG.format(listeners=listeners) + pools)
        self.server = Server(folder, "--config", str(config))

    async def play(self, delay: float, jitter: float, ready: float) -> None:
        """At the server, which listens already; all in s."""
        addresses = [Address.parse(address) for address in self.server.addresses]
        with trio.fail_after(HANG):
            async with trio.open_nursery() as proxies:
                async with trio.open_nursery() as nursery:
                    for (kind, think), there in zip(self._pairs, addresses, strict=True):
                        port = there.port
                        if kind == PROXIED:
                            port = await proxies.start(_proxy, there, delay, jitter)
                        address = Address.parse(f"{there.scheme}://{self._far}:{port}")
                        for number in range(2):
                            name = f"{kind}-{think}-{number}"
                            nursery.start_soon(self._play, name, address, think / 1000, ready)
                        await trio.sleep(APART)
                proxies.cancel_scope.cancel()

    async def _play(self, name: str, address: Address, think: float, ready: float) -> None:
        """Until it has played so many games."""
        connection = Connection(Role.CLIENT, TextCodec(), ULCI)
        ply = games = 0
        async with dial(
            address, lambda _: connection, ssl_context=self._trust, subprotocols=(TEXT,)
        ) as peer:
            while games < self._games:
                heard = await peer.receive()
                assert heard is not None, f"{name}: {peer.why}"
                match heard.message:
                    case Hello():
                        peer.put(Id("version", "1"), Id("name", name), HelloOk())
                    case IsReady():
                        await trio.sleep(ready)
                        peer.put(ReadyOk())
                    case Position(_, moves):
                        ply = len(moves)
                    case Go():
                        await trio.sleep(think)
                        peer.put(BestMove(self._moves[ply]))
                    case Info(string=str(said)) if said.startswith("result "):
                        games += 1


def _listener(kind: str, think: int, host: str) -> str:
    scheme = "ws" if kind == PROXIED else kind
    secret = ', certificate = "server.pem"' if scheme in ("tls", "wss") else ""
    return f'{{ address = "{scheme}://{host}:0", pool = "{kind}-{think}"{secret} }}'


async def _proxy(
    there: Address, delay: float, jitter: float, task_status: trio.TaskStatus[int]
) -> None:
    """Passes on what is said, late, and tells the server for whom."""
    addresses = (f"203.0.113.{number}" for number in count(1))

    async def pass_on(near: trio.SocketStream) -> None:
        said = f"X-Forwarded-For: {next(addresses)}\r\n".encode()
        far = await trio.open_tcp_stream(there.host, there.port)
        async with near, far, trio.open_nursery() as nursery:
            nursery.start_soon(_carry, near, far, delay, jitter, said)
            nursery.start_soon(_carry, far, near, delay, jitter, b"")

    [listener] = await trio.open_tcp_listeners(0, host="0.0.0.0")
    task_status.started(listener.socket.getsockname()[1])
    await trio.serve_listeners(pass_on, [listener])


async def _carry(
    source: trio.SocketStream, sink: trio.SocketStream, delay: float, jitter: float, said: bytes
) -> None:
    """`said` comes after the first line, which is the request's."""
    give, take = trio.open_memory_channel[tuple[float, bytes]](math.inf)

    async def hand_on() -> None:
        with suppress(trio.BrokenResourceError):
            async for due, data in take:
                await trio.sleep_until(due)
                await sink.send_all(data)
            await sink.send_eof()

    async def collect() -> None:
        begun = not said
        with give, suppress(trio.BrokenResourceError):
            async for data in source:
                if not begun:
                    line, end, rest = bytes(data).partition(b"\r\n")
                    data, begun = line + end + said + rest, True
                give.send_nowait((trio.current_time() + delay + random.uniform(0, jitter), data))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(hand_on)
        nursery.start_soon(collect)


@click.command(help=__doc__)
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--near", default="127.0.0.1", show_default=True, help="Where the server listens.")
@click.option("--far", default="127.0.0.1", show_default=True, help="Where that is reached.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="[default: all]")
@click.option("--games", default=2, show_default=True, help="That everybody plays at least.")
@click.option("--delay", default=0, show_default=True, help="ms that the proxy takes each way.")
@click.option("--jitter", default=0, show_default=True, help="ms more, by chance.")
@click.option("--ready", default=0, show_default=True, help="ms from isready to readyok.")
def main(folder: Path, near: str, far: str, kinds: tuple[str, ...], games: int, **ms: int) -> None:
    players = Players(folder, near, far, kinds or KINDS, games)
    players.server.start()
    try:
        trio.run(players.play, *(ms[name] / 1000 for name in ("delay", "jitter", "ready")))
    finally:
        players.server.stop()


if __name__ == "__main__":
    main()
