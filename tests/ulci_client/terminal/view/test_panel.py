from tests.support.terminal import lobby, playing, text, to_move
from ulci.protocol.messages import Info
from ulci.rules import Side
from ulci_client.terminal.model.game import Game, Ply
from ulci_client.terminal.shell.client import Client
from ulci_client.terminal.view.panel import (
    captured_row,
    clock_cells,
    moves_block,
    panel_rows,
    player_row,
)
from ulci_client.terminal.view.theme import ASCII, COLOR


def the_game(client: Client) -> Game:
    assert client.state.game is not None
    return client.state.game


def test_the_panel_shows_both_players_their_clocks_and_the_moves() -> None:
    game = the_game(to_move("e2e4", "d7d5", "e4d5", "d8d5"))
    game.kinds[Side.BLACK] = "engine"
    assert (
        text(panel_rows(game, ASCII, (36, 9), Side.BLACK, 1.0))
        == """\
  Bob (engine)                 5:00
  p

  1 e4        d5
  2 exd5      Qxd5


  p
* Ada                          4:59"""
    )


def test_moves_of_a_book_stand_back() -> None:
    game = the_game(to_move("e2e4", "d7d5", "e4d5", "d8d5"))
    game.book = 3
    cells = [cell for row in moves_block(game, 40, 5) for cell in row if cell[1].strip()]
    assert [cell for cell in cells if cell[0] != "class:number"] == [
        ("class:book", "e4"), ("class:book", "d5"), ("class:book", "exd5"), ("class:newest", "Qxd5")
    ]  # fmt: skip


def test_the_lead_is_counted_in_pawns() -> None:
    game = the_game(playing("e2e4", "d7d5", "e4d5"))
    assert text([captured_row(game, Side.WHITE, ASCII, 20)]) == "  p +1"
    assert text([captured_row(game, Side.BLACK, ASCII, 20)]) == ""


def test_a_low_platform_keeps_the_players() -> None:
    rows = panel_rows(the_game(to_move()), ASCII, (30, 3), Side.BLACK, 0.0)
    assert text(rows) == "  Bob                    5:00\n* Ada                    5:00\n"


def test_only_the_running_clock_stands_out_and_is_red_when_low() -> None:
    game = the_game(to_move())
    assert clock_cells(game, Side.WHITE, 0.0) == [("class:clock-active", " 5:00 ")]
    assert clock_cells(game, Side.WHITE, 285.0) == [("class:clock-low", " 0:15 ")]
    assert clock_cells(game, Side.WHITE, 290.5) == [("class:clock-low", " 9.5 ")]
    assert clock_cells(game, Side.BLACK, 285.0) == [("class:clock", " 5:00 ")]
    assert clock_cells(Game(), Side.WHITE, 0.0) == []


def test_after_the_end_nobody_is_to_move() -> None:
    client = to_move()
    client.hear(Info(string="result 0-1 reason time"), 1.0)
    assert text([player_row(the_game(client), Side.WHITE, ASCII, 20, 9.0)]) == "  Ada          4:59"


def test_an_absent_player_is_marked() -> None:
    client = playing()
    lobby(client, "game 42 opponent away")
    assert "Bob away" in text([player_row(the_game(client), Side.BLACK, COLOR, 30, 0.0)])


def test_without_a_name_it_says_which_is_you() -> None:
    game = Game(mine=Side.BLACK)
    assert text([player_row(game, Side.BLACK, ASCII, 30, 0.0)]) == "  Black (you)"


def long_game(moves: int) -> Game:
    plies = [Ply(Side(n % 2), f"m{n}", f"m{n}") for n in range(2 * moves)]
    return Game(plies=plies)


def test_the_latest_moves_are_seen() -> None:
    assert (
        text(moves_block(long_game(20), 24, 3))
        == """\
 18 m34       m35
 19 m36       m37
 20 m38       m39"""
    )


def test_a_wide_panel_shows_them_in_columns_read_downwards() -> None:
    rows = text(moves_block(long_game(5), 60, 3)).splitlines()
    assert rows[0].split() == ["1", "m0", "m1", "4", "m6", "m7"]
    assert rows[2].split() == ["3", "m4", "m5"]


def test_columns_stand_still_until_a_whole_one_is_dropped() -> None:
    rows = text(moves_block(long_game(7), 60, 3)).splitlines()
    assert rows[0].split()[0] == "4"


def test_the_score_stands_below_the_last_move() -> None:
    client = to_move()
    client.hear(Info(string="result 0-1 reason time"), 1.0)
    assert text(moves_block(the_game(client), 24, 5)) == "    0-1"


def test_the_newest_move_stands_out() -> None:
    game = the_game(playing("e2e4", "d7d5"))
    [row] = moves_block(game, 24, 5)
    assert ("class:newest", "d5") in row
    assert ("", "e4") in row
