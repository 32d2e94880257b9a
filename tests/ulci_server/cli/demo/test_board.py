"""The board of the demonstration."""

import re

from ulci.rules import GAMES
from ulci_server.cli.demo.board import BLACK_MAN, DARK, LIGHT, TOUCHED, WHITE_MAN, board


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
