"""Files of games that grow with a match, and survive its crashes."""

import io
from pathlib import Path

import chess.pgn
import pytest

from tests.support.facts import finished, line, noted
from ulci_server.storage import MemoryDatabase
from ulci_server.storage.export import (
    EPD_FILE,
    PGN_FILE,
    GameFile,
    GameFileError,
    RunnerStyle,
    empty_file,
    final_epd,
    runner_pgn,
)


def pgn(number: int) -> str:
    database = MemoryDatabase()
    database.save(noted([*line(number, "e2e4 e7e5"), finished(number)]))
    return runner_pgn(database.games.find()[0], database.games.moves(number), RunnerStyle())


def ids(path: Path) -> list[str]:
    stream, found = io.StringIO(path.read_text()), []
    while (game := chess.pgn.read_game(stream)) is not None:
        assert game.errors == []
        found.append(game.headers["GameId"])
    return found


def test_games_are_added_one_by_one_and_each_once(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    file = GameFile(path, PGN_FILE)
    for game in (2, 1, 2):
        file.add(game, pgn(game))
    assert ids(path) == ["2", "1"]
    assert file.written == {1, 2}
    file.close()


@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_what_a_file_had_before_stays_and_is_not_of_the_match(tmp_path: Path, end: str) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(pgn(1) + end)
    file = GameFile(path, PGN_FILE)
    assert (file.start, file.written) == (len(pgn(1)) + 2, set())
    file.add(1, pgn(1))
    assert ids(path) == ["1", "1"]
    file.close()


@pytest.mark.parametrize("chunk", [100, 1024 * 1024])
def test_a_match_that_goes_on_finds_its_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr("ulci_server.storage.export.game_file.CHUNK", chunk)
    path = tmp_path / "games.pgn"
    path.write_text(pgn(9) + "\n\n")
    first = GameFile(path, PGN_FILE)
    for game in (1, 3):
        first.add(game, pgn(game))
    first.close()

    later = GameFile(path, PGN_FILE, first.start)

    assert later.written == {1, 3}
    later.add(2, pgn(2))
    assert ids(path) == ["9", "1", "3", "2"]
    later.close()


@pytest.mark.parametrize("left", range(1, len(pgn(2)) + 2, 7))
def test_of_a_half_written_game_nothing_stays(tmp_path: Path, left: int) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(f"{pgn(1)}\n\n{pgn(2)}\n\n"[: len(pgn(1)) + 2 + left])
    file = GameFile(path, PGN_FILE, 0)
    assert file.written == {1}
    file.add(2, pgn(2))
    assert path.read_text() == f"{pgn(1)}\n\n{pgn(2)}\n\n"
    file.close()


def test_a_file_that_was_taken_away_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    file = GameFile(path, PGN_FILE, 4711)
    assert (file.start, file.written) == (0, set())
    file.add(1, pgn(1))
    assert ids(path) == ["1"]
    file.close()


def test_last_positions_have_the_numbers_of_their_games(tmp_path: Path) -> None:
    path, database = tmp_path / "book.epd", MemoryDatabase()
    database.save(noted(line(12, "e2e4 e7e5")))
    position = final_epd(database.games.find()[0], database.games.moves(12))
    file = GameFile(path, EPD_FILE)
    file.add(12, f"{position} # game 12")
    file.close()
    later = GameFile(path, EPD_FILE, 0)
    assert later.written == {12}
    later.close()


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(GameFileError, match=r"cannot write the file .*: Is a directory"):
        GameFile(tmp_path, PGN_FILE)
    with pytest.raises(GameFileError, match=r"cannot write the file .*: No such file"):
        GameFile(tmp_path / "none" / "games.pgn", PGN_FILE)


class _Full(io.FileIO):
    """Takes a hundred bytes more."""

    def write(self, data: bytes) -> int:
        return super().write(data[:100])


def test_a_full_disk_is_told_and_leaves_no_half_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(f"{pgn(1)}\n\n")
    monkeypatch.setattr(
        "ulci_server.storage.export.game_file._opened", lambda path: _Full(path, "a+b")
    )
    file = GameFile(path, PGN_FILE, 0)
    with pytest.raises(GameFileError, match="No space left on device"):
        file.add(2, pgn(2))
    assert file.written == {1}
    file.close()
    assert path.read_text() == f"{pgn(1)}\n\n"


def test_a_file_is_emptied_and_what_cannot_be_is_named(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(pgn(1))
    empty_file(path)
    assert path.read_text() == ""
    with pytest.raises(GameFileError, match=r"cannot write the file .*: Is a directory"):
        empty_file(tmp_path)


def test_a_device_takes_games_stays_and_is_never_read() -> None:
    null = Path("/dev/null")
    empty_file(null)
    assert null.is_char_device()
    file = GameFile(null, PGN_FILE)
    file.add(1, pgn(1))
    file.close()
    full = GameFile(Path("/dev/full"), PGN_FILE)
    with pytest.raises(GameFileError, match="No space left on device"):
        full.add(1, pgn(1))
    full.close()
