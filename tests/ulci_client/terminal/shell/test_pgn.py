"""The game on the screen as other programs read it."""

import io
from datetime import UTC, datetime
from pathlib import Path

import chess.pgn
import pytest
import trio

from tests.support.terminal import lobby, playing, to_move
from tests.support.terminal_server import MemoryServer, greeted
from ulci.protocol.messages import Info
from ulci_client.server_list import ServerList
from ulci_client.terminal.model.game import Game
from ulci_client.terminal.model.state import ClientState
from ulci_client.terminal.shell.client import Client
from ulci_client.terminal.shell.pgn import COLUMNS, pgn
from ulci_client.terminal.shell.session import Session

BEGAN = datetime(2026, 11, 30, 12, tzinfo=UTC)
FISCHER = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"


def written(client: Client) -> str:
    assert client.state.game is not None
    return pgn(client.state.game, "tcp://here", BEGAN)


def read(text: str) -> chess.pgn.Game:
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert game.errors == []
    return game


def test_the_level_of_an_engine_is_behind_its_name() -> None:
    client = to_move("e2e4", "e7e5")
    assert client.state.game is not None
    client.state.game.levels[1] = 3
    headers = read(written(client)).headers
    assert (headers["White"], headers["Black"]) == ("Ada", "Bob level 3")


def test_a_game_is_written_with_its_tags_and_moves() -> None:
    client = to_move("e2e4", "e7e5", "g1f3", "b8c6")
    client.hear(Info(string="result 1-0 reason resignation"), 0.0)
    assert (
        written(client)
        == """\
[Event "Game 42"]
[Site "tcp://here"]
[Date "2026.11.30"]
[Round "-"]
[White "Ada"]
[Black "Bob"]
[Result "1-0"]
[UTCDate "2026.11.30"]
[UTCTime "12:00:00"]
[TimeControl "300+3"]
[Termination "normal"]

1. e4 e5 2. Nf3 Nc6 1-0

"""
    )


def test_a_game_that_is_not_over_has_no_result_yet() -> None:
    game = read(written(to_move("e2e4")))
    assert game.headers["Result"] == "*"
    assert [move.uci() for move in game.mainline_moves()] == ["e2e4"]


def test_a_mate_is_the_end_before_the_server_has_said_so() -> None:
    game = read(written(playing("f2f3", "e7e5", "g2g4", "d8h4")))
    assert game.headers["Result"] == "0-1"


def test_a_long_game_is_read_as_it_was_played_and_no_line_is_longer_than_allowed() -> None:
    moves = ("g1f3", "g8f6", "f3g1", "f6g8") * 3
    text = written(playing(*moves))
    assert [move.uci() for move in read(text).mainline_moves()] == [*moves]
    assert max(map(len, text.splitlines())) <= COLUMNS


def test_a_start_of_its_own_is_written_as_fen_also_where_black_begins() -> None:
    start = "8/8/8/4k3/8/8/4P3/4K3 b - - 0 1"
    text = written(playing("e5d5", "e2e4", start=start))
    assert '[SetUp "1"]' in text
    assert "\n1... Kd5 2. e4+ *\n" in text
    game = read(text)
    assert game.board().fen() == start
    assert [move.uci() for move in game.mainline_moves()] == ["e5d5", "e2e4"]


@pytest.mark.parametrize(
    ("rules", "start", "moves", "variant"),
    [
        ("chess960", FISCHER, ("e1f3",), "Chess960"),
        ("atomic", None, ("e2e4", "d7d5", "e4d5"), "Atomic"),
        ("crazyhouse", None, ("e2e4", "d7d5", "e4d5", "d8d5", "P@e4"), "Crazyhouse"),
    ],
)
def test_a_variant_is_named_and_read(
    rules: str, start: str | None, moves: tuple[str, ...], variant: str
) -> None:
    text = written(playing(*moves, start=start, game=rules))
    assert f'[Variant "{variant}"]' in text
    game = read(text)
    assert [move.uci() for move in game.mainline_moves()] == [*moves]


def test_other_games_are_written_with_their_own_moves() -> None:
    text = written(playing("b2", "a1", start="3/3/3 x 3", game="mnk"))
    assert '[Variant "mnk"]\n[SetUp "1"]\n[FEN "3/3/3 x 3"]' in text
    assert "1. b2 a1 *" in text


def test_what_people_call_themselves_breaks_no_tag_and_loses_nothing() -> None:
    game = Game(names=['Ada "the \\ cat"', ""])
    text = pgn(game, "here", BEGAN)
    assert r'[White "Ada \"the \\ cat\""]' in text
    assert read(text).headers["Site"] == "here"
    assert '[Event "?"]' in text


def test_a_liberty_game_that_is_chess_is_read_by_every_program() -> None:
    game = read(written(playing("e2e4", "e7e5", start=chess.STARTING_FEN, game="liberty")))
    assert game.headers["Rules"] == "liberty"
    assert "Variant" not in game.headers
    assert "FEN" not in game.headers
    assert [move.uci() for move in game.mainline_moves()] == ["e2e4", "e7e5"]


def test_the_usual_start_of_a_variant_is_no_setup() -> None:
    text = written(playing("e2e4", game="crazyhouse"))
    assert "SetUp" not in text


def test_moves_are_numbered_from_the_number_of_the_start() -> None:
    text = written(playing("e5d5", "e2e4", start="8/8/8/4k3/8/8/4P3/4K3 b - - 0 31"))
    assert "\n31... Kd5 32. e4+ *\n" in text


def test_a_word_that_is_no_symbol_stands_in_a_comment() -> None:
    text = written(playing("P]", "b2", game="unheard-of"))
    assert "\n1. Z0 { [%move P%5D] } 1... b2 *\n" in text


def test_the_game_began_on_the_day_it_began() -> None:
    text = written(playing("e2e4"))
    assert '[UTCDate "2026.11.30"]\n[UTCTime "12:00:00"]' in text
    assert '[Termination "unterminated"]' in text


async def test_the_game_on_the_screen_is_saved_by_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, autojump_clock: trio.abc.Clock
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    server, told = MemoryServer(), []
    session = Session(
        Client(ClientState("Ada", "memory")),
        ServerList([server]),
        lambda news: told.append(news.plain),
    )
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


def test_moves_of_a_book_are_marked_as_match_runners_mark_them() -> None:
    client = to_move("e2e4", "e7e5", "g1f3", "b8c6")
    lobby(client, "game 42 start white Ada black Bob game chess time 300+3 rated yes book 3")
    text = written(client)
    assert "1. e4 {book} 1... e5 {book} 2. Nf3 {book} 2... Nc6 *" in text
    assert [node.comment for node in read(text).mainline()] == ["book", "book", "book", ""]
