"""An administrator lets a server of the cluster end, wherever both are."""

import pytest
import trio
from structlog.testing import capture_logs

from tests.support.cluster import people
from ulci.protocol.messages import Admin, Id
from ulci_server.app import Shutdown


async def said_by_root(server, *words: str) -> str:
    root = await server.person("", Id("token", "root-token"))
    root.say(Admin(words))
    while True:
        line = await root.hear_line("")
        if line.startswith(("admin", "error")):
            return line


async def start(cluster, *names: str):
    """Servers that know each other."""
    servers = {name: await cluster.start(name) for name in names}
    await trio.sleep(3)
    return servers


@pytest.mark.parametrize(
    ("at", "words", "ended"),
    [
        ("a", "", "a"),
        ("b", "", "b"),
        ("a", "b", "b"),
        ("b", "a", "a"),
        ("b", "c 1", "c 1"),
    ],
)
async def test_the_named_server_ends_or_that_of_the_connection(
    cluster, autojump_clock, at, words, ended
):
    servers = await start(cluster, "a", "b", "c 1")
    said = await said_by_root(servers[at], "drain", *words.split())
    assert said == f"admin draining others 2 server {ended}"
    await trio.sleep(1)
    assert {name for name, server in servers.items() if server.ended_by} == {ended}
    assert servers[ended].ended_by == ["Root"]


async def test_servers_that_end_already_are_not_counted(cluster, autojump_clock):
    servers = await start(cluster, "a", "b", "c")
    await servers["b"].node.drain()
    await trio.sleep(1)
    assert await said_by_root(servers["a"], "drain", "a") == "admin draining others 1 server a"


async def test_a_server_that_does_not_live_is_refused(cluster, autojump_clock):
    servers = await start(cluster, "a", "b")
    refused = await said_by_root(servers["a"], "drain", "x")
    assert refused == 'error no-such-server no server "x" lives; there are: a b'


async def test_who_wants_a_server_to_end_is_logged_once(cluster, autojump_clock):
    shutdown = Shutdown()
    with capture_logs() as logs:
        shutdown.drain("Root")
        shutdown.drain("Root")
    assert shutdown.asked.is_set()
    assert [(one["event"], one["by"]) for one in logs] == [("shutdown requested", "Root")]


async def test_a_server_whose_releases_cannot_be_stored_ends_all_the_same(cluster, autojump_clock):
    servers = await start(cluster, "a", "b")
    servers["b"].journal.drain = trio.sleep_forever
    with trio.fail_after(10):
        assert await servers["b"].node.drain() == 0


async def test_a_server_that_ends_waits_until_its_releases_are_stored(cluster, autojump_clock):
    servers = await start(cluster, "a", "b")
    await people(servers["b"], servers["b"])
    drain = servers["b"].journal.drain

    async def drain_late() -> None:
        await trio.sleep(5)
        await drain()

    servers["b"].journal.drain = drain_late
    assert await servers["b"].node.drain() == 1
