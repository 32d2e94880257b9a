"""Who has left is freed at once, and does not wait until somebody looks for garbage."""

import gc
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

import pytest
import trio
import trio.testing

from tests.support.hosting import Hosted, hosting
from tests.ulci_server.app.conftest import SCHEMES, configured
from ulci.net import Peer
from ulci.net.tcpstream import TcpStream
from ulci.protocol import Connection
from ulci.protocol.messages import BestMove, Position, Resign, Watch
from ulci_server.app import running
from ulci_server.game import Game
from ulci_server.hall.session.connection import ClientConnection
from ulci_server.hall.session.local_player import LocalPlayer
from ulci_server.hall.session.session import Session
from ulci_server.hall.table.table import Table

pytestmark = pytest.mark.system

QUIET = 0.05
"""s without anything to do, after which what sockets brought has been dealt with."""


@pytest.fixture
def no_collection(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(running, "collect_garbage", no_collector)
    gc.collect()
    yield
    gc.enable()


async def no_collector(*_: object) -> None:
    """In place of the server's own."""


def living() -> Counter[str]:
    """What there is of those who are connected, and of their games."""
    kinds = (Session, LocalPlayer, ClientConnection, Table, Game, Connection, Peer, TcpStream)
    return Counter(
        type(each).__name__ for each in gc.get_objects() if issubclass(type(each), kinds)
    )


@pytest.mark.usefixtures("no_collection")
@pytest.mark.parametrize("number", range(len(SCHEMES)), ids=SCHEMES)
async def test_of_who_played_and_watched_nothing_stays(settings, number):
    async with hosting(configured(settings)) as hosted:
        gc.disable()
        async with hosted.game(number) as (white, black), hosted.client(number) as watcher:
            await watcher.introduce_person("C")
            watcher.say(Watch(1))
            await watcher.hear(Position)
            white.say(BestMove("e2e4"))
            await black.be_asked()
            black.say(Resign())
            for client in (white, black, watcher):
                await client.hear_line("game 1 over")
            assert living()["Session"] == 3
        del white, black, watcher, client
        await trio.testing.wait_all_tasks_blocked(QUIET)
        assert living() == Counter()


STRANGE = {
    "nothing": b"",
    "half a head": b"GET /ulci HTTP/1.1\r\nHost: ",
    "a wrong path": b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n",
    "a line without an end": b"x" * 300_000,
}


@pytest.mark.usefixtures("no_collection")
@pytest.mark.parametrize("said", STRANGE.values(), ids=STRANGE)
@pytest.mark.parametrize("number", range(len(SCHEMES)), ids=SCHEMES)
async def test_of_who_is_turned_away_nothing_stays(settings, number, said):
    async with hosting(configured(settings)) as hosted:
        gc.disable()
        stream = await trio.open_tcp_stream("127.0.0.1", hosted.addresses[number].port)
        with suppress(trio.BrokenResourceError):
            await stream.send_all(said)
            await stream.send_eof()
            while await stream.receive_some():
                pass
        await stream.aclose()
        await trio.testing.wait_all_tasks_blocked(QUIET)
        assert living() == Counter()


def collected() -> Counter[str]:
    """What only the collector finds."""
    before = kinds()
    gc.collect()
    return before - kinds()


def kinds() -> Counter[str]:
    """Without tuples and the like: the collector drops them from its list when it has seen them."""
    types = (type(each) for each in gc.get_objects())
    return Counter(each.__name__ for each in types if each.__module__ != "builtins")


async def vanish(hosted: Hosted, number: int) -> None:
    """Somebody introduces itself, and its line is reset."""
    async with hosted.client(number) as client:
        await client.introduce_person("Gone")
        client.peer.cut("it has vanished")


@pytest.mark.usefixtures("no_collection")
@pytest.mark.parametrize("number", range(len(SCHEMES)), ids=SCHEMES)
async def test_of_whose_line_is_lost_nothing_waits_for_the_collector(settings, number):
    async with hosting(configured(settings)) as hosted:
        await vanish(hosted, number)  # what is made once
        await trio.testing.wait_all_tasks_blocked(QUIET)
        gc.disable()
        gc.collect()
        await vanish(hosted, number)
        await trio.testing.wait_all_tasks_blocked(QUIET)
        assert collected() == Counter()
