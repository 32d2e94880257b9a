from ulci_client.terminal.look import SIGNS
from ulci_client.terminal.pictures import BLOCKS, COLUMNS, PICTURES, ROWS


def test_every_man_that_has_a_sign_has_a_picture_of_the_right_size() -> None:
    assert PICTURES.keys() == SIGNS.keys()
    for picture in PICTURES.values():
        assert [len(row) for row in picture] == [COLUMNS] * ROWS
        assert set("".join(picture)) <= set(BLOCKS.values())


def test_no_two_men_look_alike() -> None:
    assert len(set(PICTURES.values())) == len(PICTURES)


def test_a_picture_is_made_of_its_pixels() -> None:
    assert PICTURES["p"] == ("       ", "  ▄█▄  ", " ▄███▄ ")
