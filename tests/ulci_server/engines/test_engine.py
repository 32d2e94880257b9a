"""An engine that is introduced to its boards, and one that cannot be. Its program is a fake."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest
import trio
import trio.testing

from tests.support.engines import scripted
from ulci.engines.errors import EngineError
from ulci.net import Limits
from ulci_server.engines import EngineOffer, ServerEngine, engine
from ulci_server.lobby import Profile, ServerProgram


class Hall:
    """Notes when a program is hosted, and who it says it is."""

    def __init__(self) -> None:
        self.hosted: list[tuple[float, str]] = []

    async def host_program(self, peer, profile, *, secret="", task_status) -> None:
        self.hosted.append((trio.current_time(), profile.name))
        task_status.started(SimpleNamespace())
        await trio.sleep_forever()


def broken() -> Profile:
    raise ValueError("id name")


def missing() -> Profile:
    raise EngineError("there is no such program")


@pytest.fixture
async def started(monkeypatch):
    """Starts an engine each of whose introductions ends as one of these; the last ones well."""
    hall = Hall()

    @asynccontextmanager
    async def open_engine(*_: object, **__: object) -> AsyncIterator[SimpleNamespace]:
        yield SimpleNamespace(prepare=trio.lowlevel.checkpoint)

    monkeypatch.setattr(engine, "open_engine", open_engine)
    async with trio.open_nursery() as nursery:

        def start(*introductions: Callable[[], Profile]) -> Hall:
            ends = iter([*introductions, lambda: Profile("Fish", "")])
            monkeypatch.setattr(engine, "profile_of", lambda *_, **__: next(ends)())
            offer = EngineOffer(scripted(), ServerProgram(("human",)), boards=2)
            nursery.start_soon(ServerEngine(offer, "key", Limits()).run, hall)
            return hall

        yield start
        nursery.cancel_scope.cancel()


async def test_an_engine_that_was_introduced_has_all_its_boards(started, autojump_clock):
    hall = started()
    await trio.sleep(1)
    assert hall.hosted == [(0, "Fish")] * 2


@pytest.mark.parametrize(
    ("failure", "logged"), [(broken, "a fault of the server"), (missing, "no such program")]
)
async def test_one_that_cannot_be_introduced_is_tried_again_later_and_later(
    started, autojump_clock, errors_logged, failure, logged
):
    hall = started(failure, failure, failure)  # after which 0, 0.5 and 1 s are waited for
    await trio.sleep(10)
    assert hall.hosted == [(pytest.approx(1.5), "Fish")] * 2
    [error] = errors_logged.take()
    assert "engine cannot be used" in error
    assert logged in error
