"""Where the stones are, and how that is written."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.effort import instructions
from ulci.rules import Side, StartError
from ulci.rules.mnk import MAX_SIDE, Board, read_start

W, B = Side.WHITE, Side.BLACK


@st.composite
def boards(draw: st.DrawFn, most: int = 6) -> Board:
    width, height = draw(st.integers(1, most)), draw(st.integers(1, most))
    return Board(
        width,
        height,
        draw(st.integers(1, max(width, height))),
        draw(st.sampled_from(Side)),
        draw(st.dictionaries(st.integers(0, width * height - 1), st.sampled_from(Side))),
    )


@given(boards())
def test_what_is_written_is_read_again(board):
    assert read_start(board.write()) == board


@pytest.mark.parametrize(
    ("start", "board"),
    [
        ("3/3/3 x 3", Board()),
        ("3/3/3 x", Board()),
        ("3/1x1/3 o 3", Board(turn=B, stones={4: W})),
        ("2x/3/3 o 3", Board(turn=B, stones={2: W})),
        # |X|O| |/| |X|O|/|X|X| | and O to move, as the UTI standard has it
        ("xo1/1xo/xx1 o 3", Board(3, 3, 3, B, {0: W, 1: B, 4: W, 5: B, 6: W, 7: W})),
        ("12/o11 x 2", Board(12, 2, 2, W, {12: B})),
    ],
)
def test_a_start_is_read(start, board):
    assert read_start(start) == board


@pytest.mark.parametrize(
    ("start", "fault"),
    [
        ("", "0 fields"),
        ("3/3/3", "1 fields"),
        ("3/3/3 x 3 4", "4 fields"),
        ("3/3/3 w 3", "side to move is 'w', expected x or o"),
        ("3/3/z2 x 3", "the row 'z2' has 'z'"),
        ("3/3/\N{ARABIC-INDIC DIGIT THREE} x", "expected x, o or a number"),
        ("0x2/3/3 x", "'0'"),
        ("27 x", "'27'"),
        ("26x x", "27x1 squares, expected 1x1 to 26x26"),
        ("/".join(["1"] * 27) + " x 3", "1x27 squares"),
        ("//3 x", "0x3 squares"),
        ("3/4/3 x", "row 2 has 4 squares, expected 3"),
        ("3/3/3 x 4", "length that wins is '4', expected a number from 1 to 3"),
        ("3/3/3 x 0", "length that wins is '0'"),
        ("3/3/3 x -3", "length that wins is '-3'"),
        ("2/2 x", "length that wins is '3'"),
    ],
)
def test_a_start_that_cannot_be_played_is_told_why(start, fault):
    with pytest.raises(StartError, match=fault):
        read_start(start)


@given(st.text() | st.from_regex(r"[xo0-9/]{1,12} [xo] ?[0-9]{0,2}", fullmatch=True))
def test_no_text_fails_otherwise(start):
    with contextlib.suppress(StartError):
        board = read_start(start)
        assert read_start(board.write()) == board


def test_squares_have_names_as_in_chess_and_the_numbers_of_uti():
    board = Board(3, 3)
    names = ["a3", "b3", "c3", "a2", "b2", "c2", "a1", "b1", "c1"]
    for square, name in enumerate(names):
        assert board.name(square) == name
        assert board.find_untrusted(name) == board.find_untrusted(name.upper()) == square
        assert board.find_untrusted(str(square + 1)) == square
    assert Board(26, 26, 3).name(25) == "z26"


@pytest.mark.parametrize("text", ["", "0", "10", "a0", "a4", "d1", "aa1", "a", "b2b3", "-1", "٣"])
def test_what_is_no_square_is_not_found(text):
    assert Board(3, 3).find_untrusted(text) is None


@pytest.mark.parametrize(
    ("start", "winners"),
    [
        ("xxx/3/3 o", {W}),
        ("o2/o2/o2 x", {B}),
        ("x2/1x1/2x o", {W}),
        ("2o/1o1/o2 x", {B}),
        ("xxx/ooo/3 x", {W, B}),
        ("xx1/x2/3 x", set()),
        ("3xx/x4/4x x 3", set()),  # a line does not go on in the next row
        ("xxxxx o 4", {W}),  # longer is as good
        ("xx1xx o 4", set()),
        ("1 x 1", set()),
        ("x o 1", {W}),
    ],
)
def test_lines_are_seen_in_every_direction(start, winners):
    assert read_start(start).lines() == winners


@given(boards(4))
def test_a_window_that_one_side_fills_is_a_line_and_there_are_no_others(board):
    filled = {
        board.stones[window[0]]
        for window in board.windows()
        if len({board.stones.get(square) for square in window}) == 1 and window[0] in board.stones
    }
    assert filled == board.lines()


@given(boards(5), st.sampled_from(Side), st.integers(0, 4))
def test_there_is_room_where_a_window_lacks_no_more_stones_than_there_are_moves(board, side, moves):
    windows = [[board.stones.get(square) for square in window] for window in board.windows()]
    free = [stones for stones in windows if side.other not in stones]
    assert board.has_room(side, moves) is any(
        stones.count(side) + moves >= board.length for stones in free
    )


def test_a_board_is_looked_through_once_however_long_a_line_must_be():
    def cost(size: int) -> int:
        squares = range(size * size)
        full = Board(size, size, size, W, dict.fromkeys(squares, W))
        blocked = Board(size, size, size, W, {at: B for at in squares if (at * 5) % size == 0})
        return instructions(lambda: (full.lines(), blocked.has_room(W, 1)))

    small, large = cost(13), cost(26)
    print(f"{small} instructions on 13x13 squares, {large} on 26x26: {large / small:.1f} times")
    assert large < 5 * small


def test_a_stone_put_is_taken_back():
    board = Board()
    board.put(4)
    assert (board.stones, board.turn) == ({4: W}, B)
    board.take_back(4)
    assert board == Board()
    assert list(board.empty()) == list(range(9))
    assert not board.full


def test_the_largest_board_fits_into_a_line_with_all_its_moves():
    size = MAX_SIDE
    board = Board(size, size, 5, W, {at: Side(at % 2) for at in range(size * size)})
    moves = " ".join(board.name(square) for square in range(size * size))
    assert len(f"position fen {board.write()} moves {moves}") < 8 * 1024
