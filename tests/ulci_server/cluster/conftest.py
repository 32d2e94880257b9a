"""Several servers of a cluster in one Trio run."""

import outcome
import pytest
import trio

from tests.support.cluster import Cluster, reach_database
from ulci_server.storage import open_database


def at_once(work, deliver) -> None:
    """Threads would be slower than a clock that jumps."""
    deliver(outcome.capture(reach_database, work))


async def without_a_thread(work, *args, **_):
    """The same, for pages."""
    await trio.lowlevel.checkpoint()
    return work(*args)


async def guard() -> None:
    """No test waits for ever: servers beat all the time."""
    await trio.sleep(200)
    raise AssertionError("it hangs")


@pytest.fixture
def no_threads(monkeypatch):
    monkeypatch.setattr(trio.lowlevel, "start_thread_soon", at_once)
    monkeypatch.setattr(trio.to_thread, "run_sync", without_a_thread)


@pytest.fixture
async def cluster(tmp_path, nursery, no_threads):
    url = f"sqlite:///{tmp_path}/games.db"
    open_database(url).close()
    nursery.start_soon(guard)
    yield Cluster(nursery, url)
    nursery.cancel_scope.cancel()
