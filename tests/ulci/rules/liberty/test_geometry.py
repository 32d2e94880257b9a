import pytest

from ulci.rules.liberty.geometry import file_name, file_number, geometry
from ulci.rules.liberty.pieces import EDGE, EMPTY, KINDS


@pytest.mark.parametrize(
    ("number", "name"),
    [(1, "a"), (26, "z"), (27, "aa"), (52, "az"), (53, "ba"), (78, "bz"), (256, "iv")],
)
def test_files_beyond_z_have_two_letters(number: int, name: str):
    assert file_name(number - 1) == name
    assert file_number(name) == number - 1


def test_every_square_has_a_name_and_every_name_a_square():
    board = geometry(30, 12)
    for file in range(30):
        for rank in range(12):
            square = board.at(file, rank)
            assert board.place(square) == (file, rank)
            assert board.square(board.name(square)) == square
    for name in ("a13", "ae1", "a0", "a01", "A1", "1a", "", "a", "1", "aaa1"):
        assert board.square(name) is None


@pytest.mark.parametrize("size", [(2, 2), (2, 9), (8, 8), (256, 256)])
def test_no_step_leaves_the_margin(size: tuple[int, int]):
    board = geometry(*size)
    cells = board.empty()
    assert cells.count(EMPTY) == size[0] * size[1]
    for file, rank in ((0, 0), (0, size[1] - 1), (size[0] - 1, 0), (size[0] - 1, size[1] - 1)):
        for kind in KINDS:
            for files, ranks in kind.leaps + kind.rides:
                inside = 0 <= file + files < size[0] and 0 <= rank + ranks < size[1]
                at = board.at(file, rank) + files + ranks * board.stride
                assert cells[at] == (EMPTY if inside else EDGE)


def test_boards_of_one_size_share_their_numbers():
    assert geometry(8, 8) is geometry(8, 8)
