"""A server that cannot begin as one of a cluster says why, or can be ended."""

import signal
import threading
from contextlib import closing
from typing import Any

import pytest
import trio

from tests.support.hosting import HANG, config
from tests.support.memory_hub import MemoryHub
from tests.support.redis_servers import RedisServer, redis_server
from tests.support.servers import until
from ulci_server.app import Shutdown, run_server, serving
from ulci_server.bus import HubError
from ulci_server.storage import Database, Runs, migrate

__all__ = ["redis_server"]

pytestmark = pytest.mark.system


async def refusal(database: str, bus: str) -> str:
    """Why the server does not start."""
    migrate(database)
    with trio.fail_after(HANG), pytest.raises(HubError) as caught:
        await run_server(config(database, cluster={"bus": bus}), Shutdown())
    return str(caught.value)


async def test_it_does_not_wait_for_a_redis_that_is_stopped(
    postgres_url: str, redis_server: RedisServer
) -> None:
    redis_server.signal(signal.SIGSTOP)
    assert "is it stopped, or overloaded?" in await refusal(postgres_url, redis_server.url)


async def test_a_user_who_may_not_publish_is_told_so(
    postgres_url: str, redis_server: RedisServer
) -> None:
    redis_server.ask(
        "ACL", "SETUSER", "ulci", "on", ">pw", "resetchannels", "&ulci:*", "+subscribe"
    )
    bus = f"redis://ulci:pw@127.0.0.1:{redis_server.port}"
    assert "it needs +publish, +subscribe" in await refusal(postgres_url, bus)
    with closing(Database(postgres_url)) as database:
        assert not database.runs.living()  # nobody has to find out that it is none


async def test_a_run_that_begins_while_it_is_asked_to_end_is_noted_as_over(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(postgres_url)
    hub = MemoryHub(lambda _, receiver: (0.0,) if receiver.endswith(":0") else ())
    monkeypatch.setattr("ulci_server.app.clustering.open_hub", lambda _: hub)
    shutdown, loop = Shutdown(), trio.lowlevel.current_trio_token()
    begin = Runs.begin

    def begin_and_ask(*args: Any, **named: Any) -> int:
        run = begin(*args, **named)
        for _ in range(10):  # the loop turns that often until it hears of the run
            turned = threading.Event()
            loop.run_sync_soon(shutdown.asked.set)
            loop.run_sync_soon(turned.set)
            assert turned.wait(HANG)
        return run

    monkeypatch.setattr(Runs, "begin", begin_and_ask)
    monkeypatch.setattr(serving, "BEGINNING", 5.0)  # a busy machine may need more than a second
    settings = config(postgres_url, grace=0.0, cluster={"bus": "redis://elsewhere"})
    with trio.fail_after(HANG), closing(Database(postgres_url)) as database:
        await run_server(settings, shutdown)
        assert not database.runs.living()


async def test_it_can_be_ended_while_it_waits_for_the_others(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(postgres_url)
    hub = MemoryHub(lambda _, receiver: (0.0,) if receiver.endswith(":0") else ())
    monkeypatch.setattr("ulci_server.app.clustering.open_hub", lambda _: hub)
    shutdown = Shutdown()
    settings = config(postgres_url, grace=0.0, cluster={"bus": "redis://elsewhere"})
    with trio.fail_after(HANG), closing(Database(postgres_url)) as database:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run_server, settings, shutdown)
            await until(database.runs.living, "its run has begun")
            shutdown.ask()
        assert not database.runs.living()
