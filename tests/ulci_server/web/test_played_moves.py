"""Moves played again, with notation and boards."""

import pytest

from ulci.rules import GAMES, Side
from ulci.rules.refereed import RefereedRules
from ulci_server.web import played_moves
from ulci_server.web.documents import square_name
from ulci_server.web.played_moves import PlayedMoves


def test_moves_are_followed_from_where_they_differ() -> None:
    played = PlayedMoves(GAMES["chess"], None)
    assert played.follow(("e2e4", "e7e5", "g1f3")) == 0
    assert played.follow(("e2e4", "c7c5")) == 1
    assert [ply.san for ply in played.plies] == ["e4", "c5"]
    assert played.board["turn"] == "white"
    played.extend(("g1f3",))
    assert played.plies[-1].san == "Nf3"
    assert played.follow(()) == 0
    assert played.board == played.start_board


def test_ranks_that_stay_equal_are_one_object() -> None:
    played = PlayedMoves(GAMES["chess"], None)
    played.follow(("e2e4",))
    assert played.plies[0].board["ranks"][0] is played.start_board["ranks"][0]


@pytest.mark.parametrize(
    ("game", "start", "line", "last", "rank"),
    [
        ("tictactoe", None, "a1 b2 c3", "c3", "..X"),
        ("chess960", None, "e2e4", "e4", "rnbqkbnr"),
        ("liberty", "mini", "", "", ""),
    ],
)
def test_every_game_has_its_board(game, start, line, last, rank) -> None:
    played = PlayedMoves(GAMES[game], start)
    played.follow(line.split())
    assert played.board["ranks"]
    if last:
        assert played.plies[-1].san == last
        assert played.board["ranks"][0] == rank


def test_what_is_in_hand_is_told() -> None:
    played = PlayedMoves(GAMES["crazyhouse"], None)
    assert played.board["pockets"] == {"white": "", "black": ""}
    played.follow(["e2e4", "d7d5", "e4d5"])
    assert played.board["pockets"] == {"white": "P", "black": ""}
    assert PlayedMoves(GAMES["chess"], None).board["pockets"] is None


def test_a_refereed_game_is_its_words_and_no_board() -> None:
    played = PlayedMoves(RefereedRules("nim"), None)
    played.follow(("a", "b", "c"), (Side.BLACK, Side.BLACK, Side.WHITE))
    assert [ply.side for ply in played.plies] == [Side.BLACK, Side.BLACK, Side.WHITE]
    assert [ply.san for ply in played.plies] == ["a", "b", "c"]
    assert played.board["ranks"] == []
    played.follow(("a", "b"))
    assert len(played.plies) == 2


def test_a_game_that_is_no_longer_known_is_its_words() -> None:
    for rules, start in ((None, None), (GAMES["chess"], "nonsense")):
        played = PlayedMoves(rules, start)
        played.follow(("x", "y"))
        assert [(ply.side.word, ply.san) for ply in played.plies] == [
            ("white", "x"),
            ("black", "y"),
        ]


def test_from_a_move_that_the_rules_refuse_only_words_are_known() -> None:
    played = PlayedMoves(GAMES["chess"], None)
    played.follow(("e2e4", "e2e4", "e7e5"))
    assert [ply.san for ply in played.plies] == ["e4", "e2e4", "e7e5"]
    assert played.board["ranks"] == []


def test_of_a_long_game_on_a_large_board_the_newest_boards_are_kept(monkeypatch) -> None:
    monkeypatch.setattr(played_moves, "MOST_SQUARES", 2 * 64)
    played = PlayedMoves(GAMES["chess"], None)
    played.follow(("e2e4", "e7e5", "g1f3"))
    assert [bool(ply.board["ranks"]) for ply in played.plies] == [False, True, True]


def test_squares_are_named_beyond_z() -> None:
    names = [square_name(file, 0) for file in (0, 25, 26, 51, 52, 255)]
    assert names == ["a1", "z1", "aa1", "az1", "ba1", "iv1"]
