import pytest

from ulci_client.house_engine.piece_values import PIECE_VALUES, worth


@pytest.mark.parametrize("size", [(8, 8), (5, 6), (16, 12), (2, 2)])
@pytest.mark.parametrize("letter", sorted(PIECE_VALUES))
def test_left_and_right_are_worth_the_same(letter: str, size: tuple[int, int]):
    width, height = size
    for file in range(width):
        for rank in range(height):
            mirrored = worth(letter, width - 1 - file, rank, width, height)
            assert worth(letter, file, rank, width, height) == mirrored


def test_the_usual_order_of_pieces_holds_on_the_same_square():
    for square in ((0, 1), (3, 3), (7, 6)):
        middle = [worth(letter, *square, 8, 8).middle for letter in "pnbrq"]
        assert middle[0] * 2 < middle[1]
        assert middle[1] < middle[3] < middle[4]


def test_knights_like_the_centre_and_pawns_go_forward():
    assert worth("n", 3, 3, 8, 8).middle > worth("n", 0, 0, 8, 8).middle
    assert worth("p", 0, 5, 8, 8).end > worth("p", 0, 2, 8, 8).end


def test_the_king_hides_first_and_comes_out_last():
    corner, centre = worth("k", 0, 0, 8, 8), worth("k", 3, 3, 8, 8)
    assert corner.middle > centre.middle
    assert corner.end < centre.end
