"""The log, which people read and programs too, and in which strangers write."""

import io
import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest
import structlog

from ulci_server.cli import logs
from ulci_server.config import Log

HANG = 60
"""Seconds; a hang guard that no test waits for."""


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    """Where the log is written; afterwards everything is as it was."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    root.handlers = []
    yield io.StringIO()
    root.handlers = handlers
    root.setLevel(level)
    for name in logs.TALKATIVE:
        logging.getLogger(name).setLevel(logging.NOTSET)


def test_a_line_for_people_has_time_level_event_and_values(stream: io.StringIO) -> None:
    logs.set_up(Log(), stream)
    structlog.get_logger().info("joined", client="Ada", games=3)
    time, line = stream.getvalue().split(" ", 1)
    assert time.endswith("Z")
    assert line == "[info     ] joined                   client='Ada' games=3\n"


@pytest.mark.parametrize("form", ["console", "json"])
def test_each_line_of_a_cluster_says_of_which_server_it_is(stream: io.StringIO, form: str) -> None:
    logs.set_up(Log(format=form), stream, "a")
    structlog.get_logger().info("joined", client="Ada")
    thread = threading.Thread(target=lambda: logging.getLogger("lib").warning("slow"))
    thread.start()
    thread.join()
    joined, slow = stream.getvalue().splitlines()
    if form == "console":
        assert joined.endswith("joined                   server='a' client='Ada'")
        assert slow.endswith("slow                     [lib] server='a'")
    else:
        assert [json.loads(line)["server"] for line in (joined, slow)] == ["a", "a"]


def test_what_is_below_the_level_is_left_out(stream: io.StringIO) -> None:
    logs.set_up(Log(level="warning"), stream)
    structlog.get_logger().info("joined")
    logging.getLogger("lib").info("joined")
    assert stream.getvalue() == ""
    structlog.get_logger().warning("slow")
    assert "slow" in stream.getvalue()


def test_json_is_an_object_a_line(stream: io.StringIO) -> None:
    logs.set_up(Log(format="json"), stream)
    structlog.get_logger().info("joined", client="Ж\n", at=object)
    event = json.loads(stream.getvalue())
    assert (event["event"], event["level"], event["client"]) == ("joined", "info", "Ж\n")
    assert stream.getvalue().count("\n") == 1


@pytest.mark.parametrize("form", ["console", "json"])
def test_nobody_forges_a_line_or_speaks_to_the_terminal(stream: io.StringIO, form: str) -> None:
    logs.set_up(Log(format=form), stream)
    hostile = "x\n2026 [error] forged\x1b[2J\u202e\x9b"
    structlog.get_logger().info(hostile, client=hostile)
    logging.getLogger("lib").warning("%s", hostile)
    text = stream.getvalue()
    assert not any(letter in text for letter in "\x1b\u202e\x9b")
    assert len(text.splitlines()) == 2


@pytest.mark.parametrize("form", ["console", "json"])
def test_secrets_are_left_out(stream: io.StringIO, form: str) -> None:
    logs.set_up(Log(format=form), stream)
    structlog.get_logger().info("x", resume="s3cret", url="postgresql://a:s3cret@h/x")
    assert "s3cret" not in stream.getvalue()
    assert "postgresql://a:***@h/x" in stream.getvalue()


def test_libraries_log_through_the_same_lines(stream: io.StringIO) -> None:
    logs.set_up(Log(), stream)
    logging.getLogger("somelib").warning("took %d s", 3)
    assert "took 3 s" in stream.getvalue()
    assert "somelib" in stream.getvalue()
    logging.getLogger("alembic.runtime").info("Context impl")
    assert "Context" not in stream.getvalue()


def test_a_traceback_has_its_lines_none_of_which_looks_like_one_of_the_log(
    stream: io.StringIO,
) -> None:
    logs.set_up(Log(), stream)
    try:
        raise ValueError("it\x1b burns\n2026 [error] forged")
    except ValueError:
        structlog.get_logger().exception("failed")
    first, *lines = stream.getvalue().splitlines()
    assert "failed" in first
    assert lines[0] == "    Traceback (most recent call last):"
    assert lines[-2:] == ["    ValueError: it\\x1b burns", "    2026 [error] forged"]


# For the rest of a process

TALKER = """
import sys, threading, warnings
import structlog
from ulci_server.cli import logs
from ulci_server.config import Log
before = structlog.get_logger()
logs.FLUSH = {flush}
logs.take_over(Log(format={form!r}))
for number in range({lines}):
    before.info("line", number=number)
warnings.warn("old")
thread = threading.Thread(target=lambda: 1 // 0)
thread.start()
thread.join()
print("banner")
raise SystemExit("good bye")
"""


def talk(
    stderr: int, *, form: str = "console", lines: int = 1, flush: float = HANG
) -> subprocess.Popen[str]:
    script = TALKER.format(form=form, lines=lines, flush=flush)
    return subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=stderr, text=True
    )


@pytest.mark.system
def test_all_that_a_process_says_is_written_until_its_end() -> None:
    with talk(subprocess.PIPE) as process:
        out, err = process.communicate(timeout=HANG)
    assert out == "banner\n"
    line, warning, *traceback, last = err.splitlines()
    assert line.endswith("number=0")
    assert "UserWarning: old" in warning
    assert warning.startswith("20")
    assert traceback[-1].startswith("ZeroDivisionError")
    # Nothing of the log complains when the interpreter takes itself apart.
    assert last == "good bye"
    assert process.returncode == 1


@pytest.mark.system
@pytest.mark.parametrize("form", ["console", "json"])
def test_nobody_waits_for_a_log_that_nobody_reads(form: str) -> None:
    there, here = os.pipe()
    with os.fdopen(there, encoding="utf-8") as log:
        with talk(here, form=form, lines=20_000, flush=0.01) as process:
            # It ends although nobody has read a line yet.
            assert process.wait(HANG) == 1
        os.close(here)
        assert log.readline().count("number") == 1


@pytest.mark.system
def test_what_was_dropped_is_a_line_of_the_log() -> None:
    with talk(subprocess.PIPE, form="json", lines=20_000) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        # When all else is over it waits for a reader.
        assert process.stdout.readline() == "banner\n"
        events = [json.loads(line) for line in process.stderr if line.startswith("{")]
    said = [event for event in events if event["event"] == "line"]
    [dropped] = [event for event in events if event["event"] == "log lines dropped"]
    assert dropped["level"] == "warning"
    assert dropped["why"] == "nobody read the log"
    assert 0 < 20_000 - len(said) <= dropped["lines"]


@pytest.mark.system
def test_a_process_without_standard_output_and_error_logs_to_nowhere() -> None:
    script = TALKER.format(form="console", lines=1, flush=HANG)
    done = subprocess.run(
        ["sh", "-c", '"$0" -c "$1" >&- 2>&-', sys.executable, script], timeout=HANG
    )
    assert done.returncode == 1


def test_the_level_changes_for_loggers_that_are_kept(stream: io.StringIO) -> None:
    logs.set_up(Log(), stream)
    structlog.configure(cache_logger_on_first_use=True)
    log = structlog.get_logger("kept")
    log.info("one")
    log.debug("two")
    logs.set_level(Log(level="debug"))
    log.debug("three")
    logging.getLogger("library").debug("four")
    logs.set_level(Log(level="error"))
    log.warning("five")
    logging.getLogger("library").warning("six")
    told = stream.getvalue()
    assert [word for word in ("one", "two", "three", "four", "five", "six") if word in told] == [
        "one",
        "three",
        "four",
    ]
