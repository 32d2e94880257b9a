"""Games that are decided before they are over: by scores, by a limit, by proof."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.toy import ToyPosition
from ulci.protocol.messages import Bound, Info, Score
from ulci.rules import GAMES, Outcome, Position, Reason, Side
from ulci_server.game import Seat
from ulci_server.game.adjudication import (
    MOST_LETTERS,
    NONE,
    Adjudication,
    Adjudicator,
    DrawRule,
    Proved,
    ResignRule,
    is_zeroing,
)
from ulci_server.game.endings import Ending, Endings

W, B = Side
ENGINES = (Seat("Ash", "engine"), Seat("Birch", "engine"))
MIXED = (Seat("Ada", "human"), Seat("Birch", "engine"))
RESIGN = Adjudication(resign=ResignRule(3, 600))
TWOSIDED = Adjudication(resign=ResignRule(3, 600, twosided=True))
DRAW = Adjudication(draw=DrawRule(after=4, moves=2, score=10))

TOY = ToyPosition()
CAPTURE = GAMES["chess"].new("4k3/8/8/8/8/8/8/4K3 b - - 0 40")
"""After a capture or a pawn move."""

Said = int | str | Score | None
"""Centipawns, ``-M5``, a score, or nothing."""


def info(said: Said) -> Info | None:
    match said:
        case None:
            return None
        case int():
            return Info(score=Score(cp=said))
        case Score():
            return Info(score=said)
        case _:
            return Info(score=Score(mate=int(said.replace("M", ""))))


def judged(
    settings: Adjudication, *said: Said, seats: tuple[Seat, Seat] = ENGINES, zeroing: int = 0
) -> tuple[int, Ending | None]:
    """After which ply the game ended, and how, if the sides said this in turn, White first."""
    adjudicator = Adjudicator(settings, Endings(seats))
    for ply, score in enumerate(said, 1):
        position = CAPTURE if ply == zeroing else TOY
        if ending := adjudicator.judge(Side((ply - 1) % 2), ply, info(score), 2 * ply, position):
            return ply, ending
    return len(said), None


def test_whoever_says_often_enough_that_it_has_lost_has_lost() -> None:
    ply, ending = judged(RESIGN, -612, 0, -700, 0, "-M5", 0)
    assert ply == 5
    assert ending is not None
    assert ending.outcome == Outcome(B, Reason.ADJUDICATION)
    assert ending.detail == (
        "Black (Birch) won by adjudication: resign rule (3 moves at -6.00):"
        " White (Ash) said -6.12 -7.00 -M5"
    )


@pytest.mark.parametrize(
    "said",
    [
        (-600, 0, -599, 0, -600, 0, -600),
        (-600, 0, None, 0, -600, 0, -600),
        (-600, 0, "M3", 0, -600, 0, -600),
        (-600, 0, Score(cp=-700, bound=Bound.LOWER), 0, -600, 0, -600),
        (600, 0, 600, 0, 600, 0, 600),
    ],
)
def test_a_series_is_broken_by_one_other_score_and_by_none(said: tuple[Said, ...]) -> None:
    assert judged(RESIGN, *said)[1] is None


def test_an_upper_bound_says_that_the_game_is_lost() -> None:
    at_most = Score(cp=-650, bound=Bound.UPPER)
    assert judged(RESIGN, at_most, 0, at_most, 0, at_most)[0] == 5


def test_black_resigns_as_white_does() -> None:
    ply, ending = judged(RESIGN, 0, -900, 0, -900, 0, -900)
    assert ply == 6
    assert ending is not None
    assert ending.outcome.winner is W


def test_twosided_asks_the_winner_too() -> None:
    assert judged(TWOSIDED, *(-700, 500) * 6)[1] is None
    ply, ending = judged(TWOSIDED, *(-700, 500) * 3, *(-700, 800) * 3)
    assert ply == 12
    assert ending is not None
    assert ending.outcome.winner is B
    assert ending.detail.endswith(
        "White (Ash) said -7.00 -7.00 -7.00, and Black (Birch) said +8.00 +8.00 +8.00"
    )


def test_both_must_find_it_equal_for_long_enough_and_late_enough() -> None:
    ply, ending = judged(DRAW, *(3, -10) * 9)
    assert ply == 8
    assert ending is not None
    assert ending.outcome == Outcome(None, Reason.ADJUDICATION)
    assert ending.detail == (
        "a draw by adjudication: draw rule (from move 4 on, 2 moves within 0.10):"
        " White (Ash) said +0.03 +0.03, and Black (Birch) said -0.10 -0.10"
    )
    assert judged(DRAW, *(3, -11) * 20)[1] is None
    assert judged(DRAW, *(3, None) * 20)[1] is None
    assert judged(DRAW, *(3, "M9") * 20)[1] is None


def test_a_capture_or_a_pawn_move_begins_the_count_of_the_draw_anew() -> None:
    assert judged(DRAW, *(0,) * 20)[0] == 8
    assert judged(DRAW, *(0,) * 20, zeroing=7)[0] == 10


def test_a_game_has_a_longest_length() -> None:
    ply, ending = judged(Adjudication(max_moves=5), *(None,) * 20)
    assert ply == 10
    assert ending is not None
    assert ending.detail == "a draw by adjudication: the game reached its limit of 5 moves"


@pytest.mark.parametrize("seats", [ENGINES, MIXED])
@pytest.mark.parametrize("settings", [NONE, RESIGN])
def test_no_game_is_longer_than_the_server_allows_whoever_plays(
    seats: tuple[Seat, Seat], settings: Adjudication
) -> None:
    adjudicator = Adjudicator(settings, Endings(seats), 100)
    *before, ending = [
        adjudicator.judge(Side((ply - 1) % 2), ply, None, 2 * ply, TOY) for ply in range(1, 101)
    ]
    assert before == [None] * 99
    assert ending is not None
    assert ending.outcome == Outcome(None, Reason.ADJUDICATION)
    assert ending.detail == (
        "a draw by adjudication: the game has 100 plies, as many as this server allows"
    )


@pytest.mark.parametrize("settings", [NONE, RESIGN])
def test_no_game_has_more_letters_than_a_client_takes_in_a_line(settings: Adjudication) -> None:
    adjudicator = Adjudicator(settings, Endings(ENGINES))
    assert adjudicator.judge(W, 1_001, None, MOST_LETTERS - 1, TOY) is None
    ending = adjudicator.judge(B, 1_002, None, MOST_LETTERS, TOY)
    assert ending is not None
    assert ending.outcome == Outcome(None, Reason.ADJUDICATION)
    assert ending.detail == (
        "a draw by adjudication: its moves have 60000 letters, as many as a client takes in one"
        " line"
    )


@pytest.mark.parametrize(
    ("winner", "detail"),
    [
        (W, "White (Ash) won by adjudication: the tablebases have the position after ply 9 as"
            " won for White (Ash)"),
        (None, "a draw by adjudication: the tablebases have the position after ply 9 as a draw"),
    ],
)  # fmt: skip
def test_tablebases_are_proof(winner: Side | None, detail: str) -> None:
    asked: list[Position] = []

    def prove(position: Position) -> Proved:
        asked.append(position)
        return Proved(winner)

    adjudicator = Adjudicator(Adjudication(tablebases=True), Endings(ENGINES), prove=prove)
    ending = adjudicator.judge(W, 9, None, 18, TOY)
    assert ending is not None
    assert (ending.outcome.winner, ending.detail) == (winner, detail)
    assert asked == [TOY]
    without = Adjudicator(RESIGN, Endings(ENGINES), prove=prove)
    assert without.judge(W, 9, None, 18, TOY) is None
    assert asked == [TOY]  # who does not go by proof does not pay for it


def test_what_tablebases_do_not_know_they_do_not_decide() -> None:
    settings = Adjudication(tablebases=True)
    for prove in (None, lambda _: None):
        adjudicator = Adjudicator(settings, Endings(ENGINES), prove=prove)
        assert adjudicator.judge(W, 9, None, 18, TOY) is None


def test_a_game_with_a_person_is_played_to_its_end_unless_the_pool_says_so() -> None:
    losing = (0, -700) * 3
    assert judged(RESIGN, *losing, seats=MIXED)[1] is None
    assert judged(Adjudication(max_moves=3), *losing, seats=MIXED)[1] is None
    ply, ending = judged(replace(RESIGN, people=True), *losing, seats=MIXED)
    assert ply == 6
    assert ending is not None
    assert ending.outcome.winner is W


def test_what_a_person_s_program_says_never_counts() -> None:
    settings = Adjudication(RESIGN.resign, DRAW.draw, people=True)
    assert judged(settings, *(-900, 900) * 9, seats=MIXED)[1] is None
    assert judged(settings, *(0,) * 40, seats=MIXED)[1] is None


def test_a_takeback_begins_every_series_anew() -> None:
    adjudicator = Adjudicator(RESIGN, Endings(ENGINES))
    for ply in (1, 3):
        assert adjudicator.judge(W, ply, info(-700), 2 * ply, TOY) is None
    adjudicator.take_back()
    for ply in (3, 5):
        assert adjudicator.judge(W, ply, info(-700), 2 * ply, TOY) is None
    assert adjudicator.judge(W, 7, info(-700), 14, TOY) is not None


def test_a_takeback_begins_the_count_of_a_draw_anew() -> None:
    drawn = Adjudication(draw=DrawRule(after=1, moves=3, score=10))
    adjudicator = Adjudicator(drawn, Endings(ENGINES))
    for ply in range(1, 5):
        assert adjudicator.judge(Side((ply - 1) % 2), ply, info(0), 2 * ply, TOY) is None
    adjudicator.take_back()
    for ply in range(1, 6):
        assert adjudicator.judge(Side((ply - 1) % 2), ply, info(0), 2 * ply, TOY) is None
    assert adjudicator.judge(B, 6, info(0), 12, TOY) is not None


said = st.one_of(st.none(), st.integers(-1000, 1000), st.sampled_from(("M1", "-M1", "M30", "-M30")))
rules = st.builds(
    Adjudication,
    st.none() | st.builds(ResignRule, st.integers(1, 4), st.integers(1, 900), st.booleans()),
    st.none() | st.builds(DrawRule, st.integers(1, 9), st.integers(1, 4), st.integers(0, 500)),
    st.none() | st.integers(1, 30),
)


@given(rules, st.lists(said, max_size=12), st.lists(said, max_size=40))
def test_nothing_said_before_a_takeback_counts_after_it(
    settings: Adjudication, before: list[Said], after: list[Said]
) -> None:
    """Sides take turns from ply 1 again, as when all moves were taken back."""

    def ending(adjudicator: Adjudicator, scores: list[Said]) -> tuple[int, Ending | None]:
        for ply, score in enumerate(scores, 1):
            side = Side((ply - 1) % 2)
            if found := adjudicator.judge(side, ply, info(score), 2 * ply, TOY):
                return ply, found
        return len(scores), None

    adjudicator = Adjudicator(settings, Endings(ENGINES))
    ending(adjudicator, before)
    adjudicator.take_back()
    assert ending(adjudicator, after) == judged(settings, *after)


@given(st.lists(said, max_size=60))
def test_without_rules_every_game_is_played_to_its_end(scores: list[Said]) -> None:
    assert judged(NONE, *scores)[1] is None


@given(rules, st.lists(said, max_size=60))
def test_no_score_no_verdict_and_no_verdict_without_its_series(
    settings: Adjudication, scores: list[Said]
) -> None:
    ply, ending = judged(settings, *scores)
    if ending is None:
        assert settings.max_moves is None or len(scores) < 2 * settings.max_moves
        return
    winner = ending.outcome.winner
    last = [scores[at] for at in range(ply)]
    if winner is not None:
        assert settings.resign is not None
        losers = [s for at, s in enumerate(last) if at % 2 == winner.other]
        series = losers[-settings.resign.moves :]
        assert len(series) == settings.resign.moves
        assert all(str(s).startswith("-") for s in series)
    elif "draw rule" in ending.detail:
        assert settings.draw is not None
        assert ply >= 2 * settings.draw.after
        series = last[-2 * settings.draw.moves :]
        assert all(isinstance(s, int) and abs(s) <= settings.draw.score for s in series)
    else:
        assert ply == 2 * (settings.max_moves or 0)


@given(rules, st.lists(said, max_size=60))
def test_colours_do_not_matter(settings: Adjudication, scores: list[Said]) -> None:
    """The same scores one ply later are the other side's."""
    settings = replace(settings, draw=None, max_moves=None)
    ply, ending = judged(settings, *scores)
    later, other = judged(settings, None, *scores)
    assert (ending is None) == (other is None)
    if ending is not None and other is not None:
        assert later == ply + 1
        assert ending.outcome.winner is not other.outcome.winner


def test_a_capture_or_pawn_move_is_seen_where_the_game_has_them() -> None:
    position = GAMES["chess"].new()
    seen = []
    for move in ("g1f3", "d7d5", "f3e5", "d8d6", "e5d7", "d6d7"):
        position.play_untrusted(move)
        seen.append(is_zeroing(position))
    assert seen == [False, True, False, False, False, True]
    assert not is_zeroing(GAMES["tictactoe"].new())
