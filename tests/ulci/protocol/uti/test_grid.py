"""The board as UTI counts its squares, and as ``position`` sends it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ulci.protocol import LocalProtocolError
from ulci.protocol.uti.grid import Grid, grid_of
from ulci.rules import GAMES, Side


@st.composite
def grids(draw: st.DrawFn) -> Grid:
    width, height = draw(st.integers(1, 26)), draw(st.integers(1, 6))
    return Grid(
        width,
        height,
        draw(st.integers(1, max(width, height))),
        "".join(draw(st.lists(st.sampled_from("-12"), min_size=(n := width * height), max_size=n))),
        draw(st.sampled_from((1, 2))),
    )


@given(grids())
def test_a_start_is_written_and_read_as_the_rules_do(grid):
    assert grid_of(grid.start(), ()) == grid
    position = GAMES["mnk"].new(grid.start() or "3/3/3 x 3")
    assert position.fen() == (grid.start() or "3/3/3 x 3")
    assert position.turn is (Side.WHITE if grid.turn == 1 else Side.BLACK)


@given(grids(), st.data())
def test_a_move_leads_to_the_same_board_as_by_the_rules(grid, data):
    position = GAMES["mnk"].new(grid.start() or "3/3/3 x 3")
    if not position.legal_moves():
        return
    move = data.draw(st.sampled_from(position.legal_moves()))
    position.play_untrusted(move)
    after = grid_of(grid.start(), (move,))
    assert (after.start() or "3/3/3 x 3") == position.fen()
    assert grid.name(grid.square_untrusted(move)) == move


def test_squares_are_numbered_from_the_top_left():
    grid = Grid()
    names = ["a3", "b3", "c3", "a2", "b2", "c2", "a1", "b1", "c1"]
    assert [grid.name(number) for number in range(1, 10)] == names
    assert [grid.square_untrusted(name) for name in names] == [*range(1, 10)]


@pytest.mark.parametrize("number", [0, 10])
def test_a_number_beyond_the_board_stays_a_number(number):
    assert Grid().name(number) == str(number)
    assert Grid().put(number) is None


@pytest.mark.parametrize("move", ["d1", "a4", "a0", "0000", "", "5", "e2e4"])
def test_what_is_no_square_has_no_number(move):
    assert Grid().square_untrusted(move) is None


def test_the_usual_start_needs_no_words_and_the_length_may_be_left_out():
    assert Grid().start() is None
    assert grid_of("3/3/3 x", ()) == Grid()
    assert grid_of(None, ("b2", "a1")) == Grid(cells="----1-2--")


@pytest.mark.parametrize(
    ("start", "moves"),
    [
        ("rnbqkbnr/8 w KQkq - 0 1", ()),
        ("3/3/3 w 3", ()),
        ("3/4/3 x 3", ()),
        ("3/3/3 x 4", ()),
        ("3/3/3 x 0", ()),
        ("27 x 3", ()),
        ("99999999999999999999 x 3", ()),
        ("/3/3 x 3", ()),
        ("/".join(["3"] * 27) + " x 3", ()),
        (None, ("e2e4",)),
        (None, ("b2", "b2")),
        (None, ("b2", "x", "a1")),
    ],
)
def test_another_game_cannot_be_spoken_of(start, moves):
    with pytest.raises(LocalProtocolError, match="no position of a game that UTI"):
        grid_of(start, moves)
