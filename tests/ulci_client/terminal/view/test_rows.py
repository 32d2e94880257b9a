from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.utils import get_cwidth

from ulci_client.terminal.view.rows import apart, cut, exactly, fitted, side_by_side, width, wrapped

WORDS = st.text(st.sampled_from("ab 将棋♞é"), max_size=40)


@given(WORDS, st.integers(0, 20))
def test_a_cut_text_takes_no_more_cells_than_it_may(text: str, cells: int) -> None:
    assert get_cwidth(cut(text, cells)) <= cells


@given(WORDS, st.integers(0, 20))
def test_a_fitted_row_takes_exactly_its_cells(text: str, cells: int) -> None:
    assert width(fitted([("", text), ("class:x", text)], cells)) == cells


@given(WORDS, st.integers(2, 20))
def test_wrapped_lines_fit_and_lose_nothing(text: str, cells: int) -> None:
    lines = [*wrapped(text, cells)]
    assert all(get_cwidth(line) <= cells for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_what_fits_is_not_cut() -> None:
    assert cut("Nf3", 3) == "Nf3"
    assert cut("Nbxd2+", 5) == "Nbxd…"
    assert cut("将棋", 3) == "将…"


def test_words_stay_whole_where_they_can() -> None:
    assert [*wrapped("a move declines it", 9)] == ["a move", "declines", "it"]
    assert [*wrapped("unbreakable", 5)] == ["unbre", "akabl", "e"]


def test_both_ends_of_a_line_are_kept_and_the_left_one_gives_way() -> None:
    assert apart([("", "Ada")], [("", "5:00")], 10) == [("", "Ada"), ("", "   "), ("", "5:00")]
    assert apart([("", "Ada Lovelace")], [("", "5:00")], 8) == [("", "Ada…"), ("", "5:00")]
    assert apart([("", "Ada")], [("", "5:00")], 3) == [("", "5:…")]


def test_blocks_stand_side_by_side_whatever_their_height() -> None:
    rows = side_by_side([[("", "a")]], [[("", "x")], [("", "y")]], 3)
    assert ["".join(text for _, text in row) for row in rows] == ["a    x", "     y"]


def test_rows_are_cut_and_filled() -> None:
    one = [("", "a")]
    assert exactly([one, one, one], 2) == [one, one]
    assert exactly([one], 3) == [one, [], []]
