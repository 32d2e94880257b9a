"""Openings: moves from a start to the position in which the players take over."""

import pytest

from ulci.rules import GAMES, Side, StartError
from ulci.rules.refereed import RefereedRules
from ulci.rules.starts import MOST_PLIES, movers, opened, playable_opening

CHESS = GAMES["chess"]
AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8")


def test_an_opening_leads_to_its_position() -> None:
    position = opened(CHESS, None, ("e2e4", "c7c5", "g1f3"))

    assert [*position.moves] == ["e2e4", "c7c5", "g1f3"]
    assert position.turn is Side.BLACK
    assert position.start is None


def test_a_game_without_an_opening_begins_at_its_start_even_if_it_is_over_there() -> None:
    stalemate = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"

    assert opened(CHESS, stalemate, ()).outcome() is not None


@pytest.mark.parametrize(
    ("rules", "start", "opening", "spelled"),
    [
        ("chess", None, ("e2e4", "E7E5"), ("e2e4", "e7e5")),
        ("chess", AFTER_E4, ("c7c5",), ("c7c5",)),
        ("atomic", None, ("g1f3", "f7f6"), ("g1f3", "f7f6")),
        ("liberty", None, ("e2e4", "e7e5"), ("e2e4", "e7e5")),
        ("tictactoe", None, ("b2",), ("b2",)),
    ],
)
def test_an_opening_that_can_be_played_is_spelled_as_the_game_spells_moves(
    rules: str, start: str | None, opening: tuple[str, ...], spelled: tuple[str, ...]
) -> None:
    assert playable_opening(GAMES[rules], start, opening) == (start, spelled)


@pytest.mark.parametrize(
    ("start", "opening", "why"),
    [
        (None, ("e2e4", "e2e5"), "ply 2 of the opening, e2e5, is illegal: "),
        (
            None,
            ("f2f3", "e7e5", "g2g4", "d8h4"),
            "the opening ends the game at ply 4, d8h4: won by",
        ),
        (None, SHUFFLE * 2, r"the opening ends the game at ply 8, f6g8: drawn \(repetition\)"),
        (None, SHUFFLE * 17, "an opening has 64 plies at most, and this one 68"),
        ("nonsense", ("e2e4",), "FEN"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", (), "the game is over there already: drawn"),
    ],
)
def test_an_opening_from_which_no_game_begins_is_refused(
    start: str | None, opening: tuple[str, ...], why: str
) -> None:
    with pytest.raises(StartError, match=why):
        playable_opening(CHESS, start, opening)


def test_where_draws_are_claimed_an_opening_may_repeat_a_position() -> None:
    assert opened(CHESS, None, SHUFFLE * 2, claims=True).claim() is not None
    with pytest.raises(StartError, match="ends the game"):
        opened(CHESS, None, SHUFFLE * 2)


def test_only_its_referee_could_judge_the_opening_of_a_refereed_game() -> None:
    assert opened(RefereedRules("nim"), None, ()).turn is Side.WHITE
    with pytest.raises(StartError, match="ply 1 of the opening, take, is illegal: this game has a"):
        opened(RefereedRules("nim"), None, ("take",))


def test_whose_the_moves_of_an_opening_are_comes_from_the_rules() -> None:
    assert [*movers(CHESS, None, ("e2e4", "c7c5", "g1f3"))] == [Side.WHITE, Side.BLACK, Side.WHITE]
    assert [*movers(CHESS, AFTER_E4, ("c7c5",))] == [Side.BLACK]
    assert [*movers(CHESS, None, ())] == []
    assert MOST_PLIES % 2 == 0
