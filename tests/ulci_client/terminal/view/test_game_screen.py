import pytest

from tests.support.terminal import bare_game, introduced, lobby, playing, text, to_move
from ulci.protocol.messages import Position
from ulci_client.terminal.model.game import Game
from ulci_client.terminal.shell.client import Client
from ulci_client.terminal.view.game_screen import GameLayout, fits_beside, game_rows, layout
from ulci_client.terminal.view.theme import ASCII, COLOR


def the_game(client: Client) -> Game:
    assert client.state.game is not None
    return client.state.game


@pytest.mark.parametrize(
    ("window", "chosen"),
    [
        ((120, 37), GameLayout((9, 4), 43)),
        ((100, 30), GameLayout((7, 3), 39)),
        ((200, 60), GameLayout((9, 4), 60)),
        ((80, 21), GameLayout((5, 2), 35)),
        ((80, 19), GameLayout((3, 1), 51)),
        ((60, 27), GameLayout((5, 2), 0)),
        ((40, 20), GameLayout((3, 1), 0)),
        ((20, 15), GameLayout((2, 1), 0)),
        ((18, 15), None),
        ((80, 8), None),
    ],
)
def test_the_largest_squares_that_leave_room_are_chosen(
    window: tuple[int, int], chosen: GameLayout | None
) -> None:
    assert layout(the_game(playing()), COLOR, *window) == chosen


@pytest.mark.parametrize(
    ("files", "ranks", "window", "chosen"),
    [
        (16, 16, (120, 37), GameLayout((5, 2), 35)),
        (16, 16, (80, 21), GameLayout((3, 1), 27)),
        (12, 12, (100, 30), GameLayout((5, 2), 35)),
        (16, 8, (80, 21), GameLayout((3, 1), 27)),
        (26, 26, (100, 30), GameLayout((2, 1), 43)),
        (30, 6, (100, 30), GameLayout((3, 1), 0)),
        (30, 6, (80, 21), GameLayout((2, 1), 0)),
    ],
)
def test_a_larger_board_has_smaller_squares(
    files: int, ranks: int, window: tuple[int, int], chosen: GameLayout
) -> None:
    assert layout(bare_game(files, ranks), COLOR, *window) == chosen


def test_beside_the_board_stand_players_and_moves() -> None:
    client = to_move("e2e4", "e7e5")
    assert (
        text(game_rows(client.state, the_game(client), ASCII, (60, 14), 1.0))
        == """\
 8  r  n  b  q  k  b  n  r     Bob                     5:00
 7  p  p  p  p [.] p  p  p
 6     .     .     .     .
 5  .     .    [p]    .        1 e4        e5
 4     .     .  P  .     .
 3  .     .     .     .
 2  P  P  P  P     P  P  P
 1  R  N  B  Q  K  B  N  R   * Ada                     4:59
    a  b  c  d  e  f  g  h"""
    )


def test_without_room_beside_it_they_stand_above_and_below() -> None:
    client = to_move("e2e4", "e7e5")
    rows = text(game_rows(client.state, the_game(client), ASCII, (40, 14), 1.0)).splitlines()
    assert rows[0] == "  Bob                 5:00"
    assert rows[-2] == "* Ada                 4:59"
    assert rows[-1] == " 1. e4 e5"


def test_a_window_without_room_for_the_board_says_how_much_it_takes() -> None:
    client = to_move("e2e4", "e7e5", "g1f3", "b8c6")
    assert (
        text(game_rows(client.state, the_game(client), ASCII, (24, 9), 1.0))
        == """\
* Ada              4:59
  Bob              5:00
 1. e4 e5 2. Nf3 Nc6
 The board needs a
 window of 19x17; type
 board to read it."""
    )


def test_in_the_window_that_was_named_the_board_is_seen() -> None:
    client = to_move()
    rows = game_rows(client.state, the_game(client), ASCII, (19, 17 - 3), 1.0)
    assert " 8  r n b" in text(rows)


def test_the_last_moves_are_seen_in_any_case() -> None:
    client = to_move("e2e4", "e7e5", "g1f3", "b8c6")
    assert " 2. Nf3 Nc6" in text(game_rows(client.state, the_game(client), ASCII, (14, 5), 1.0))


def test_an_unreadable_board_shows_the_moves_as_sent() -> None:
    client = introduced()
    client.hear(Position("nonsense", ("3-2", "2-1")), 0.0)
    drawn = text(game_rows(client.state, the_game(client), ASCII, (60, 20), 0.0))
    assert "  1 3-2       2-1" in drawn
    assert "No board: " in drawn
    drawn = text(game_rows(client.state, the_game(client), ASCII, (60, 5), 0.0))
    assert "1. 3-2 2-1" in drawn


def test_our_side_is_below_until_the_board_is_turned() -> None:
    client = playing("e2e4", white="Bob", black="Ada")
    rows = text(game_rows(client.state, the_game(client), ASCII, (60, 14), 0.0)).splitlines()
    assert rows[0].startswith(" 1  R  N  B  K")
    assert rows[0].endswith("Bob")
    client.typed("flip", 0.0)
    rows = text(game_rows(client.state, the_game(client), ASCII, (60, 14), 0.0)).splitlines()
    assert rows[0].startswith(" 8  r  n  b  q")
    assert "Ada" in rows[0]


def test_a_short_page_stands_beside_the_board() -> None:
    client = to_move()
    lobby(client, "seeks 0")
    client.typed("help seek", 0.0)
    assert fits_beside(client.state, COLOR, 80, 21)
    rows = text(game_rows(client.state, the_game(client), COLOR, (80, 21), 0.0))
    assert "seek a game" in rows
    assert "(Enter: back)" in rows


def test_a_long_page_does_not_fit_beside_the_board() -> None:
    client = to_move()
    assert not fits_beside(client.state, COLOR, 80, 21)
    client.typed("help", 0.0)
    assert not fits_beside(client.state, COLOR, 80, 21)
    assert not fits_beside(client.state, COLOR, 40, 21)
