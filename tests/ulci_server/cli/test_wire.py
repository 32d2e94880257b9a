"""``ulci-server wire``: who said what when."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ulci.wire_log import Entry
from ulci.wire_log.entry import encode

MIDNIGHT = datetime(2026, 11, 28, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    entries = [
        ("started", 0, "ulci-server north"),
        ("opened", 1, "tcp 127.0.0.1:4711"),
        ("client", 1, "Ada\x1b[2J"),
        ("game", 1, "white", 17),
        ("said", 1, "go wtime 1000"),
        ("heard", 1, "bestmove e2e4"),
        ("dropped", 0, "", 0, 3),
        ("over", 1, "", 17),
        ("stderr", 1, "out of memory"),
        ("happened", 1, "trying again"),
        ("closed", 1, "closed by the other side"),
    ]
    path = tmp_path / "wire.log"
    path.write_bytes(
        b"".join(
            encode(Entry(MIDNIGHT + timedelta(milliseconds=at - 5), *entry)) + b"\n"
            for at, entry in enumerate(entries)
        )
    )
    return path


def test_a_conversation_is_shown_line_by_line(shell, path: Path) -> None:
    assert shell.run("wire", str(path)).stdout.splitlines() == [
        "2026-11-27 (UTC)",
        "23:59:59.995                    -- started ulci-server north",
        "23:59:59.996  #1                -- opened tcp 127.0.0.1:4711",
        "23:59:59.997  Ada?[2J           -- client Ada?[2J",
        "23:59:59.998  Ada?[2J           -- plays game 17 as white",
        "23:59:59.999  Ada?[2J           -> go wtime 1000",
        "2026-11-28 (UTC)",
        "00:00:00.000  Ada?[2J           <- bestmove e2e4",
        "00:00:00.001                    -- 3 lines dropped: the disk was too slow",
        "00:00:00.002  Ada?[2J           -- game 17 is over",
        "00:00:00.003  Ada?[2J           -- stderr out of memory",
        "00:00:00.004  Ada?[2J           -- trying again",
        "00:00:00.005  Ada?[2J           -- closed by the other side",
    ]


def test_one_game_is_shown(shell, path: Path) -> None:
    said = shell.run("wire", str(path), "--game", "17").stdout
    assert said.count("\n") == 7
    assert "opened" not in said


def test_what_is_not_there_is_said_to_be_missing(shell, path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"dropped", b"unknown"))
    for asked in ("--game=18", "--client=Eve", "--connection=2"):
        assert shell.refused("wire", str(path), asked, code=4) == (
            "there is nothing of that in the wire log"
        )
    assert "does not exist" in shell.refused("wire", str(path.with_name("none")), code=2)
