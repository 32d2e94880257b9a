"""A log is read as people ask for it."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from ulci.wire_log import Entry, conversation, merged
from ulci.wire_log.entry import encode

BEGUN = datetime(2026, 11, 27, 23, 59, 58, tzinfo=UTC)


def log(*entries: tuple[Any, ...], begun: datetime = BEGUN) -> bytes:
    """An entry a second."""
    return b"".join(
        encode(Entry(begun + timedelta(seconds=at), *entry)) + b"\n"
        for at, entry in enumerate(entries)
    )


def shown(path: Path, **asked: Any) -> list[str]:
    return [
        f"{who} {entry.event} {entry.text}".strip() for who, entry in conversation(path, **asked)
    ]


TWO_GAMES = log(
    ("started", 0, "server"),
    ("opened", 1, "tcp"),
    ("said", 1, "uci"),
    ("opened", 2, "ws"),
    ("client", 1, "Ada"),
    ("client", 2, "Bob"),
    ("game", 1, "white", 7),
    ("game", 2, "black", 7),
    ("said", 1, "go"),
    ("over", 2, "", 7),
    ("said", 2, "lobby"),
    ("game", 2, "black", 8),
    ("said", 2, "isready"),
    ("heard", 1, "bestmove e2e4"),
    ("closed", 1, "gone"),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "wire.log"
    path.write_bytes(TWO_GAMES)
    return path


def test_a_game_is_what_its_players_say_and_hear_while_they_play(path: Path) -> None:
    assert shown(path, game=7) == [
        "Ada game white",
        "Bob game black",
        "Ada said go",
        "Bob over",
        "Ada heard bestmove e2e4",
        "Ada closed gone",
    ]
    assert shown(path, game=8) == ["Bob game black", "Bob said isready"]
    assert shown(path, game=9) == []


def test_a_client_is_found_from_its_first_line_on(path: Path) -> None:
    assert shown(path, client="ADA") == [
        "#1 opened tcp",
        "#1 said uci",
        "Ada client Ada",
        "Ada game white",
        "Ada said go",
        "Ada heard bestmove e2e4",
        "Ada closed gone",
    ]
    assert shown(path, client="Eve") == []


def test_a_connection_is_found_by_its_number(path: Path) -> None:
    assert shown(path, connection=2, game=8) == ["Bob game black", "Bob said isready"]
    assert len(shown(path, connection=2)) == 7


def test_after_a_restart_numbers_mean_others(path: Path) -> None:
    again = log(("started", 0, "server"), ("opened", 1, "tcp"), ("said", 1, "go"))
    path.write_bytes(TWO_GAMES + again)
    assert shown(path, connection=1)[-2:] == ["#1 opened tcp", "#1 said go"]
    assert shown(path, client="Ada")[-1] == "Ada closed gone"
    assert shown(path, game=7)[-1] == "Ada closed gone"


def test_it_is_read_across_its_files(path: Path) -> None:
    lines = TWO_GAMES.splitlines(keepends=True)
    expected = shown(path)
    path.with_name("wire.log.2").write_bytes(b"".join(lines[:4]))
    path.with_name("wire.log.1").write_bytes(b"".join(lines[4:11]))
    path.write_bytes(b"".join(lines[11:]))
    assert shown(path) == expected
    assert shown(path, client="Ada")[0] == "#1 opened tcp"


def test_a_line_that_was_cut_off_is_left_out(path: Path) -> None:
    path.write_bytes(TWO_GAMES[:-20] + b"\n\xff\n{}\n" + log(("said", 2, "go")))
    assert shown(path)[-2:] == ["Ada heard bestmove e2e4", "Bob said go"]


def test_where_lines_are_missing_everybody_is_told(path: Path) -> None:
    path.write_bytes(TWO_GAMES + log(("dropped", 0, "", 0, 12)))
    for asked in ({}, {"game": 7}, {"client": "Bob"}, {"connection": 1}):
        *_, (who, entry) = conversation(path, **asked)
        assert (who, entry.event, entry.dropped) == ("", "dropped", 12)


def test_the_logs_of_several_servers_are_one_conversation(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.log"
    later = BEGUN + timedelta(seconds=2.5)
    other.write_bytes(log(("opened", 1, "tcp"), ("client", 1, "Eve"), begun=later))
    both = [(who, entry.event) for who, entry in merged([conversation(path), conversation(other)])]
    assert both[2:6] == [("#1", "said"), ("#1", "opened"), ("#2", "opened"), ("Eve", "client")]
