"""Files to which games are added: read again, they hold all games, whole."""

import errno
import io
from pathlib import Path

import chess.pgn
import pytest

from ulci_client.terminal.shell import pgn_file
from ulci_client.terminal.shell.pgn_file import TAIL, append_game

GAME = '[Event "?"]\n\n1. e4 *\n\n'


def game_text(number: int, moves: str, second: int = 0) -> str:
    """A game of ours."""
    return (
        f'[Event "Game {number}"]\n[Site "here"]\n[White "Ada"]\n[Black "Bob"]\n'
        f'[UTCDate "2026.11.30"]\n[UTCTime "12:00:{second:02}"]\n\n{moves}\n\n'
    )


def test_a_file_is_made_and_games_are_added_to_it(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    append_game(path, GAME)
    append_game(path, GAME)
    assert path.read_text() == GAME * 2


def test_the_last_game_of_a_file_is_replaced_by_what_became_of_it(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    append_game(path, game_text(1, "1. e4 1-0"))
    append_game(path, game_text(2, "1. e4 *"))
    append_game(path, game_text(2, "1. e4 e5 0-1"))
    assert path.read_text() == game_text(1, "1. e4 1-0") + game_text(2, "1. e4 e5 0-1")


def test_another_game_of_the_same_number_is_none_that_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    append_game(path, game_text(1, "1. e4 *"))
    append_game(path, game_text(1, "1. d4 *", second=30))
    assert path.read_text() == game_text(1, "1. e4 *") + game_text(1, "1. d4 *", second=30)


def test_a_game_is_replaced_also_behind_more_than_is_read_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    many = GAME * (TAIL // len(GAME) + 1)
    path.write_text(many)
    append_game(path, game_text(1, "1. e4 *"))
    append_game(path, game_text(1, "1. e4 1-0"))
    assert path.read_text() == many + game_text(1, "1. e4 1-0")


@pytest.mark.parametrize(
    "held", [b"Dear diary", b"\xff\xfe", b"\xff\xfe[\x00E\x00", b"%!PS\nDear", b"; [\n\nDear"]
)
def test_what_is_no_file_of_games_is_left_alone(tmp_path: Path, held: bytes) -> None:
    path = tmp_path / "diary"
    path.write_bytes(held)
    with pytest.raises(FileExistsError, match="not a PGN file"):
        append_game(path, GAME)
    assert path.read_bytes() == held


def games(path: Path) -> list[tuple[str, str]]:
    """The name and the moves of every game, as another program reads them."""
    text = io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")
    found = []
    while (game := chess.pgn.read_game(text)) is not None:
        assert game.errors == []
        found.append((game.headers["Event"], " ".join(map(str, game.mainline_moves()))))
    return found


THEIRS = '[Event "Theirs"]\n[Site "there"]\n[Result "1-0"]\n\n1. d4 1-0'


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["unix", "windows"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["bare", "marked"])
@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\n\n\n"])
@pytest.mark.parametrize("before", ["", "\n\n", "; my games\n%a line for a program\n\n"])
def test_a_file_of_another_program_keeps_its_games_and_gets_one_more(
    tmp_path: Path, newline: str, mark: str, end: str, before: str
) -> None:
    path = tmp_path / "games.pgn"
    held = (mark + before + THEIRS + end).replace("\n", newline).encode()
    path.write_bytes(held)
    append_game(path, game_text(1, "1. e4 *"))
    append_game(path, game_text(1, "1. e4 e5 *"))
    assert games(path) == [("Theirs", "d2d4"), ("Game 1", "e2e4 e7e5")]
    assert path.read_bytes().startswith(held)
    assert path.read_bytes().count(b"\n") == path.read_bytes().count(newline.encode())


@pytest.mark.parametrize("held", [b"", b"\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\r\n"])
def test_a_file_without_games_gets_its_first(tmp_path: Path, held: bytes) -> None:
    path = tmp_path / "games.pgn"
    path.write_bytes(held)
    append_game(path, game_text(1, "1. e4 *"))
    assert games(path) == [("Game 1", "e2e4")]


def test_a_game_that_another_program_added_behind_ours_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    ours = game_text(1, "1. e4 *")
    path.write_text(ours + THEIRS.replace('[Event "Theirs"]\n', ""))
    append_game(path, game_text(1, "1. e4 e5 *"))
    assert [moves for _, moves in games(path)] == ["e2e4", "d2d4", "e2e4 e7e5"]


class FullDisk(io.BytesIO):
    """Has room for what it has had, and no more."""

    def write(self, data) -> int:
        if len(self.getbuffer()) + len(data) > self.room:
            super().write(data[: self.room - len(self.getbuffer())])
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(data)


def test_an_earlier_save_is_kept_where_there_is_no_room_for_a_later_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = (THEIRS + "\n\n" + game_text(1, "1. e4 *")).encode()
    file = FullDisk(held)
    file.room, file.close = len(held), lambda: None
    monkeypatch.setattr(pgn_file.Path, "open", lambda *_, **__: file)
    with pytest.raises(OSError, match="No space left"):
        append_game(tmp_path / "games.pgn", game_text(1, "1. e4 e5 2. Nf3 *"))
    assert file.getvalue() == held
