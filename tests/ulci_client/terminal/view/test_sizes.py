"""Boards of every size as they are seen: nothing may be missing, and nothing twice."""

from collections import Counter

import pytest

from tests.support.terminal import playing, text
from ulci.rules.liberty import NAMED, PIECES
from ulci_client.terminal.model.game import Game, file_name
from ulci_client.terminal.view.game_screen import layout
from ulci_client.terminal.view.pictures import PICTURES
from ulci_client.terminal.view.rows import Row
from ulci_client.terminal.view.screen import screen
from ulci_client.terminal.view.theme import ASCII, COLOR, LETTERS, MONO, Theme

MEN = "rnbaqchuezlxiwokowixlzeuhcqabn"


def start(files: int, ranks: int) -> str:
    """Two ranks of men on either side of such a board."""
    men, empty = MEN[:files], f"{files}/" * (ranks - 4)
    pawns = "p" * files
    return f"{men}/{pawns}/{empty}{pawns.upper()}/{men.upper()} w - - 0 1 2 qrbn"


BOARDS = {
    "mini": NAMED["mini"],
    "12x12": NAMED["liberty"],
    "16x8": NAMED["double-chess"],
    "26x26": start(26, 26),
    "30x6": start(30, 6),
}

SEEN = [
    ("mini", 80, 24),
    ("mini", 160, 50),
    ("12x12", 80, 24),
    ("12x12", 120, 40),
    ("12x12", 160, 50),
    ("16x8", 80, 24),
    ("16x8", 120, 40),
    ("16x8", 160, 50),
    ("26x26", 80, 40),
    ("26x26", 120, 40),
    ("26x26", 160, 50),
    ("30x6", 80, 24),
    ("30x6", 120, 40),
    ("30x6", 160, 50),
]
"""Boards and the windows in which they are seen; the input has a row of its own."""


def seen(board: str, theme: Theme, columns: int, rows: int) -> tuple[Game, list[Row]]:
    client = playing(start=BOARDS[board], game="liberty")
    assert client.state.game is not None
    return client.state.game, screen(client.state, theme, columns, rows - 1, 0.0)


@pytest.mark.parametrize("theme", [COLOR, LETTERS, MONO, ASCII], ids=lambda theme: theme.name)
@pytest.mark.parametrize(("board", "columns", "rows"), SEEN)
def test_every_rank_file_and_man_is_seen_once(
    board: str, columns: int, rows: int, theme: Theme
) -> None:
    game, drawn = seen(board, theme, columns, rows)
    assert game.position is not None
    squares = game.position.squares()
    chosen = layout(game, theme, columns, rows - 3)
    assert chosen is not None
    labelled = [row for row in drawn if row and row[0][0] == "class:label"]
    ranks = [row for row in labelled if row[0][1].strip().isdecimal()]
    assert [int(row[0][1]) for row in ranks] == [*range(len(squares), 0, -1)]
    letters = [name for row in labelled if "a" in row[0][1] for name in row[0][1].split()]
    files = len(squares[0])
    assert Counter(letters) == Counter(file_name(file) for file in range(files))
    for row, rank in zip(ranks, squares, strict=True):
        signs = [piece.strip(" ·.") for _, piece in row[1 : files + 1]]
        assert signs == [sign(theme, man, chosen.cell) for man in rank]


def sign(theme: Theme, man: str, cell: tuple[int, int]) -> str:
    """As it stands in the row of the rank's number."""
    if theme is COLOR and cell in PICTURES and man:
        return PICTURES[cell][man.lower()][(cell[1] - 1) // 2].strip()
    return theme.man(man) if man else ""


@pytest.mark.parametrize(
    ("board", "columns", "rows"), [("12x12", 26, 24), ("26x26", 80, 24), ("30x6", 60, 24)]
)
def test_a_window_that_is_too_small_says_so(board: str, columns: int, rows: int) -> None:
    _, drawn = seen(board, COLOR, columns, rows)
    assert "The board needs a window" in text(drawn)
    assert "type board to read it" in " ".join(text(drawn).split())


def test_a_board_that_is_too_large_can_be_read_page_by_page() -> None:
    client = playing(start=BOARDS["26x26"], game="liberty")
    client.typed("board", 0.0)
    lines = text(screen(client.state, COLOR, 80, 23, 0.0)).splitlines()
    assert lines[2].split() == ["26", *MEN[:26]]
    assert "(Page Up, Page Down; Enter: back)" in lines[-2]
    for _ in range(9):
        client.scroll(8)
    lines = text(screen(client.state, COLOR, 80, 23, 0.0)).splitlines()
    [first] = [at for at, line in enumerate(lines) if line.startswith("  1 R N B")]
    assert lines[first + 1].startswith("    a b c")
    for _ in range(9):
        client.scroll(-8)
    assert " 26 " in text(screen(client.state, COLOR, 80, 23, 0.0))


def test_all_men_of_liberty_chess_are_told_apart() -> None:
    for theme in (COLOR, LETTERS, MONO, ASCII):
        assert len({theme.man(man) for man in PIECES}) == len(PIECES)
    for pictures in PICTURES.values():
        assert len({pictures[man] for man in PIECES}) == len(PIECES)


def test_names_of_two_letters_take_turns_below_narrow_squares() -> None:
    _, drawn = seen("30x6", COLOR, 80, 24)
    lines = text(drawn).splitlines()
    [at] = [number for number, line in enumerate(lines) if line.startswith("   a b c")]
    assert lines[at].endswith(" x y z   ab  ad")
    assert lines[at + 1].endswith(" " * 50 + "aa  ac")


def test_below_a_wide_board_stand_the_moves() -> None:
    client = playing("a2a3", "b5b4", start=BOARDS["30x6"], game="liberty")
    drawn = text(screen(client.state, ASCII, 120, 39, 0.0))
    assert "  1 a3        b4" in drawn
    assert "* Ada" in drawn


def test_stones_are_crosses_and_rings() -> None:
    client = playing("h8", "j10", start="/".join(["15"] * 15) + " x 5", game="gomoku")
    lines = text(screen(client.state, ASCII, 80, 23, 0.0)).splitlines()
    assert [line[:2].strip() for line in lines if "X" in line or "[o]" in line] == ["10", "8"]
