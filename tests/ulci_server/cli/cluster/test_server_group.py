"""The servers of ``cluster up``, as programs that do nothing."""

import signal
import sys
from typing import Any

import pytest
import trio
import trio.testing

from tests.support.wires import HANG
from ulci_server.cli.cluster.server_group import ServerGroup, ServerProcess

IDLE = (sys.executable, "-c", "import signal; signal.pause()")


async def unlisted(_: str) -> int:
    """No database knows them."""
    await trio.lowlevel.checkpoint()
    return 0


async def test_a_server_that_is_just_being_started_ends_with_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened = trio.lowlevel.open_process

    async def asked_meanwhile(argv: list[str], **how: Any) -> trio.Process:
        if argv == [*IDLE]:
            signal.raise_signal(signal.SIGTERM)
            await trio.testing.wait_all_tasks_blocked()
        return await opened(argv, **how)

    monkeypatch.setattr(trio.lowlevel, "open_process", asked_meanwhile)
    with trio.fail_after(HANG):
        code = await ServerGroup([ServerProcess("a", IDLE, {}, 1)], unlisted).run()
    assert code == -signal.SIGTERM
