import pytest

from ulci.rules import Side
from ulci_client.terminal.model.game import Game, UnreadableError, squares_of
from ulci_client.terminal.model.phrases import Result


def after(*moves: str, start: str | None = None, rules: str = "chess") -> Game:
    game = Game(rules=rules)
    game.follow(start, moves)
    return game


def test_new_moves_are_told_and_known_ones_are_not() -> None:
    game = after()
    assert [ply.san for ply in game.follow(None, ["e2e4", "e7e5"]) or []] == ["e4", "e5"]
    assert game.follow(None, ["e2e4", "e7e5"]) == []
    assert [(p.side, p.move) for p in game.plies] == [(Side.WHITE, "e2e4"), (Side.BLACK, "e7e5")]


def test_a_position_that_does_not_continue_ours_replaces_it() -> None:
    game = after("e2e4", "e7e5")
    assert game.follow(None, ["d2d4"]) is None
    assert [ply.san for ply in game.plies] == ["d4"]
    assert game.follow("8/8/8/8/8/4k3/4p3/4K3 b - - 0 1", []) is None
    assert game.turn is Side.BLACK


def test_an_unreadable_position_shows_nothing() -> None:
    with pytest.raises(UnreadableError, match="e2e5 cannot be played"):
        after("e2e5")
    with pytest.raises(UnreadableError, match="does not know the game go"):
        after(rules="go")
    with pytest.raises(UnreadableError):
        after(start="not a fen")


def test_a_game_without_a_position_plays_nothing() -> None:
    game = Game()
    assert game.play("e2e4") is None
    assert game.trial() is None
    assert game.captured(Side.WHITE) == ""
    assert game.lead() is None
    assert game.last_squares() == frozenset()


def test_an_illegal_move_changes_nothing() -> None:
    game = after("e2e4")
    assert game.play("e4e5") is None
    assert len(game.plies) == 1


def test_a_mate_ends_the_game_and_a_repetition_does_not() -> None:
    assert after("f2f3", "e7e5", "g2g4", "d8h4").ended == Result("0-1", "checkmate")
    there_and_back = ["g1f3", "g8f6", "f3g1", "f6g8"] * 2
    assert after(*there_and_back).ended is None


def test_what_is_captured_is_gone_from_the_board() -> None:
    game = after("e2e4", "d7d5", "e4d5", "d8d5", "b1c3", "d5d2", "c1d2")
    assert game.captured(Side.BLACK) == "qp"
    assert game.captured(Side.WHITE) == "pp"
    assert game.lead() == 8


def test_a_promotion_counts_for_what_it_became() -> None:
    game = after("a7a8q", start="4k3/P7/8/8/8/8/8/4K3 w - - 0 1")
    assert game.captured(Side.WHITE) == "p"
    assert game.lead() == 9


def test_only_who_is_asked_has_moves() -> None:
    game = after()
    assert game.legal() == {}
    game.asked = True
    assert game.legal()["g1f3"] == "Nf3"
    assert len(game.legal()) == 20


def test_a_trial_is_not_the_game() -> None:
    game = after("e2e4")
    trial = game.trial()
    assert trial is not None
    trial.play_untrusted("e7e5")
    assert game.turn is Side.BLACK
    assert len(game.plies) == 1


def test_an_offer_stands_until_the_other_side_moves() -> None:
    game = after()
    game.offers.add((Side.WHITE, "draw"))
    game.follow(None, ["e2e4"])
    assert game.offers == {(Side.WHITE, "draw")}
    game.follow(None, ["e2e4", "e7e5"])
    assert game.offers == set()


@pytest.mark.parametrize("over", [False, True])
@pytest.mark.parametrize("sent", [None, "e2e4"])
@pytest.mark.parametrize("ending", [False, True])
def test_only_a_running_game_has_something_to_be_confirmed(over, sent, ending) -> None:
    game = after()
    game.sent, game.ending = sent, ending
    game.result = Result("1-0", "resignation") if over else None
    waits = {(False, "e2e4", False), (False, "e2e4", True), (False, None, True)}
    assert game.unsettled == ((over, sent, ending) in waits)


def test_names_are_made_up_where_none_were_told() -> None:
    game = Game(names=["", "Bob"])
    assert (game.named(Side.WHITE), game.named(Side.BLACK)) == ("White", "Bob")
    assert game.opponent == "your opponent"
    game.mine = Side.WHITE
    assert game.opponent == "Bob"


@pytest.mark.parametrize(
    ("move", "squares"),
    [("e2e4", [(4, 1), (4, 3)]), ("j11k12", [(9, 10), (10, 11)]), ("b2", [(1, 1)]), ("0000", [])],
)
def test_a_move_names_its_squares(move: str, squares: list[tuple[int, int]]) -> None:
    assert squares_of(move) == squares
