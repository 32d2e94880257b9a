import pytest

from ulci.rules.liberty import PIECES
from ulci_client.terminal.look import COLOR
from ulci_client.terminal.pictures import BLOCKS, PICTURES


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
