"""The games of the last day, as a restart finds them."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ulci_client.bot.games_file import (
    HEAD,
    GamesFileError,
    default_path,
    read_games,
    write_games,
)
from ulci_client.bot.ledger import Begun

NOON = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)
GAMES = [Begun("ada", NOON - timedelta(hours=2)), Begun("zoë", NOON)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "bot.games"


def test_what_is_written_is_read_again_and_nothing_is_left_beside_it(path) -> None:
    write_games(path, [])
    write_games(path, GAMES)
    assert read_games(path, NOON) == (GAMES, "")
    assert [*path.parent.iterdir()] == [path]


def test_what_is_not_there_yet_holds_nothing(path) -> None:
    assert read_games(path, NOON) == ([], "")


def test_an_empty_file_holds_nothing(path) -> None:
    path.parent.mkdir()
    path.touch()
    assert read_games(path, NOON) == ([], "")


@pytest.mark.parametrize(
    "garbage", ["2026-11-23T12:00", "x ada", "9999-12-31T23:59:59-23:59 ada", "\0" * 20, "é"]
)
def test_of_a_damaged_file_the_rest_is_read(path, garbage) -> None:
    write_games(path, GAMES)
    path.write_bytes(path.read_bytes() + garbage.encode() + b"\n\xff\n")
    games, damage = read_games(path, NOON)
    assert games == GAMES
    assert damage == f"{path} is damaged: 2 of its games are forgotten"


def test_a_file_that_was_cut_short_loses_one_game(path) -> None:
    write_games(path, GAMES)
    path.write_bytes(path.read_bytes()[:-6])
    games, damage = read_games(path, NOON)
    assert games == GAMES[:1]
    assert "1 of its games" in damage


def test_a_game_of_tomorrow_was_begun_before_the_clock_was_set_back(path) -> None:
    write_games(path, [Begun("ada", NOON + timedelta(days=400))])
    assert read_games(path, NOON) == ([Begun("ada", NOON)], "")


@pytest.mark.parametrize("text", ['name = "Fish"\n', "\0\0\0\0", f"{HEAD}0\n"])
def test_another_file_is_never_taken_for_it(path, text) -> None:
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(GamesFileError, match="is not a file with a bot's games, and is left alone"):
        read_games(path, NOON)


def test_what_cannot_be_read_or_written_is_told(tmp_path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(GamesFileError, match=f"cannot read {tmp_path}: Is a directory"):
        read_games(tmp_path, NOON)
    with pytest.raises(GamesFileError, match="Is a directory; a restart forgets"):
        write_games(tmp_path, GAMES)
    with pytest.raises(GamesFileError, match="cannot write to "):
        write_games(tmp_path / "file" / "x", GAMES)
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_each_configuration_has_a_file_of_its_own(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    one, other = (default_path(tmp_path / folder / "bot.toml") for folder in "ab")
    assert one != other
    assert one.parent == other.parent == tmp_path / "ulci"
    assert one.name.startswith("bot-")
    monkeypatch.setenv("XDG_STATE_HOME", "relative")  # which the specification says to ignore
    assert default_path(tmp_path / "bot.toml").parent == Path.home() / ".local/state/ulci"
