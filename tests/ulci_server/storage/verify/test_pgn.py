"""A reader of PGN that passes over nothing."""

import pytest

from ulci_server.storage.verify.pgn import PgnError, PgnMove, read_pgn

GAME = r"""[Event "a \"b\" \\ c"]
[Result "1/2-1/2"]

1. Zab12 { [%clk 0:01:00] [%emt 0:00:01] } 1... O-O-O+ { first }
{ [%move a%20b] then }
2. e8=Q# 1/2-1/2
"""


def test_tags_moves_comments_and_the_result_are_read() -> None:
    game = read_pgn(GAME)

    assert game.tags == {"Event": 'a "b" \\ c', "Result": "1/2-1/2"}
    assert game.moves == [
        PgnMove("1.", "Zab12", {"clk": "0:01:00", "emt": "0:00:01"}),
        PgnMove("1...", "O-O-O+", {"move": "a%20b"}),
        PgnMove("2.", "e8=Q#"),
    ]
    assert (game.comment, game.result) == ("[%move a%20b] then", "1/2-1/2")


def test_a_drop_of_crazyhouse_is_a_move() -> None:
    game = read_pgn('[Event "?"]\n\n1. N@f3+ 1... @e4 *')

    assert [move.symbol for move in game.moves] == ["N@f3+", "@e4"]


def test_a_game_may_have_no_moves() -> None:
    game = read_pgn('[Event "?"]\n\n{ aborted } *')

    assert (game.moves, game.comment, game.result) == ([], "aborted", "*")


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("\n\n", "\n", "there is no empty line after the tags"),
        ("[Result ", "Result ", "is no tag"),
        (r"\"b", '"b', "is no tag"),
        ("1. Zab12", "Zab12", "'Zab12' has no number"),
        ("1. Zab12", "1 Zab12", "'1 Zab12 .* begins with nothing that PGN knows"),
        ("1. Zab12", "1.. Zab12", "'1.. Zab12"),
        ("Zab12", "Z@b12", "'Z@b12"),
        ("Zab12", "$1", "begins with nothing that PGN knows"),
        ("Zab12", "Zab12!", "begins with nothing that PGN knows"),
        ("Zab12", "12", "'12 { "),
        ("then }", "then", "begins with nothing that PGN knows"),
        ("# 1/2-1/2", "#", "there is no result at its end"),
        ("# 1/2-1/2", "# 1/2-1/2 *", "'[*]' comes after the result"),
        ("# 1/2-1/2", '# 1/2-1/2\n\n[Event "?"]', "nothing that PGN knows"),
    ],
)
def test_what_is_no_pgn_is_an_error(old: str, new: str, why: str) -> None:
    assert old in GAME

    with pytest.raises(PgnError, match=why):
        read_pgn(GAME.replace(old, new, 1))
