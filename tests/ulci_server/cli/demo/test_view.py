"""What is seen of a game while it is played."""

import io
import re
from collections.abc import Sequence
from contextlib import redirect_stdout

import chess.pgn
import pytest

from tests.support.facts import ADA, analysed, finished, line, noted, played
from ulci.protocol.messages import Score
from ulci.rules import GAMES, Side
from ulci_server.cli.demo.view import (
    BLACK_MAN,
    DARK,
    LIGHT,
    TOUCHED,
    WHITE_MAN,
    Lines,
    Sheet,
    board,
    spelled,
    view,
    without_comments,
)
from ulci_server.cli.output import width
from ulci_server.game import Fact, Seat
from ulci_server.storage import GameRecord, MemoryDatabase, MoveRecord
from ulci_server.storage.export import pgn

OPENING = "d2d4 d7d5 c2c4 e7e6 b1c3 g8f6 c1g5"

ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def stored(*facts: Fact) -> tuple[GameRecord, Sequence[MoveRecord]]:
    database = MemoryDatabase()
    database.save(noted(facts))
    return database.games.find()[0], database.games.moves(1)


class Terminal(io.StringIO):
    """Standard output that somebody looks at."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """One of 80 columns and 24 lines."""
    for name, value in {"COLUMNS": "80", "LINES": "24", "TERM": "xterm"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("NO_COLOR", raising=False)
    return Terminal()


def seen(terminal: Terminal, *facts: Fact) -> str:
    """What a new view writes."""
    with redirect_stdout(terminal):
        view()(*stored(*facts))
    return terminal.getvalue()


def test_elsewhere_each_new_move_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    show = Lines().show
    show(*stored(*line(1, "e2e4")))
    show(*stored(*line(1, "e2e4"), played(1, 1, "e7e5", info=analysed())))
    assert capsys.readouterr().out.splitlines() == [
        "game 1: Ada - Bob, chess 300+3",
        "1. e4           300.0 s left   1.50 s",
        "1... e5         299.0 s left   1.50 s   +0.23 at depth 12",
    ]


def test_a_terminal_shows_a_board_that_is_drawn_over_itself(terminal: Terminal) -> None:
    with redirect_stdout(terminal):
        show = view()
        show(*stored(*line(1, "")))
        first = terminal.getvalue()
        show(*stored(*line(1, "e2e4")))
    second = terminal.getvalue().removeprefix(first)
    assert not first.startswith("\x1b[")
    assert second.startswith(f"\x1b[{first.count(chr(10))}F")
    assert " 4" in ESCAPES.sub("", second)
    assert "1. e4" in second


def test_no_line_is_longer_than_the_terminal(terminal: Terminal) -> None:
    long = Seat("N" * 60, "engine")
    thought = analysed(depth=245, score=Score(mate=-111))
    facts = [
        *line(1, OPENING, seats=(long, long), start=None),
        played(1, 7, "f8e7", info=thought, spent=123_456_789, left=2_000_000_000),
    ]
    assert max(map(width, ESCAPES.sub("", seen(terminal, *facts)).splitlines())) < 80


@pytest.mark.parametrize(("name", "value"), [("TERM", "dumb"), ("LINES", "10")])
def test_where_no_board_can_be_drawn_there_are_lines(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    assert seen(terminal, *line(1, "e2e4")).startswith("game 1: Ada - Bob")


def test_no_color_is_respected(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    text = seen(terminal, *line(1, ""))
    assert "♔" in text
    assert "48;5" not in text


def test_a_terminal_that_has_no_chess_pieces_gets_letters(terminal: Terminal) -> None:
    terminal.encoding = "ascii"
    text = seen(terminal, *line(1, ""))
    assert " R  N  B  Q  K  B  N  R" in text
    assert text.isascii()


def test_a_player_without_a_move_has_only_a_name(terminal: Terminal) -> None:
    lines = ESCAPES.sub("", seen(terminal, *line(1, "e2e4"))).splitlines()
    assert lines[0].strip() == "Bob"
    assert lines[10].split()[:2] == [ADA.name, "300.0"]


def sheet(moves: str) -> Sheet:
    game, played_ = stored(*line(1, moves))
    sheet = Sheet(game)
    sheet.follow(played_)
    return sheet


@pytest.mark.parametrize(
    ("plies", "end"),
    [
        (0, ""),
        (1, "1. d4"),
        (2, "1. d4 d5"),
        (6, "1. d4 d5  2. c4 e6  3. Nc3 Nf6"),
        (7, "2. c4 e6  3. Nc3 Nf6  4. Bg5"),
    ],
)
def test_the_last_moves_stand_as_in_a_score_sheet(plies: int, end: str) -> None:
    assert sheet(" ".join(OPENING.split()[:plies])).end == end


def test_moves_are_numbered_from_whoever_begins() -> None:
    fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"
    facts = [
        *line(1, "", start=fen),
        played(1, 0, "e8e7", side=Side.BLACK),
        played(1, 1, "e2e4", side=Side.WHITE),
    ]
    game, moves = stored(*facts)
    black_begins = Sheet(game)
    black_begins.follow(moves)
    assert black_begins.moves == ["1... Ke7", "2. e4"]


@pytest.mark.parametrize(
    ("score", "text"),
    [
        (Score(cp=31), "+0.31"),
        (Score(cp=-1290), "-12.90"),
        (Score(mate=3), "mate in 3"),
        (Score(mate=-2), "mated in 2"),
    ],
)
def test_scores_are_spelled_in_pawns_or_moves_to_mate(score: Score, text: str) -> None:
    assert spelled(score) == text


def after(*moves: str, colors: bool = False, unicode: bool = False) -> list[str]:
    position = GAMES["chess"].new(None)
    for move in moves:
        position.play_untrusted(move)
    return board(position, colors=colors, unicode=unicode)


def test_it_is_seen_from_whites_side_with_its_coordinates() -> None:
    lines = after("e2e4")
    assert lines[0] == " 8  r  n  b  q  k  b  n  r "
    assert lines[4] == " 4  .  .  .  .  P  .  .  . "
    assert lines[-1] == "    a  b  c  d  e  f  g  h "


def test_with_chess_pieces_whites_are_outlined() -> None:
    lines = after(unicode=True)
    assert lines[0].split()[1] == "♜"
    assert lines[7].split()[1] == "♖"


def test_in_color_the_squares_of_the_last_move_stand_out() -> None:
    lines = after("e2e4", colors=True, unicode=True)
    colors = [re.findall(r"48;5;(\d+)m", line) for line in lines]
    touched = [
        (8 - row, "abcdefgh"[file])
        for row, rank in enumerate(colors)
        for file, color in enumerate(rank)
        if color == str(TOUCHED)
    ]
    assert touched == [(4, "e"), (2, "e")]
    assert colors[7][:2] == [str(DARK), str(LIGHT)]  # a1 is dark


def test_in_color_both_sides_have_the_filled_men() -> None:
    lines = after(colors=True, unicode=True)
    assert f"38;5;{BLACK_MAN}" in lines[0]
    assert f"38;5;{WHITE_MAN}" in lines[7]
    assert "♜" in lines[0]
    assert "♜" in lines[7]


def brief(*facts: object) -> str:
    database = MemoryDatabase()
    database.save(noted(facts))
    return without_comments(pgn(database.games.find()[0], database.games.moves(1)))


def test_only_the_comments_are_gone() -> None:
    text = brief(
        *line(1, "f2f3 e7e5"), played(1, 2, "g2g4", info=analysed()), played(1, 3, "d8h4"),
        finished(1, Side.BLACK),
    )  # fmt: skip
    assert text.endswith('[PlyCount "4"]\n\n1. f3 e5 2. g4 Qh4# 0-1')


def test_a_game_without_a_move_has_a_result() -> None:
    assert brief(*line(1, ""), finished(1)).endswith('[PlyCount "0"]\n\n1-0')


def test_long_games_are_wrapped_and_can_be_read_back() -> None:
    text = brief(*line(1, "g1f3 g8f6 f3g1 f6g8 " * 30))
    assert max(map(len, text.splitlines())) < 80
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert game.errors == []
    assert game.end().ply() == 120


def test_a_game_in_which_black_begins_keeps_the_number_of_its_first_move() -> None:
    fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 7"
    facts = [*line(1, "", start=fen), played(1, 0, "e8e7", side=Side.BLACK)]
    assert brief(*facts).endswith("7... Ke7 *")
