"""Games on the disk."""

from pathlib import Path

import pytest
import trio

from tests.support.terminal_server import MemoryServer, greeted
from ulci_client.terminal.model import Model
from ulci_client.terminal.saving import TAIL, put
from ulci_client.terminal.session import Session

GAME = '[Event "?"]\n\n1. e4 *\n\n'


def written(number: int, moves: str, second: int = 0) -> str:
    """A game of ours."""
    return (
        f'[Event "Game {number}"]\n[Site "here"]\n[White "Ada"]\n[Black "Bob"]\n'
        f'[UTCDate "2026.11.30"]\n[UTCTime "12:00:{second:02}"]\n\n{moves}\n\n'
    )


def test_a_file_is_made_and_games_are_added_to_it(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    put(path, GAME)
    put(path, GAME)
    assert path.read_text() == GAME * 2


def test_the_last_game_of_a_file_is_replaced_by_what_became_of_it(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    put(path, written(1, "1. e4 1-0"))
    put(path, written(2, "1. e4 *"))
    put(path, written(2, "1. e4 e5 0-1"))
    assert path.read_text() == written(1, "1. e4 1-0") + written(2, "1. e4 e5 0-1")


def test_another_game_of_the_same_number_is_none_that_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    put(path, written(1, "1. e4 *"))
    put(path, written(1, "1. d4 *", second=30))
    assert path.read_text() == written(1, "1. e4 *") + written(1, "1. d4 *", second=30)


def test_a_game_is_replaced_also_behind_more_than_is_read_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    many = GAME * (TAIL // len(GAME) + 1)
    path.write_text(many)
    put(path, written(1, "1. e4 *"))
    put(path, written(1, "1. e4 1-0"))
    assert path.read_text() == many + written(1, "1. e4 1-0")


@pytest.mark.parametrize("held", [b"Dear diary", b"\xff\xfe"])
def test_what_is_no_file_of_games_is_left_alone(tmp_path: Path, held: bytes) -> None:
    path = tmp_path / "diary"
    path.write_bytes(held)
    with pytest.raises(FileExistsError, match="no file of games"):
        put(path, GAME)
    assert path.read_bytes() == held


async def test_the_game_on_the_screen_is_saved_by_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, autojump_clock: trio.abc.Clock
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    server, told = MemoryServer(), []
    session = Session(Model("Ada", "memory"), server.dial, lambda news: told.append(news.plain))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(session.run)
        line = await greeted(server)
        await line.begin(42, "Ada", "Bob")
        line.ask()
        while "your move" not in told:
            await session.changed_since(session.changes)
        session.typed("save")
        session.typed("save ~/mine.pgn")
        session.typed("save nowhere/game.pgn")
        await trio.sleep(100)
        line.finish(42, "1-0")
        while "result 1-0" not in told[-1]:
            await session.changed_since(session.changes)
        session.typed("save")
        session.leave()
    for name in ("game-42.pgn", "mine.pgn"):
        assert (tmp_path / name).read_text().count('[White "Ada"]') == 1
    assert '[Result "1-0"]' in (tmp_path / "game-42.pgn").read_text()
    assert told[-5:-2] == [
        "ok saved game-42.pgn, not over yet",
        "ok saved ~/mine.pgn, not over yet",
        "error nowhere/game.pgn cannot be written: No such file or directory",
    ]
    assert told[-1] == "ok saved game-42.pgn"
