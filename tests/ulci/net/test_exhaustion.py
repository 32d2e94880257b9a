"""Nothing is left for newcomers: it is said now and then, and tried again and again."""

import errno
import logging

import pytest

from ulci.net.exhaustion import LONGEST, SHORTEST, SILENCE, Exhaustion
from ulci.net.listen import log_error

FULL = OSError(errno.EMFILE, "Too many open files")


def test_it_is_said_once_a_minute_with_how_often() -> None:
    exhaustion = Exhaustion()
    said = [exhaustion.report(FULL, 1000 + second) for second in range(int(2 * SILENCE) + 1)]
    texts = [str(error.strerror) for error in said if error is not None]
    assert len(texts) == 3
    assert texts[0].startswith("nobody can connect, out of file descriptors: ")
    assert texts[1].endswith(f" ({SILENCE:g} times since it was last said)")


def test_tries_become_rarer_and_often_again_after_one_that_went_well() -> None:
    exhaustion = Exhaustion()
    assert [exhaustion.pause() for _ in range(3)] == [SHORTEST, 2 * SHORTEST, 4 * SHORTEST]
    assert max(exhaustion.pause() for _ in range(20)) == LONGEST
    exhaustion.over()
    assert exhaustion.pause() == SHORTEST


def test_it_is_one_line_of_a_log(caplog: pytest.LogCaptureFixture) -> None:
    error = Exhaustion().report(FULL, 0.0)
    assert error is not None
    with caplog.at_level(logging.DEBUG):
        log_error("tcp://127.0.0.1:1", error)
    (record,) = caplog.records
    assert record.exc_info is None
    assert record.getMessage().startswith("tcp://127.0.0.1:1: nobody can connect, out of file")
    caplog.clear()  # where an ERROR in the log fails
