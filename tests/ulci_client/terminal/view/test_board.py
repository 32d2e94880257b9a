import pytest

from tests.support.terminal import bare_game, playing, text
from ulci.rules import Side
from ulci.rules.liberty import PIECES
from ulci_client.terminal.model.game import Game, Ply
from ulci_client.terminal.view.board import board_rows, height
from ulci_client.terminal.view.pictures import BLOCKS, PICTURES
from ulci_client.terminal.view.rows import Row, width
from ulci_client.terminal.view.theme import ASCII, COLOR, LETTERS, MONO

CHECK = ("e2e4", "f7f6", "d1h5")


def game(*moves: str, start: str | None = None) -> Game:
    found = playing(*moves, start=start).state.game
    assert found is not None
    return found


def styles(row: Row) -> list[str]:
    """Of the squares, from the left."""
    return [style for style, _ in row[1:]]


def test_in_ascii_letters_dots_and_brackets_tell_everything() -> None:
    assert (
        text(board_rows(game(*CHECK), ASCII, (3, 1), from_black=False))
        == """\
 8  r  n  b  q !k! b  n  r
 7  p  p  p  p  p     p  p
 6     .     .     p     .
 5  .     .     .     . [Q]
 4     .     .  P  .     .
 3  .     .     .     .
 2  P  P  P  P     P  P  P
 1  R  N  B [ ] K  B  N  R
    a  b  c  d  e  f  g  h"""
    )


def test_black_sees_the_board_from_the_other_side() -> None:
    rows = text(board_rows(game(), ASCII, (3, 1), from_black=True)).splitlines()
    assert rows[0] == " 1  R  N  B  K  Q  B  N  R"
    assert rows[-1] == "    h  g  f  e  d  c  b  a"


def test_without_colors_larger_squares_only_stand_apart() -> None:
    rows = board_rows(game(), MONO, (5, 2), from_black=False)
    assert text(rows).splitlines()[:3] == [
        " 8   r    n    b    q    k    b    n    r",
        "",
        " 7   p    p    p    p    p    p    p    p",
    ]


def test_small_coloured_squares_have_signs_on_the_colour_of_their_square() -> None:
    [top, *_] = board_rows(game(), COLOR, (3, 1), from_black=False)
    assert "".join(piece for _, piece in top) == " 8  ♜  ♞  ♝  ♛  ♚  ♝  ♞  ♜ "
    assert COLOR.colors is not None
    light, dark = COLOR.colors.plain
    assert styles(top)[0] == f"bg:{light} {COLOR.colors.men[1]}"
    assert styles(top)[1] == f"bg:{dark} {COLOR.colors.men[1]}"


def test_the_last_move_and_the_king_in_check_have_colours_of_their_own() -> None:
    rows = board_rows(game(*CHECK), COLOR, (3, 1), from_black=False)
    assert COLOR.colors is not None
    assert styles(rows[0])[4].startswith(f"bg:{COLOR.colors.check[0]}")
    assert styles(rows[3])[7].startswith(f"bg:{COLOR.colors.last[0]}")
    assert styles(rows[7])[3] == f"bg:{COLOR.colors.last[0]}"


def test_squares_of_two_rows_are_drawn_half_a_row_lower() -> None:
    rows = board_rows(game(), COLOR, (5, 2), from_black=False)
    assert len(rows) == height(COLOR, 8, (5, 2)) + 1 == 18
    assert COLOR.colors is not None
    light, dark = COLOR.colors.plain
    assert rows[0][1] == (f"fg:{light}", "▄▄▄▄▄")
    assert rows[1][1] == (f"bg:{light} {COLOR.colors.men[1]}", "  ♜  ")
    assert rows[2][1] == (f"bg:{light} fg:{dark}", "▄▄▄▄▄")
    assert rows[16][1] == (f"fg:{dark}", "▀▀▀▀▀")


def test_large_squares_have_pictures() -> None:
    rows = board_rows(game(), COLOR, (7, 3), from_black=False)
    assert len(rows) == 25
    assert [row[1][1] for row in rows[:3]] == [*PICTURES[7, 3]["r"]]
    assert [row[0][1] for row in rows[:3]] == ["   ", " 8 ", "   "]


def test_where_the_font_has_no_chess_men_large_squares_have_letters() -> None:
    rows = board_rows(game(), LETTERS, (7, 3), from_black=False)
    assert [row[1][1] for row in rows[:3]] == [" " * 7, "   r   ", " " * 7]


def test_all_rows_are_equally_wide_in_every_size() -> None:
    for theme in (COLOR, MONO, ASCII):
        for cell in theme.cells:
            rows = board_rows(game(), theme, cell, from_black=False)
            assert {width(row) for row in rows} == {3 + 8 * cell[0]}


def test_a_board_may_be_wider_than_the_alphabet_and_higher_than_nine() -> None:
    rows = board_rows(bare_game(28, 12, {(27, 11): "k"}), ASCII, (3, 1), from_black=False)
    assert text(rows).splitlines()[0].endswith("  .     k")
    assert text(rows).splitlines()[0].startswith("12 ")
    assert text(rows).splitlines()[-1].endswith(" y  z aa ab")
    assert {width(row) for row in rows} == {3 + 28 * 3}


def test_the_last_move_is_marked_beyond_the_letters_too() -> None:
    found = bare_game(28, 12)
    found.plies.append(Ply(Side.WHITE, "z9ab12", "z9ab12"))
    assert found.last_squares() == {(25, 8), (27, 11)}
    rows = board_rows(found, ASCII, (3, 1), from_black=False)
    assert [text([rows[at]])[-9:] for at in (0, 3)] == [" .    [.]", "  . [ ] ."]


def test_in_squares_of_two_columns_the_mark_stands_before_the_man() -> None:
    rows = text(board_rows(game(*CHECK), ASCII, (2, 1), from_black=False)).splitlines()
    assert rows[0] == " 8  r n b q!k b n r"
    assert rows[3] == " 5  .   .   .   .[Q"
    assert rows[-1] == "    a b c d e f g h"


@pytest.mark.parametrize("cell", PICTURES)
def test_every_man_has_a_picture_of_the_right_size(cell: tuple[int, int]) -> None:
    pictures, (columns, rows) = PICTURES[cell], cell
    assert pictures.keys() == set(PIECES)
    for picture in pictures.values():
        assert [len(row) for row in picture] == [columns] * rows
        assert set("".join(picture)) <= set(BLOCKS.values())


@pytest.mark.parametrize("cell", PICTURES)
def test_no_two_men_look_alike(cell: tuple[int, int]) -> None:
    assert len(set(PICTURES[cell].values())) == len(PIECES)


def test_there_are_pictures_for_squares_that_are_drawn() -> None:
    assert PICTURES.keys() <= set(COLOR.cells)


def test_a_picture_is_made_of_its_pixels() -> None:
    assert PICTURES[7, 3]["p"] == ("       ", "  ▟█▙  ", " ▗▟█▙▖ ")
