from tests.support.terminal import bare_game, playing, to_move, welcomed
from ulci.protocol.messages import Position
from ulci.rules import Side
from ulci_client.terminal.model.game import Game, Ply
from ulci_client.terminal.view.plain_lines import (
    board_lines,
    clock_line,
    clocks_in_words,
    from_black,
    move_lines,
)


def test_the_board_in_letters_has_our_side_at_the_bottom() -> None:
    assert (
        "\n".join(board_lines(playing("e2e4").state))
        == """\
 8 r n b q k b n r
 7 p p p p p p p p
 6 . . . . . . . .
 5 . . . . . . . .
 4 . . . . P . . .
 3 . . . . . . . .
 2 P P P P . P P P
 1 R N B Q K B N R
   a b c d e f g h"""
    )


def test_a_board_wider_than_the_alphabet_keeps_its_columns() -> None:
    client = playing()
    client.state.game = bare_game(28, 10, {(27, 9): "k"})
    lines = [*board_lines(client.state)]
    assert lines[0].startswith("10  .  .")
    assert lines[0].endswith("  .  k")
    assert lines[-1].endswith("  z aa ab")


def test_black_sees_it_from_the_other_side() -> None:
    client = playing("e2e4", white="Bob", black="Ada")
    lines = [*board_lines(client.state)]
    assert lines[0] == " 1 R N B K Q B N R"
    assert lines[-1] == "   h g f e d c b a"
    assert from_black(client.state)
    client.typed("flip", 0.0)
    assert not from_black(client.state)


def test_without_a_game_there_is_no_board() -> None:
    assert [*board_lines(welcomed().state)] == []


def test_both_clocks_are_told() -> None:
    client = to_move()
    assert client.state.game is not None
    assert clock_line(client.state.game, 295.05) == "clock white 4.9 black 5:00 running white"
    assert clocks_in_words(client.state.game, 0.0) == "Ada 5:00, Bob 5:00."
    client.state.game.clocks = client.state.game.clocks and client.state.game.clocks.stopped(1.0)
    assert clock_line(client.state.game, 9.0) == "clock white 4:59 black 5:00"


def test_a_game_without_clocks_says_so() -> None:
    game = Game()
    assert clock_line(game, 0.0) == "clock none"
    assert clocks_in_words(game, 0.0) == "There are no clocks in this game."


def test_moves_are_numbered_by_pairs() -> None:
    client = playing("e2e4", "e7e5", "g1f3")
    assert client.state.game is not None
    assert [*move_lines(client.state.game)] == ["1. e4 e5", "2. Nf3"]


def test_black_may_begin_and_a_side_may_move_twice() -> None:
    client = playing()
    client.hear(Position("4k3/8/8/8/8/8/8/4K2R b K - 0 1", ("e8e7", "h1h2")), 0.0)
    assert client.state.game is not None
    assert [*move_lines(client.state.game)] == ["1. ... Ke7", "2. Rh2"]
    twice = Game(plies=[Ply(Side.WHITE, m, m) for m in ("a1", "a2")])
    assert [*move_lines(twice)] == ["1. a1 ...", "2. a2"]
