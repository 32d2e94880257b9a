"""Which tokens were used: nobody waits until that is written."""

from collections.abc import Mapping
from datetime import datetime

import outcome
import pytest
import trio
import trio.testing
from structlog.testing import capture_logs

from tests.support.facts import NOON
from ulci_server.hall.login import tokens
from ulci_server.hall.login.tokens import RETRY_PAUSE, TokenUseRecorder
from ulci_server.storage import StorageError


class Disk:
    """Writes when it is told to."""

    def __init__(self) -> None:
        self.full = False
        self.written: list[dict[int, datetime]] = []
        self._threads = []

    def start(self, work, deliver) -> None:
        self._threads.append((work, deliver))

    def write(self, used: Mapping[int, datetime]) -> None:
        if self.full:
            raise StorageError("the disk is full")
        self.written.append(dict(used))

    async def go_on(self) -> None:
        work, deliver = self._threads.pop(0)
        deliver(outcome.capture(work))
        await trio.testing.wait_all_tasks_blocked()

    @property
    def busy(self) -> int:
        return len(self._threads)


@pytest.fixture
def disk(monkeypatch) -> Disk:
    disk = Disk()
    monkeypatch.setattr(trio.lowlevel, "start_thread_soon", disk.start)
    return disk


async def test_what_gathers_during_one_write_is_written_by_the_next(mock_clock, disk):
    marks = TokenUseRecorder(disk.write)
    for token in (1, 2, 3, 2):
        marks.used(token, NOON)
    assert disk.busy == 1
    await disk.go_on()
    await disk.go_on()
    assert disk.written == [{1: NOON}, {2: NOON, 3: NOON}]
    assert disk.busy == 0


async def test_a_disk_that_is_full_is_logged_once_and_tried_again_later(mock_clock, disk):
    marks, disk.full = TokenUseRecorder(disk.write), True
    with capture_logs() as logs:
        for token in range(3):
            marks.used(token, NOON)
            if disk.busy:
                await disk.go_on()
        assert disk.busy == 0
        mock_clock.jump(RETRY_PAUSE)
        marks.used(0, NOON)
        await disk.go_on()
    assert [(log["event"], log["tokens"], log["why"]) for log in logs] == [
        ("tokens not marked as used", 1, "the disk is full")
    ]
    disk.full = False
    mock_clock.jump(RETRY_PAUSE)
    marks.used(0, NOON)
    await disk.go_on()
    assert disk.written == [dict.fromkeys(range(3), NOON)]


async def test_where_no_thread_can_be_had_it_is_tried_again_later(mock_clock, disk, monkeypatch):
    def refuse(work, deliver) -> None:
        raise RuntimeError("can't start new thread")

    marks = TokenUseRecorder(disk.write)
    with monkeypatch.context() as patched, capture_logs() as logs:
        patched.setattr(trio.lowlevel, "start_thread_soon", refuse)
        marks.used(1, NOON)
    assert [log["why"] for log in logs] == ["can't start new thread"]
    mock_clock.jump(RETRY_PAUSE)
    marks.used(2, NOON)
    await disk.go_on()
    assert disk.written == [{1: NOON, 2: NOON}]


async def test_what_waits_to_be_written_is_bounded(mock_clock, disk, monkeypatch):
    monkeypatch.setattr(tokens, "MAX_DUE", 2)
    kept = TokenUseRecorder(disk.write)
    for token in range(9):
        kept.used(token, NOON)
    while disk.busy:
        await disk.go_on()
    assert disk.written == [{0: NOON}, {1: NOON, 2: NOON}]
