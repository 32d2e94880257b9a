import io
from datetime import UTC, datetime

import pytest

from tests.support.lobby import as_it_is
from ulci.protocol import Unread
from ulci.protocol.messages import BestMove, Go, Id, Info, Position, Seek, Terms, Unknown
from ulci_client.transcript import Transcript, format_message

NOON = datetime(2026, 11, 20, 12, 0, 0, 123_456, tzinfo=UTC)


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (Position(None, ("e2e4",)), "position startpos moves e2e4"),
        (Go(movetime=5), "go movetime 5"),
        (BestMove("e2e4", "e7e5"), "bestmove e2e4 ponder e7e5"),
        (Unread("info  depth 1   nonsense"), "info  depth 1   nonsense"),
        (Seek(Terms(game="chess")), "seek game chess"),
        (Unknown("joho"), "joho"),
    ],
)
def test_a_message_is_written_as_a_line(message, line):
    assert format_message(message) == line


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (Id("token", "s3cret"), "id token …"),
        (Id("resume", "s3cret"), "id resume …"),
        (
            as_it_is("welcome name Ada resume s3cret account no"),
            "lobby welcome name Ada resume … account no",
        ),
    ],
)
def test_secrets_are_left_out(message, line):
    assert format_message(message) == line


def test_what_no_dialect_can_write_does_no_harm():
    assert format_message(Info(string="x", pv=("e2e4",))).startswith("Info(")


def test_every_line_says_when_which_who_and_what():
    file = io.StringIO()
    record = Transcript(file, lambda: NOON)
    record.said(2, "engine", Go(depth=1))
    record.heard(2, "engine", BestMove("e2e4"))
    record.happened(1, "server", "disconnected")
    assert file.getvalue().splitlines() == [
        "2026-11-20T12:00:00.123+00:00 2 engine > go depth 1",
        "2026-11-20T12:00:00.123+00:00 2 engine < bestmove e2e4",
        "2026-11-20T12:00:00.123+00:00 1 server - disconnected",
    ]


def test_without_a_file_nothing_is_written():
    record = Transcript(None)
    record.said(1, "engine", Go())
    record.heard(1, "engine", BestMove("e2e4"))
    record.happened(1, "server", "disconnected")


def test_the_default_time_is_utc_now():
    file = io.StringIO()
    Transcript(file).happened(1, "server", "x")
    assert datetime.fromisoformat(file.getvalue().split()[0]).tzinfo == UTC


class FullDisk(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError(28, "No space left on device")


def test_a_full_disk_ends_the_log_and_nothing_else():
    complaints: list[str] = []
    record = Transcript(FullDisk(), complain=complaints.append)
    record.said(1, "engine", Go())
    record.heard(1, "engine", BestMove("e2e4"))
    assert complaints == ["the log ends here: No space left on device"]
