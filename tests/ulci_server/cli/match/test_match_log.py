"""The log of a match has the lines of other runners, and nobody waits for it."""

import gzip
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ulci_server.cli.match import LogOutput, MatchError
from ulci_server.cli.match import match_log as module
from ulci_server.cli.match.match_log import MatchLog

STAMP = r"\[[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\.[0-9]{6}\]"


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk of a busy machine may be slow."""
    monkeypatch.setattr(module, "LAST_WRITE", 60.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "match.log"


@pytest.fixture
def begin(path: Path) -> Iterator[Callable[..., MatchLog]]:
    begun: list[MatchLog] = []

    def begin(**settings: Any) -> MatchLog:
        output = LogOutput(file=path, level=settings.pop("level", "trace"), **settings)
        begun.append(MatchLog(output, pytest.fail))
        return begun[-1]

    yield begin
    for log in begun:
        log.close()
        assert not log._thread.is_alive()


def lines(path: Path) -> list[str]:
    """Without the time of day."""
    written = path.read_text().splitlines()
    assert all(re.search(STAMP, line) for line in written)
    return [re.sub(rf" {STAMP} ", " ", line, count=1) for line in written]


def test_what_happens_stands_in_columns(begin: Callable[..., MatchLog], path: Path) -> None:
    log = begin()
    log.tell("trace", "Started engine A")
    log.printed("Started game 1 of 2 (A vs B)")
    log.printed("Warning; Illegal move a1a8 played by B")
    log.printed("Fatal; B engine startup failure")
    log.printed("Error: no such thing")
    log.close()
    nobody = f"<{'':20}>"
    assert lines(path) == [
        f"[TRACE ] {nobody} ulci-server --- Started engine A",
        f"[INFO  ] {nobody} ulci-server --- Started game 1 of 2 (A vs B)",
        f"[WARN  ] {nobody} ulci-server --- Warning; Illegal move a1a8 played by B",
        f"[FATAL ] {nobody} ulci-server --- Fatal; B engine startup failure",
        f"[ERR   ] {nobody} ulci-server --- Error: no such thing",
    ]


def test_each_line_of_an_engine_says_who_and_which_way(
    begin: Callable[..., MatchLog], path: Path
) -> None:
    log = begin(level="fatal")
    note = log.listener("A", 4711)
    note("opened", "A")
    note("said", b"isready\n")
    note("heard", b"info depth 1\nreadyok\n")
    note("said", "position startpos\ngo wtime 100")
    note("heard", b"info string \xff\n")
    note("stderr", "out of\nmemory")
    note("game", "white", 7)
    log.close()
    process = f"<{'4711':>20}>"
    assert lines(path) == [
        f"[Engine] {process}  A <--- isready",
        f"[Engine] {process}  A ---> info depth 1",
        f"[Engine] {process}  A ---> readyok",
        f"[Engine] {process}  A <--- position startpos",
        f"[Engine] {process}  A <--- go wtime 100",
        rf"[Engine] {process}  A ---> info string \xff",
        f"[Engine] {process}  <stderr> A ---> out of",
        f"[Engine] {process}  <stderr> A ---> memory",
    ]


def test_what_is_less_serious_than_its_level_is_left_out(
    begin: Callable[..., MatchLog], path: Path
) -> None:
    log = begin(level="warn")
    log.tell("info", "nothing")
    log.tell("warn", "something")
    log.close()
    [line] = lines(path)
    assert line.endswith("--- something")


@pytest.mark.parametrize("append", [True, False])
def test_a_file_is_added_to_or_begun_anew(
    begin: Callable[..., MatchLog], path: Path, append: bool
) -> None:
    path.write_text("old\n")
    log = begin(append=append)
    log.tell("info", "new")
    log.close()
    assert path.read_text().startswith("old\n") is append
    assert path.read_text().endswith("new\n")


def test_a_compressed_file_has_the_time_in_its_name(
    begin: Callable[..., MatchLog], path: Path
) -> None:
    log = begin(compress=True)
    log.tell("info", "something")
    log.close()
    assert re.fullmatch(r"match\.log[0-9-]{10}T\.[0-9.]{8}\.gz", log.path.name)
    assert gzip.decompress(log.path.read_bytes()).endswith(b"ulci-server --- something\n")


@pytest.mark.parametrize("realtime", [True, False])
def test_with_or_without_haste_all_is_written_in_the_end(
    begin: Callable[..., MatchLog], path: Path, realtime: bool
) -> None:
    log = begin(realtime=realtime)
    for number in range(1000):
        log.tell("info", str(number))
    log.close()
    assert [line.rpartition(" ")[2] for line in lines(path)] == [*map(str, range(1000))]


def test_what_finds_no_room_is_dropped_and_counted(
    begin: Callable[..., MatchLog], path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = begin()
    monkeypatch.setattr(module, "CAPACITY", -1)
    log.tell("info", "lost")
    log.tell("info", "lost, too")
    monkeypatch.undo()
    log.tell("info", "kept")
    log.close()
    assert [line.partition(" --- ")[2] for line in lines(path)] == [
        "2 entries are missing here",
        "kept",
    ]


def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    with pytest.raises(MatchError, match=f"^Failed to open log file {tmp_path}: Is a directory$"):
        MatchLog(LogOutput(file=tmp_path), pytest.fail)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_why_a_log_ends_is_told_once() -> None:
    why: list[str] = []
    log = MatchLog(LogOutput(file=Path("/dev/full"), level="info"), why.append)
    log.tell("info", "something")
    log.close()
    log.tell("info", "something else")
    assert why == ["No space left on device"]
