"""A game from its facts alone, and the contradictions that a record may have."""

import pytest

from tests.support.driver import B, W
from tests.support.toy import ToyPosition
from ulci.rules import Outcome, Over, Reason, Side
from ulci.rules.refereed import RefereedRules
from ulci_server.game import (
    Clock,
    ContradictionError,
    Controls,
    EventKind,
    Happened,
    LagRule,
    MoveList,
    MovePlayed,
    Rebuilt,
    rebuild,
)
from ulci_server.game.lag import LagAccount

Step = MovePlayed | Happened


def record(
    *steps: Step,
    control: str = "60+1",
    move_list: MoveList | None = None,
    undoes: bool = True,
) -> Rebuilt:
    """What is rebuilt from steps that are numbered here if they have no numbers."""
    clock = Clock(Controls.parse(control), lag=LagAccount(LagRule.QUOTA), undoes=undoes)
    return rebuild(move_list or MoveList(ToyPosition()), clock, steps)


def moved(
    seq: int, ply: int, side: Side, move: str, left: int | None, spent: int = 2_000, **given: int
) -> MovePlayed:
    return MovePlayed(42, ply, side, move, spent, left, seq=seq, **given)  # type: ignore[arg-type]


def what(
    seq: int, ply: int, what: EventKind, side: Side | None = None, amount: int = 0, text: str = ""
) -> Happened:
    return Happened(42, seq, ply, what, side, amount, text)


OPENING = (moved(1, 1, W, "a", 59_000), moved(2, 2, B, "b", 59_000))


def test_nothing_is_a_game_that_has_just_begun() -> None:
    game = record()
    assert (game.seq, game.over, game.offer, game.takeback) == (0, None, None, None)
    assert game.move_list.turn is W
    assert game.clock.left(W, 0.0) == 60_000


def test_moves_lead_to_their_position_and_their_clocks() -> None:
    game = record(*OPENING)
    assert game.seq == 2
    assert game.move_list.moves == ["a", "b"]
    assert game.move_list.turn is W
    assert game.have_moved == {W, B}
    assert (game.clock.left(W, 0.0), game.clock.left(B, 0.0)) == (59_000, 59_000)


def test_what_was_given_back_was_not_paid() -> None:
    game = record(moved(1, 1, W, "a", 60_000, lag=600, stall=400))
    assert game.clock.left(W, 0.0) == 60_000


def test_the_move_that_ended_the_game_is_seen_to_have() -> None:
    game = record(moved(1, 1, W, "mate", 59_000))
    assert game.over == Over("mate", Outcome(W, Reason.CHECKMATE))


@pytest.mark.parametrize(
    ("steps", "offer", "takeback"),
    [
        ([what(1, 0, EventKind.DRAW_OFFERED, B)], B, None),
        ([what(1, 0, EventKind.DRAW_OFFERED, B), moved(2, 1, W, "a", 59_000)], None, None),
        ([what(1, 0, EventKind.DRAW_OFFERED, W), moved(2, 1, W, "a", 59_000)], W, None),
        ([what(1, 0, EventKind.DRAW_OFFERED, B),
          what(2, 0, EventKind.DRAW_DECLINED, W)], None, None),
        ([*OPENING, what(3, 2, EventKind.TAKEBACK_OFFERED, W, 2)], None, (W, 2)),
        ([*OPENING, what(3, 2, EventKind.TAKEBACK_OFFERED, W, 2),
          what(4, 2, EventKind.TAKEBACK_DECLINED, B)], None, None),
        ([*OPENING, what(3, 2, EventKind.TAKEBACK_OFFERED, W, 2),
          moved(4, 3, W, "c", 58_000)], None, None),
        ([*OPENING, what(3, 2, EventKind.DRAW_OFFERED, B),
          what(4, 2, EventKind.TAKEBACK_OFFERED, W, 2),
          what(5, 2, EventKind.TAKEN_BACK, W, 2)], None, None),
    ],
)  # fmt: skip
def test_offers_stand_until_they_were_answered(
    steps: list[Step], offer: Side | None, takeback: tuple[Side, int] | None
) -> None:
    game = record(*steps)
    assert (game.offer, game.takeback) == (offer, takeback)


def test_moves_taken_back_are_gone_and_their_time_is_not() -> None:
    game = record(*OPENING, what(3, 2, EventKind.TAKEN_BACK, W, 2), moved(4, 1, W, "x", 57_000))
    assert game.move_list.moves == ["x"]
    assert game.clock.left(B, 0.0) == 58_000


def test_in_an_old_record_what_they_had_added_is_not_gone_either() -> None:
    steps = (*OPENING, what(3, 2, EventKind.TAKEN_BACK, W, 2), moved(4, 1, W, "x", 58_000))
    game = record(*steps, undoes=False)
    assert game.clock.left(B, 0.0) == 59_000


def test_a_gift_is_on_the_clock() -> None:
    game = record(what(1, 0, EventKind.TIME_GIVEN, B, 15_000, "Ada"))
    assert (game.clock.left(W, 0.0), game.clock.left(B, 0.0)) == (60_000, 75_000)


def test_who_came_and_went_is_known() -> None:
    steps = [
        what(1, 0, EventKind.AWAY, W),
        what(2, 0, EventKind.LEFT, B),
        what(3, 0, EventKind.BACK, W),
    ]
    assert record(*steps).away == {B}


@pytest.mark.parametrize("end", [EventKind.PAUSED, EventKind.RESUMED])
def test_what_was_thought_when_the_server_ended_is_not_forgotten(end: EventKind) -> None:
    game = record(*OPENING, what(3, 2, end, W, 7_000))
    assert (game.clock.left(W, 99.0), game.clock.left(B, 99.0)) == (52_000, 59_000)
    assert game.clock.thought(99.0) == 7_000


def test_a_move_after_a_pause_was_thought_about_before_it_too() -> None:
    steps = [what(1, 0, EventKind.PAUSED, W, 7_000), what(2, 0, EventKind.RESUMED, W, 8_000)]
    game = record(*steps, moved(3, 1, W, "a", 52_000, spent=9_000))
    assert game.clock.left(W, 0.0) == 52_000


def test_what_was_ruled_changes_nothing_by_itself() -> None:
    assert record(what(1, 0, EventKind.RULED, None, 0, "Cy: enough")).seq == 1


def test_a_referees_game_goes_on_with_whom_the_record_names() -> None:
    rules = RefereedRules("nim")
    plays = [moved(1, 1, W, "a1", 59_000), moved(2, 2, W, "a1", 58_000)]
    assert record(*plays, move_list=MoveList(rules.new())).move_list.turn is B
    paused = what(3, 2, EventKind.PAUSED, W, 0)
    assert record(*plays, paused, move_list=MoveList(rules.new())).move_list.turn is W
    again = what(3, 2, EventKind.AGAIN, W)
    assert record(*plays, again, move_list=MoveList(rules.new())).move_list.turn is W
    back = [what(3, 2, EventKind.TAKEN_BACK, None, 1), what(4, 1, EventKind.PAUSED, W, 0)]
    assert record(*plays, *back, move_list=MoveList(rules.new())).move_list.turn is W


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ([moved(2, 1, W, "a", 59_000)], "step 1 is missing: after it comes 2"),
        ([*OPENING, moved(2, 3, W, "c", 58_000)], "step 3 is missing: after it comes 2"),
        ([moved(1, 2, W, "a", 59_000)], "ply 2, a: 0 plies were made before it"),
        ([moved(1, 1, B, "a", 59_000)], "ply 1, a: it is not black's turn"),
        ([moved(1, 1, W, "x9", 59_000)], "ply 1, x9 is illegal: no such letter"),
        ([moved(1, 1, W, "a", 58_999)], "the clock shows 59000 ms, and 58999 ms are recorded"),
        ([moved(1, 1, W, "a", None)], "the clock shows 59000 ms, and None ms are recorded"),
        ([moved(1, 1, W, "a", 61_000, lag=1_500, stall=600)], "more was given back than spent"),
        ([moved(1, 1, W, "a", 59_000, lag=-1)], "more was given back than spent"),
        ([moved(1, 1, W, "a", 59_000, spent=-1)], "more was given back than spent"),
        ([moved(1, 1, W, "mate", 59_000), moved(2, 2, B, "b", 59_000)], "b: the game was over"),
        ([what(1, 0, EventKind.TAKEN_BACK, W, 1)], "1 plies were taken back when 0 were made"),
        ([*OPENING, what(3, 2, EventKind.TAKEN_BACK, W, 0)], "0 plies were taken back when 2"),
        (
            [*OPENING, what(3, 2, EventKind.AGAIN, B)],
            "step 3: white is to move, and not the same side",
        ),
        (
            [what(1, 0, EventKind.TIME_GIVEN, None, 5)],
            "after ply 0: there is no clock to give time on",
        ),
    ],
)
def test_what_cannot_have_been_is_named(steps: list[Step], why: str) -> None:
    with pytest.raises(ContradictionError) as caught:
        record(*steps)
    assert why in str(caught.value)


@pytest.mark.parametrize("control", ["3days", "depth=8", "movetime=1000"])
def test_a_gift_to_who_saves_no_time_contradicts(control: str) -> None:
    with pytest.raises(ContradictionError, match="no clock to give time on"):
        record(what(1, 0, EventKind.TIME_GIVEN, W, 5), control=control)


def test_black_begins_where_the_start_says_so() -> None:
    line = MoveList(ToyPosition(turn=B))
    assert record(moved(1, 1, B, "a", 59_000), move_list=line).move_list.turn is W


def test_the_servers_end_cuts_off_both_until_they_are_back() -> None:
    steps = (*OPENING, what(3, 2, EventKind.RESUMED, W, 500), what(4, 2, EventKind.BACK, B))
    assert record(*steps).away == {W}


def test_nothing_happens_after_the_end() -> None:
    end = what(3, 2, EventKind.FINISHED, W)
    assert record(*OPENING, end).finished == end
    with pytest.raises(ContradictionError, match="step 4: the game had ended"):
        record(*OPENING, end, moved(4, 3, W, "c", 58_000))
