"""Whatever becomes of what is written, whoever writes it never waits."""

import fcntl
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

import pytest

from ulci_server.cli.writer import PIECE, LogWriter

HANG = 60.0
"""Seconds; a hang guard that no test waits for."""

PIPE = 4096
"""Bytes that a pipe of these tests holds before who writes to it waits."""


class ReadOn:
    """Has a thread read an end of a pipe until the other one is closed."""

    def __init__(self) -> None:
        self._threads: list[threading.Thread] = []

    def __call__(self, end: TextIO) -> None:
        self._threads.append(threading.Thread(target=end.read))
        self._threads[-1].start()

    def join(self) -> None:
        for thread in self._threads:
            thread.join()


@pytest.fixture
def read_on() -> ReadOn:
    return ReadOn()


@pytest.fixture
def pipe(read_on) -> Iterator[tuple[TextIO, int]]:
    """The end to read from, and the one to write to."""
    there, here = os.pipe()
    fcntl.fcntl(here, fcntl.F_SETPIPE_SZ, PIPE)
    with os.fdopen(there, encoding="utf-8") as end:
        yield end, here
        os.close(here)
        read_on.join()


@pytest.fixture
def begin() -> Iterator[Callable[..., LogWriter]]:
    """Starts a writer; its thread has ended when the test has."""
    begun: list[LogWriter] = []

    def begin(descriptor: int, **settings: int) -> LogWriter:
        begun.append(LogWriter(descriptor, **settings))
        return begun[-1]

    yield begin
    for writer in begun:
        writer.close(HANG)
        assert not writer._thread.is_alive()


def test_what_is_written_comes_out_in_order(tmp_path: Path, begin) -> None:
    with (tmp_path / "log").open("wb") as file:
        writer = begin(file.fileno())
        lines = [f"line {number} Ж\n" for number in range(10_000)]
        for line in lines:
            assert writer.write(line) == len(line)
        assert writer.close(HANG) is True
    assert (tmp_path / "log").read_text() == "".join(lines)


def test_print_writes_to_it_as_to_any_stream(tmp_path: Path, begin) -> None:
    with (tmp_path / "log").open("wb") as file:
        writer = begin(file.fileno())
        print("one", "two", file=writer, flush=True)
        print("half a pair \ud800", file=writer)
        assert (writer.isatty(), writer.fileno()) == (False, file.fileno())
        writer.close(HANG)
    assert (tmp_path / "log").read_text() == "one two\nhalf a pair \\ud800\n"


def test_what_nobody_reads_is_dropped_and_counted_in_the_next_line(pipe, begin) -> None:
    there, here = pipe
    writer = begin(here, capacity=10 * PIPE)
    line = "x" * 99 + "\n"
    taken = [bool(writer.write(line)) for _ in range(2000)]
    kept = sum(taken)
    assert taken == [True] * kept + [False] * (2000 - kept)
    assert kept * len(line) <= 12 * PIPE

    for _ in range(kept):
        assert there.readline() == line
    refused = 0
    while not writer.write("again\n"):
        refused += 1
    lost = 2000 - kept + refused
    assert there.readline() == f"{lost} lines were lost: nobody read the log\n"
    assert there.readline() == "again\n"


def test_a_slow_reader_reads_the_log_and_not_what_was_lost_of_it(pipe, begin, read_on) -> None:
    there, here = pipe
    line, capacity = "x" * 99 + "\n", 4 * PIECE
    writer = begin(here, capacity=capacity)
    read = []
    for _ in range(20_000):
        writer.write(line)
        writer.write(line)
        if writer.lost or read:
            read.append(there.readline())
    notices = sum("lost" in each for each in read)
    assert 0 < notices <= len(read) * len(line) / (capacity / 2) + 1
    read_on(there)


def test_a_full_disk_harms_nobody_and_is_told_when_there_is_room_again(
    tmp_path: Path, begin
) -> None:
    with (tmp_path / "log").open("wb") as file, Path("/dev/full").open("wb") as full:
        log = os.dup(file.fileno())
        os.dup2(full.fileno(), file.fileno())
        writer = begin(file.fileno())
        for number in range(3):
            assert writer.write(f"lost {number}\n")
        while writer.lost != 3:
            pass
        os.dup2(log, file.fileno())
        os.close(log)
        writer.write("kept\n")
        writer.close(HANG)
    assert (tmp_path / "log").read_text() == ("3 lines were lost: No space left on device\nkept\n")


def test_what_was_lost_last_of_all_is_told_at_the_end(pipe, begin) -> None:
    there, here = pipe
    writer = begin(here, capacity=PIPE)
    while writer.write("x" * 99 + "\n"):
        pass
    assert writer.close(0) is False
    for said in there:
        if "lost" in said:
            break
    assert said == "1 lines were lost: nobody read the log\n"
    assert writer.write("too late\n") == 0


def test_a_descriptor_that_does_not_wait_is_waited_for(pipe, begin) -> None:
    """Whoever shares a terminal or a pipe may have set it so for all."""
    there, here = pipe
    os.set_blocking(here, False)
    writer = begin(here)
    lines = [f"{number}\n" for number in range(5000)]
    for line in lines:
        writer.write(line)
    assert [there.readline() for _ in lines] == lines


def test_whoever_has_something_to_say_while_something_is_written_does_not_wait(begin) -> None:
    """As a finalizer that runs in the middle of it."""
    said: list[str] = []

    def notice(lost: int, why: str) -> str:
        writer.write("from within\n")
        said.append(why)
        return "notice\n"

    with Path("/dev/full").open("wb") as full:
        writer = begin(full.fileno())
        writer.notice = notice
        writer.write("lost\n")
        while not writer.lost:
            pass
        writer.write("lost too\n")
    assert said == ["No space left on device"]
